"""Where links to the course's notebooks lead: beside the page, and in Colab to Colab itself."""

import html
import sys

from utils.course import branch, repository

COLAB = "https://colab.research.google.com/github"


def in_colab() -> bool:
    """Whether this kernel is Google Colab's."""
    return "google.colab" in sys.modules


def colab_address(repository: str, branch: str, path: str) -> str:
    """Where a notebook of a GitHub repository opens in Colab."""
    return f"{COLAB}/{repository}/blob/{branch}/{path}"


def to_chapter(stem: str) -> str:
    """The attributes of a link, `<a ...>`, to a chapter's notebook, as they stand in HTML."""
    name = repository() if in_colab() else None
    if name is None:
        return f'href="{stem}.ipynb"'
    address = colab_address(name, branch(), f"chapters/{stem}.ipynb")
    return f'href="{html.escape(address)}" target="_blank"'
