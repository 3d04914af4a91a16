"""Byte-pair encoding, played: the counts are the text's, the merges the learner's, and where they part it says so."""

from collections import Counter
from itertools import pairwise

import pytest

from solutions.ch00_tokens import merge_pair, pre_tokenize, single_bytes, train_bpe
from tests.pictures import in_the_browser, on_every_page
from tests.serving import serious
from utils.pictures.pairs import play_merges

HENS = "the hen then hid the other hens"


def cut(text):
    return [single_bytes(piece) for piece in pre_tokenize(text)]


def picture(text=HENS, merges=None):
    return play_merges(cut(text), train_bpe(text, 1000) if merges is None else merges)


def test_bytes_become_letters():
    data = play_merges([[b"\xc3", b"\xa9"], [b"a", b"b"]], [(b"\xc3", b"\xa9")]).data
    assert data == {"pieces": [["Ã", "©"], ["a", "b"]], "merges": [["Ã", "©"]]}


def test_the_words_say_the_same_with_numbers():
    assert picture(merges=train_bpe(HENS, 5)).words == (
        "A text as 31 boxes, one for each byte. The pair “h”, “e” is the most frequent, 6 times. Merge by merge boxes "
        "fuse (“he”, “the”, “hen”, “·the”, “·hen” first); after 5 merges 15 boxes are left."
    )


def test_what_cannot_be_played_is_an_error_that_says_why():
    with pytest.raises(ValueError, match="nothing to merge"):
        play_merges(cut("a"), [])
    with pytest.raises(TypeError, match=r"one of these is \('h', 'e'\)"):
        play_merges(cut(HENS), [("h", "e")])


def said(place):
    return place.locator(".cp-says").inner_text().replace("\u00a0", " ")


def boxes(place):
    return place.locator(".cp-pairs b").all_inner_texts()


def rows(place, which):
    items = place.locator(".cp-bars").nth(which).get_by_role("listitem").all()
    return [item.locator("span").all_inner_texts() for item in items]


def press(place, name, count=1):
    for _ in range(count):
        place.get_by_role("button", name=name).click()


def by_hand(text, n_merges):
    """The parts after so many merges, and the counts of their pairs, the most frequent and greatest first."""
    parts = cut(text)
    for pair in train_bpe(text, n_merges):
        parts = [merge_pair(piece, pair) for piece in parts]
    counts = Counter(pair for piece in parts for pair in pairwise(piece))
    found = sorted(((count, pair) for pair, count in counts.items()), reverse=True)
    return [part.decode().replace(" ", "·") for piece in parts for part in piece], found


