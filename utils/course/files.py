"""Writes files whole or not at all."""

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PARTIAL = ".partial"
ABANDONED = 60  # seconds without a byte more: whoever wrote this was killed


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all, with the same bytes on every system; its folder is made if it is missing."""
    with replacing(path) as partial:
        partial.write_bytes(text.encode())


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file to write into, which takes the place of `path` at the end of the block; after an error it is gone.

    Each writer has one of its own beside `path`, so that processes that write at once don't collide. Folders that are
    missing are made; after an error those are gone too.
    """
    made = [folder for folder in path.parents if not folder.exists()]
    partial = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(PARTIAL, f".{path.name}.", path.parent)
        partial = Path(name)
        os.close(number)
        yield partial
        partial.chmod(0o644)
        partial.replace(path)
    except BaseException:
        if partial:
            partial.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # such as for what another writer has put there
            for folder in made:
                folder.rmdir()
        raise


def clear_abandoned(folder: Path) -> None:
    """Take away what writers left in a folder, and in those within it, when they were killed."""
    for partial in folder.rglob(f".*{PARTIAL}"):
        with contextlib.suppress(OSError):
            if time.time() - partial.stat().st_mtime > ABANDONED:
                partial.unlink()
