"""No confinement: time and memory are bounded, and nothing is kept from a learner's code."""

import os

from judge.running.confined import limits
from judge.running.confined.exchange import Bounded
from judge.running.confined.system import mapped


class Unconfined:
    """For a machine that has neither namespaces nor Landlock, and a teacher who says so."""

    def begin(self) -> None:
        """Nothing."""

    def prepare(self) -> None:
        """Nothing."""

    def fork(self) -> int:
        """As `os.fork`."""
        return os.fork()

    def confine(self, bounds: Bounded) -> None:
        """Only bounds; a limit of processes would count the teacher's own."""
        os.setsid()
        limits.limit(bounds, mapped())
