"""The error that tells an author, an instructor or a learner what to mend."""

from pathlib import Path


class CourseError(Exception):
    """A mistake in the course's own files or in how a command was called: what, where, and what to do next."""

    @classmethod
    def at(cls, path: Path, line: int, message: str) -> "CourseError":
        """A mistake in one line of a file, in the form that editors make a link of."""
        return cls(f"{path}:{line}: {message}")
