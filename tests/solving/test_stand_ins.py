"""utils/solving/stand_ins: each does what the library does with all that chapter 0 hands it."""

import random
import sys
import unicodedata
from collections.abc import Iterator
from unittest.mock import patch

import pytest
import regex
from tokenizers import pre_tokenizers

from solutions.ch00_tokens import GPT2_PATTERN
from tests.ch00_tokens import SCRIPTS, decode, encode, space_tokenizer, train
from tests.solving.stand_ins import stand_in
from utils import passages
from utils.reference import tokenizer, tokens

EXERCISES = (space_tokenizer, train, encode, decode)
KNOWN = [code for code in range(0x110000) if unicodedata.category(chr(code)) != "Cn"]  # to this Python; not the newest
PATTERNS = [GPT2_PATTERN.pattern, stand_in("tokenizers").PATTERN, r"\S+|\s", r"[a-z]+|[\]\s]", r"\\s"]


def asked(seed: int) -> Iterator[str]:
    """All texts in the questions of chapter 0's tests."""
    for exercise in EXERCISES:
        for question in exercise.questions(seed=seed):
            yield from _texts((question.args, question.options))


def _texts(value) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, bytes):
        yield value.decode(errors="replace")
    elif isinstance(value, list | tuple | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def of_all_categories(seed: int) -> str:
    """A text whose characters are of all categories, each as often as any other, with spaces and letters between."""
    dice = random.Random(seed)
    by_category: dict[str, list[str]] = {}
    for code in KNOWN:
        by_category.setdefault(unicodedata.category(chr(code)), []).append(chr(code))
    del by_category["Cs"]  # halves of characters, which no text holds that was read as UTF-8
    kinds = [*by_category.values(), [" "], [" "], ["a"], ["'s"], ["7"], ["\n"]]
    return "".join(dice.choice(dice.choice(kinds)) for _ in range(3000))


TEXTS = {
    **{f"asked with seed {seed}": list(asked(seed)) for seed in range(4)},
    "passages": passages.texts(),
    "scripts": [SCRIPTS, SCRIPTS.upper(), "", "\x1c\x1c a\x1f\x85\u180e\u200b\u2028\u3000", "I'll you've 'S't'd''re"],
    "all categories": [of_all_categories(seed) for seed in range(8)],
}


@pytest.mark.parametrize("name", TEXTS)
def test_both_cut_by_a_pattern_alike(name):
    for pattern in PATTERNS:
        for text in TEXTS[name]:
            assert stand_in("regex").findall(pattern, text) == regex.findall(pattern, text)


@pytest.mark.slow
@pytest.mark.parametrize("one", [r"\p{L}", r"\p{N}", r"\s", r"\S", r"[^\s\p{L}\p{N}]", r"[\p{N}x]"])
def test_a_character_is_of_the_same_class(one):
    """Of each that this Python's version of Unicode knows: those that came later are no letters for it yet."""
    text = "".join(map(chr, KNOWN))
    assert stand_in("regex").findall(one, text) == regex.findall(one, text)


def test_the_other_functions_are_those_of_regex():
    for library in (regex, stand_in("regex")):
        assert library.split(r"\p{N}+", "a12b½c") == ["a", "b", "c"]
        assert library.sub(r"\p{L}", "x", "été 7", count=2) == "xxé 7"
        assert library.fullmatch(r"\p{L}+", "ÉTÉ").span() == (0, 3) and not library.match(r"\p{L}", "7")
        assert library.search(r"\s\p{L}", "x ab").start() == 1
        assert [found[0] for found in library.finditer(library.compile(r"\S"), "a b")] == ["a", "b"]


@pytest.fixture(scope="module")
def other():
    """The reference model's tokenizer, made of the stand-in."""
    with patch.dict(sys.modules, {"tokenizers": stand_in("tokenizers")}):
        return tokens.tokenizer_of.__wrapped__("bundled")


@pytest.mark.parametrize("name", TEXTS)
def test_both_tokenizers_cut_alike(name, other):
    for text in [*TEXTS[name], "".join(TEXTS[name]), "<|endoftext|>".join(TEXTS[name])]:
        found, wanted = other.encode(text, add_special_tokens=False), tokenizer().encode(text, add_special_tokens=False)
        assert found.tokens == wanted.tokens
        assert found.ids == wanted.ids


@pytest.mark.slow
def test_a_character_is_cut_off_alike():
    """Of those that Unicode has known since 2002, and the library in any version."""
    since = [chr(code) for code in KNOWN if unicodedata.ucd_3_2_0.category(chr(code)) not in ("Cn", "Co", "Cs")]
    text = "".join(f"{one}{one} {one}a{one}1" for one in since)
    library, stands_in = pre_tokenizers.ByteLevel(add_prefix_space=False), stand_in("tokenizers")
    ends = [end for _, (_, end) in library.pre_tokenize_str(text)]
    assert [found.end() for found in stand_in("regex").finditer(stands_in.PATTERN, text)] == ends


def test_both_tokenizers_merge_the_same(other):
    with patch.dict(sys.modules, {"tokenizers": stand_in("tokenizers")}):
        from utils.reference import byte_pairs

        wanted = byte_pairs.merges()
        with patch.object(byte_pairs, "tokenizer", lambda: other):
            assert byte_pairs.merges() == wanted


def test_a_token_is_refused_that_only_the_library_can_cut_out():
    with pytest.raises(NotImplementedError, match="only the library"):
        stand_in("tokenizers").AddedToken("<mask>", lstrip=True)
