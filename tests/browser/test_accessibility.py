"""axe-core finds nothing serious in what the course shows: its prose, its cards, its map, its figures and controls."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.looking import put_on

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SHOWN = ".jp-NotebookPanel:not(.lm-mod-hidden)"
ALL = [[f"{SHOWN} .jp-OutputArea-output"], [f"{SHOWN} .jp-RenderedMarkdown"]]
CARD = [[f"{SHOWN} .jp-mod-active .jp-OutputArea-output"]]  # the rest of the page is looked at with its figure
# What JupyterLab itself puts there: the sign behind each heading, and a traceback in its own colours.
NOT_OURS = {"exclude": [[".jp-InternalAnchorLink"], ['[data-mime-type="application/vnd.jupyter.error"]']]}


def serious(page: Page, where: list[list[str]]) -> list[str]:
    """What axe-core finds serious or critical in the notebook that is shown, a line for each place."""
    found = Axe().run(page, context={"include": where, **NOT_OURS}).response["violations"]
    return [
        f"{one['impact']}, {one['help']}: {node['html'][:300]}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


@pytest.fixture
def failed_card(layer_norm):
    layer_norm.wrong()


@pytest.fixture
def passed_card(layer_norm):
    layer_norm.right()


@pytest.fixture
def figure(lines):
    """The first one of chapter 3, a plain one."""


@pytest.fixture
def start_page(start):
    start.ask("show")


@pytest.fixture
def figure_and_controls(attention):
    attention.ask("show")


@pytest.mark.parametrize("theme", ["Light", "Dark"])
@pytest.mark.parametrize("which", ["start_page", "failed_card", "passed_card", "figure", "figure_and_controls"])
def test_nothing_serious_is_found(shown, request, which, theme):
    request.getfixturevalue(which)
    put_on(shown, theme)
    assert serious(shown.page, CARD if which.endswith("card") else ALL) == []