@in_the_browser
class TestInThePage:
    @pytest.mark.parametrize("step", [0, 1, 2, 3, 5, 8])
    def test_boxes_and_counts_are_those_of_the_chapters_functions(self, show, step):
        place = show(picture())
        press(place, "Merge", step)
        parts, found = by_hand(HENS, step)
        assert boxes(place) == parts
        shown = [(int(count), pair) for pair, count in rows(place, 0)]
        assert shown == [
            (count, " + ".join(part.decode().replace(" ", "·") for part in pair)) for count, pair in found[:7]
        ]
        assert said(place).startswith(f"{len(parts)} tokens of 31 bytes, a vocabulary of 256")

    def test_the_sentence_tells_who_wins_and_why(self, show):
        place = show(picture())
        assert said(place).endswith("Next is (h, e), which occurs 6 times, more often than any other.")
        press(place, "Merge", 2)
        assert said(place) == (
            "21 tokens of 31 bytes, a vocabulary of 256 + 2 = 258. “the” was merged 4 times. Next is (he, n), which "
            "occurs twice, as 2 others do; it is greater than (·, the), since h is byte 104 and · is 32."
        )

    def test_a_longer_member_is_greater_than_the_one_it_begins_with(self, show):
        place = show(play_merges([[b"x", b"t", b"y"], [b"x", b"th", b"y"]], [(b"x", b"th"), (b"x", b"t")]))
        assert "it is greater than (x, t), since “th” begins with “t” and is longer." in said(place)

    def test_to_the_end_and_back(self, show):
        place = show(picture())
        press(place, "To the end")
        assert boxes(place) == ["the", "·hen", "·then", "·hid", "·the", "·other", "·hens"]
        counts = [[count for count, _ in by_hand(HENS, step)[1][:2]] for step in range(13)]
        ties = sum(len(two) == 2 and two[0] == two[1] for two in counts)
        assert said(place).endswith(f"This is the end: no pair is left. In {ties} of the 13 merges there was a tie.")
        assert place.get_by_role("button", name="Merge").get_attribute("aria-disabled") == "true"
        place.get_by_role("button", name="Merge").dispatch_event("click")  # which does nothing
        press(place, "Back")
        assert len(boxes(place)) == 8
        press(place, "From the start")
        assert len(boxes(place)) == 31
        assert rows(place, 1) == []

    def test_what_is_not_the_rules_choice_is_said(self, show):
        place = show(picture(merges=[(b"h", b"i"), (b"z", b"z"), (b"h", b"e")]))
        assert "Next in the list is (h, i), which occurs once. By the rule it would be (h, e), 6 times" in said(place)
        assert place.locator(".cp-bars .cp-pairs-next").inner_text().split("\n") == ["h + i", "1"]
        press(place, "Merge")
        assert "Next in the list is (z, z), which occurs nowhere. By the rule it would be (h, e)" in said(place)
        press(place, "Merge")
        assert "“zz” was merged nowhere. Next is (h, e)" in said(place)
        press(place, "Merge")
        assert "This is the end of the list; (t, he) is left, 4 times." in said(place)

    def test_bytes_that_are_no_letters_are_shown_as_numbers(self, show):
        place = show(picture("naïve naïve", [(b"\xc3", b"\xaf")]))
        assert boxes(place)[:6] == ["n", "a", "C3", "AF", "v", "e"]
        press(place, "Merge")
        assert boxes(place)[:5] == ["n", "a", "ï", "v", "e"]

    def test_without_merges_the_rule_chooses(self, show):
        page = show.blank()
        page.evaluate(LIVE, picture().data["pieces"])
        place = page.locator(".cp")
        press(place, "To the end")
        assert boxes(place) == ["the", "·hen", "·then", "·hid", "·the", "·other", "·hens"]
        assert rows(place, 1)[::-1] == rows_of_the_last(HENS)

    def test_keys_alone(self, show):
        place = show(picture())
        key = show.page.keyboard.press
        key("Tab")
        for name, left in [("Enter", 25), ("ArrowRight", 21), ("ArrowLeft", 25), ("End", 7), ("Home", 31), ("End", 7)]:
            key(name)
            assert len(boxes(place)) == left
        key("Escape")
        assert len(boxes(place)) == 7
        key("Tab")
        assert place.get_by_role("button", name="Back").evaluate("one => one === document.activeElement")

    def test_the_boxes_and_the_keys_are_heard(self, show):
        place = show(picture())
        press(place, "To the end")
        heard = "The text in 7 tokens: the ·hen ·then ·hid ·the ·other ·hens"
        assert place.get_by_role("img").get_attribute("aria-label") == heard
        assert "the right arrow merges" in place.get_by_role("group").get_attribute("aria-label")

    def test_boxes_glide_only_where_motion_is_welcome(self, show):
        for motion, moving in [("no-preference", True), ("reduce", False)]:
            place = show(picture(), motion=motion)
            place.evaluate("place => place.querySelector('button').click()")
            assert bool(place.evaluate("place => place.getAnimations({ subtree: true }).length")) is moving

    @on_every_page
    def test_it_fits_and_axe_finds_nothing_serious(self, show, width, theme):
        place = show(picture(), width=width, theme=theme, motion="reduce")
        press(place, "Merge", 3)
        assert show.too_wide() == 0
        assert serious(show.page) == []

    def test_without_scripts_the_words_are_there(self, show):
        assert show(picture(), host="untrusted").inner_text() == picture().words


def rows_of_the_last(text):
    merges = train_bpe(text, 1000)
    sizes = [len(by_hand(text, step)[0]) for step in range(len(merges) + 1)]
    fewer = [before - after for before, after in pairwise(sizes)]
    names = [(one + other).decode().replace(" ", "·") for one, other in merges]
    return [[name, str(count)] for name, count in zip(names, fewer, strict=True)][-7:]


LIVE = """async (pieces) => {
    const { draw } = await import("/pictures/pairs.mjs");
    const place = document.createElement("div");
    place.className = "cp";
    document.querySelector("main").append(place);
    draw(place, { pieces });
}"""
