"""A box in which children are forked of a process that has imported torch: the same for each way to confine them."""

import os
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from grader.boxes import Child, Task
from grader.sandbox.bubblewrap import COURSE, boxed
from grader.sandbox.plans import Plans
from grader.sandbox.seen import copy_course, libraries, python_folders, readable, scratch
from grader.sandbox.source_process import SourceProcess
from judge.running.confined.exchange import Start

NOBODY = range(65_533, 60_000, -1)  # users whom nothing belongs to, on most systems


class ForkingBox:
    """One of these for each process that judges: it is not to be used in a fork of that."""

    def __init__(self, modules: Sequence[str], confinement: str, protection: str, proc_is_masked: bool = False):
        self.protection, self.confinement, self.proc_is_masked = protection, confinement, proc_is_masked
        self.modules = list(modules)
        self.plans = Plans()
        self.folder = tempfile.TemporaryDirectory(prefix="course-box-")
        self.course = Path(self.folder.name, "course")
        Path(self.folder.name).chmod(0o755)
        try:
            copy_course(self.modules, self.course)
        except OSError:  # where there is no room, least of all is there room for half a course
            self.folder.cleanup()
            raise
        self.sources: dict[str, SourceProcess] = {}  # by what else they have imported
        self._lock = threading.Lock()

    def start(self, task: Task) -> Child:
        """See `Box`. Raises CourseError where no process can be started."""
        return self._source(task.needs).start(task, self.plans)

    def prepare(self) -> None:
        """Start what answers without a library beside torch are forked of. Raises CourseError."""
        self._source("")

    def close(self) -> None:
        with self._lock:
            for source in self.sources.values():
                source.close()
            self.sources.clear()
        self.plans.close()
        self.folder.cleanup()

    def _source(self, needs: str) -> SourceProcess:
        with self._lock:
            if needs not in self.sources:
                self.sources[needs] = self._new_source(needs)
            return self.sources[needs]

    def _new_source(self, needs: str) -> SourceProcess:
        in_a_box = self.confinement == "namespaces"
        start = Start(
            control=-1,
            confinement=self.confinement,
            needs=needs,
            modules=self.modules,
            readable=[] if in_a_box else readable(self.course),
            user=nobody() if in_a_box or everybody_reads() else 0,
            scratch=scratch(),
        )
        path = [COURSE if in_a_box else str(self.course), str(libraries())]
        return SourceProcess(start, self._boxed if in_a_box else _as_it_is, path, sys.executable)

    def _boxed(self, command: Sequence[str], environment: Mapping[str, str]) -> list[str]:
        return boxed(command, self.course, environment, self.proc_is_masked)


def nobody() -> int:
    """A user to become, for root; 0 for others, who stay who they are."""
    if os.getuid():
        return 0
    import pwd  # not on Windows

    taken = {one.pw_uid for one in pwd.getpwall()}
    return next(user for user in NOBODY if user not in taken)


def everybody_reads() -> bool:
    """Whether another user finds Python and its libraries, where no box shows them."""
    folders = [one for path in python_folders() for one in (path.resolve(), *path.resolve().parents)]
    return all(folder.stat().st_mode & 0o005 == 0o005 for folder in folders)


def _as_it_is(command: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    return list(command)
