"""A learner's notebooks: which there are, and which chapter each is a copy of, under whatever name."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from utils.course.cells import defines
from utils.releasing.manifest import source_of
from utils.releasing.places import NOT_OURS


def chapter_notebooks(root: Path) -> Iterator[Path]:
    """The notebooks in chapters/ and its folders, and those beside chapters/."""
    found = [*root.glob("*.ipynb"), *(root / "chapters").rglob("*.ipynb")]
    for path in sorted(found):
        if not NOT_OURS & set(path.relative_to(root).parts):
            yield path


def stem_of(notebook: dict[str, Any], symbols: Mapping[str, list[str]]) -> str:
    """The chapter that most of its cells are from by their ids; else the one most of whose exercises it defines."""
    cells = notebook["cells"]
    by_id = Counter(str(cell.get("id", "")).partition("-")[0] for cell in cells)
    counts = {stem: by_id[stem] for stem in symbols}
    if not any(counts.values()):
        code = [source_of(cell) for cell in cells if cell["cell_type"] == "code"]
        counts = {
            stem: sum(any(defines(one, name) for one in code) for name in names) for stem, names in symbols.items()
        }
    most = max(counts.values(), default=0)
    return next((stem for stem, count in counts.items() if count == most and most), "")


def _count_defined(names: list[str], code: list[str]) -> int:
    """How many of these the cells define."""
    return sum(any(defines(one, name) for one in code) for name in names)
