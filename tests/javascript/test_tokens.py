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
ENCODED = """async (texts) => {
    const { Tokenizer } = await import("/javascript/tokens.mjs");
    const tokenizer = new Tokenizer(await (await fetch("/reference_model/tokenizer.json")).json());
    return texts.map((text) => [tokenizer.encode(text), tokenizer.decode(tokenizer.encode(text))]);
}"""


def scribbles(number: int) -> list[str]:
    """Texts of characters from everywhere, many of them spaces, apostrophes and ASCII."""
    dice = random.Random(0)
    everywhere = [chr(code) for code in range(0x3100) if not 0xD800 <= code < 0xE000]
    usual = [*map(chr, range(32, 127)), *" " * 60, *"'" * 8, "\n", "\t", "🦊"]
    return ["".join(dice.choice(dice.choice((everywhere, usual))) for _ in range(40)) for _ in range(number)]


def test_any_text_has_the_reference_models_tokens(page):
    texts = [*TEXTS, *scribbles(1_000)]
    for text, (tokens, back) in zip(texts, page.evaluate(ENCODED, texts), strict=True):
        assert tokens == tokenizer().encode(text, add_special_tokens=False).ids, repr(text)
        assert back == text


def test_half_a_character_is_no_error(page):
    decoded = page.evaluate(
        """async () => {
            const { Tokenizer } = await import("/javascript/tokens.mjs");
            const tokenizer = new Tokenizer(await (await fetch("/reference_model/tokenizer.json")).json());
            const token = (byte) => tokenizer.vocabulary.get(tokenizer.letters[byte]);
            const bytes = Array.from(new TextEncoder().encode("🦊"), token);
            return [tokenizer.decode(bytes), tokenizer.decode(bytes.slice(0, 2))];
        }"""
    )
    assert decoded[0] == "🦊" and set(decoded[1]) == {"\ufffd"}


def test_a_character_of_several_tokens_stands_with_the_last_of_them(page):
    texts = page.evaluate(
        """async () => {
            const { Tokenizer } = await import("/javascript/tokens.mjs");
            const tokenizer = new Tokenizer(await (await fetch("/reference_model/tokenizer.json")).json());
            return tokenizer.texts(tokenizer.encode("naïve “🦊”"));
        }"""
    )
    assert "".join(texts) == "naïve “🦊”" and "" in texts


def test_added_tokens_are_cut_as_the_library_cuts_them(page):
    cases = [(content, texts) for content, texts, overlap in map(with_added, range(300, 340)) if not overlap]
    found = page.evaluate(
        """async (cases) => {
            const { Tokenizer } = await import("/javascript/tokens.mjs");
            return cases.map(([content, texts]) => {
                const tokenizer = new Tokenizer(content);
                return texts.map((text) => tokenizer.encode(text));
            });
        }""",
        cases,
    )
    for (content, texts), got in zip(cases, found, strict=True):
        theirs = Tokenizer.from_str(json.dumps(content))
        assert got == [theirs.encode(text, add_special_tokens=False).ids for text in texts], content["added_tokens"]
