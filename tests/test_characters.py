"""utils.characters: the text that comes with the course, texts of the learner's own, and their characters as tokens."""

import pytest
import torch

from utils import characters
from utils.characters import LEAST, Characters, read_text, shakespeare, split

LONG = "To be, or not to be.\n" * 40


def written(folder, content):
    path = folder / "play.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def refused(path, **settings):
    with pytest.raises((ValueError, FileNotFoundError)) as caught:
        read_text(path, **settings)
    return str(caught.value)


def test_shakespeare_is_the_text_that_nanogpt_trains_on():
    text = shakespeare()
    assert text.startswith("First Citizen:\nBefore we proceed any further, hear me speak.\n")
    assert (len(text), len(set(text))) == (1_115_394, 65)
    train, held_out = split(Characters(text).encode(text))
    assert (len(train), len(held_out)) == (1_003_854, 111_540)  # as nanoGPT's data/shakespeare_char/prepare.py prints


def test_line_ends_of_another_system_do_no_harm(tmp_path, monkeypatch):
    raw = characters.FILE.read_bytes()
    monkeypatch.setattr(characters, "FILE", written(tmp_path, raw.replace(b"\n", b"\r\n")))
    assert shakespeare() == raw.decode()


def test_another_text_in_its_place_is_refused(tmp_path, monkeypatch):
    path = written(tmp_path, LONG)
    monkeypatch.setattr(characters, "FILE", path)
    with pytest.raises(ValueError, match=r"not the text that came with the course: its sha256 is .* `git checkout"):
        shakespeare()
    path.unlink()
    with pytest.raises(FileNotFoundError, match="is missing, the text that comes with the course"):
        shakespeare()


@pytest.mark.parametrize("content", [LONG, LONG.replace("\n", "\r\n"), LONG.replace("\n", "\r"), "\ufeff" + LONG])
def test_a_text_is_read_whatever_its_line_ends_and_its_mark(tmp_path, content):
    assert read_text(written(tmp_path, content)) == LONG
    assert read_text(str(written(tmp_path, "é" + content.removeprefix("\ufeff"))))[:3] == "éTo"


def test_a_file_that_is_missing_and_a_folder_are_told_apart(tmp_path):
    assert refused(tmp_path / "plays") == (
        f"there is no file {tmp_path / 'plays'}. Look at the path: is a folder or `.txt` missing?"
    )
    assert refused(tmp_path) == f"{tmp_path} is a folder. Give the path of one text file in it."


@pytest.mark.parametrize("content", ["", " \n\n", "\ufeff"])
def test_an_empty_file_is_refused(tmp_path, content):
    path = written(tmp_path, content)
    said = f"{path} is empty: there is nothing in it to train on. Give a file with text in it."
    assert refused(path) == said


def test_a_short_text_is_refused_with_both_numbers(tmp_path):
    path = written(tmp_path, "x" * (LEAST - 1))
    assert refused(path).startswith(f"{path} is too short: it has 639 characters, and a run needs 640, ")
    assert "needs 1,000," in refused(path, least=1000)
    assert len(read_text(path, least=639)) == 639


def test_the_least_text_has_a_window_on_either_side():
    train, held_out = split(torch.arange(LEAST))
    assert (len(train), len(held_out)) == (576, 64)


def test_what_is_not_utf_8_is_refused_with_byte_and_place(tmp_path):
    path = written(tmp_path, LONG.encode() + "café".encode("latin-1") + LONG.encode())
    assert refused(path) == (
        f"{path} is not in UTF-8: the byte 0xE9 at position 843 (line 41) does not belong there. "
        'Open it in an editor and save it again with the encoding "UTF-8".'
    )
    path = written(tmp_path, LONG.encode("utf-16"))
    assert refused(path).startswith(f"{path} is in UTF-16, not in UTF-8. Open it")
    path = written(tmp_path, LONG.encode("utf-16-le"))
    assert "is not text: it has the byte 0x00 at position 1. Give a file of plain text" in refused(path)


def test_every_text_of_known_characters_comes_back():
    of_shakespeare = Characters(shakespeare())
    assert of_shakespeare.d_vocab == 65
    text = "HAMLET:\nTo be, or not to be: that is the question!"
    tokens = of_shakespeare.encode(text)
    assert tokens.dtype == torch.int64 and tokens.shape == (len(text),)
    assert of_shakespeare.decode(tokens) == of_shakespeare.decode(tokens.tolist()) == text
    assert of_shakespeare.encode("").shape == (0,) and of_shakespeare.decode([]) == ""
    assert of_shakespeare.encode("\n !").tolist() == [0, 1, 2]


def test_an_unknown_character_and_a_number_that_is_no_token_are_named():
    few = Characters("abba")
    with pytest.raises(KeyError, match=r"the character 'é' is not in the text .* known are 'ab'"):
        few.encode("abé")
    for token in (2, -1):
        with pytest.raises(KeyError, match=f"{token} is not a token; there are 2, 0 to 1"):
            few.decode([0, token])
    with pytest.raises(ValueError, match="no characters in an empty text"):
        Characters("")


def test_characters_are_kept_as_json():
    for text in ("abba", 'ü"\\\n\t é😀', shakespeare()):
        assert Characters.from_json(Characters(text).to_json()).known == sorted(set(text))
    for wrong in ("", "[]", "{}", '{"characters": "ba"}', '{"characters": ["a"]}', '{"characters": ""}'):
        with pytest.raises(ValueError, match=r"no characters in an empty text|not the characters of a run"):
            Characters.from_json(wrong)


def test_a_text_is_cut_once():
    train, held_out = split(torch.arange(20), share=0.25)
    assert train.tolist() == list(range(15)) and held_out.tolist() == list(range(15, 20))
    for share in (0.0, 1.0, -0.5, 2.0):
        with pytest.raises(ValueError, match="leaves nothing to train on, or nothing held out"):
            split(torch.arange(20), share)
