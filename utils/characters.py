"""Text for a training run, and its characters as tokens: tiny Shakespeare, or any text file of the learner's own."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

import torch
from jaxtyping import Int
from torch import Tensor

FILE = Path(__file__).with_name("corpus") / "tinyshakespeare.txt"
SHA256 = "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"
HELD_OUT = 0.1  # the share of a text that nanoGPT's data/shakespeare_char/prepare.py keeps for validation
LEAST = 640  # characters: the held-out tenth is then one window of 64, chapter 9's n_ctx
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # how a file begins that Notepad saved as "Unicode"


def shakespeare() -> str:
    """Tiny Shakespeare, 1,115,394 characters of his plays, which come with the course.

    Raises FileNotFoundError where the file is missing, ValueError where it is not the one that the course came with.
    """
    anew = "Get it back with `git checkout utils/corpus`, or download the course again."
    if not FILE.is_file():
        raise FileNotFoundError(f"{FILE} is missing, the text that comes with the course. {anew}")
    raw = FILE.read_bytes().replace(b"\r\n", b"\n")
    found = hashlib.sha256(raw).hexdigest()
    if found != SHA256:
        message = f"{FILE} is not the text that came with the course: its sha256 is {found[:12]}..., expected "
        raise ValueError(f"{message}{SHA256[:12]}.... {anew}")
    return raw.decode("ascii")


def read_text(path: str | Path, least: int = LEAST) -> str:
    r"""The text of a file in UTF-8, of at least so many characters; a byte-order mark is left out, `\r\n` becomes `\n`.

    Raises FileNotFoundError where there is no such file, and ValueError, with what to do, for a folder, and for a file
    that is empty, too short, or not text in UTF-8.
    """
    path = Path(path).expanduser()
    if path.is_dir():
        raise ValueError(f"{path} is a folder. Give the path of one text file in it.")
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path.absolute()}. Look at the path: is a folder or `.txt` missing?")
    text = _decoded(path.read_bytes(), path).removeprefix("\ufeff")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise ValueError(f"{path} is empty: there is nothing in it to train on. Give a file with text in it.")
    if len(text) < least:
        reason = "for the training part and the held-out part to have at least one window each"
        raise ValueError(
            f"{path} is too short: it has {len(text):,} characters, and a run needs {least:,}, {reason}. "
            "Take a longer text; a model that learns to write needs a million."
        )
    return text


def _decoded(raw: bytes, path: Path) -> str:
    again = 'Open it in an editor and save it again with the encoding "UTF-8".'
    if raw.startswith(UTF_16):
        raise ValueError(f"{path} is in UTF-16, not in UTF-8. {again}")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        where = f"the byte 0x{raw[error.start]:02X} at position {error.start:,}"
        line = raw.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path} is not in UTF-8: {where} (line {line:,}) does not belong there. {again}") from None
    if "\0" in text:
        where = f"the byte 0x00 at position {raw.index(0):,}"
        raise ValueError(f"{path} is not text: it has {where}. Give a file of plain text, such as a .txt.")
    return text


class Characters:
    """Every character of a text is a token; they are numbered in the order of their code points.

    `d_vocab` is how many there are. Raises ValueError for a text without characters.
    """

    def __init__(self, text: str):
        self.known = sorted(set(text))
        if not self.known:
            raise ValueError(
                "there are no characters in an empty text; give the text that the model will be trained on."
            )
        self.numbers = {character: token for token, character in enumerate(self.known)}

    @property
    def d_vocab(self) -> int:
        return len(self.known)

    def encode(self, text: str) -> Int[Tensor, " pos"]:
        """The token of each character, int64. Raises KeyError naming the first one that is not known."""
        try:
            tokens = [self.numbers[character] for character in text]
        except KeyError as unknown:
            (character,) = unknown.args
            known = repr("".join(self.known[:80]))
            message = (
                f"the character {character!r} is not in the text that these tokens were made of; known are {known}"
            )
            raise KeyError(message) from None
        return torch.tensor(tokens, dtype=torch.int64)

    def decode(self, ids: Int[Tensor, " pos"] | Iterable[int]) -> str:
        """The text of these tokens. Raises KeyError naming one that is no token."""
        tokens = ids.tolist() if isinstance(ids, Tensor) else [int(token) for token in ids]
        for token in tokens:
            if not 0 <= token < self.d_vocab:
                raise KeyError(f"{token} is not a token; there are {self.d_vocab}, 0 to {self.d_vocab - 1}")
        return "".join(self.known[token] for token in tokens)

    def to_json(self) -> str:
        """The characters in the order of their tokens, to be kept with a run."""
        return json.dumps({"characters": "".join(self.known)})

    @classmethod
    def from_json(cls, kept: str) -> "Characters":
        """What `to_json` kept. Raises ValueError for anything else."""
        try:
            characters = json.loads(kept)["characters"]
        except (ValueError, TypeError, KeyError):
            raise ValueError(f"these are not the characters of a run: {kept[:60]!r}") from None
        if not isinstance(characters, str) or sorted(set(characters)) != list(characters):
            raise ValueError(f"these are not the characters of a run: {kept[:60]!r}")
        return cls(characters)


def split(
    tokens: Int[Tensor, " pos"], share: float = HELD_OUT
) -> tuple[Int[Tensor, " train_pos"], Int[Tensor, " held_out_pos"]]:
    """The beginning of a row of tokens, to train on, and its last `share`, which no training sees.

    As nanoGPT's data/shakespeare_char/prepare.py cuts it. Raises ValueError where one of the two would be empty.
    """
    cut = int(len(tokens) * (1 - share))
    if not 0 < cut < len(tokens):
        raise ValueError(f"a share of {share} of {len(tokens)} tokens leaves nothing to train on, or nothing held out")
    return tokens[:cut], tokens[cut:]
