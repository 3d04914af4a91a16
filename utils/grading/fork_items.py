"""A chapter in a learner's fork under `--nbval-lax`: an item for each exercise, bug in the wild and given cell.

An exercise's verdict comes from the judge, which reads the learner's source and runs it in a process of its own. The
kernel runs the released chapter's other cells, beside what the learner defined; what happens there is no verdict.
"""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import pytest

from utils.course import ExerciseInfo, exercises
from utils.grading.bench import bench_of
from utils.grading.chapter_run import ChapterRun
from utils.grading.given import Place, places
from utils.grading.grades import MEANING, Grade
from utils.grading.kernels import Trouble
from utils.grading.naming import chapter_and, stem_of
from utils.grading.restoring import Restored
from utils.grading.submitted import UnreadableNotebook, code_cells


class ForkNotebook(pytest.File):
    """A chapter's notebook, or the place where it should be."""

    run: ChapterRun | None = None

    def collect(self) -> Iterator[pytest.Item]:
        stem = stem_of(self.path)
        assert stem, self.path
        self.stem, self.exercises = stem, exercises(stem)
        try:
            self.restored = Restored(places(stem), code_cells(self.path))
        except UnreadableNotebook as refused:
            yield from self._refused(str(refused))
            return
        tested = {symbol: place.number for place in self.restored.places for symbol in place.tests}
        shown = [(tested.get(one.symbol, -1), self._exercise(one)) for one in self.exercises]
        for place in self.restored.places:
            yield from (item for number, item in shown if number == place.number)
            if place.mends:
                yield BugItem.at(self, chapter_and(stem, f"bug in the wild: {place.mends}"), place)
            elif place.source and not place.tests:
                yield GivenCell.at(self, f"Cell {place.number}", place)
        yield from (item for number, item in shown if number < 0)

    def teardown(self) -> None:
        if self.run is not None:
            self.run.close()

    @cached_property
    def grades(self) -> dict[str, Grade]:
        """The judge's, by symbol."""
        return bench_of(self.config).grades(self.restored.judged, self.stem)

    def trouble_at(self, place: Place) -> Trouble | None:
        """What the kernel says of a cell."""
        self.run = self.run or bench_of(self.config).run(self.restored, self.path.parent)
        return self.run.at(place.number)

    def unfinished(self, place: Place) -> list[str]:
        """What the learner has not written rightly, or not at all, before this place: it may fail for that alone."""
        return [
            name
            for before in self.restored.places[: place.number]
            for name in before.writes
            if (self.grades[name].status != "pass" if name in self.grades else not self.restored.is_written(before))
        ]

    def _exercise(self, exercise: ExerciseInfo) -> "ExerciseItem":
        item = ExerciseItem.from_parent(self, name=chapter_and(self.stem, exercise.symbol))
        item.exercise = exercise
        return item

    def _refused(self, reason: str) -> Iterator[pytest.Item]:
        copies = [one.name for one in self.path.parent.glob("*.ipynb") if stem_of(one) == self.stem]
        others = ", ".join(sorted(name for name in copies if name != self.path.name))
        for exercise in self.exercises:
            item = Refused.from_parent(self, name=chapter_and(self.stem, exercise.symbol))
            item.reason = f"{reason} {others} beside it does not count in its place." if others else reason
            yield item


class Line(pytest.Item):
    """One line of the report."""

    parent: ForkNotebook

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.name} in {self.path.name}"


class Refused(Line):
    """An exercise of a notebook that can't be read, or is not there."""

    reason: str

    def runtest(self) -> None:
        pytest.fail(self.reason, pytrace=False)


class ExerciseItem(Line):
    """The judge's verdict on one answer."""

    exercise: ExerciseInfo

    def runtest(self) -> None:
        symbol = self.exercise.symbol
        grade = self.parent.grades.get(symbol)
        if grade is None:
            pytest.skip(f"{symbol} can't be judged here{self.exercise.lacks}: install that")
        notes = [f"{symbol}: {note}" for note in grade.notes]
        bench_of(self.config).notes += [f"{self.nodeid}: {note}" for note in grade.notes]
        if grade.status != "pass":
            said = [grade.said or f"{symbol}: {MEANING[grade.status]}", *notes]
            if grade.status == "missing":
                said.insert(1, f"Its first lines are in the published chapters/{self.exercise.stem}.ipynb.")
            pytest.fail("\n".join(said), pytrace=False)


class GivenCell(Line):
    """A cell of the released chapter; where something before it is unfinished, its failure is only noted."""

    place: Place

    @classmethod
    def at(cls, notebook: ForkNotebook, name: str, place: Place) -> "GivenCell":
        item = cls.from_parent(notebook, name=name)
        item.place = place
        return item

    def runtest(self) -> None:
        trouble = self.parent.trouble_at(self.place)
        if trouble and (unfinished := self.parent.unfinished(self.place)):
            pytest.xfail(f"after {', '.join(unfinished)}, which failed or is missing: {_short(trouble)}")
        if trouble:
            self._fail(trouble)

    def _fail(self, trouble: Trouble) -> None:
        pytest.fail(_long(trouble, self.place), pytrace=False)


class BugItem(GivenCell):
    """The check of a bug in the wild. It runs beside the learner's code, so it can be deceived."""

    def _fail(self, trouble: Trouble) -> None:
        if bench_of(self.config).bugs_count:
            super()._fail(trouble)
        pytest.xfail(f"not mended, which does not count in this course: {_short(trouble)}")


def _short(trouble: Trouble) -> str:
    said = trouble.said if trouble.kind in ("died", "timeout") else f"{trouble.kind}: {trouble.said}"
    return said.partition("\n")[0]


def _long(trouble: Trouble, place: Place) -> str:
    if not trouble.traceback:
        return trouble.said
    return f"Cell {place.number}, as it was released, fails with what you wrote:\n{place.source}\n{trouble.traceback}"
