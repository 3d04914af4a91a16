"""What a learner has done is found again: after Run All, a new kernel, and the page loaded anew."""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.looking import in_view

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def notice_in_view(chapter) -> Locator:
    """The link or button in view that leads to the card."""
    offered = chapter.page.locator(".jp-Notebook a:visible, button:visible").filter(
        has_text=re.compile("card|LayerNorm")
    )
    seen = [one for one in offered.all() if in_view(one)]
    assert seen, "the card is out of view, and nothing in view leads there"
    return seen[0]


def test_after_run_all_the_card_is_found(shown, layer_norm):
    """It is in view, or a notice leads there with one click."""
    chapter = layer_norm.notebook
    layer_norm.wrong()
    chapter.choose(0)
    chapter.run_all()
    card = layer_norm.card
    if not in_view(card):
        notice_in_view(chapter).click()
    expect(card).to_be_in_viewport()


def test_a_new_kernel_has_lost_nothing(shown, layer_norm):
    layer_norm.right()
    layer_norm.notebook.restart()
    assert (shown.course / "my_gpt" / "layer_norm.py").exists()
    layer_norm.begin()
    assert re.search(r"✔\sLayerNorm", layer_norm.notebook.node.inner_text())
    start = shown.open(shown.start.path)
    assert re.search(r"✔\sLayerNorm", start.run(*start.code))


def test_an_answer_is_there_after_the_page_is_loaded_anew(shown, layer_norm):
    layer_norm.right()
    layer_norm.notebook.save()
    shown.reload()
    chapter = shown.open(layer_norm.notebook.path)
    assert chapter.sources[chapter.defining("LayerNorm")] == layer_norm.solution
    expect(layer_norm.card).to_contain_text("✔ LayerNorm")


def test_a_notebook_that_is_only_opened_has_not_changed(shown):
    assert not shown.open("chapters/ch05_mlp.ipynb").changed
