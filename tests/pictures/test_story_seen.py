"""A story being written, in a browser: by keyboard, with the numbers it says, in both themes and at all widths."""

import re

import pytest
import torch

from tests.pictures import on_every_page
from tests.pictures.test_story import START, WORDS, scores
from tests.serving import serious
from utils.pictures.picture import Picture
from utils.pictures.story import story

pytestmark = [pytest.mark.browser, pytest.mark.slow]
# A model in the page: after token n comes n + 1, most likely; 0 ends a story.
WITH_MODEL = """async (more) => {
  const { draw } = await import("/pictures/story.mjs");
  const words = ["<|endoftext|>", "a", "b", "c", "d", "e"];
  const after = (tokens) => Float32Array.from(words.keys(), (at) => -10 * Math.abs(at - (tokens.at(-1) + 1) % 6));
  const scores = (tokens) => { if (window.broken) throw new Error("the model is gone"); return after(tokens); };
  const encode = (text) => [...text].map((letter) => words.indexOf(letter)).filter((at) => at > 0);
  const place = document.createElement("div");
  place.className = "cp";
  document.querySelector("main").append(place);
  draw(place, { words, tokens: [0, 1], d_vocab: 6, n_ctx: 8, settings: { temperature: 0 }, scores, encode, ...more });
}"""


@pytest.fixture(scope="module")
def told():
    return story(scores, WORDS, START, texts=30, greedy=6)


@pytest.fixture
def says(show):
    def waited(pattern):
        show.page.wait_for_function("p => RegExp(p).test(document.querySelector('.cp-says').textContent)", arg=pattern)
        return show.page.locator(".cp-says").inner_text()

    return waited


def kept(tokens, temperature, top_p=1.0):
    chances = (scores(tokens).double() / temperature).softmax(-1).sort(descending=True).values
    return int((chances.cumsum(-1) - chances < top_p).sum()), chances


def test_what_it_says_are_the_numbers(show, told, says):
    place = show(told)
    n_kept, chances = kept(START, 0.8, 0.9)
    own = kept(START, 1)[1][0]
    found = re.search(r"about (\d+) of 300 tokens.* drawn with (\S+) \((\S+) by", says("Left"))
    assert found
    assert abs(int(found[1]) - n_kept) <= 2
    assert float(found[2]) == pytest.approx(float(chances[0] / chances[:n_kept].sum()), abs=1e-3)
    assert float(found[3]) == pytest.approx(float(own), abs=1e-3)
    place.get_by_label("all tokens").check()
    assert says("300 of").startswith("Left to draw from: 300 of 300 tokens")
    place.get_by_label("top k").check()
    assert "40 of 300" in says("40 of")
    place.get_by_label("Temperature").fill("0")
    assert "Left to draw from: 1 of 300" in says(": 1 of")
    assert place.locator("button.cp-story-bar").nth(1).get_attribute("aria-disabled") == "true"


def test_the_stored_way_is_followed_and_ends_honestly(show, told, says):
    place = show(told)
    place.get_by_label("Temperature").fill("0")
    step = place.get_by_role("button", name="Draw one token")
    tokens = START
    for _ in range(6):
        tokens = torch.cat([tokens, scores(tokens).argmax()[None]])
        step.click()
    whole = "".join(WORDS[token] for token in tokens[1:].tolist())
    show.page.wait_for_function("t => document.querySelector('.cp-story-text').textContent === t", arg=whole)
    step.click()
    assert "Beyond here only a model can go" in says("Beyond")
    assert step.get_attribute("aria-disabled") == "true"
    place.get_by_role("button", name="Back").click()
    assert says("back").startswith("One token back. Left to draw from: 1 of 300")
    place.get_by_role("button", name="Begin again").click()
    assert place.get_by_role("button", name="Begin again").get_attribute("aria-disabled") == "true"


def test_it_is_heard_where_what_follows_is_stored(show, told, says):
    place = show(told)
    says("Left")
    place.get_by_label("Temperature").fill("2")
    place.locator("button.cp-story-bar").first.click()
    says("Taken")
    bars = place.locator("button.cp-story-bar").all()
    seen = ["cp-story-on" in bar.locator(".cp-story-name").get_attribute("class") for bar in bars]
    assert True in seen and False in seen
    assert [bar.get_attribute("aria-label").endswith("; what follows is stored") for bar in bars] == seen


