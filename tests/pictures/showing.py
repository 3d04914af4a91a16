"""A picture in a plain page, put there as JupyterLab, VS Code and Colab put it."""

from typing import Any

from playwright.sync_api import Frame, Locator, Page

# What JupyterLab's two themes say of themselves; a page that says nothing is the site's.
THEMES = {
    "light": ("true", "rgba(0, 0, 0, 0.87)", "white", "#bdbdbd"),
    "dark": ("false", "rgba(255, 255, 255, 1)", "#111111", "#616161"),
}
PAGE = """<!doctype html><html lang="en"><head><title>A picture</title><link rel="icon" href="data:,"></head>
<body data-jp-theme-light="{}" style="margin: 0; padding: 8px;
--jp-content-font-color1: {}; --jp-layout-color0: {}; --jp-border-color1: {}; background: var(--jp-layout-color0)">
<main><h1 style="font-size: 1em; color: var(--jp-content-font-color1)">A notebook</h1></main></body></html>"""
# JupyterLab puts the HTML in its place, then each script anew where it stood. VS Code puts the scripts anew behind all
# that is shown, one by one, and takes each away again (domEval in its extensions/notebook-renderers/src/index.ts).
# Colab shows each output in a frame of its own. Where scripts are not trusted they are left out.
PUT = """([html, host]) => {
  const output = document.createElement("div");
  output.className = "output";
  document.querySelector("main").append(output);
  if (host === "colab") {
    const frame = document.createElement("iframe");
    frame.title = "An output";
    frame.style = "border: 0; width: 100%; height: 900px";
    frame.srcdoc = `<!doctype html><html lang="en"><title>An output</title><main>${html}</main></html>`;
    const loaded = new Promise((done) => (frame.onload = done));
    output.append(frame);
    return loaded.then(() => {});
  }
  output.innerHTML = html;
  for (const script of [...output.querySelectorAll("script")]) {
    const again = document.createElement("script");
    again.textContent = host === "vscode" ? script.innerText : script.textContent;
    if (host === "jupyterlab") script.replaceWith(again);
    if (host === "vscode") output.appendChild(again).remove();
    if (host === "untrusted") script.remove();
  }
}"""


class Shows:
    """Shows pictures one at a time in one page."""

    def __init__(self, page: Page, address: str):
        self.page, self.address = page, address
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)

    def blank(self, *, width: int = 1000, theme: str = "light", motion: Any = "no-preference") -> Page:
        """An empty page with the theme of a notebook, of this width in px; `motion` may be "reduce"."""
        self.page.emulate_media(reduced_motion=motion)
        self.page.set_viewport_size({"width": width, "height": 900})
        self.page.goto(f"{self.address}/index.html")  # of this folder, so that modules can be imported
        self.page.set_content(PAGE.format(*THEMES[theme]))
        return self.page

    def __call__(self, picture: Any, *, host: str = "jupyterlab", **of_the_page: Any) -> Locator:
        """The place `.cp` of a picture or of HTML, in a page of its own; `host` is one of those above."""
        page = self.blank(**of_the_page)
        self.put(picture, host)
        return (self.frame if host == "colab" else page).locator(".cp").last

    def put(self, picture: Any, host: str = "jupyterlab") -> None:
        """One more output in the page."""
        html = picture if isinstance(picture, str) else picture._repr_html_()
        self.page.evaluate(PUT, [html, host])

    @property
    def frame(self) -> Frame:
        return self.page.frames[-1]

    def too_wide(self) -> int:
        """By how many px the page would scroll sideways."""
        return self.page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
