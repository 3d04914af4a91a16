"""What the tests here see with: each function of looking.py finds the fault, and finds none where there is none."""

import pytest

from tests.browser.looking import (
    brightest_share,
    cut_code,
    faint_letters,
    figure,
    in_view,
    smallest_letter,
    told_under_the_mouse,
    too_wide,
    until_it_moves,
)
from tests.browser.test_accessibility import ALL, serious

pytestmark = [pytest.mark.browser, pytest.mark.slow]
DRAWING = '<svg role="img" aria-label="a drawing" width="400" height="200" viewBox="0 0 800 400">{}</svg>'


@pytest.fixture
def paper(shown):
    """A dark page; what it returns writes on it, and gives where."""
    page = shown.browser.new_page()

    def write(html):
        page.set_content(f'<html lang="en"><body style="--jp-layout-color0: #111111; background: #111111">{html}')
        return page.locator("body")

    yield write
    page.context.close()


@pytest.mark.parametrize("ground, share", [("white", 1), ("#222222", 0), ("none", 0)])
def test_white_slabs(paper, ground, share):
    seen = figure(paper(DRAWING.format(f'<rect width="800" height="400" fill="{ground}"/>')))
    assert brightest_share(seen) == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize("colour, faint", [("#444444", True), ("#e0e0e0", False), ("rgba(255, 255, 255, 0.2)", True)])
def test_faint_letters(paper, colour, faint):
    found = faint_letters(paper(DRAWING.format(f'<text y="40" fill="{colour}">token</text>')))
    assert [text.partition(":")[0] for text in found] == ["token"] * faint


def test_small_letters(paper):
    """20 units of 800 on 400 px are 10 px."""
    assert smallest_letter(paper(DRAWING.format('<text y="40" font-size="20">token</text>'))) == pytest.approx(10)
    assert smallest_letter(paper(DRAWING.format("") + '<p style="font-size: 9px">small')) == pytest.approx(9)


@pytest.mark.parametrize("scrolls", [True, False])
def test_what_is_too_wide(paper, scrolls):
    overflow = "auto" if scrolls else "visible"
    place = '<div class="jp-OutputArea-output" style="width: 300px">{}</div>'
    found = too_wide(paper(place.format(f'<div style="overflow-x: {overflow}"><p style="width: 350px">wide</p></div>')))
    assert bool(found) != scrolls and not too_wide(paper(place.format("<p>narrow</p>")))


def test_cut_code(paper):
    code = '<div class="jp-CodeCell"><div class="cm-scroller" style="width: 90px; overflow: auto"><pre>{}</pre></div>'
    assert cut_code(paper(code.format("x = 1"))) == []
    assert cut_code(paper(code.format("x = 1" * 40)))


def test_what_is_told_under_the_mouse(paper):
    told = "onmousemove=\"this.querySelector('text').textContent = '0.25'\""
    assert "0.25" in told_under_the_mouse(paper(DRAWING.replace("<svg", f"<svg {told}").format("<text>0</text>")))
    assert told_under_the_mouse(paper(DRAWING.format("<text>0</text>"))) == ""


def test_how_long_a_figure_takes_to_move(paper):
    later = "setTimeout(() => document.querySelector('rect').setAttribute('x', this.value), 200)"
    output = paper(DRAWING.format("<rect/>") + f'<input type="range" aria-label="layer" oninput="{later}">')
    output.get_by_role("slider").focus()
    assert 200 <= until_it_moves(output, "ArrowRight") < 2000


def test_what_is_in_view(paper):
    seen = paper('<p>here</p><p style="margin-top: 5000px">there</p>')
    assert in_view(seen.get_by_text("here", exact=True)) and not in_view(seen.get_by_text("there", exact=True))


def test_what_axe_finds(paper):
    shown = '<div class="jp-NotebookPanel"><div class="jp-OutputArea-output">{}</div><div class="jp-RenderedMarkdown">'
    fine = paper(shown.format('<img src="map.png" alt="The map of the model">'))
    assert serious(fine.page, ALL) == []
    assert "alt" in serious(paper(shown.format('<img src="map.png">')).page, ALL)[0]


def test_axe_looks_at_one_word_of_each_look(paper):
    word = '<span style="color: {}">word</span>'
    code = '<title>Code</title><main style="color: white"><h1>Code</h1><div class="highlight">{}</div></main>'
    assert serious(paper(code.format(word.format("#e0e0e0") * 3)).page) == []
    dark, gray = word.format("#222222"), word.format("#444444")
    assert len(serious(paper(code.format((dark + gray) * 3)).page)) == 2