def test_the_keyboard_alone_gets_everywhere(show, told, says):
    place = show(told)
    says("Left")
    page, reached = show.page, []
    for _ in range(7):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("() => document.activeElement.textContent || document.activeElement.type"))
    assert reached[:3] == ["Draw one token", "Back", "Begin again"]
    assert reached[3:6] == ["range", "radio", "range"]
    bars = place.locator("button.cp-story-bar")
    for key, at in (("ArrowDown", 1), ("End", 9), ("Home", 0), ("ArrowUp", 0)):
        page.keyboard.press(key)
        assert bars.nth(at).evaluate("bar => bar === document.activeElement")
    first = bars.first.locator(".cp-story-name").inner_text()
    page.keyboard.press("Enter")
    assert says("Taken").startswith(f"Taken: “{first}”, with ")
    page.keyboard.press("Escape")
    assert page.evaluate("() => document.activeElement.textContent") == "Draw one token"
    loose = "els => els.filter(el => el.tabIndex >= 0 && !el.hasAttribute('data-lm-suppress-shortcuts')).length"
    assert place.locator("*").evaluate_all(loose) == 0


def test_a_model_in_the_page_writes_by_itself_and_stops(show, says):
    show.blank().evaluate(WITH_MODEL, {"atOnce": True})
    assert says("Drawn: “<eot>”").startswith("Drawn: “<eot>”, with 1.000.")  # the end of the story, at its own token
    text = show.page.locator(".cp-story-text")
    assert text.inner_text() == "abcde<|endoftext|>"
    show.page.get_by_label("How it begins").fill("bcdedcb")
    show.page.keyboard.press("Enter")
    assert "Left to draw from: 1 of 6" in says("Left to draw from: 1 of 6 .* “c”,")
    show.page.get_by_role("button", name="Draw one token").click()
    assert "The model reads 8 tokens at most: here it ends." in says("reads 8")


def test_a_beginning_that_is_too_long_is_read_as_far_as_can_be(show, says):
    show.blank().evaluate(WITH_MODEL, {})
    show.page.get_by_label("How it begins").fill("bcdedcbcde")
    show.page.keyboard.press("Enter")
    assert says("The beginning").startswith("The beginning has 11 tokens, and the first 8 are read.")


def test_the_focus_is_not_lost_where_the_bars_end(show, says):
    show.blank().evaluate(WITH_MODEL, {})
    show.page.get_by_label("How it begins").fill("bcdedcb")
    show.page.keyboard.press("Enter")
    says("1 of 6 .* “c”,")
    show.page.locator("button.cp-story-bar").first.press("Enter")
    says("reads 8")
    assert show.page.evaluate("document.activeElement.textContent") == "Back"


def test_nothing_moves_by_itself_under_reduced_motion(show, says):
    show.blank(motion="reduce").evaluate(WITH_MODEL, {"atOnce": True})
    assert says("Left").startswith("Left to draw from: 1 of 6")
    show.page.wait_for_timeout(200)
    assert show.page.locator(".cp-story-text").inner_text() == "a"
    assert show.page.locator(".cp-story-track i").first.evaluate("e => getComputedStyle(e).transitionDuration") == "0s"


def test_what_goes_wrong_is_said_and_changes_nothing(show, says):
    show.blank().evaluate(WITH_MODEL, {})
    says("Left")
    show.page.evaluate("() => (window.broken = true)")
    show.page.get_by_role("button", name="Write a story").click()
    assert says("gone") == "the model is gone. The story is as it was."
    assert show.page.locator(".cp-story-text").inner_text() == "a"
    assert show.page.get_by_role("button", name="Write a story").count() == 1


@on_every_page
def test_it_fits_and_can_be_read(show, told, says, theme, width):
    place = show(told, theme=theme, width=width)
    says("Left")
    place.locator("button.cp-story-bar").first.click()
    says("Taken")
    assert show.too_wide() == 0
    assert serious(show.page) == []


def test_without_scripts_the_words_are_there_and_after_an_error_too(show, told):
    assert show(told, host="untrusted").inner_text() == repr(told)
    place = show(
        Picture("story", told.data | {"settings": {"temperature": 1, "top_k": 1, "top_p": 1}, "tokens": None}, "Words.")
    )
    assert place.inner_text() == "Words."
    show.complaints.clear()
