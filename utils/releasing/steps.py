"""What an update does to one file, decided before anything is written."""

from dataclasses import dataclass
from pathlib import Path

from utils.course.files import replacing


@dataclass(frozen=True)
class Step:
    """A file that is written, or taken away where `content` is None. `said` tells of it, "" where nobody wants to know.

    `beside` is where what the learner had there goes.
    """

    name: str
    content: bytes | None
    said: str = ""
    beside: str = ""
    conflicts: int = 0

    def take(self, root: Path) -> None:
        """Do it, whole or not at all."""
        path = root / self.name
        if self.beside:
            write_bytes(root / self.beside, path.read_bytes())
        if self.content is None:
            path.unlink(missing_ok=True)
        else:
            write_bytes(path, self.content)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; one that may only be read is replaced too."""
    if path.exists():
        path.chmod(path.stat().st_mode | 0o200)  # Windows replaces no file that may only be read
    with replacing(path) as partial:
        partial.write_bytes(content)


def free_name(root: Path, name: str, content: bytes) -> str:
    """`name.yours`, or with the next number where that holds something else."""
    number = 1
    while True:
        beside = f"{name}.yours" if number == 1 else f"{name}.yours.{number}"
        path = root / beside
        if not path.exists() or (path.is_file() and path.read_bytes() == content):
            return beside
        number += 1
