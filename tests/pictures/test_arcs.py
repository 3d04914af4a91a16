"""Attention as arcs: what is baked in, whom the picture says a head reads, and heads switched off."""

import base64
import re

import pytest
import torch

from tests.pictures import in_the_browser, on_every_page
from tests.serving import serious
from utils.pictures.arcs import arcs
from utils.pictures.picture import visible

LAYERS, HEADS = 3, 4
TOKENS = ["<|endoftext|>", "\n", "There", " was", " a", " mill", "er", " who", " had", " three", " daugh", "ters", "."]
TOKENS = [*TOKENS, " One", " winter", " the", " river", " fro", "ze", ",", " and", " the", " youn", "gest", " said"]


def patterns(pos=25):
    scores = 3 * torch.randn(LAYERS, HEADS, pos, pos, generator=torch.Generator().manual_seed(0))
    return scores.masked_fill(torch.ones(pos, pos).triu(1).bool(), -torch.inf).softmax(dim=-1)


def stored():
    """The weights as precisely as a byte holds them."""
    return (patterns() * 255).round().double() / 255


def predict(off):
    """Head 1.2 makes another token the likeliest; the others take a little away, and 2.0 takes it out of the list."""
    if off == [(1, 2)]:
        return [(" ice", 0.5), (" snow", 0.25)]
    if off == [(2, 0)]:
        return [(" ice", 0.125), ("!", 0.1)]
    return [(" snow", 0.75 - 0.01 * sum(map(sum, off))), ("\n", 0.2)]


def picture(layer=1):
    return arcs(patterns(), TOKENS, predict, layer=layer, off="its z is 0")


def test_the_weights_are_bytes_row_after_row():
    data = picture().data
    found = torch.frombuffer(bytearray(base64.b64decode(data["patterns"])), dtype=torch.uint8).view(LAYERS, HEADS, -1)
    lengths = list(range(1, len(TOKENS) + 1))
    rows = found[1, 2].split(lengths)
    for query, row in enumerate(rows):
        assert (row / 255 - patterns()[1, 2, query, : query + 1]).abs().max() <= 0.5 / 255 + 1e-6


def test_the_next_tokens_are_those_of_each_head_alone():
    data = picture().data
    assert data["next"] == [(" snow", 0.75), ("\n", 0.2)]
    assert len(data["without"]) == LAYERS * HEADS
    assert data["without"][1 * HEADS + 2] == [(" ice", 0.5), (" snow", 0.25)]


def test_the_words_say_the_same_with_numbers():
    words = picture().words
    best = stored()[1, :, -1].max(dim=-1)
    for head, (weight, key) in enumerate(zip(*best, strict=True)):
        assert f"head {head} reads “{visible(TOKENS[key])}” (position {key}) most, {weight:.2f}" in words
    assert words.endswith("token is “·snow” (0.750). With head 2.0 off (its z is 0) it is “·ice” (0.125).")


def test_what_cannot_be_shown_is_an_error_that_says_why():
    with pytest.raises(ValueError, match="There is no layer 3: they are 0 to 2"):
        picture(layer=3)
    with pytest.raises(ValueError, match="24 tokens, and patterns of 25"):
        arcs(patterns(), TOKENS[1:], predict, layer=0)
    with pytest.raises(ValueError, match="1 to 60 tokens, this one has 61"):
        arcs(patterns(61), ["a"] * 61, predict, layer=0)


@pytest.fixture
def place(show):
    return show(picture())


def said(place, which=0):
    return place.locator(".cp-says").nth(which).inner_text()


def best_of(layer, head, query):
    weight, key = stored()[layer, head, query].max(dim=-1)
    return f"head {head} reads “{visible(TOKENS[key])}” ({weight:.2f}, position {key}) most"


