"""One chapter as a learner goes through it, each exercise met as a stub, answered wrongly, then rightly.

Its predictions are made in turn: one rightly, one wrongly, one is left open.
"""

import re
from itertools import cycle
from pathlib import Path

from nbformat import NotebookNode

from author.executing import UNCHECKED
from tests.house.journey import Reader, code_cells, error_of, kinds, opened, shown, wrong_answer
from utils.course import ROOT, ExerciseInfo, doable, exercises, next_exercise, stems
from utils.course.cells import ANSWER, calls, defines, unanswered
from utils.learner.keeping import kept_path
from utils.learner.progress import passed

EVERYTHING = doable(one for stem in stems() for one in exercises(stem))  # what needs no package that is missing here

MARKS = cycle("✔✘○")  # of the predictions of all chapters, in turn


class Chapter:
    """One chapter, from its first cell to its last; what is not as promised is noted, and the learner goes on."""

    def __init__(self, stem: str, folder: Path):
        self.stem, self.folder = stem, folder
        self.given = code_cells(folder / "chapters" / f"{stem}.ipynb")
        self.solutions = {cell.id: cell for cell in code_cells(ROOT / "solutions" / f"{stem}.ipynb")}
        self.open = {one.symbol: one for one in doable(exercises(stem))}
        self.predicted: dict[str, str] = {}  # by its name, the mark that the card of a prediction must have
        self.problems: list[str] = []

    def solved(self) -> list[str]:
        """Run everything, answer everything; returns what went wrong, in a sentence each."""
        with opened(self.folder) as reader:
            rest = iter(self.given)
            for cell in rest:
                solution = self.solutions[cell.id]
                one = next((one for one in self.open.values() if defines(cell.source, one.symbol)), None)
                if cell.source == solution.source:
                    ran = reader.run(cell)
                    self._is_like(solution, ran)
                    self._predictions_seen(cell, ran)
                elif cell.source == unanswered(solution.source):
                    self._predict(reader, cell, solution.source, next(MARKS))
                elif one:
                    self._exercise(reader, self.open.pop(one.symbol), cell, solution, next(rest))
                else:
                    self._smaller_task(reader, cell, solution, next(rest))
        self.problems += [f"{self.stem}: {symbol} is not among the cells" for symbol in self.open]
        self.problems += [f"{self.stem}: the prediction {name} has no card" for name in self.predicted]
        return self.problems

    def _exercise(
        self, reader: Reader, one: ExerciseInfo, cell: NotebookNode, solution: NotebookNode, test: NotebookNode
    ) -> None:
        """The stub, a misconception, the solution: what each card says, and what a pass leaves behind."""
        if not calls(test.source, one.test, one.symbol):
            self._note(test, f"comes after the cell of {one.symbol}, and does not test it")
        before = passed()
        self._card(reader, cell, test, cell.source, f"○ {one.symbol}: not yet")
        wrong = wrong_answer(one)
        self._card(reader, cell, test, wrong.source, f"✘ {one.symbol}", wrong.said)
        kept = kept_path(one)
        if passed() != before or kept.exists():
            self._note(test, "counts or keeps what has not passed")
        counted = f" {len(before) + 1} of {len(EVERYTHING)} exercises"
        told = (f"✔ {one.symbol}", counted, f"Kept as `my_gpt/{kept.name}`.", _next_words(one))
        self._card(reader, cell, test, solution.source, *told)
        if passed() != before | {(one.stem, one.symbol)} or not kept.exists():
            self._note(test, "does not count or keep what has passed")
        elif not defines(kept.read_text(encoding="utf-8"), one.symbol):
            self._note(test, f"keeps what does not define it:\n{kept.read_text(encoding='utf-8')}")

    def _card(self, reader: Reader, cell: NotebookNode, test: NotebookNode, source: str, *told: str) -> None:
        if error := error_of(reader.run(cell, source)):
            self._note(cell, f"stops with {error}\n{source}")
        ran = reader.run(test)
        card = shown(ran)
        if bool(error_of(ran)) == told[0].startswith("✔") or "text/html" not in kinds(ran):
            self._note(
                test, f"should show the card {told[0]!r}; it shows {sorted(kinds(ran))}, {error_of(ran)}\n{card}"
            )
        for words in told:
            if words not in card:
                self._note(test, f"should say {words!r}; it says\n{card}\nof\n{source}")

    def _smaller_task(self, reader: Reader, cell: NotebookNode, solution: NotebookNode, check: NotebookNode) -> None:
        """A step on the way, or a bug to mend: the cell after it must tell what is given from what is right."""
        found = []
        for source in (cell.source, solution.source):
            if error := error_of(reader.run(cell, source)):
                self._note(cell, f"stops with {error}\n{source}")
            ran = reader.run(check)
            found.append((shown(ran), error_of(ran)))
        if found[0] == found[1]:
            self._note(check, f"says the same before and after {cell.id} is solved:\n{found[0][0]}")
        self._is_like(self.solutions[check.id], ran)

    def _predict(self, reader: Reader, cell: NotebookNode, right: str, mark: str) -> None:
        """A question as it is met, then answered so that its card has to have this mark; ○ is left open."""
        opened = reader.run(cell)
        if error_of(opened) or "Nothing predicted yet" not in shown(opened):
            self._note(cell, f"asks nothing as it is met: {error_of(opened)}\n{shown(opened)}")
        if mark != "○":
            ran = reader.run(cell, right if mark == "✔" else wrongly_predicted(right))
            if error_of(ran) or "○ Noted: " not in shown(ran):
                self._note(cell, f"does not note {mark}: {error_of(ran)}\n{shown(ran)}")
        self.predicted[NAMED.findall(right)[0]] = mark

    def _predictions_seen(self, cell: NotebookNode, ran: NotebookNode) -> None:
        """Behind the figure: the mark, and for a wrong one why it tempts."""
        for name in self.predicted.keys() & SEEN.findall(cell.source):
            mark, card = self.predicted.pop(name), shown(ran)
            words = {"✔": ": right", "✘": "Why that is tempting: ", "○": "Nothing was predicted before"}[mark]
            if f"{mark} " not in card or words not in card:
                self._note(cell, f"should show {mark} and say {words!r}; it says\n{card}")

    def _is_like(self, solution: NotebookNode, ran: NotebookNode) -> None:
        """A given cell runs, and shows what it shows in the stored solution: text for text, a figure for a figure."""
        if error := error_of(ran):
            self._note(solution, f"stops with {error}\n{solution.source}")
        elif (missing := kinds(solution) - kinds(ran)) and UNCHECKED not in solution.metadata.get("tags", ()):
            self._note(solution, f"shows {sorted(kinds(ran))}, and not {sorted(missing)} as the solution does")

    def _note(self, cell: NotebookNode, problem: str) -> None:
        self.problems.append(f"{self.stem}, {cell.id}: {problem}")


NAMED = re.compile(r"""predict\(\s*["'](\w+)""")
SEEN = re.compile(r"""\bsee\(\s*["'](\w+)""")


def wrongly_predicted(right: str) -> str:
    """The cell with another answer: another letter, a far larger number, the other rows."""
    (found,) = ANSWER.finditer(right)
    answer = found[0].removeprefix("answer=")[1:-1]
    if len(answer) == 1 and answer.isalpha():
        other = "b" if answer == "a" else "a"
    elif re.fullmatch(r"[-−+\d.,e]+", answer):
        other = str(1000 + 1000 * abs(float(answer.replace("−", "-").replace(",", ""))))
    else:
        other = f"~({answer})"
    return ANSWER.sub(lambda _: f"answer={other!r}", right)


def _next_words(one: ExerciseInfo) -> str:
    """What the card must say comes next, for one who leaves nothing out."""
    following = next_exercise(one.stem, one.symbol)
    if following is None:
        return "That was the last exercise."
    elsewhere = f" in chapters/{following.stem}.ipynb" if following.stem != one.stem else ""
    return f"`{following.symbol}`{elsewhere or ', further down'}."
