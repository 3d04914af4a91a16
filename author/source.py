"""A chapter as its author wrote it in solutions/<stem>.py: its cells, its exercises and their solution regions.

The format is jupytext's py:percent; `python -m utils new` makes an example. `reading.py` reads it.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from author.regions import Region

# jupytext's tag: commented out in the .py, code in the notebook
NOTEBOOK_ONLY = "active-ipynb"
# The tag of a given cell that is not worth reading first: closed, under its first line, which Colab shows as a heading.
FOLDED = "folded"
HINTS = ("idea", "pseudocode")
NUMBERS = {"difficulty": range(1, 6), "importance": range(1, 6), "minutes": range(1, 601)}


@dataclass(frozen=True)
class Cell:
    """One cell of a source, and the number of its `# %%` line."""

    # "markdown", "code" or "raw"
    kind: str
    source: str
    line: int
    metadata: dict
    regions: tuple[Region, ...] = ()

    @property
    def tags(self) -> list[str]:
        return self.metadata.get("tags", [])

    @property
    def notebook_only(self) -> bool:
        return NOTEBOOK_ONLY in self.tags

    @property
    def heading(self) -> str | None:
        """The text of its first line, if that is a Markdown heading."""
        if self.kind != "markdown":
            return None
        found = re.match(r"#+\s+(.+)", self.source)
        return found and found[1].strip()

    def regions_of(self, symbol: str) -> list[Region]:
        """What is written here of an exercise."""
        return [region for region in self.regions if region.symbol == symbol]


@dataclass(frozen=True)
class Task:
    """What a source says about one exercise; None where it says nothing."""

    symbol: str
    line: int
    difficulty: int | None
    importance: int | None
    minutes: int | None
    draft: bool
    hints: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Source:
    """A whole chapter as its author wrote it; `path` leads to its file from the course's root."""

    root: Path
    stem: str
    path: Path
    cells: list[Cell]
    tasks: list[Task]
