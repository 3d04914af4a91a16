"""utils/javascript/tokens.mjs: the same tokens as the reference model's tokenizer has, for any text."""

import json
import random

import pytest
from tokenizers import Tokenizer

from tests.model_folder.odd_tokens import with_added
from utils.reference import tokenizer

pytestmark = [pytest.mark.browser, pytest.mark.slow]
TEXTS = [
    "Once upon a time there was a king.",
    "  two  spaces,   three\n\n\tand a line\r\n ",
    "naïve café Ünï ß Straße e\u0301te\u0301",
    "emoji 😀👩‍👩‍👧 🇩🇪 x",
    "it's we'll I'D o'clock '",
    "123 4567 ½ ² ٣",
    "the  \x1c  \ufeff  \x1f\ufeff x",
    "\x1c\x1d a\x85b\xa0c\u2003d\u3000e\u2028f",
    "<|endoftext|>hi<|endoftext|>",
    "日本語 लोमड़ी ثعلب",
    "\ufeffa\u200bb\u180ec",
    "",
    " ",
]
ENCODED = "return given.map((text) => [tokenizer.encode(text), tokenizer.decode(tokenizer.encode(text))]);"
OF_A_FOX = """const token = (byte) => tokenizer.vocabulary.get(tokenizer.letters[byte]);
const bytes = Array.from(new TextEncoder().encode("🦊"), token);
return [tokenizer.decode(bytes), tokenizer.decode(bytes.slice(0, 2))];"""
ADDED = """return given.map(([content, texts]) => {
    const own = new Tokenizer(content);
    return texts.map((text) => own.encode(text));
});"""


@pytest.fixture
def run(page):
    """Runs JavaScript with the module's `Tokenizer`, the reference model's `tokenizer`, and what it is `given`."""
    begin = """const { Tokenizer } = await import("/javascript/tokens.mjs");
const tokenizer = new Tokenizer(await (await fetch("/reference_model/tokenizer.json")).json());"""
    return lambda code, given=None: page.evaluate(f"async (given) => {{ {begin} {code} }}", given)


def scribbles(number: int) -> list[str]:
    """Texts of characters from everywhere, many of them spaces, apostrophes and ASCII."""
    dice = random.Random(0)
    everywhere = [chr(code) for code in range(0x3100) if not 0xD800 <= code < 0xE000]
    usual = [*map(chr, range(32, 127)), *" " * 60, *"'" * 8, "\n", "\t", "🦊"]
    return ["".join(dice.choice(dice.choice((everywhere, usual))) for _ in range(40)) for _ in range(number)]


def test_any_text_has_the_reference_models_tokens(run):
    texts = [*TEXTS, *scribbles(1_000)]
    for text, (tokens, back) in zip(texts, run(ENCODED, texts), strict=True):
        assert tokens == tokenizer().encode(text, add_special_tokens=False).ids, repr(text)
        assert back == text


def test_half_a_character_is_no_error(run):
    whole, half = run(OF_A_FOX)
    assert whole == "🦊" and set(half) == {"\ufffd"}


def test_a_character_of_several_tokens_stands_with_the_last_of_them(run):
    texts = run('return tokenizer.texts(tokenizer.encode("naïve “🦊”"));')
    assert "".join(texts) == "naïve “🦊”" and "" in texts


def test_added_tokens_are_cut_as_the_library_cuts_them(run):
    cases = [(content, texts) for content, texts, overlap in map(with_added, range(300, 340)) if not overlap]
    for (content, texts), got in zip(cases, run(ADDED, cases), strict=True):
        theirs = Tokenizer.from_str(json.dumps(content))
        assert got == [theirs.encode(text, add_special_tokens=False).ids for text in texts], content["added_tokens"]
