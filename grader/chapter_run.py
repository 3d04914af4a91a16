"""A restored chapter in a kernel: the given cells as released, and the learner's definitions in their places."""

from collections.abc import Callable

from grader.given import Place
from grader.kernels import Trouble, WatchedKernel
from grader.restoring import Restored


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
        source = self._source(place)
        if not source.strip():
            return None
        if self.over:
            return Trouble("died", self.over)
        if self.kernel is None:
            self.kernel = self.start()
        trouble = self.kernel.run(source, self.seconds)
        if trouble and trouble.ended_the_kernel:
            where = _called(place)
            self.over = f"Not run: the kernel ended in {where}. {trouble.said}"
        return trouble

    def _source(self, place: Place) -> str:
        """A test cell is not run: what it would say here is not the verdict."""
        if place.writes:
            return self.restored.written_at(place)
        if place.tests:
            return ""
        return place.source


def _called(place: Place) -> str:
    if place.writes:
        return f"the cell of {', '.join(place.writes)}"
    return f"Cell {place.number}"
