"""A learner's copy of chapter 3 with an answer in it, and the table of edits that are tried on it."""

import copy
import functools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from grader.grades import Status
from utils.course import ROOT

STEM, SYMBOL = "ch03_layernorm", "LayerNorm"

RIGHT = """\
class LayerNorm(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))
        self.b = nn.Parameter(torch.zeros(cfg.d_model))

    def forward(self, residual):
        centred = residual - residual.mean(dim=-1, keepdim=True)
        variance = centred.pow(2).mean(dim=-1, keepdim=True)
        return centred / (variance + self.cfg.layer_norm_eps).sqrt() * self.w + self.b
"""
WRONG = RIGHT.replace(".sqrt()", "")  # divides by the variance


@dataclass
class Forged:
    """The chapter as a fork's notebook holds it. What an edit changes is `cells`; `files` lie beside the notebook."""

    cells: list[dict]
    metadata: dict
    name: str = f"{STEM}.ipynb"
    files: dict[str, str] = field(default_factory=dict)

    @property
    def answer(self) -> dict:
        """The cell with the answer."""
        return self._cell(f"{STEM}-{SYMBOL}-2")

    @property
    def test(self) -> dict:
        """The cell that tests it."""
        return self._cell(f"{STEM}-{SYMBOL}-3")

    @property
    def imports(self) -> dict:
        """The given cell that imports torch."""
        return self._cell(f"{STEM}-3-layernorm-one-scale-for-every-vector-3")

    def before(self, cell: dict, *sources: str) -> None:
        """Put cells before this one."""
        place = self.cells.index(cell)
        self.cells[place:place] = map(code, sources)

    def after(self, cell: dict, *sources: str) -> None:
        """Put cells after this one."""
        place = self.cells.index(cell) + 1
        self.cells[place:place] = map(code, sources)

    def write(self, folder: Path) -> Path:
        """Write the notebook, and what lies beside it."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in self.files.items():
            (folder / name).write_text(text, encoding="utf-8")
        written = {"cells": self.cells, "metadata": self.metadata, "nbformat": 4, "nbformat_minor": 5}
        (folder / self.name).write_text(json.dumps(written), encoding="utf-8")
        return folder / self.name

    def _cell(self, name: str) -> dict:
        return next(cell for cell in self.cells if cell.get("id") == name)


Change = Callable[[Forged], None]


@dataclass(frozen=True)
class Edit:
    """One edit, and what the exercise comes to round a wrong answer and round a right one."""

    name: str
    change: Change
    wrong: Status
    right: Status


EDITS: list[Edit] = []


def edit(wrong: Status = "fail", right: Status = "pass") -> Callable[[Change], None]:
    """Put a change of the notebook into the table."""
    return lambda change: edits({change.__name__.replace("_", " "): change}, wrong, right)


def edits(changes: dict[str, Change], wrong: Status = "fail", right: Status = "pass") -> None:
    """Put changes into the table that all come to the same."""
    EDITS.extend(Edit(name, change, wrong, right) for name, change in changes.items())


def before(cell: str, *sources: str) -> Change:
    """Cells before the one that the notebook has under this name: answer, test or imports."""
    return lambda notebook: notebook.before(getattr(notebook, cell), *sources)


def after(cell: str, *sources: str) -> Change:
    """Cells after it."""
    return lambda notebook: notebook.after(getattr(notebook, cell), *sources)


def source(cell: str, text: str) -> Change:
    """The cell with this text; `{}` stands for its own."""

    def change(notebook: Forged) -> None:
        changed = getattr(notebook, cell)
        changed["source"] = text.replace("{}", "".join(changed["source"]))

    return change


def replaced(old: str, new: str, *changes: Change) -> Change:
    """The answer with something in the place of something that it has; after these changes."""

    def change(notebook: Forged) -> None:
        for one in changes:
            one(notebook)
        notebook.answer["source"] = notebook.answer["source"].replace(old, new)

    return change


def code(source: str) -> dict:
    """A code cell of the learner's."""
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None}


def forged(answer: str) -> Forged:
    """The published chapter, with this answer in the place of its stub."""
    notebook = copy.deepcopy(_published())
    made = Forged(notebook["cells"], notebook["metadata"])
    made.answer["source"] = answer
    return made


@functools.cache
def _published() -> dict:
    """The executed solution with its stub's cell still to be filled: the chapter itself may be a learner's by now."""
    return json.loads((ROOT / "chapters" / f"{STEM}.ipynb").read_text(encoding="utf-8"))
