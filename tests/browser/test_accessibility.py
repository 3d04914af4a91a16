"""axe-core finds nothing serious in what the course shows: its prose, its cards, its map, its figures and controls."""

import pytest

from tests.browser.looking import put_on
from tests.serving import serious

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SHOWN = ".jp-NotebookPanel:not(.lm-mod-hidden)"
ALL = [[f"{SHOWN} .jp-OutputArea-output"], [f"{SHOWN} .jp-RenderedMarkdown"]]
CARD = [[f"{SHOWN} .jp-mod-active .jp-OutputArea-output"]]  # the rest of the page is looked at with its figure
# What JupyterLab itself puts there: the sign behind each heading, and a traceback in its own colours.
NOT_OURS = {"exclude": [[".jp-InternalAnchorLink"], ['[data-mime-type="application/vnd.jupyter.error"]']]}


@pytest.fixture
def failed_card(layer_norm):
    layer_norm.stay_wrong()


@pytest.fixture
def passed_card(layer_norm):
    layer_norm.stay_right()


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
    where = CARD if which.endswith("card") else ALL
    assert serious(shown.page, {"include": where, **NOT_OURS}) == []
