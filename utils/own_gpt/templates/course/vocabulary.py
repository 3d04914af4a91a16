"""Reads the files of a tokenizer, as HuggingFace and OpenAI write them; what is odd in one is said in a sentence.

They write each of the 256 bytes as one printable character: a byte that has one keeps it, the others get characters
from U+0100 on, so that a space reads Ġ. Source: openai/gpt-2 src/encoder.py, bytes_to_unicode().
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from reprlib import repr as short
from typing import Any

from .errors import CannotTell
from .files import json_object

END_OF_TEXT = "<|endoftext|>"
Pair = tuple[bytes, bytes]
Found = tuple[dict[bytes, int], list[Pair], dict[str, int]]

AS_TRAINED = "copy there the tokenizer that the model was trained with"
_NAMES = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}
_KEPT = {*chain(range(0x21, 0x7F), range(0xA1, 0xAD), range(0xAE, 0x100))}
_REST = count(0x100)
_BYTES = {chr(byte) if byte in _KEPT else chr(next(_REST)): byte for byte in range(256)}


def from_one_file(file: Path) -> Found:
    """The numbers of tokens, the merges and the special tokens of tokenizer.json. Raises CannotTell."""
    content = json_object(file)
    with _its_own_words(file):
        model = _a(dict, content.get("model") or {}, "model")
        before = _a(dict, content.get("pre_tokenizer") or {}, "pre_tokenizer")
        named = model.get("type", "BPE" if "merges" in model else None)  # OpenAI's own file leaves the type out
        kinds = [named, before.get("type"), content.get("normalizer")]
        is_gpt2s = kinds == ["BPE", "ByteLevel", None] and before.get("use_regex", True)
        if not is_gpt2s or before.get("add_prefix_space"):
            raise CannotTell(f"{file} is not GPT-2's kind of tokenizer (byte-level BPE with GPT-2's pattern).")
        special = dict(_added(_a(list, content.get("added_tokens") or [], "added_tokens")))
        merges = _a(list, model.get("merges"), "merges")
        return _ids(model.get("vocab"), special), list(map(_pair, merges)), special


def from_two_files(folder: Path) -> Found:
    """The same of vocab.json and merges.txt."""
    vocab, merges = json_object(folder / "vocab.json"), folder / "merges.txt"
    with _its_own_words(folder / "vocab.json"):
        special = {END_OF_TEXT: _number(vocab[END_OF_TEXT], END_OF_TEXT)} if END_OF_TEXT in vocab else {}
        ids = _ids(vocab, special)
    with _its_own_words(merges):
        lines = merges.read_text(encoding="utf-8").split("\n")
        return ids, [_pair(line) for line in lines if line and not line.startswith("#version")], special


@contextmanager
def _its_own_words(file: Path) -> Iterator[None]:
    """Raises CannotTell for a file that is not as GPT-2's are."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise CannotTell(f"{file} is not written in GPT-2's way: {error}; {AS_TRAINED}.") from None


def _added(tokens: list[Any]) -> Iterator[tuple[str, int]]:
    for place, token in enumerate(tokens):
        name = f"added_tokens[{place}]"
        content = _a(str, _a(dict, token, name).get("content"), f"the content of {name}")
        if not content:
            raise ValueError(f"the content of {name} is empty")
        if content.encode(errors="ignore").decode() != content:
            raise ValueError(f"the content of {name} is {short(content)}, which holds half a character")
        yield content, _number(token.get("id"), content)


def _ids(vocab: Any, special: dict[str, int]) -> dict[bytes, int]:
    tokens = _a(dict, vocab, "vocab").items()
    return {_raw(text): _number(index, text) for text, index in tokens if text not in special}


def _number(index: Any, token: str) -> int:
    if _a(int, index, f"the number of the token {token!r}") < 0:
        raise ValueError(f"the number of the token {token!r} is {index}, and should be from 0 on")
    return index


def _pair(merge: Any) -> Pair:
    both = merge.split(" ") if isinstance(merge, str) else _a(list, merge, "one of the merges")
    if len(both) != 2:
        raise ValueError(f"the merge {short(merge)} is not of two tokens")
    one, other = (_raw(_a(str, token, "half a merge")) for token in both)
    return one, other


def _raw(text: str) -> bytes:
    try:
        return bytes(_BYTES[character] for character in text)
    except KeyError as error:
        raise ValueError(f"the token {text!r} has {error}, which stands for no byte") from None


def _a(kind: type, value: Any, what: str) -> Any:
    """A value that must be of this type; `bool` is no whole number."""
    if type(value) is not kind:
        raise ValueError(f"{what} is {short(value)}, and should be {_NAMES[kind]}")
    return value
