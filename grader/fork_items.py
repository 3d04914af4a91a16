"""A chapter in a learner's fork under `--nbval-lax`: an item for each exercise, bug in the wild and given cell.

An exercise's verdict comes from the judge, which reads the learner's source and runs it in a process of its own. The
kernel runs the released chapter's other cells, beside what the learner defined; what happens there is no verdict.
"""

import contextlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import pytest

from grader.bench import bench_of
from grader.chapter_run import ChapterRun
from grader.given import Place, places
from grader.grades import MEANING, Grade
from grader.kernels import Trouble
from grader.naming import chapter_and, stem_of
from grader.restoring import Restored
from grader.submitted import UnreadableNotebook, code_cells
from utils.course import ExerciseInfo, exercises


class ForkNotebook(pytest.File):
    """A chapter's notebook, or the place where it should be."""

    run: ChapterRun | None = None

    def collect(self) -> Iterator[pytest.Item]:
        stem = stem_of(self.path)
        assert stem, self.path
        self.stem = stem
        self.exercises = exercises(stem)
        try:
            self.restored = Restored(places(stem), code_cells(self.path))
        except UnreadableNotebook as refused:
            return self._refused(str(refused))
        return self._items()

    def teardown(self) -> None:
        if self.run is not None:
            self.run.close()

    @cached_property
    def grades(self) -> dict[str, Grade]:
        """The judge's, by symbol."""
        bench = bench_of(self.config)
        return bench.grades(self.restored.judged, self.stem, self._elsewhere())

    def _elsewhere(self) -> dict[str, list[str]]:
        """The cells of the fork's other chapters, whose parts this one's may use."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.path.parent.glob("*.ipynb")):
            stem = stem_of(path)
            if stem and stem != self.stem and not path.is_symlink():
                with contextlib.suppress(UnreadableNotebook):  # said where that one is judged
                    found.setdefault(stem, [cell.source for cell in code_cells(path)])
        return found

    def trouble_at(self, place: Place) -> Trouble | None:
        """What the kernel says of a cell."""
        if self.run is None:
            bench = bench_of(self.config)
            self.run = bench.run(self.restored, self.path.parent)
        return self.run.at(place.number)

    def unfinished(self, place: Place) -> list[str]:
        """What the learner has not written rightly, or not at all, before this place: it may fail for that alone."""
        return [
            name
            for before in self.restored.places[: place.number]
            for name in before.writes
            if not self._is_finished(name, before)
        ]

    def _is_finished(self, name: str, place: Place) -> bool:
        grade = self.grades.get(name)
        if grade is None:
            return self.restored.is_written(place)
        return grade.status == "pass"

    def _items(self) -> Iterator[pytest.Item]:
        """In the order of the chapter; an exercise that no given cell tests comes last."""
        untested = {one.symbol: one for one in self.exercises}
        for place in self.restored.places:
            for symbol in untested.keys() & place.tests:
                yield self._exercise(untested.pop(symbol))
            if place.mends:
                name = chapter_and(self.stem, f"bug in the wild: {place.mends}")
                yield BugItem.at(self, name, place)
            elif place.source and not place.tests:
                yield GivenCell.at(self, f"Cell {place.number}", place)
        yield from map(self._exercise, untested.values())

    def _exercise(self, exercise: ExerciseInfo) -> "ExerciseItem":
        item = ExerciseItem.from_parent(self, name=chapter_and(self.stem, exercise.symbol))
        item.exercise = exercise
        return item

    def _refused(self, reason: str) -> Iterator[pytest.Item]:
        if others := ", ".join(self._copies()):
            reason = f"{reason} {others} beside it does not count in its place."
        for exercise in self.exercises:
            item = Refused.from_parent(self, name=chapter_and(self.stem, exercise.symbol))
            item.reason = reason
            yield item

    def _copies(self) -> list[str]:
        """Notebooks beside it that are of the same chapter."""
        beside = set(self.path.parent.glob("*.ipynb")) - {self.path}
        return sorted(
            path.name  # whatever is in them
            for path in beside
            if stem_of(path) == self.stem
        )


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
        grade = self.parent.grades.get(self.exercise.symbol)
        if grade is None:
            pytest.skip(f"{self.exercise.symbol} can't be judged here{self.exercise.lacks}: install that")
        bench = bench_of(self.config)
        bench.notes += map(f"{self.nodeid}: {{}}".format, grade.notes)
        if grade.status != "pass":
            pytest.fail(self._said(grade), pytrace=False)

    def _said(self, grade: Grade) -> str:
        said = [grade.said or f"{grade.symbol}: {MEANING[grade.status]}"]
        if grade.status == "missing":
            said.append(f"Its first lines are in the published chapters/{grade.stem}.ipynb.")
        notes = map(f"{grade.symbol}: {{}}".format, grade.notes)
        return "\n".join([*said, *notes])


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
        if not trouble:
            return
        if before := ", ".join(self.parent.unfinished(self.place)):
            pytest.xfail(f"after {before}, which failed or is missing: {_short(trouble)}")
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
    first, _, _ = trouble.said.partition("\n")
    return first if trouble.ended_the_kernel else f"{trouble.kind}: {first}"


def _long(trouble: Trouble, place: Place) -> str:
    if not trouble.traceback:
        return trouble.said
    heading = f"Cell {place.number}, as it was released, fails with what you wrote:"
    return "\n".join([heading, place.source, trouble.traceback])
