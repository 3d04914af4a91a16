"""From the bytes of a notebook to the sources of its code cells, whatever is wrong with it."""

import codecs
import json
import re
from dataclasses import dataclass
from typing import Any

from utils.grading.submissions.entries import MB, Unreadable

LARGEST = 100 * MB
LARGEST_WITHOUT_OUTPUTS = 20 * MB
# What is stored beside a notebook's text: what it printed and drew, pictures in its prose, the state of its controls
STORED = re.compile(r'"(?:outputs|attachments|widgets)"\s*+:\s*+(?=[\[{])')
DEEPER = {"[": 1, "{": 1, "]": -1, "}": -1}
# A text, or where a list or an object begins or ends
TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[\[\]{}]', re.DOTALL)
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
    if not data.strip():
        raise Unreadable("is empty")
    text, note = _decoded(data)
    code = list(filter(_is_code, _cells(_upgraded(_parsed(_without_outputs(text))))))
    if len(code) > MOST_CELLS:
        raise Unreadable(f"has {len(code):,} code cells; at most {MOST_CELLS:,} are read")
    sources: list[str] = []
    notes = [note] if note else []
    for number, cell in enumerate(code, start=1):
        try:
            source = _source(cell)
        except Unreadable as why:
            source = ""
            notes.append(f"Code cell {number} {why}, so it counts as empty.")
        sources.append(source)
    if sum(map(len, sources)) > MOST_CODE:
        raise Unreadable(f"holds more than {MOST_CODE // MB} MB of code")
    return Cells(tuple(sources), tuple(notes), tuple(map(_id, code)))


def _id(cell: Any) -> str:
    found = cell.get("id") if isinstance(cell, dict) else None
    return found if isinstance(found, str) else ""


def _is_code(cell: Any) -> bool:
    """What is no cell at all counts, and is said."""
    return not isinstance(cell, dict) or cell.get("cell_type") == "code"


def _decoded(data: bytes) -> tuple[str, str]:
    """The text, and what is to be said of its encoding."""
    mark = next((mark for mark in MARKS if data.startswith(mark)), b"")
    encoding = MARKS.get(mark) or json.detect_encoding(data)
    try:
        return data.decode(encoding), ""
    except UnicodeDecodeError:
        note = "It is not in UTF-8; it was read as Latin-1, which may have changed some characters."
        return data.decode("latin-1"), note


def _without_outputs(text: str) -> str:
    """The text of a notebook with nothing in what is `STORED`: however much that is, it is no part of an answer."""
    kept: list[str] = []
    begin = depth = 0
    opening = -1  # where what is left out begins
    for token in TOKEN.finditer(text):
        if depth:
            depth += DEEPER.get(token[0], 0)
            if not depth:
                begin = token.start()
        elif token.start() == opening:
            kept.append(text[begin : opening + 1])
            depth = 1
        elif found := STORED.match(text, token.start()):
            opening = found.end()
    return "".join([*kept, text[begin:]]) if not depth else text


def _parsed(text: str) -> dict[str, Any]:
    if len(text) > LARGEST_WITHOUT_OUTPUTS:
        raise Unreadable(f"is larger than {LARGEST_WITHOUT_OUTPUTS // MB} MB, without its outputs")
    if text.count("[") + text.count("{") > MOST_BRACKETS:
        raise Unreadable(f"holds more than {MOST_BRACKETS:,} lists")
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
    """The same in the format of today; one that names no format is taken for that."""
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


def _cells(notebook: dict[str, Any]) -> list[Any]:
    if "cells" not in notebook:
        raise Unreadable("is no notebook: it has no cells")
    if not isinstance(notebook["cells"], list):
        raise Unreadable("is no notebook: its cells are no list")
    return notebook["cells"]


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
        raise Unreadable(f"is longer than {LARGEST_CELL // MB} MB")
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # half characters are none
    return whole.replace("\r\n", "\n").replace("\r", "\n")