@in_the_browser
class TestInThePage:
    def test_the_sentence_says_what_the_patterns_are(self, place):
        assert said(place).startswith("Layer 1, position 24, “·said”: ")
        assert all(best_of(1, head, 24) in said(place) for head in range(HEADS))

    def test_an_arc_for_each_weight_that_can_be_seen(self, place):
        seen = place.locator("path").evaluate_all("all => all.map(one => +one.dataset.key)")
        rows = patterns()[1, :, -1]
        assert len(seen) == (rows >= 0.04).sum()
        assert set(seen) == set((rows >= 0.04).nonzero()[:, 1].tolist())

    def test_the_pointer_looks_and_a_click_chooses(self, place):
        place.get_by_role("option").nth(6).hover()
        assert said(place).startswith("Layer 1, position 6, “er”")
        place.get_by_role("option").nth(9).click()
        place.get_by_text("Switch a head off").hover()
        assert said(place).startswith("Layer 1, position 9, ")

    def test_keys_go_everywhere_in_the_text(self, show):
        place = show(picture(), width=390)
        place.get_by_role("listbox").focus()
        for key, position in [("ArrowLeft", 23), ("Home", 0), ("ArrowLeft", 0), ("ArrowRight", 1), ("End", 24)]:
            show.page.keyboard.press(key)
            assert said(place).startswith(f"Layer 1, position {position}, ")
        show.page.keyboard.press("ArrowUp")
        above = int(re.search(r"position (\d+)", said(place)).group(1))
        assert above < 23
        show.page.keyboard.press("Escape")
        assert said(place).startswith(f"Layer 1, position {above}, ")
        show.page.keyboard.press("End")
        assert place.get_by_role("option", selected=True).inner_text().strip() == "said"

    def test_keys_alone_reach_layer_head_and_switches(self, show, place):
        press = show.page.keyboard.press
        press("Tab")
        press("ArrowRight")
        assert said(place).startswith("Layer 2, ")
        press("Tab")
        press("ArrowRight")
        press("ArrowRight")
        assert ": head 1 reads “" in said(place)
        press("Tab")
        press("Home")
        press("Tab")
        for key in ("ArrowDown", "ArrowRight", "ArrowRight", "Enter"):
            press(key)
        assert place.get_by_role("button", pressed=True).inner_text() == "1.2"
        assert "Without 1.2 (its z is 0) “·snow” has 0.250, and “·ice” is the likeliest (0.500)." in said(place, 1)
        press("Escape")
        assert place.get_by_role("button", pressed=True).count() == 0
        assert said(place, 1) == "With all heads the likeliest next token is “·snow” (0.750)."

    def test_the_page_stands_still_while_keys_are_taken(self, show, place):
        place.evaluate("place => (place.style.margin = '2000px 0')")
        press, at = show.page.keyboard.press, "() => scrollY"
        press("Tab")
        stood = show.page.evaluate(at)
        press("End")
        assert said(place).startswith("Layer 2, ")
        press("Home")
        assert said(place).startswith("Layer 0, ")
        press("Tab")
        press("End")
        assert ": head 3 reads “" in said(place)
        press("Tab")
        for key in ("ArrowDown", "ArrowUp", "Space", "Home", "End"):
            press(key)
        assert show.page.evaluate(at) == stood

    def test_keys_held_with_others_are_left_to_the_browser(self, show, place):
        for taker in (place.get_by_role("listbox"), place.get_by_role("button").first, place.get_by_label("2").first):
            taker.focus()
            before = said(place)
            for key in ("Alt+End", "Meta+End", "Control+End"):
                show.page.keyboard.press(key)
            assert said(place) == before
            assert taker.evaluate("one => one === document.activeElement")

    def test_the_changed_prediction_stands_beside_the_whole(self, place):
        whole, changed = place.get_by_role("list").all()[0], place.locator(".cp-without")
        assert whole.get_by_role("listitem").all_inner_texts() == ["·snow\n0.750", "⏎\n0.200"]
        place.get_by_role("button", name="2.0 off").click()
        assert changed.get_by_role("listitem").all_inner_texts() == ["·ice\n0.125", "!\n0.100"]
        assert "“·snow” is not among the 2 likeliest, and “·ice” is the likeliest" in said(place, 1)
        place.get_by_role("button", name="0.1 off").click()
        assert place.get_by_role("button", pressed=True).all_inner_texts() == ["0.1"]
        assert "Without 0.1 (its z is 0) “·snow” has 0.740. The arcs are those with all heads on." in said(place, 1)

    def test_a_model_in_the_page_may_answer_later_and_for_any_heads(self, show):
        page = show.blank()
        page.evaluate(LIVE, [TOKENS[:5], LAYERS, HEADS])
        place = page.locator(".cp")
        place.get_by_role("button", name="2.0 off").click()
        place.get_by_role("button", name="0.3 off").click()
        page.wait_for_function("() => document.querySelector('.cp-without').textContent.includes('2.0, 0.3')")
        assert "Without 2.0, 0.3 (cut out) “ice” has 0.500." in said(place, 1)
        assert "head 3 reads “There” (0.40, position 2)" in said(place)

    @on_every_page
    def test_it_fits_and_axe_finds_nothing_serious(self, show, width, theme):
        place = show(picture(), width=width, theme=theme, motion="reduce")
        place.get_by_role("button", name="1.2 off").click()
        place.get_by_role("option").nth(9).click()
        assert show.too_wide() == 0
        assert serious(show.page) == []

    def test_without_scripts_the_words_are_there(self, show):
        assert show(picture(), host="untrusted").inner_text() == picture().words


LIVE = """async ([tokens, layers, heads]) => {
    const { draw } = await import("/pictures/arcs.mjs");
    const place = document.createElement("div");
    place.className = "cp";
    document.querySelector("main").append(place);
    const weight = (layer, head, query, key) => (key === 2 ? (head + 1) / 10 : 0);
    const predict = async (off) => [["ice", 1 / Math.max(1, off.length)]];
    draw(place, { tokens, layers, heads, layer: 0, off: "cut out", weight, predict });
}"""
