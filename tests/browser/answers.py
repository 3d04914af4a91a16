"""What a learner may answer, taken from the solutions: nothing yet, a slip with a name, the right thing."""

from dataclasses import dataclass
from functools import cached_property

from tests.journey import WrongAnswer, code_cells, wrong_answer
from utils.authoring.browsing.notebook import Notebook
from utils.cells import defines
from utils.course import ROOT, exercises


def solved(stem: str) -> dict[str, str]:
    """The source of each code cell of a chapter's solution, by the cell's id."""
    return {cell.id: cell.source for cell in code_cells(ROOT / "solutions" / f"{stem}.ipynb")}


def fill_in(notebook: Notebook) -> None:
    """Solve a chapter at one stroke: each cell becomes that of the solution."""
    solutions = solved(notebook.stem)
    for index, (key, source) in enumerate(zip(notebook.ids, notebook.sources, strict=True)):
        if solutions.get(key, source) != source:
            notebook.put(index, solutions[key])


@dataclass(frozen=True)
class Answered:
    """A chapter in the browser and one exercise of it; each way to answer gives what the card says."""

    notebook: Notebook
    symbol: str

    def begin(self) -> None:
        """Run what stands before the chapter's map."""
        self.notebook.run_to(self.notebook.saying("model_map("))

    def not_yet(self) -> str:
        return self.notebook.answer(self.symbol, self._given)

    def wrong(self) -> str:
        return self.notebook.answer(self.symbol, self.mistake.source)

    def right(self) -> str:
        return self.notebook.answer(self.symbol, self.solution)

    @cached_property
    def mistake(self) -> WrongAnswer:
        one = next(one for one in exercises(self.notebook.stem) if one.symbol == self.symbol)
        return wrong_answer(one, self.solution)

    @cached_property
    def solution(self) -> str:
        return next(source for source in solved(self.notebook.stem).values() if defines(source, self.symbol))

    @cached_property
    def _given(self) -> str:
        cells = code_cells(ROOT / "chapters" / f"{self.notebook.stem}.ipynb")
        return next(cell.source for cell in cells if defines(cell.source, self.symbol))

    @property
    def card(self):
        """Where the card is."""
        return self.notebook.output(self.notebook.testing(self.symbol))
