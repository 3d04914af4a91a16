"""Which stored outputs change under other arithmetic: `python benchmarks/steady.py [stem ...]`, some minutes a chapter.

Each solution's notebook is executed as another processor would do it: with one thread and with two, with the plainest
instructions and with newer ones. Sums then run in another order, and their last digits differ. What is printed or drawn
must not. Each line that does is shown with the way it was made and what is stored: give it fewer digits, another
example, or float64. Cells whose output is not compared (`nbval-ignore-output`) are left out.
"""

import copy
import os
import sys
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from author.executing import UNCHECKED, execute
from utils.course import ROOT, stems

SHOWN = 200  # characters of a line
WAYS = {
    "one thread": {"OMP_NUM_THREADS": "1"},
    "two threads": {"OMP_NUM_THREADS": "2"},
    "plain": {"OMP_NUM_THREADS": "1", "ATEN_CPU_CAPABILITY": "default", "MKL_CBWR": "COMPATIBLE"},
    "AVX2": {"OMP_NUM_THREADS": "2", "ATEN_CPU_CAPABILITY": "avx2", "MKL_CBWR": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2"},
}


def main(*chosen: str) -> None:
    """Print each line that differs, chapter by chapter and way by way."""
    for stem in chosen or stems():
        path = ROOT / "solutions" / f"{stem}.ipynb"
        stored = nbformat.read(path, as_version=4)
        for way, environment in WAYS.items():
            other = executed(stored, path, environment)
            changes = list(differences(stored, other))
            print(f"{stem}, {way}: {len(changes)} lines differ", flush=True)
            for cell, was, now in changes:
                print(f"  {cell}\n    stored {was[:SHOWN]}\n    now    {now[:SHOWN]}", flush=True)


def executed(stored: NotebookNode, path: Path, environment: dict[str, str]) -> NotebookNode:
    """The notebook with the outputs that it has under these variables of the environment."""
    notebook = copy.deepcopy(stored)
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        execute(notebook, path)
    finally:
        os.environ.clear()
        os.environ.update(before)
    return notebook


def differences(stored: NotebookNode, other: NotebookNode) -> Iterator[tuple[str, str, str]]:
    """The cell, the line as it is stored and as it is now, for each line of its outputs that differs."""
    for was, now in zip(stored.cells, other.cells, strict=True):
        if was.cell_type != "code" or UNCHECKED in was.metadata.get("tags", ()):
            continue
        before, after = lines_of(was), lines_of(now)
        for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if kind != "equal":
                pairs = zip_longest(before[a:b], after[c:d], fillvalue="(nothing)")
                yield from ((was.id, one, another) for one, another in pairs)


def lines_of(cell: NotebookNode) -> list[str]:
    """What a cell shows: each printed line, and each value of its figures with the path to it."""
    lines = []
    for output in cell.outputs:
        shown = {"": output.text} if "text" in output else output.get("data", {})
        for kind, content in sorted(shown.items()):
            lines += content.splitlines() if isinstance(content, str) else leaves(content, kind)
    return lines


def leaves(value: Any, path: str) -> list[str]:
    """Each value of a figure, as `data.0.z.3.4 = 0.719`."""
    if isinstance(value, dict):
        return [line for key, part in sorted(value.items()) for line in leaves(part, f"{path}.{key}")]
    if isinstance(value, list):
        return [line for index, part in enumerate(value) for line in leaves(part, f"{path}.{index}")]
    return [f"{path.rpartition('json.')[2]} = {value}"]


if __name__ == "__main__":
    main(*sys.argv[1:])
