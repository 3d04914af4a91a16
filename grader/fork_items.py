"""A chapter in a learner's fork under `--nbval-lax`: an item for each exercise, bug in the wild and given cell.

An exercise's verdict comes from the judge, which reads the learner's source and runs it in a process of its own. The
kernel runs the released chapter's other cells, beside what the learner defined; what happens there is no verdict. All
notebooks of one run share a `Bench`: the judge, the terms, and what is told at the end.
"""

import contextlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from nbval.kernel import CURRENT_ENV_KERNEL_NAME

from grader.given import Place, Restored, places
from grader.grades import MEANING, Grade
from grader.kernels import Trouble, WatchedKernel, can_box
from grader.lending import seed_for
from grader.submitted import UnreadableNotebook, chapter_and, code_cells, stem_of
from utils.course import ROOT, CourseError, ExerciseInfo, bugs_count, exercises, throwaway_state

if TYPE_CHECKING:
    from grader.judging import Judge


class ChapterRun:
    """Runs a chapter's cells in their order, as far as it is asked to. Its kernel starts with the first of them."""

    def __init__(self, restored: Restored, start: Callable[[], WatchedKernel], seconds: float):
        self.restored = restored
        self.start = start
        self.seconds = seconds
        self.kernel: WatchedKernel | None = None
        self.over = ""  # why no cell runs any more
        self._came: dict[int, Trouble | None] = {}

    def at(self, number: int) -> Trouble | None:
        """What went wrong in the cell of this number, once it and those before it have run."""
        waiting = self.restored.places[len(self._came) : number + 1]
        for place in waiting:
            self._came[place.number] = self._run(place)
        return self._came[number]

    def close(self) -> None:
        if self.kernel is not None:
            self.kernel.close()

    def _run(self, place: Place) -> Trouble | None:
        if place.tests and not place.writes:  # what a test cell would say here is not the verdict
            return None
        source = self.restored.written_at(place) if place.writes else place.source
        if not source.strip():
            return None
        if self.over:
            return Trouble("died", self.over)
        if self.kernel is None:
            self.kernel = self.start()
        trouble = self.kernel.run(source, self.seconds)
        if trouble and trouble.ended_the_kernel:
            where = f"the cell of {', '.join(place.writes)}" if place.writes else f"Cell {place.number}"
            self.over = f"Not run: the kernel ended in {where}. {trouble.said}"
        return trouble


class Bench:
    """The judge is opened when it is first asked, the state is made when a kernel is first started."""

    def __init__(self, config: pytest.Config):
        self.config = config
        self.notes: list[str] = []
        self._open = ExitStack()
        try:
            self.seed = seed_for(config.option.course_seed)
        except CourseError as error:
            raise pytest.UsageError(str(error)) from None

    @cached_property
    def judge(self) -> "Judge":
        from grader.judging import open_judge  # torch: a run of what is missing needs none

        wanted = self.config.option.require_sandbox
        return self._open.enter_context(open_judge(self.seed, require_sandbox=wanted, allow_none=not wanted))

    @cached_property
    def bugs_count(self) -> bool:
        """Whether the course says that a bug in the wild that is not mended is a failure."""
        return bugs_count(ROOT)

    def run(self, restored: Restored, folder: Path) -> ChapterRun:
        """A restored chapter, whose kernel starts in this folder."""
        return ChapterRun(restored, lambda: self._kernel(folder), self.config.option.nbval_cell_timeout)

    def terms(self) -> str:
        """What a reader of the report has to know of its verdicts."""
        seed = f"their questions are those of seed {self.seed} (--course-seed {self.seed} repeats them)"
        verdicts = f"verdicts: each answer ran in {self.judge.protection}; {seed}"
        kernels = "in bubblewrap" if can_box() else "in no sandbox"
        return f"{verdicts}\nkernels, from which no verdict comes: {kernels}"

    def close(self) -> None:
        self._open.close()

    @cached_property
    def _state(self) -> Path:
        return self._open.enter_context(throwaway_state())

    def _kernel(self, folder: Path) -> WatchedKernel:
        """One that does not answer is started once more: another program may have taken one of its ports."""
        start = partial(
            WatchedKernel,
            self.config.option.nbval_kernel_name or CURRENT_ENV_KERNEL_NAME,
            str(folder),
            self.config.option.nbval_kernel_startup_timeout,
            self._state,
        )
        try:
            return start()
        except RuntimeError:
            return start()


