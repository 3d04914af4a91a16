"""Reads the files of a tokenizer, as HuggingFace and OpenAI write them; what is odd in one is said in a sentence.

They write each of the 256 bytes as one printable character: a byte that has one keeps it, the others get characters
from U+0100 on, so that a space reads Ġ. Source: openai/gpt-2 src/encoder.py, bytes_to_unicode().
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, count, filterfalse, pairwise
from pathlib import Path
from typing import Any

from utils.model_folder.added import SPACES, AddedToken
from utils.model_folder.files import json_object
from utils.model_folder.unreadable import ANOTHER, Unreadable, as_written

END_OF_TEXT = "<|endoftext|>"
Pair = tuple[str, str]

AS_TRAINED = "copy there the tokenizer that the model was trained with"
_NAMES = {dict: "an object", list: "a list", str: "a text", int: "a whole number", bool: "true or false"}
_KEPT = {*chain(range(0x21, 0x7F), range(0xA1, 0xAD), range(0xAE, 0x100))}
_REST = count(0x100)
CHARACTERS = [chr(byte) if byte in _KEPT else chr(next(_REST)) for byte in range(256)]
BYTES = {character: byte for byte, character in enumerate(CHARACTERS)}

_WORDS = r" ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_POSSESSIVE = r" ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
PATTERNS = {  # three ways to write the same: OpenAI's of 2019, and two of tiktoken
    r"'s|'t|'re|'ve|'m|'ll|'d|" + _WORDS,
    r"'(?:[sdmt]|ll|ve|re)|" + _WORDS,
    r"'(?:[sdmt]|ll|ve|re)|" + _POSSESSIVE,
}
NAMED = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
MORE = ("extra_special_tokens", "additional_special_tokens")  # as transformers calls them since 5, and before


@dataclass(frozen=True)
class Vocabulary:
    """What a tokenizer knows, written with a printable character for each byte."""

    vocab: dict[str, int]
    merges: list[Pair]
    added: list[AddedToken]
    digits_apart: bool = False  # whether each digit is cut off before GPT-2's pattern cuts, as SmolLM2 does

    @cached_property
    def ids(self) -> dict[bytes, int]:
        """The numbers of the tokens that a text is cut into; an added one is among them only where merges make it."""
        made = {one + other for one, other in self.merges} | BYTES.keys()
        apart = {token.content for token in self.added} - made
        return {raw(text): index for text, index in self.vocab.items() if text not in apart}

    @property
    def special(self) -> dict[str, int]:
        """The numbers of the added tokens, by what they are written as."""
        return {token.content: token.index for token in self.added}


def read_vocabulary(folder: Path, digits: bool = False) -> Vocabulary:
    """That of tokenizer.json, or of vocab.json and merges.txt. Raises Unreadable for another kind of tokenizer.

    `digits` says that one may be read which cuts digits apart.
    """
    if (folder / "tokenizer.json").is_file():
        return _from_one_file(folder, digits)
    if (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
        return _from_two_files(folder)
    raise Unreadable(
        f"{folder} holds no tokenizer: neither tokenizer.json, nor vocab.json and merges.txt; {AS_TRAINED}."
    )


def raw(text: str) -> bytes:
    """The bytes of a token that is written so. Raises ValueError for a character that stands for no byte."""
    try:
        return bytes(BYTES[character] for character in text)
    except KeyError as error:
        raise ValueError(f"the token {as_written(text)} has {error}, which stands for no byte") from None


def _from_one_file(folder: Path, digits: bool) -> Vocabulary:
    file = folder / "tokenizer.json"
    content = json_object(file)
    with _its_own_words(file):
        model = _a(dict, content.get("model") or {}, "model")
        vocab, merges = _vocab(model.get("vocab")), _a(list, model.get("merges"), "merges")
        pairs = list(map(_pair, merges))
        added = list(_added(_a(list, content.get("added_tokens") or [], "added_tokens"), vocab))
        steps = _steps(content.get("pre_tokenizer"))
        apart = digits and steps[0].get("type") == "Digits" and steps[0].get("individual_digits") is True
        if other := _otherwise(content, model, Vocabulary(vocab, pairs, added), steps[1:] if apart else steps):
            raise Unreadable(f"{file} is not GPT-2's kind of tokenizer: {other}; {ANOTHER}.")
    added = _with_those_beside(folder, vocab, added, {})
    with _its_own_words(file):
        return _readable(Vocabulary(vocab, pairs, added, apart))


def _otherwise(content: dict, model: dict, vocabulary: Vocabulary, steps: list[dict]) -> str:
    """What a tokenizer.json asks for that GPT-2's tokenizer does not do; "" where there is nothing."""
    kind = model.get("type", "BPE" if "merges" in model else None)  # OpenAI's own file leaves the type out
    if kind != "BPE":
        return f"its model is {as_written(kind)}, and not BPE"
    if content.get("normalizer") is not None:
        return f"it changes texts before it cuts them (normalizer: {as_written(content['normalizer'])})"
    if any(step.get("type") == "ByteLevel" and step.get("add_prefix_space") for step in steps):
        return "it puts a space before a text (add_prefix_space)"
    if not _is_gpt2s_cut(steps):
        return f"its pre_tokenizer is none of those that cut by GPT-2's pattern ({as_written(steps)})"
    for name in ("dropout", "continuing_subword_prefix", "end_of_word_suffix"):
        if model.get(name):
            return f"its {name} is {as_written(model[name])}"
    if model.get("ignore_merges") and (whole := _unmerged(vocabulary)):
        return f"its ignore_merges makes {as_written(whole)} a token, which its merges do not"
    return ""


