"""What a learner wrote into a chapter and has not kept: it has not passed, or somebody else runs the notebook."""

from typing import Any

from utils.course import ROOT, ExerciseInfo
from utils.course.cells import as_python
from utils.learner.alone import module_of
from utils.learner.collecting import gather
from utils.learner.standing import cells_of


def written_in_chapter(exercise: ExerciseInfo) -> Any | None:
    """The component that the chapter's notebook defines; None where that is the stub, or can't be run."""
    cells = cells_of(ROOT / "chapters" / f"{exercise.stem}.ipynb")
    code = ["".join(cell["source"]) for cell in cells if cell.get("cell_type") == "code"]
    try:
        source = gather(exercise.symbol, list(map(as_python, code)))
        if "raise NotImplementedError" in source:
            return None
        return getattr(module_of(source, f"chapters_{exercise.symbol}"), exercise.symbol)
    except (Exception, SystemExit):
        return None
