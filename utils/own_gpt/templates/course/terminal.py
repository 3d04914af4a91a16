"""What a terminal shows of a story: each piece at once, lines broken between words, nothing that your parts print.

A word may come in several pieces. Where it grows beyond the edge, it is taken back and written on the next line.
"""

import io
import re
import shutil
import unicodedata
from collections.abc import Callable
from typing import TextIO

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # a model may make any byte, also those that steer a terminal


class Lines:
    """Writes text to a terminal, word by word into its lines."""

    def __init__(self, stream: TextIO, columns: Callable[[], int] = lambda: shutil.get_terminal_size().columns):
        self.stream, self.columns = stream, columns
        self.at = 0  # the cursor's column
        self.word = ""  # how much of the last word stands before it

    def write(self, text: str) -> None:
        """Show a piece of text."""
        for piece in re.findall(r"\n|[^\S\n]+|\S+", CONTROLS.sub("\ufffd", text)):
            self.stream.write(self._placed(piece, max(self.columns() - 1, 1)))  # the last column makes terminals wrap

    def flush(self) -> None:
        """As of any stream."""
        self.stream.flush()

    def _placed(self, piece: str, edge: int) -> str:
        taken = _width(self.word)
        self.word = "" if piece.isspace() else self.word + piece
        if piece == "\n" or (piece.isspace() and self.at + _width(piece) > edge):
            self.at = 0
            return "\n"
        if self.at + _width(piece) <= edge:
            self.at += _width(piece)
            return piece
        if taken < self.at and _width(self.word) <= edge:
            self.at = _width(self.word)
            return "\b" * taken + " " * taken + "\n" + self.word
        self.word = ""  # it fills a line by itself: the terminal breaks it
        self.at = (self.at + _width(piece)) % (edge + 1)
        return piece


class Unheard(io.TextIOBase):
    """Takes the place of the output while your code runs: what it prints is counted."""

    def __init__(self):
        super().__init__()
        self.text = ""  # the beginning
        self.n_lines = 0

    def writable(self) -> bool:
        """As of any stream that is written to."""
        return True

    def write(self, text: str) -> int:
        """Count the lines, and remember the first ones."""
        self.text = (self.text + text)[:1000]
        self.n_lines += text.count("\n")
        return len(text)

    def __str__(self) -> str:
        if not self.text.strip():
            return ""
        count = max(self.n_lines, 1)
        first = self.text.strip().splitlines()[0][:80]
        return f"Your parts printed {count} line{'s' * (count > 1)} meanwhile, not shown here. The first: {first}"


def _width(text: str) -> int:
    """In columns: many characters of East Asia and emoji take two, accents none."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))
