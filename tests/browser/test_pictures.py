"""Pictures that draw themselves, in JupyterLab: keys do not reach the notebook, its themes and widths fit."""

import pytest
import torch

from tests.browser.looking import put_on, too_wide
from tests.serving import serious
from utils.model_map import model_map
from utils.pictures.arcs import arcs
from utils.pictures.map_picture import map_of_one_prompt
from utils.pictures.pairs import play_merges
from utils.pictures.story import story
from utils.pictures.stream import stream_strip

pytestmark = [pytest.mark.browser, pytest.mark.slow]
TOKENS = ["<|endoftext|>", "\n", "There", " was", " once", " a", " mill", "er"]
WRITERS = ["embed", "pos_embed", "0_attn_out", "0_mlp_out"]
WRITES = torch.arange(4 * 8 * 3).reshape(4, 8, 3) / 10
EVEN = torch.ones(2, 4, 8, 8).tril() / torch.arange(1, 9)[:, None]
PICTURES = {
    "arcs": arcs(EVEN, TOKENS, lambda off: [(" who", 0.5), (".", 0.25)], layer=1),
    "opened_map": map_of_one_prompt(model_map("block", loop=True)),
    "pairs": play_merges([[b"h", b"e"], [b" ", b"h", b"e", b"n"]], [(b"h", b"e")]),
    "story": story(lambda tokens: torch.arange(8.0).roll(len(tokens)), TOKENS, torch.tensor([0, 2]), texts=6, greedy=3),
    "stream": stream_strip(WRITES, WRITERS, TOKENS),
}
LETTERS = ("a", "b", "d", "d", "x", "m", "y", "0", "0", "ArrowDown", "ArrowUp")  # JupyterLab's commands for cells

# The outline of what has the focus, or of the option that is chosen in it: how wide it is, whether the output cuts off
# a side of it, and its contrast with the page.
MARK = """taker => {
  const marked = taker.querySelector(":scope > [aria-selected=true]") ?? taker;
  const { opacity, outlineStyle, outlineWidth, outlineOffset, outlineColor } = getComputedStyle(marked);
  const around = parseFloat(outlineWidth) + parseFloat(outlineOffset);
  const [box, output] = [marked, taker.closest(".jp-OutputArea-output")].map((one) => one.getBoundingClientRect());
  const cut = box.left - around < output.left - 0.5 || box.top - around < output.top - 0.5;
  const brightness = (colour) => {
    const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255);
    const [red, green, blue] = parts.map((part) => (part <= 0.04 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  const page = getComputedStyle(taker.closest(".jp-Notebook")).backgroundColor;
  const [dark, light] = [page, outlineColor].map(brightness).sort((one, other) => one - other);
  const width = outlineStyle === "solid" ? outlineWidth : "0px";
  return { of: taker.outerHTML, width, opacity, cut, contrast: light / dark };
}"""


@pytest.fixture(scope="module")
def notebook(shown):
    """A chapter that no other test here opens, with the pictures in its first code cells."""
    chapter = shown.open("chapters/ch00_tokens.ipynb")
    cells = chapter.code[: len(PICTURES)]
    for cell, picture in zip(cells, PICTURES.values(), strict=True):
        chapter.ask("put", cell, f"from IPython.display import HTML\nHTML({picture._repr_html_()!r})")
    chapter.run_together(*cells)
    yield chapter
    chapter.ask("shut")


@pytest.fixture(params=PICTURES)
def cell(request, notebook):
    """The cell of a picture."""
    return notebook.code[list(PICTURES).index(request.param)]


@pytest.fixture
def picture(notebook, cell):
    """The output that holds the picture; nothing in it has the focus."""
    notebook.choose(cell)
    return notebook.output(cell)


@pytest.fixture
def made_anew(notebook, cell):
    """The picture is afterwards as it was."""
    yield
    notebook.run(cell)


@pytest.mark.usefixtures("made_anew")
def test_keys_in_a_picture_do_not_reach_the_notebook(notebook, picture):
    before = notebook.sources
    takers = picture.locator(".cp [tabindex='0'], .cp button, .cp input").all()
    assert takers
    for taker in takers:
        taker.focus()
        for key in LETTERS:
            picture.page.keyboard.press(key)
    assert notebook.sources == before
    assert picture.locator(".cp :focus").count() == 1


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_what_has_the_focus_is_marked_so_that_it_is_seen(shown, picture, theme):
    put_on(shown, theme)
    picture.page.keyboard.press("Shift")
    takers = picture.locator(".cp [tabindex='0'], .cp button, .cp input").filter(visible=True)
    for taker in takers.all():
        taker.focus()
        mark = taker.evaluate(MARK)
        assert (mark["width"], mark["opacity"], mark["cut"]) == ("3px", "1", False), mark["of"]
        assert mark["contrast"] >= 3, mark["of"]


@pytest.mark.parametrize("theme", ["Light", "Dark"])
@pytest.mark.parametrize("width", [1280, 700])
def test_it_fits_and_axe_finds_nothing_serious(shown, notebook, cell, picture, theme, width):
    put_on(shown, theme)
    shown.width(width)
    notebook.choose(cell)
    assert picture.locator(".cp").count() == 1
    assert too_wide(notebook.node) == []
    assert serious(shown.page, {"include": [[".jp-NotebookPanel:not(.lm-mod-hidden) .jp-mod-active .cp"]]}) == []
