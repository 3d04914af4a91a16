"""What a learner has done is found again: after Run All, in a new kernel, and in a new browser."""

import json
import re

import pytest
from playwright.sync_api import expect

from author.browsing import Lab
from tests.browser.looking import in_view

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_after_run_all_the_card_is_found(layer_norm):
    """It is in view, or a notice leads there with one click."""
    layer_norm.wrong()
    layer_norm.notebook.choose(0)
    layer_norm.notebook.ask("command", "notebook:run-all-cells")
    layer_norm.notebook.wait_idle()
    if not in_view(layer_norm.card):
        notice = layer_norm.notebook.page.get_by_role("status").filter(has_text="LayerNorm")
        notice.get_by_role("button").or_(notice.get_by_role("link")).first.click()
    expect(layer_norm.card).to_be_in_viewport()


def test_a_new_kernel_has_lost_nothing(shown, layer_norm):
    layer_norm.right()
    layer_norm.notebook.ask("restart")
    layer_norm.notebook.wait_idle()
    assert (shown.course / "my_gpt" / "layer_norm.py").exists()
    layer_norm.begin()
    assert re.search(r"✔\sLayerNorm", layer_norm.notebook.node.inner_text())
    start = shown.open(shown.start.path)
    assert re.search(r"✔\sLayerNorm", start.run(*start.code))


def test_an_answer_is_there_when_the_browser_is_opened_anew(shown, layer_norm):
    layer_norm.right()
    layer_norm.notebook.ask("command", "docmanager:save")
    other = Lab(shown.browser, shown.server)  # in which nothing is that was not saved
    chapter = other.open(layer_norm.notebook.path)
    assert chapter.sources[chapter.defining("LayerNorm")] == layer_norm.solution
    expect(chapter.output(chapter.testing("LayerNorm"))).to_contain_text("✔ LayerNorm")
    other.page.context.close()


def test_opening_a_notebook_adds_the_version_of_python_to_it_and_nothing_else(shown):
    """A kernel tells JupyterLab its version, which is then stored; no file can hold that of every reader's Python."""
    chapter = shown.open("chapters/ch05_mlp.ipynb")
    file = shown.course / chapter.path
    before = json.loads(file.read_text(encoding="utf-8"))
    chapter.ask("command", "docmanager:save")
    after = json.loads(file.read_text(encoding="utf-8"))
    assert after["metadata"]["language_info"].pop("version")
    assert after == before
