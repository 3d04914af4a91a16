"""From `make lab` to a passed exercise: the start page, a chapter, not yet, a mistake that is named, a pass."""

import re
import shutil

import pytest
from playwright.sync_api import expect

from author.screenshots import cell_of
from tests.browser.answers import Answered
from tests.browser.looking import link
from utils.course import ROOT, exercises, next_exercise, stems

pytestmark = [pytest.mark.browser, pytest.mark.slow]
EVERYTHING = sum(len(exercises(stem)) for stem in stems())


def test_the_address_that_make_lab_prints_opens_the_start_page(shown):
    printed = set(re.findall(r"http://\S+token=\S+", shown.server.printed))
    assert printed, shown.server.printed
    for address in printed:
        page = shown.browser.new_page()  # which knows nothing of the other
        page.goto(address)
        expect(page.get_by_role("heading", name="GPT from scratch: start here")).to_be_visible()
        page.context.close()


def test_the_start_page_shows_its_map_and_a_story_before_it_is_run(shown):
    shutil.copy(ROOT / "chapters" / "START.ipynb", shown.course / "chapters" / "before.ipynb")  # others have run theirs
    fresh = shown.open("chapters/before.ipynb")
    assert "Once upon a time" in fresh.node.inner_text()
    for stem in stems():
        expect(link(fresh.node, stem)).to_be_visible()


def test_the_start_page_tells_how_far_one_is(start):
    assert re.search(rf"\d+ of {EVERYTHING} exercises", start.node.inner_text())


def test_a_box_of_the_map_opens_its_numbers_and_from_there_its_chapter(shown, map_of_start):
    map_of_start.get_by_role("button", name="PosEmbed, chapter 2").click()
    map_of_start.get_by_role("link", name="To chapter 2").click()
    chapter = shown.shown("chapters/ch02_embeddings.ipynb")
    assert "2 · Embeddings" in chapter.cell(0).inner_text()


def test_a_stub_is_not_yet_an_answer(layer_norm):
    card = layer_norm.not_yet()
    assert "○ LayerNorm: not yet" in card
    assert "NotImplementedError" in card and "Traceback" not in card


def test_a_mistake_is_named(layer_norm):
    card = layer_norm.wrong()
    assert "✘ LayerNorm" in card
    assert layer_norm.mistake.said.replace("`", "") in card


def test_a_pass_is_counted(shown, layer_norm):
    card = layer_norm.right()
    assert "✔ LayerNorm" in card and "✘" not in card
    assert f" 1 of {EVERYTHING} exercises" in card
    assert (shown.course / "my_gpt" / "layer_norm.py").exists()


def test_the_start_page_counts_the_pass(shown, layer_norm):
    layer_norm.right()
    start = shown.open(shown.start.path)
    assert f"1 of {EVERYTHING} exercises" in start.run(*start.code)


def test_the_last_pass_of_a_chapter_leads_to_the_next(shown, layer_norm):
    stem = layer_norm.notebook.stem
    last = Answered(layer_norm.notebook, exercises(stem)[-1].symbol)
    last.right()
    following = next_exercise(stem, last.symbol)
    link(last.card, following.stem).click()
    assert shown.shown(f"chapters/{following.stem}.ipynb").where(lambda source: following.symbol in source)


def test_the_next_exercise_further_down_is_a_link(shown):
    """A pass in the middle of a chapter leads to the next exercise of the same page."""
    chapter = shown.open("chapters/ch02_embeddings.ipynb")
    chapter.run_to(chapter.saying("import test_embed"))
    chapter.answer("Embed", cell_of("solutions", chapter.stem, "Embed"))
    following = next_exercise(chapter.stem, "Embed").symbol
    chapter.output(chapter.testing("Embed")).get_by_role("link", name=following).click()
    expect(chapter.cell(chapter.defining(following))).to_be_in_viewport()
