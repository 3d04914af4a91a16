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
    cells = notebook.get("cells")
    if cells is None and isinstance(notebook.get("worksheets"), list):
        cells = [cell for sheet in notebook["worksheets"] if isinstance(sheet, dict) for cell in sheet.get("cells", ())]
    if notebook.get("nbformat") not in (3, 4) or not isinstance(cells, list):
        raise _no_notebook(path, f"has no cells of nbformat 4 (its nbformat is {notebook.get('nbformat')!r:.40})")
    wanted = [cell for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "code"]
    return [CodeCell(_text(cell.get("id")), _text(cell.get("source", cell.get("input")))) for cell in wanted]


def _parsed(path: Path) -> dict[str, Any]:
    text = _read(path)
    try:
        notebook = json.loads(text)
    except RecursionError:
        raise _no_notebook(path, "is nested too deeply") from None
    except ValueError as error:
        raise _no_notebook(path, f"is not JSON: {error}" if text.strip() else "is empty") from None
    if not isinstance(notebook, dict):
        raise _no_notebook(path, "is JSON, but no notebook")
    return notebook


def _read(path: Path) -> str:
    if path.is_symlink():
        raise _no_notebook(path, "is a symbolic link, which may lead out of the fork")
    try:
        if path.stat().st_size > LARGEST:
            raise _no_notebook(path, f"is larger than {LARGEST // 1_000_000} MB")
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise _no_notebook(path, "is missing") from None
    except OSError as error:
        raise _no_notebook(path, f"can't be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise _no_notebook(path, f"is no text: byte {error.start} is not UTF-8") from None


def _no_notebook(path: Path, what: str) -> UnreadableNotebook:
    way_out = "Save it as a notebook of this name again, or take back the published one and put your answers into it."
    return UnreadableNotebook(f"{path.parent.name}/{path.name} {what}. {way_out}")


def _text(value: Any) -> str:
    """Jupyter stores a text as one string or as its lines."""
    if isinstance(value, list):
        value = "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""