KEY = pytest.StashKey[Bench]()


def bench_of(config: pytest.Config) -> Bench:
    """The one of this run."""
    if KEY not in config.stash:
        config.stash[KEY] = Bench(config)
    return config.stash[KEY]


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
        elsewhere: dict[str, list[str]] = {}  # the fork's other chapters, whose parts this one's may use
        for path in sorted(self.path.parent.glob("*.ipynb")):
            stem = stem_of(path)
            if stem and stem != self.stem and not path.is_symlink():
                with contextlib.suppress(UnreadableNotebook):  # said where that one is judged
                    elsewhere.setdefault(stem, [cell.source for cell in code_cells(path)])
        return bench_of(self.config).judge.grades(self.restored.judged, self.stem, elsewhere)

    def trouble_at(self, place: Place) -> Trouble | None:
        """What the kernel says of a cell."""
        if self.run is None:
            self.run = bench_of(self.config).run(self.restored, self.path.parent)
        return self.run.at(place.number)

    def unfinished(self, place: Place) -> list[str]:
        """What the learner has not written rightly, or not at all, before this place: it may fail for that alone."""
        found: list[str] = []
        for before in self.restored.places[: place.number]:
            for name in before.writes:
                grade = self.grades.get(name)
                if not (grade.status == "pass" if grade else self.restored.is_written(before)):
                    found.append(name)
        return found

    def _items(self) -> Iterator[pytest.Item]:
        """In the order of the chapter; an exercise that no given cell tests comes last."""
        untested = {exercise.symbol: exercise for exercise in self.exercises}
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
        beside = set(self.path.parent.glob("*.ipynb")) - {self.path}
        copies = sorted(path.name for path in beside if stem_of(path) == self.stem)  # whatever is in them
        if others := ", ".join(copies):
            reason = f"{reason} {others} beside it does not count in its place."
        for exercise in self.exercises:
            item = Refused.from_parent(self, name=chapter_and(self.stem, exercise.symbol))
            item.reason = reason
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
        grade = self.parent.grades.get(self.exercise.symbol)
        if grade is None:
            pytest.skip(f"{self.exercise.symbol} can't be judged here{self.exercise.lacks}: install that")
        bench_of(self.config).notes += [f"{self.nodeid}: {note}" for note in grade.notes]
        if grade.status == "pass":
            return
        said = [grade.said or f"{grade.symbol}: {MEANING[grade.status]}"]
        if grade.status == "missing":
            said.append(f"Its first lines are in the published chapters/{grade.stem}.ipynb.")
        said += [f"{grade.symbol}: {note}" for note in grade.notes]
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
        if not trouble:
            return
        if before := ", ".join(self.parent.unfinished(self.place)):
            pytest.xfail(f"after {before}, which failed or is missing: {_short(trouble)}")
        self._fail(trouble)

    def _fail(self, trouble: Trouble) -> None:
        said = trouble.said
        if trouble.traceback:
            heading = f"Cell {self.place.number}, as it was released, fails with what you wrote:"
            said = f"{heading}\n{self.place.source}\n{trouble.traceback}"
        pytest.fail(said, pytrace=False)


class BugItem(GivenCell):
    """The check of a bug in the wild. It runs beside the learner's code, so it can be deceived."""

    def _fail(self, trouble: Trouble) -> None:
        if bench_of(self.config).bugs_count:
            super()._fail(trouble)
        pytest.xfail(f"not mended, which does not count in this course: {_short(trouble)}")


def _short(trouble: Trouble) -> str:
    first, _, _ = trouble.said.partition("\n")
    return first if trouble.ended_the_kernel else f"{trouble.kind}: {first}"
