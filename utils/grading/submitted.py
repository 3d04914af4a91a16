"""A learner's notebook file as its code cells: read whatever it may be, or refused in a sentence."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LARGEST = 50_000_000  # bytes; a chapter with all its figures has 2 MB


class UnreadableNotebook(Exception):
    """What the file is instead of a notebook, and what to do."""


@dataclass(frozen=True)
class CodeCell:
    """One code cell, as it stands in the file."""

    id: str  # "" where the file gives it none
    source: str


def code_cells(path: Path) -> list[CodeCell]:
    """The code cells in their order. Raises UnreadableNotebook for whatever is no notebook of format 4 or 3."""
    notebook = _parsed(path)
    number = notebook.get("nbformat")
    if number == 4:
        cells = notebook.get("cells")
    elif number == 3:
        cells = _of_sheets(notebook)
    else:
        cells = None
    if not isinstance(cells, list):
        raise _no_notebook(
            path,
            f"has no cells of nbformat 4 (its nbformat is {number!r:.40})",
        )
    return list(map(_code_cell, filter(_is_code, cells)))


def _of_sheets(notebook: dict[str, Any]) -> Any:
    """The cells of the one worksheet that notebooks of format 3 have."""
    match notebook.get("worksheets"):
        case [{"cells": cells}, *_]:
            return cells
    return None


def _is_code(cell: Any) -> bool:
    return isinstance(cell, dict) and cell.get("cell_type") == "code"


def _code_cell(cell: dict[str, Any]) -> CodeCell:
    source = cell.get("source", cell.get("input"))
    return CodeCell(
        _text(cell.get("id")),
        _text(source),
    )


def _parsed(path: Path) -> dict[str, Any]:
    text = _read(path)
    if not text.strip():
        raise _no_notebook(path, "is empty")
    try:
        notebook = json.loads(text)
    except RecursionError:
        raise _no_notebook(path, "is nested too deeply") from None
    except ValueError as error:
        raise _no_notebook(path, f"is not JSON: {error}") from None
    if not isinstance(notebook, dict):
        raise _no_notebook(path, "is JSON, but no notebook")
    return notebook


def _read(path: Path) -> str:
    if path.is_symlink():
        raise _no_notebook(path, "is a symbolic link, which may lead out of the fork")
    try:
        return _bytes(path).decode("utf-8-sig")
    except FileNotFoundError:
        raise _no_notebook(path, "is missing") from None
    except OSError as error:
        raise _no_notebook(path, f"can't be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise _no_notebook(path, f"is no text: byte {error.start} is not UTF-8") from None


def _bytes(path: Path) -> bytes:
    if path.stat().st_size > LARGEST:
        raise _no_notebook(path, f"is larger than {LARGEST // 1_000_000} MB")
    return path.read_bytes()


def _no_notebook(path: Path, what: str) -> UnreadableNotebook:
    return UnreadableNotebook(
        f"{path.parent.name}/{path.name} {what}. "
        "Save it as a notebook of this name again, "
        "or take back the published one and put your answers into it."
    )


def _text(value: Any) -> str:
    """Jupyter stores a text as one string or as its lines."""
    lines = value if isinstance(value, list) else [value]
    return "".join(filter(_is_text, lines))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
