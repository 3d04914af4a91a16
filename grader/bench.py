"""What all notebooks of one run of pytest share: the judge, the terms, and what is told at the end."""

from contextlib import ExitStack
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from nbval.kernel import CURRENT_ENV_KERNEL_NAME

from grader.chapter_run import ChapterRun
from grader.grades import Grade
from grader.kernels import WatchedKernel, can_box
from grader.restoring import Restored
from grader.seeds import seed_for
from utils.course import ROOT, CourseError, bugs_count, throwaway_state

if TYPE_CHECKING:
    from grader.judging import Judge


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

    def grades(self, cells: list[str], stem: str, elsewhere: dict[str, list[str]]) -> dict[str, Grade]:
        return self.judge.grades(cells, stem, elsewhere)

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
