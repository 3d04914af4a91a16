"""Plans an update: for each file what is to be done, from what was handed out before, what is here, and what is new."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from utils.course import CourseError, exercises, stems
from utils.course.files import replacing
from utils.releasing.fetching import Coming
from utils.releasing.manifest import (
    MANIFEST,
    Manifest,
    chapter_notebooks,
    digest_of,
    is_ours,
    notebook_in,
    stem_of,
    text_of,
)
from utils.releasing.merging import Merge, merged


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


CHAPTERS = "chapters/"
AGAIN = "was not here, and comes again without answers; in one that you have renamed they stay"
BROKEN = "is no notebook that can be read"


@dataclass(frozen=True)
class Plan:
    """`root` is the learner's folder, `before` what was handed out there, None where nobody knows."""

    root: Path
    before: Manifest | None
    new: Coming

    def steps(self) -> Iterator[Step]:
        """All that is to be done, in the order in which it is done."""
        for name in sorted(self.new.manifest.files):
            if not is_ours(name):
                raise CourseError(f"{name} is no file that a release may have; nothing was changed.")
            if not self._is_chapter(name):
                yield from self._file(name)
        yield from self._gone()
        for name in sorted(self.new.manifest.files):
            if self._is_chapter(name):
                yield from self._chapter(name)
        yield from self._copies()

    @cached_property
    def symbols(self) -> Mapping[str, list[str]]:
        """What learners write in each chapter of the release."""
        root = self.new.root
        return {stem: [one.symbol for one in exercises(stem, root)] for stem in stems(root)}

    def _is_chapter(self, name: str) -> bool:
        return name.startswith(CHAPTERS) and name.endswith(".ipynb")

    def _file(self, name: str) -> Iterator[Step]:
        """A file that is no chapter."""
        content = (self.new.root / name).read_bytes()
        here = self._here(name)
        if here is None:
            yield Step(name, content)
        elif digest_of(here) == digest_of(content):
            return
        elif self._old(name) == digest_of(here):
            yield Step(name, content)
        elif self._old(name) != digest_of(content):
            beside = free_name(self.root, name, here)
            yield Step(name, content, f"{name}: you had changed it; yours is now {beside}", beside, 1)

    def _gone(self) -> Iterator[Step]:
        """What was handed out, and is no part of the new release; a chapter stays, since it may hold answers."""
        was_there = self.before.files if self.before else {}
        for name in sorted(was_there.keys() - self.new.manifest.files.keys()):
            here = self._here(name)
            if here is None or not is_ours(name):
                continue
            if self._is_chapter(name):
                yield Step(name, here, f"{name}: no longer part of the course; it stays as it is")
            elif was_there[name] == digest_of(here):
                yield Step(name, None)
            else:
                beside = free_name(self.root, name, here)
                yield Step(name, None, f"{name}: no longer part of the course; yours is now {beside}", beside)

    def _chapter(self, name: str) -> Iterator[Step]:
        content = (self.new.root / name).read_bytes()
        here = self._here(name)
        if here is None:
            was_there = self.before and name in self.before.files
            yield Step(name, content, f"{name}: {AGAIN if was_there else 'new'}")
        elif digest_of(here) == digest_of(content):
            return
        elif digest_of(here) == self._old(name):
            yield Step(name, content)
        elif notebook_in(here) is None:
            beside = free_name(self.root, name, here)
            yield Step(name, content, f"{name}: {BROKEN}; it is now {beside}, and a new one in its place", beside, 1)
        else:
            yield from self._merged(name, name, here, content)

    def _copies(self) -> Iterator[Step]:
        """Notebooks under names of their own that are a chapter's."""
        known = self.new.manifest.files
        for path in chapter_notebooks(self.root):
            name = path.relative_to(self.root).as_posix()
            if name in known or (self.before and name in self.before.files):
                continue
            here = path.read_bytes()
            notebook = notebook_in(here)
            if notebook is None:
                yield Step(name, here, f"{name}: {BROKEN}; it stays as it is")
                continue
            of = f"{CHAPTERS}{stem_of(notebook, self.symbols)}.ipynb"
            if of in known:
                yield from self._merged(name, of, here, (self.new.root / of).read_bytes())

    def _merged(self, name: str, of: str, here: bytes, content: bytes) -> Iterator[Step]:
        """A notebook that is a copy of the release's `of`."""
        theirs, now = notebook_in(here), notebook_in(content)
        if theirs is None or now is None:
            raise CourseError(f"{of} of the new release {BROKEN}; nothing was changed.")
        before = self.before.notebooks.get(of, []) if self.before else []
        merge = merged(theirs["cells"], before, now["cells"], self.symbols.get(Path(of).stem, []))
        minor = max(theirs.get("nbformat_minor", 0), now.get("nbformat_minor", 5))
        whole = {**theirs, "cells": merge.cells, "nbformat_minor": minor}
        if theirs == whole:
            return
        text = json.dumps(whole, indent=1, ensure_ascii=False) + "\n"
        yield Step(name, text.encode(errors="surrogatepass"), _said(name, merge), conflicts=len(merge.conflicts))

    def _here(self, name: str) -> bytes | None:
        path = self.root / name
        return path.read_bytes() if path.is_file() else None

    def _old(self, name: str) -> str | None:
        return self.before.files.get(name) if self.before else None


def _said(name: str, merge: Merge) -> str:
    lines = [f"{name}: {in_words(merge.done) or 'brought up to date'}"]
    for number, symbol in merge.conflicts:
        what = f"the exercise {symbol} has changed" if symbol else "you and the course have changed it"
        lines.append(f"{name}: conflict in cell {number}: both stay ({what})")
    return "\n".join(lines)


def manifest_step(root: Path, new: Coming) -> Step | None:
    """The release's own account of itself, written last: until then the update can be begun again.

    A checkout that follows commits needs none: git knows what was handed out.
    """
    here = root / MANIFEST
    if new.commit and not here.is_file():
        return None
    content = text_of(new.manifest).encode()
    return None if here.is_file() and here.read_bytes() == content else Step(MANIFEST, content)


# One and many, in the order in which they are said.
KINDS = {
    "answer": ("answer kept", "answers kept"),
    "renewed": ("given cell renewed", "given cells renewed"),
    "new": ("new cell", "new cells"),
    "edited": ("given cell that you changed kept", "given cells that you changed kept"),
    "own": ("cell of your own kept", "cells of your own kept"),
    "restored": ("deleted cell restored", "deleted cells restored"),
    "removed": ("given cell taken out", "given cells taken out"),
}


def in_words(done: Mapping[str, int]) -> str:
    """ "1 answer kept, 2 given cells renewed"."""
    counts = {kind: done.get(kind, 0) for kind in KINDS}
    said = (f"{count} {KINDS[kind][count > 1]}" for kind, count in counts.items() if count)
    return ", ".join(said)
