"""An extension of Jupyter's server: its page /course leads to the start page, with the whole course beside it.

JupyterLab can be told both by an address with a "?" in it. As its default address that breaks the links that it prints,
to which it adds "?token=...".
"""

from typing import Any

ADDRESS = "/course"
START = "lab/tree/chapters/START.ipynb?file-browser-path=/"


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": __name__}]


def _load_jupyter_server_extension(server: Any) -> None:
    from jupyter_server.base.handlers import RedirectWithParams
    from jupyter_server.utils import url_path_join

    base = server.web_app.settings["base_url"]
    page = url_path_join(base, ADDRESS)
    to_start = {"url": url_path_join(base, START), "permanent": False}
    handler = (page, RedirectWithParams, to_start)
    server.web_app.add_handlers(".*$", [handler])
