"""From the bytes of a notebook to the sources of its code cells, whatever is wrong with it."""

import codecs
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from grader.submissions.commands import TOO_LONG
from grader.submissions.entries import MB, TooLarge, Unreadable

# What it printed and drew, pictures in its prose, the state of its controls
_KEY = rb'"(?:outputs|attachments|widgets)"\s*+'
STORED = re.compile(_KEY + rb":\s*+(?=[\[{])")
UNDECIDED = re.compile(_KEY + rb":?\s*+\Z")  # what follows is in the next piece
DEEPER = {b"[": 1, b"{": 1, b"]": -1, b"}": -1}
# A text, which may end in a later piece, or where a list or an object begins or ends
TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+(?P<end>"?)|[\[\]{}]', re.DOTALL)


class _Sieve:
    """Takes a notebook's pieces in their order."""

    def __init__(self):
        self.depth = 0  # within what is left out
        self.rest = b""  # of the piece before: a text that has not ended yet

    def kept_of(self, piece: bytes) -> Iterator[bytes]:
        text, self.rest = self.rest + piece, b""
        begin, opening = 0, -1  # of what is kept, and where what is left out begins
        for token in TOKEN.finditer(text):
            start = token.start()
            if token["end"] == b"" or (not self.depth and UNDECIDED.match(text, start)):
                if self.depth:
                    self.rest = b'"' + text[token.end() :]  # no more of it than a backslash that ends the piece
                else:
                    yield text[begin:start]
                    self.rest = text[start:]
                return
            if self.depth:
                self.depth += DEEPER.get(token[0], 0)
                begin = start
            elif start == opening:
                yield text[begin : opening + 1]
                self.depth = 1
            elif found := STORED.match(text, start):
                opening = found.end()
        if not self.depth:
            yield text[begin:]


def without_outputs(pieces: Iterable[bytes], most: int) -> bytes:
    """A notebook in UTF-8, or whatever else has ASCII's brackets, with nothing in its outputs, attachments and widgets.

    Raises TooLarge where more than `most` bytes are left.
    """
    sieve = _Sieve()
    kept = bytearray()
    for piece in pieces:
        for part in sieve.kept_of(piece):
            kept += part
        if len(kept) + len(sieve.rest) > most:
            raise TooLarge(f"is larger than {most // MB} MB, without its outputs")
    return bytes(kept + sieve.rest)


LARGEST = 500 * MB
LARGEST_WITHOUT_OUTPUTS = 20 * MB
MOST_CELLS = 2_000
LARGEST_CELL = 1 * MB
MOST_CODE = 1 * MB  # in all cells that are read: each exercise is looked for in all of it
MOST_BRACKETS = 2_000_000  # each is a list or a dict in memory, many times as large as its text
CURRENT = 4  # nbformat's
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


@dataclass(frozen=True)
class Cells:
    """The code cells of a notebook, in order; one that can't be read is empty, which keeps the others' numbers."""

    sources: tuple[str, ...]
    notes: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()  # "" for a cell without


def cells_of(data: bytes) -> Cells:
    """Raises Unreadable for what is no notebook."""
    return cells_in([data])


def cells_in(pieces: Iterable[bytes]) -> Cells:
    """The notebook of bytes that come piece by piece: its outputs may be many times as large as the rest."""
    data = without_outputs(_in_utf_8(iter(pieces)), LARGEST_WITHOUT_OUTPUTS)
    if not data.strip():
        raise Unreadable("is empty")
    text, note = _decoded(data)
    notebook = _upgraded(_parsed(text))
    if "cells" not in notebook:
        raise Unreadable("is no notebook: it has no cells")
    if not isinstance(notebook["cells"], list):
        raise Unreadable("is no notebook: its cells are no list")
    # What is no cell at all counts, and is said
    code: list[Any] = [
        code_cell
        for code_cell in notebook["cells"]
        if not isinstance(code_cell, dict) or code_cell.get("cell_type") == "code"
    ]
    if len(code) > MOST_CELLS:
        raise TooLarge(f"has {len(code):,} code cells; at most {MOST_CELLS:,} are read")
    sources: list[str] = []
    notes = [note] if note else []
    for number, cell in enumerate(code, start=1):
        try:
            source = _source(cell)
        except Unreadable as why:
            source = TOO_LONG if isinstance(why, TooLarge) else ""
            notes.append(f"Code cell {number} {why}, so it counts as empty.")
        sources.append(source)
    if sum(map(len, sources)) > MOST_CODE:
        raise TooLarge(f"holds more than {MOST_CODE // MB} MB of code")
    ids = [code_cell.get("id") if isinstance(code_cell, dict) else None for code_cell in code]
    return Cells(tuple(sources), tuple(notes), tuple(cell_id if isinstance(cell_id, str) else "" for cell_id in ids))


def _in_utf_8(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces in UTF-8, or as they are where they are in no encoding that says so by its first bytes."""
    first = next(pieces, b"")
    mark = next((mark for mark in MARKS if first.startswith(mark)), b"")
    encoding = MARKS.get(mark) or json.detect_encoding(first)
    pieces = chain([first.removeprefix(codecs.BOM_UTF8)], pieces)
    if encoding in ("utf-8", "utf-8-sig"):
        return pieces
    return (text.encode("utf-8", "replace") for text in codecs.iterdecode(pieces, encoding, "replace"))


def _decoded(data: bytes) -> tuple[str, str]:
    """The text, and what is to be said of its encoding."""
    try:
        return data.decode(), ""
    except UnicodeDecodeError:
        note = "It is not in UTF-8; it was read as Latin-1, which may have changed some characters."
        return data.decode("latin-1"), note


def _parsed(text: str) -> dict[str, Any]:
    if text.count("[") + text.count("{") > MOST_BRACKETS:
        raise TooLarge(f"holds more than {MOST_BRACKETS:,} lists")
    try:
        found = json.loads(text)
    except RecursionError:
        raise Unreadable("is nested too deeply to be read") from None
    except ValueError as error:
        said = str(error) if isinstance(error, json.JSONDecodeError) else "a number is too long"
        raise Unreadable(f"is no notebook: it is not JSON ({said})") from None
    if not isinstance(found, dict):
        raise Unreadable("is no notebook: its JSON is no object")
    return found


def _upgraded(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook in the format of today; one that names no format is taken for that."""
    version = notebook.get("nbformat", CURRENT)
    if version == CURRENT:
        return notebook
    if type(version) is not int or not 0 < version < CURRENT:
        named = repr(version)[:20]
        raise Unreadable(f"is of notebook format {named}, where {CURRENT} is the newest that can be read")
    try:
        import nbformat
    except ImportError:
        raise Unreadable(f"is of the old notebook format {version}; open it in JupyterLab and save it") from None
    try:
        return nbformat.convert(nbformat.from_dict(notebook), CURRENT)
    except Exception:  # of a hand-made notebook, anything may be missing
        raise Unreadable(f"is of the old notebook format {version}, and can't be made a new one") from None


def _source(cell: Any) -> str:
    """A cell's text. Raises Unreadable for one without."""
    if not isinstance(cell, dict):
        raise Unreadable("is no cell")
    source = cell.get("source", "")
    lines = source if isinstance(source, list) else [source]
    if not all(isinstance(line, str) for line in lines):
        raise Unreadable(f"can't be read: its source is of type {type(source).__name__}")
    text = "".join(lines)
    if len(text) > LARGEST_CELL:
        raise TooLarge(f"is longer than {LARGEST_CELL // MB} MB")
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # half characters are none
    return whole.replace("\r\n", "\n").replace("\r", "\n")
