"""utils/model_folder/added.py: added tokens are cut out of a text as the library tokenizers cuts them."""

import json
import unicodedata

import pytest
from tokenizers import Tokenizer

from solutions.ch00_tokens import bpe_encode
from tests.model_folder.odd_tokens import tokenizer_json, with_added
from utils.model_folder.added import SPACES, AddedToken, cut
from utils.model_folder.unreadable import Unreadable
from utils.model_folder.vocabulary import raw, read_vocabulary


@pytest.fixture
def read(tmp_path):
    """What our reader makes of a tokenizer.json: a function from a text to its tokens."""

    def reading(content):
        (tmp_path / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
        read = read_vocabulary(tmp_path)
        merges = [(raw(one), raw(other)) for one, other in read.merges]

        def encode(text):
            parts = [[part] if isinstance(part, int) else bpe_encode(part, merges) for part in cut(text, read.added)]
            return [token if isinstance(token, int) else read.ids[token] for part in parts for token in part]

        return encode

    return reading


@pytest.mark.parametrize("seed", range(60))
def test_any_text_has_the_tokens_of_the_library(read, seed):
    content, texts, overlap = with_added(seed)
    if overlap:
        with pytest.raises(Unreadable, match=r"takes the white space after it \(rstrip\), with which .* begins"):
            read(content)
        return
    ours, theirs = read(content), Tokenizer.from_str(json.dumps(content))
    for text in texts:
        assert ours(text) == theirs.encode(text, add_special_tokens=False).ids, (text, content["added_tokens"])


PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
OF_TIKTOKEN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"


def split(pattern, use_regex=False, **more):
    before = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False} | more
    after = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": use_regex}
    return {"type": "Sequence", "pretokenizers": [before, after]}


@pytest.mark.parametrize("pattern", [PATTERN, OF_TIKTOKEN])
@pytest.mark.parametrize("use_regex", [True, False])
def test_gpt2s_pattern_may_be_written_as_a_sequence(read, pattern, use_regex):
    for seed in range(100, 110):
        content, texts, overlap = with_added(seed)
        if overlap:
            continue
        content["pre_tokenizer"] = split(pattern, use_regex)
        ours, theirs = read(content), Tokenizer.from_str(json.dumps(content))
        for text in [*texts, "it's  we'll\n\n  o'clock \n", " \n\nthe  \t"]:
            assert ours(text) == theirs.encode(text, add_special_tokens=False).ids, text


def in_model(**entries):
    return lambda content: content["model"].update(entries)


def before(pre_tokenizer):
    return lambda content: content.update(pre_tokenizer=pre_tokenizer)


OTHER_KINDS = {
    "another pattern": (before(split(r"\s+")), "its pre_tokenizer is none of those that cut by GPT-2's pattern"),
    "removed": (before(split(PATTERN, behavior="Removed")), "its pre_tokenizer is none of those"),
    "none": (before(None), "its pre_tokenizer is none of those"),
    "a space": (before({"type": "ByteLevel", "add_prefix_space": True}), "it puts a space before a text (add_prefix"),
    "normalizer": (lambda content: content.update(normalizer={"type": "NFC"}), 'normalizer: {"type":"NFC"}'),
    "another model": (in_model(type="WordPiece"), 'its model is "WordPiece", and not BPE'),
    "dropout": (in_model(dropout=0.1), "its dropout is 0.1"),
    "suffix": (in_model(end_of_word_suffix="</w>"), 'its end_of_word_suffix is "</w>"'),
    "whole words": (
        lambda content: (content["model"]["vocab"].update(zzz=357), content["model"].update(ignore_merges=True)),
        'its ignore_merges makes "zzz" a token, which its merges do not',
    ),
}


@pytest.mark.parametrize(("how", "said"), OTHER_KINDS.values(), ids=OTHER_KINDS)
def test_another_kind_of_tokenizer_is_refused(read, how, said):
    content = tokenizer_json()
    how(content)
    with pytest.raises(Unreadable) as raised:
        read(content)
    assert said in str(raised.value) and str(raised.value).endswith("; give another model's folder.")


def test_ignore_merges_that_changes_nothing_is_read(read):
    content, texts, _ = with_added(3)
    content["added_tokens"] = content["added_tokens"][:1]
    content["model"]["ignore_merges"] = True
    ours, theirs = read(content), Tokenizer.from_str(json.dumps(content))
    for text in texts:
        assert ours(text) == theirs.encode(text, add_special_tokens=False).ids


def test_white_space_is_unicodes():
    """Found by the library: which characters an added token takes along."""
    content = tokenizer_json()
    content["added_tokens"].append({"id": 357, "content": "<m>", "lstrip": True, **dict.fromkeys(OTHERS, False)})
    theirs = Tokenizer.from_str(json.dumps(content))
    taken = [
        chr(code)
        for code in range(0x3100)
        if not 0xD800 <= code < 0xE000 and theirs.encode(f"{chr(code)}<m>", add_special_tokens=False).ids == [357]
    ]
    assert sorted(SPACES) == taken


OTHERS = ("rstrip", "single_word", "normalized", "special")


def test_a_letter_is_what_the_library_takes_for_one():
    """Of a single word, every character of the first planes that Python and the library both know."""
    content = tokenizer_json()
    flags = dict.fromkeys(("lstrip", "rstrip", "normalized", "special"), False)
    content["added_tokens"].append({"id": 357, "content": "<m>", "single_word": True} | flags)
    theirs = Tokenizer.from_str(json.dumps(content))
    token, apart = AddedToken("<m>", 357, single_word=True), []
    for code in [*range(0x3100), *range(0x1F100, 0x1F200)]:
        text = f"<m>{chr(code)}"
        if (357 in cut(text, [token])) != (357 in theirs.encode(text, add_special_tokens=False).ids):
            apart.append(code)
    assert [code for code in apart if unicodedata.category(chr(code)) != "Cn"] == []  # letters newer than this Python


@pytest.mark.parametrize("index", [358, 5000, 3])
def test_a_number_that_the_library_would_not_give_is_refused(tmp_path, index):
    content = tokenizer_json()
    content["added_tokens"].append({"id": index, "content": "<|new|>"} | dict.fromkeys((*OTHERS, "lstrip"), False))
    (tmp_path / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    given = Tokenizer.from_file(str(tmp_path / "tokenizer.json")).token_to_id("<|new|>")
    said = f'the added token "<|new|>" has the number {index}, and the library tokenizers would give it {given}; copy'
    with pytest.raises(Unreadable) as raised:
        read_vocabulary(tmp_path)
    assert said in str(raised.value)
