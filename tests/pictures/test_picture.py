"""The shell of a picture: the sentence, the script that takes its place, and the pages in which both are shown."""

import re

import pytest
import torch

from tests.pictures import in_the_browser
from tests.serving import serious
from utils.pictures import picture as shell
from utils.pictures.picture import Picture, as_bytes

ODD = """A </script> of "words" & <!--<script> 'marks', naïve 🦊 \\n ${a} DATA NAME"""
DRAW = """\
// A module as the others are.
import { tag, choices, teller, bytesOf, visible } from "./common.mjs";
import {
  twice } from "./other.mjs";
export function draw(place, data) {
  if (data.fail) throw new Error("on purpose");
  // A choice, and what was chosen.
  const told = teller(place);
  choices(place, "Head", [[0, "none"], [1, "one"]], 0, (chosen) => told(`chosen: ${chosen}`));
  tag("button", place, { textContent: "more", onclick: () => told(data.odd) });
  told(`${twice([...bytesOf(data.bytes ?? "")])}; ${visible(" a\\n")}`);
}
"""
OTHER = """import { tag } from "./common.mjs";
// It is there once, as common.mjs is.
export const twice = (all) => `${all}, ${all}`;
"""


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    """A picture of these tests' own."""
    own, read = {"small.mjs": DRAW, "other.mjs": OTHER}, shell._read
    monkeypatch.setattr(shell, "_read", lambda name: own[name] if name in own else read(name))


def small(words="What would be seen.", **data):
    return Picture("small", {"odd": ODD, **data}, words)


def test_it_is_the_same_each_time_and_speaks_in_words_alone():
    assert small()._repr_html_() == small()._repr_html_()
    assert repr(small(ODD)) == ODD


def test_the_words_are_text_and_the_data_cannot_end_the_script():
    html = small(ODD)._repr_html_()
    assert html.count("<script") == html.count("</script") == 1
    assert "<p>A &lt;/script&gt; of &quot;words&quot; &amp; " in html
    assert "<!--" not in html


def test_the_script_has_neither_imports_nor_exports_nor_comments():
    html = small()._repr_html_()
    assert not re.search(r"^\s*(//|import|export)\b", html, re.MULTILINE)
    assert html.count("const twice") == html.count("function tag(") == 1
    assert html.index("const twice") < html.index("function draw")


def test_other_data_is_another_picture():
    names = {re.search('data-picture="(.*?)"', small(x=x)._repr_html_()).group(1) for x in (1, 2, 1)}
    assert len(names) == 2


def test_only_its_own_rules_come_along():
    assert ".cp-arcs" not in small()._repr_html_()
    assert ".cp-arcs" in Picture("arcs", {}, "")._repr_html_()


def test_numbers_become_bytes():
    values = torch.tensor([[0.0, 1.0], [0.5, -1.0]], requires_grad=True)
    assert as_bytes(values) == "AP+AAA=="  # 0, 255, 128, 0


@in_the_browser
@pytest.mark.parametrize("host", ["jupyterlab", "vscode", "colab"])
def test_it_draws_itself_in_the_place_of_the_words(show, host):
    place = show(small(bytes="AP+A"), host=host)
    assert place.locator(".cp-says").inner_text() == "0,255,128, 0,255,128; ·a⏎"
    assert "What would be seen" not in place.inner_text()
    place.get_by_role("button").click()
    assert place.locator(".cp-says").inner_text() == ODD


@in_the_browser
@pytest.mark.parametrize("host", ["jupyterlab", "vscode"])
def test_pictures_side_by_side_are_each_drawn_once(show, host):
    show(small(), host=host)
    for picture in (small(), small(x=1), small()):
        show.put(picture, host)
    assert show.page.locator(".cp .cp-says").count() == 4
    names = [radio.get_attribute("name") for radio in show.page.locator("input").all()]
    assert len(set(names)) == 4


@in_the_browser
def test_all_of_vs_codes_scripts_may_come_after_all_places(show):
    """As where one output holds two pictures."""
    show(small()._repr_html_() + small(x=1)._repr_html_() + small()._repr_html_(), host="vscode")
    assert show.page.locator(".cp[data-drawn] .cp-says").count() == 3


@in_the_browser
def test_where_no_script_runs_the_words_are_there(show):
    place = show(small(ODD), host="untrusted")
    assert " ".join(place.inner_text().split()) == " ".join(ODD.split())


@in_the_browser
def test_an_error_leaves_the_words_and_is_told(show):
    place = show(small(fail=True))
    assert place.inner_text() == "What would be seen."
    assert show.complaints == ["on purpose"]
    show.complaints.clear()


@in_the_browser
def test_all_that_takes_the_focus_keeps_its_letters_from_the_notebook(show):
    place = show(small())
    assert place.locator("input, button").count() == 3
    assert place.locator("[data-lm-suppress-shortcuts=true]").count() == 3


# In one go, so that nothing stands for a while between the two, however busy the machine is
CHOOSE_BOTH = """([one, none]) => {
  const heard = document.querySelector(".cp-heard");
  window.said = [];
  new MutationObserver(() => window.said.push(heard.textContent)).observe(heard, { childList: true });
  for (const choice of [one, none]) {
    choice.focus();
    choice.click();
  }
  return heard.textContent;
}"""


@in_the_browser
def test_what_is_said_aloud_is_what_has_stood_for_a_while(show):
    place = show(small())
    one, none = (place.get_by_label(name, exact=True).element_handle() for name in ("one", "none"))
    at_once = show.page.evaluate(CHOOSE_BOTH, [one, none])
    show.page.wait_for_function("() => window.said.at(-1) === 'chosen: 0'")
    said = show.page.evaluate("window.said")
    assert at_once != "chosen: 0" and "chosen: 1" not in said
    assert place.locator(".cp-heard").get_attribute("aria-live") == "polite"


@in_the_browser
def test_nothing_is_said_to_those_who_are_elsewhere(show):
    heard = show(small()).locator(".cp-heard")
    show.page.wait_for_function("() => document.querySelector('.cp-heard').textContent")
    assert heard.get_attribute("aria-live") == "off"


@in_the_browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(show, theme):
    show(small(), theme=theme)
    assert serious(show.page) == []


@in_the_browser
@pytest.mark.parametrize("width", [390, 700, 1400])
def test_it_fits_its_page(show, width):
    show(small(), width=width)
    assert show.too_wide() == 0
