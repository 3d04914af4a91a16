"""Byte pairs agree with the `tokenizers` library: its tokens, its merges, and the reference model's files."""

import json
import random

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from solutions.ch00_tokens import bpe_encode, pre_tokenize, read_merges, train_bpe
from utils.course import ROOT
from utils.reference import encode, tokenizer
from utils.reference.byte_pairs import from_printable, merges, printable, token_ids

GPT2_TOKENIZER = ROOT.parent / "shared" / "gpt2-tokenizer"
HELD_OUT = """It's 1999's end; "THEY'RE" not. isn't, I'll  we've\t\n\n ½ Ⅷ ² x_y a1b2 3.14 — … naïve façade Ångström
Съешь же ещё этих мягких французских булок, да выпей чаю. Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. 敏捷的棕色狐狸跳过了懒狗。
いろはにほへと ちりぬるを。다람쥐 헌 쳇바퀴에 타고파. ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण का सर्वनाश।
نص حكيم له سر قاطع وذو شأن عظيم. דג סקרן שט בים. กบเขียว ஒரு ቋንቋ 👩‍👩‍👧‍👦🏳️‍🌈🇺🇳👍🏽 🦊🌙\u00a0\u3000\u200bend  """
# Letters of one script share their first bytes: else the pairs inside a letter are bound to be equally frequent.
ALPHABETS = ("etaon", "лисна", "αεικο", "かくしつの", "कमलनर", "🦊🦁🦉🌙🌍", "éàüöê")


def library(pairs) -> Tokenizer:
    """The library's own encoder with these merges."""
    vocab = {printable(bytes([byte])): byte for byte in range(256)}
    for one, other in pairs:
        vocab.setdefault(printable(one + other), len(vocab))
    made = Tokenizer(models.BPE(vocab=vocab, merges=[(printable(one), printable(other)) for one, other in pairs]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return made


def trained_by_the_library(text: str, n_merges: int) -> Tokenizer:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        [text],
        trainers.BpeTrainer(
            vocab_size=256 + n_merges, initial_alphabet=alphabet, show_progress=False, special_tokens=[]
        ),
    )
    return made


def tokens_of(made: Tokenizer, text: str) -> list[bytes]:
    return [from_printable(token) for token in made.encode(text, add_special_tokens=False).tokens]


def text_in_seven_scripts(seed: int) -> str:
    """Made-up words, each as often as chance will have it, so that ties come late."""
    dice = random.Random(seed)
    words = []
    for letters in ALPHABETS:
        for _ in range(12):
            words += ["".join(dice.choices(letters, k=dice.randint(2, 5)))] * dice.randint(20, 400)
    dice.shuffle(words)
    return " ".join(words)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3, 6, 7, 8])  # with these no tie comes before the 51st merge
def test_trained_on_one_text_both_cut_a_held_out_text_alike(seed):
    """Ties are apart: the library gives them to the smaller pair of ids, the course to the greater pair of bytes."""
    text = text_in_seven_scripts(seed)
    ours, theirs = train_bpe(text, 50), trained_by_the_library(text, 50)
    for held_out in (HELD_OUT, text_in_seven_scripts(seed + 100)[:3000]):
        assert bpe_encode(held_out, ours) == tokens_of(theirs, held_out)
    assert any(len(token) > 2 for token in bpe_encode(HELD_OUT, ours))


@pytest.mark.slow
@pytest.mark.parametrize("n_merges", [0, 1, 100, 1000])
def test_with_the_same_merges_both_cut_alike(n_merges):
    found = train_bpe(HELD_OUT + text_in_seven_scripts(0), n_merges)
    for held_out in (HELD_OUT, HELD_OUT[::-1], HELD_OUT.upper(), text_in_seven_scripts(9)[:3000]):
        assert bpe_encode(held_out, found) == tokens_of(library(found), held_out)


def test_pieces_are_the_librarys():
    pieces = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    assert [printable(piece.encode()) for piece in pre_tokenize(HELD_OUT)] == [
        piece for piece, _ in pieces.pre_tokenize_str(HELD_OUT)
    ]


def test_the_reference_models_merges_make_its_tokens():
    ids, pairs = token_ids(), merges()
    assert set(ids) == {bytes([byte]) for byte in range(256)} | {one + other for one, other in pairs}
    assert len(ids) == 256 + len(pairs) == tokenizer().get_vocab_size() - 1
    for text in (HELD_OUT, HELD_OUT.lower(), "Once upon a time there was a little goose."):
        assert [ids[token] for token in bpe_encode(text, pairs)] == encode(text)[0, 1:].tolist()


def test_bytes_are_printed_as_the_library_prints_them():
    everything = bytes(range(256))
    assert from_printable(printable(everything)) == everything
    assert printable(b" the\n") == "ĠtheĊ"
    assert sorted(printable(everything)) == sorted(pre_tokenizers.ByteLevel.alphabet())
    with pytest.raises(KeyError):
        from_printable("月")


@pytest.mark.slow
@pytest.mark.skipif(not GPT2_TOKENIZER.is_dir(), reason=f"needs GPT-2's tokenizer files in {GPT2_TOKENIZER}")
def test_gpt2s_own_tokens():
    """The merges of GPT-2, read by the chapter's reader, and the vocabulary's ids."""
    lines = read_merges((GPT2_TOKENIZER / "merges.txt").read_text(encoding="utf-8"))
    pairs = [(from_printable(one), from_printable(other)) for one, other in lines]
    ids = json.loads((GPT2_TOKENIZER / "vocab.json").read_text(encoding="utf-8"))
    assert len(pairs) == 50_000 and len(ids) == 50_257
    found = bpe_encode("not all heroes wear capes", pairs)
    assert [ids[printable(token)] for token in found] == [1662, 477, 10281, 5806, 1451, 274]
    assert bpe_encode(HELD_OUT, pairs) == tokens_of(library(pairs), HELD_OUT)
    numbers = [len(bpe_encode(str(number), pairs)) for number in (520, 521)]
    assert numbers == [1, 2], "the chapter says that GPT-2 cuts neighbouring numbers unevenly"