def _overlapping(added: list[AddedToken]) -> str:
    """Two added tokens that may claim the same white space: the library drops the second, or breaks down."""
    greedy = [token.content for token in added if token.rstrip]
    spaced = [token.content for token in added if token.content[0] in SPACES]
    if not (greedy and spaced):
        return ""
    first, second = as_written(greedy[0]), as_written(spaced[0])
    return f"its added token {first} takes the white space after it (rstrip), with which {second} begins"


def _steps(before: Any) -> list[dict]:
    """A pre-tokenizer, one after another."""
    before = _a(dict, before or {}, "pre_tokenizer")
    if before.get("type") != "Sequence":
        return [before]
    return [step for one in _a(list, before.get("pretokenizers"), "pretokenizers") for step in _steps(one)]


def _is_gpt2s_cut(steps: list[dict]) -> bool:
    match steps:
        case [{"type": "ByteLevel"} as step]:
            return step.get("use_regex", True) is True
        case [{"type": "Split", "pattern": {"Regex": str(pattern)}, "behavior": "Isolated"}, {"type": "ByteLevel"}]:
            return pattern in PATTERNS
    return False


def _unmerged(vocabulary: Vocabulary) -> str:
    """A token that a word would not become by merging; "" where there is none."""
    ranks = {pair: rank for rank, pair in reversed(list(enumerate(vocabulary.merges)))}
    cut_before = {token.content for token in vocabulary.added if not token.single_word}
    for token in filterfalse(cut_before.__contains__, vocabulary.vocab):
        parts = list(token)
        while len(parts) > 1 and (known := [pair for pair in pairwise(parts) if pair in ranks]):
            first = min(known, key=ranks.__getitem__)
            at = next(at for at, pair in enumerate(pairwise(parts)) if pair == first)
            parts[at : at + 2] = ["".join(first)]
        if len(parts) > 1 and BYTES.keys() >= set(token):
            return token
    return ""


def _from_two_files(folder: Path) -> Vocabulary:
    """As transformers reads what its slow tokenizers have written, with the special tokens in files of their own."""
    with _its_own_words(folder / "vocab.json"):
        vocab = _vocab(json_object(folder / "vocab.json"))
    with _its_own_words(folder / "merges.txt"):
        lines = (folder / "merges.txt").read_text(encoding="utf-8").split("\n")
        merges = [_pair(line) for line in lines if line and not line.startswith("#version")]
    settings = _optional(folder / "tokenizer_config.json")
    if settings.get("add_prefix_space"):
        file = folder / "tokenizer_config.json"
        raise Unreadable(f"{file} puts a space before a text (add_prefix_space), which GPT-2 does not; {ANOTHER}.")
    added = _with_those_beside(folder, vocab, [], dict.fromkeys(("bos_token", "eos_token", "unk_token"), END_OF_TEXT))
    with _its_own_words(folder / "vocab.json"):
        return _readable(Vocabulary(vocab, merges, added))


def _with_those_beside(
    folder: Path, vocab: dict[str, int], added: list[AddedToken], usual: dict[str, str]
) -> list[AddedToken]:
    """These tokens, and further ones that files beside the vocabulary name, which transformers adds to it.

    `usual` are the special tokens of a tokenizer whose files name no others.
    """
    settings = _optional(folder / "tokenizer_config.json")
    decoder = "added_tokens_decoder"
    if decoder in settings:
        file = folder / "tokenizer_config.json"
        with _its_own_words(file):
            found = _a(dict, settings[decoder], decoder).items()
            entries = [{"id": _whole_number(key), **_a(dict, token, decoder)} for key, token in found]
            special = _named(usual | settings)
    else:
        file = folder / "added_tokens.json"
        settings |= _optional(folder / "special_tokens_map.json")
        with _its_own_words(folder / "special_tokens_map.json"):
            special = _named(usual | settings)
        names = {token["content"] for token in special}
        found = _optional(file).items()
        entries = [{"content": text, "id": index, "normalized": text not in names} for text, index in found]
    known = {token.content for token in added}
    with _its_own_words(file):
        further = [entry for entry in entries if entry.get("content") not in known]
        further.sort(key=lambda entry: _number(entry["id"], str(entry.get("content"))))
        added = [*added, *_added(further, vocab, added)]
    known = {token.content for token in added}
    for token in special:
        if token["content"] not in known and (token["content"] in vocab or token["content"] != END_OF_TEXT):
            known.add(token["content"])
            added += _added([{"id": _next(token["content"], vocab, added), **token}], vocab, added)
    if other := _overlapping(added):
        raise Unreadable(f"{folder} holds no tokenizer of GPT-2's kind: {other}; {ANOTHER}.")
    return added


def _readable(vocabulary: Vocabulary) -> Vocabulary:
    """The same. Raises ValueError for a token that stands for no bytes."""
    _ = vocabulary.ids
    return vocabulary


def _named(settings: dict) -> list[dict]:
    """The special tokens that are named in tokenizer_config.json or special_tokens_map.json, each as an object."""
    named = [settings.get(name) for name in NAMED]
    for name in MORE:
        named += _a(list, settings.get(name) or [], name)
    texts = [{"content": token} if isinstance(token, str) else token for token in named if token]
    return [{"normalized": False} | _a(dict, token, "a special token") for token in texts]


def _optional(file: Path) -> dict:
    return json_object(file) if file.is_file() else {}


@contextmanager
def _its_own_words(file: Path) -> Iterator[None]:
    """Raises Unreadable for a file that is not as GPT-2's are."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise Unreadable(f"{file} is not written in GPT-2's way: {error}; {AS_TRAINED}.") from None


def _added(tokens: Iterable[Any], vocab: dict[str, int], before: Iterable[AddedToken] = ()) -> Iterator[AddedToken]:
    """The added tokens, with the numbers that they have; `tokenizers` gives those of a gap others than were written."""
    so_far = list(before)
    for place, token in enumerate(tokens):
        name = f"added_tokens[{place}]"
        content = _a(str, _a(dict, token, name).get("content"), f"the content of {name}")
        if not content:
            raise ValueError(f"the content of {name} is empty")
        if content.encode(errors="ignore").decode() != content:
            raise ValueError(f"the content of {name} is {content!a}, which holds half a character")
        index = _number(token.get("id"), content)
        flags = {flag: token[flag] for flag in AddedToken._fields[2:] if token.get(flag) is not None}
        for flag, value in flags.items():
            _a(bool, value, f"{flag} of {name}")
        if (given := _next(content, vocab, so_far)) != index:
            said = f"the added token {as_written(content)} has the number {index}"
            raise ValueError(f"{said}, and the library tokenizers would give it {given}")
        so_far.append(AddedToken(content, index, **flags))
        yield so_far[-1]


def _next(content: str, vocab: dict[str, int], added: list[AddedToken]) -> int:
    """The number that `tokenizers` gives to a further token: its own, or the next one."""
    known = {token.content: token.index for token in added}
    if content in vocab:
        return vocab[content]
    return known.get(content, max([len(vocab), *(index + 1 for index in known.values())]))


def _vocab(vocab: Any) -> dict[str, int]:
    return {text: _number(index, text) for text, index in _a(dict, vocab, "vocab").items()}


def _number(index: Any, token: str) -> int:
    if _a(int, index, f"the number of the token {as_written(token)}") < 0:
        raise ValueError(f"the number of the token {as_written(token)} is {index}, and should be from 0 on")
    return index


def _whole_number(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(f"added_tokens_decoder has {as_written(text)} where a token's number should be")
    return int(text)


def _pair(merge: Any) -> Pair:
    both = merge.split(" ") if isinstance(merge, str) else _a(list, merge, "one of the merges")
    if len(both) != 2:
        raise ValueError(f"the merge {as_written(merge)} is not of two tokens")
    one, other = (_a(str, token, "half a merge") for token in both)
    raw(one + other)
    return one, other


def _a(kind: type, value: Any, what: str) -> Any:
    """A value that must be of this type; `bool` is no whole number."""
    if type(value) is not kind:
        raise ValueError(f"{what} is {as_written(value)}, and should be {_NAMES[kind]}")
    return value
