"""Brings a learner's folder to a new release: plans everything, puts the old aside, then writes file by file.

It can be killed at any moment and begun again: each file is written whole or not at all, a file that has been brought
up to date is one that nobody has changed, and the release's account of itself comes last.
"""

import contextlib
import itertools
import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from utils.course import ROOT, CourseError, exercises, stems
from utils.course.files import replacing
from utils.course.git import lay_out, run
from utils.releasing.manifest import (
    MANIFEST,
    Manifest,
    chapter_notebooks,
    commit_of,
    course_files,
    digest_of,
    git,
    is_ours,
    manifest_of,
    notebook_in,
    read_manifest,
    stem_of,
    text_of,
    version_of,
)
from utils.releasing.merging import Merge, merged

# Bytes that a zip may come to: more is no course.
MOST = 2**30
NO_UPSTREAM = (
    "Say which release: python -m utils update RELEASE, where RELEASE is a folder, a zip, or a commit or branch. "
    "Without it the branch that yours follows is taken, and there is none here."
)
CHAPTERS = "chapters/"
AGAIN = "was not here, and comes again without answers; in one that you have renamed they stay"
BROKEN = "is no notebook that can be read"
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
BACKUP = "before_update"
INSTALLED_BY = {"requirements.txt", "constraints.txt", "pyproject.toml"}
UP_TO_DATE = "Everything is as in {}: nothing to do."
INSTALL = "What the course needs has changed: `make lab` installs it, or python .ci/install.py .venv lab."
TO_COMMIT = 'You have commits of your own: git add -A && git commit -m "A newer version of the course"'
LEFT = "git was not told of it ({}): your files are as they should be."


@dataclass(frozen=True)
class Coming:
    """A release, and where its files are. `commit` is of this checkout, "" for what is from elsewhere."""

    root: Path
    manifest: Manifest
    commit: str = ""


@contextlib.contextmanager
def coming(release: str | None, root: Path) -> Iterator[Coming]:
    """The release that is named so, for the time of the block.

    Raises CourseError where there is none, or what is there is no course.
    """
    with tempfile.TemporaryDirectory(prefix="course-release-") as folder:
        yield _laid_out(release, root, Path(folder))


def _laid_out(release: str | None, root: Path, folder: Path) -> Coming:
    path = Path(release) if release else None
    if path and path.is_dir():
        if path.resolve() == root.resolve():
            raise CourseError(f"{release} is the course that is to be updated: name the folder of the new release.")
        return _in_folder(path)
    if path and path.is_file():
        _unzip(path, folder)
        return _in_folder(_inner(folder))
    commit = _commit(release, root)
    lay_out(root, commit, folder)
    return Coming(folder, read_manifest(folder) or _manifest(folder, commit), commit)


def _in_folder(root: Path) -> Coming:
    missing = [name for name in ("chapters", "tests", "utils") if not (root / name).is_dir()]
    if missing:
        raise CourseError(f"{root} is no release of the course: it has no folder {' and no '.join(missing)}.")
    return Coming(root, read_manifest(root) or _manifest(root, commit_of(root)))


def _manifest(root: Path, commit: str) -> Manifest:
    names = [name for name in course_files(root) if name != MANIFEST]
    return manifest_of(root, names, version_of(root), commit, (root / "solutions").is_dir())


def _unzip(path: Path, folder: Path) -> None:
    """Raises CourseError for what is no zip, or leads out of the folder."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            bad = next((entry.filename for entry in entries if not is_ours(entry.filename)), None)
            if bad:
                raise CourseError(f"{path} is no release of the course: it holds {bad!r}.")
            if sum(entry.file_size for entry in entries) > MOST:
                raise CourseError(f"{path} is no release of the course: unpacked it takes more than a gigabyte.")
            archive.extractall(folder)
    except (zipfile.BadZipFile, OSError, NotImplementedError) as error:
        raise CourseError(f"{path} can't be read as a zip: {error}. Get it once more.") from None


def _inner(folder: Path) -> Path:
    """The course within what was unpacked: many zips hold a single folder."""
    inside = list(folder.iterdir())
    is_wrapped = len(inside) == 1 and inside[0].is_dir() and inside[0].name != "chapters"
    return inside[0] if is_wrapped else folder


def _commit(release: str | None, root: Path) -> str:
    """The commit that is meant; what the upstream has is fetched first, where it can be had."""
    if not (root / ".git").exists():
        told = (
            f"{release} is neither a folder nor a file, and this course is no git checkout." if release else NO_UPSTREAM
        )
        raise CourseError(told)
    git(root, "fetch", "--quiet")
    name = release or "@{upstream}"
    found = git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if found is None:
        unknown = f"{release} is no folder, no file, and no commit or branch of this checkout."
        raise CourseError(unknown if release else NO_UPSTREAM)
    return found.strip()


def handed_out(root: Path, new: Coming) -> Manifest | None:
    """What this folder was before anybody worked in it; None where nobody knows.

    That is said by the release's own manifest, else by the last commit that this checkout shares with the release, or
    with the branch that it follows.
    """
    if own := read_manifest(root):
        return own
    others = [new.commit, "@{upstream}", "origin/HEAD"]
    shared = (git(root, "merge-base", "HEAD", other) for other in others if other)
    commit = next(filter(None, shared), None) or git(root, "rev-parse", "HEAD")
    if not commit:
        return None
    with tempfile.TemporaryDirectory(prefix="course-before-") as folder:
        lay_out(root, commit.strip(), Path(folder))
        return _manifest(Path(folder), commit.strip())


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
        return {stem: [exercise.symbol for exercise in exercises(stem, root)] for stem in stems(root)}

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
        yield Step(
            name, text.encode(errors="surrogatepass"), _what_came_of(name, merge), conflicts=len(merge.conflicts)
        )

    def _here(self, name: str) -> bytes | None:
        path = self.root / name
        return path.read_bytes() if path.is_file() else None

    def _old(self, name: str) -> str | None:
        return self.before.files.get(name) if self.before else None


def _what_came_of(name: str, merge: Merge) -> str:
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


def in_words(done: Mapping[str, int]) -> str:
    """ "1 answer kept, 2 given cells renewed"."""
    counts = {kind: done.get(kind, 0) for kind in KINDS}
    said = (f"{count} {KINDS[kind][count > 1]}" for kind, count in counts.items() if count)
    return ", ".join(said)


def update(release: str | None, root: Path = ROOT, dry_run: bool = False) -> Iterator[str]:
    """Do it; yields what was done, line by line. With `dry_run` nothing is written.

    Raises CourseError where there is no such release, or a file can't be written; what was there is in the backup then.
    """
    with coming(release, root) as new:
        plan = Plan(root, handed_out(root, new), new)
        steps = list(plan.steps())
        last = manifest_step(root, new)
        changing = [step for step in steps if _changes(root, step)]
        if not changing and last is None:
            yield from _said(steps)
            yield from joined(root, new, dry_run)
            yield UP_TO_DATE.format(_name(new))
            return
        if not dry_run:
            yield from _taken(root, changing, last)
        yield from _said(steps)
        yield from _counted(changing)
        yield from joined(root, new, dry_run)
        yield "Nothing was written: this is what would be done." if dry_run else f"This is now {_name(new)}."


def _taken(root: Path, changing: Sequence[Step], last: Step | None) -> Iterator[str]:
    backup = _put_aside(root, changing)
    if backup:
        yield f"What was here before is in {backup}/"
    for step in [*changing, last]:
        if step is None:
            continue
        try:
            step.take(root)
        except OSError as error:
            kept = f" What was here before is in {backup}/." if backup else ""
            message = f"{step.name} can't be written: {error}.{kept} Mend that, and run the same command again."
            raise CourseError(message) from None


def _put_aside(root: Path, changing: Sequence[Step]) -> str:
    """Copy what is about to change into a folder that appears whole; its path, "" where nothing there changes.

    Released files that nobody has changed need no copy, but a notebook holds outputs too.
    """
    worth_keeping = [step.name for step in changing if step.beside or step.name.endswith(".ipynb")]
    names = [name for name in worth_keeping if (root / name).is_file()]
    if not names:
        return ""
    numbered = (root / BACKUP / str(number) for number in itertools.count(1))
    place = next(path for path in numbered if not path.exists())
    partial = place.with_name(f".{place.name}.partial")
    try:
        shutil.rmtree(partial, ignore_errors=True)
        for name in names:
            (partial / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, partial / name)
        partial.rename(place)
    except OSError as error:
        raise CourseError(f"Nothing was changed, because {place} can't be written: {error}.") from None
    return place.relative_to(root).as_posix()


def _changes(root: Path, step: Step) -> bool:
    path = root / step.name
    if not path.is_file():
        return step.content is not None
    return path.read_bytes() != step.content


def _said(steps: Sequence[Step]) -> Iterator[str]:
    """The remarks on single files; those that nobody has changed are only counted."""
    yield from (step.said for step in steps if step.said)


def _counted(changing: Sequence[Step]) -> Iterator[str]:
    silent = [step for step in changing if not step.said]
    if silent:
        files = "1 other file" if len(silent) == 1 else f"{len(silent)} other files"
        yield f"{files} of the course brought up to date"
    if INSTALLED_BY & {step.name for step in silent}:
        yield INSTALL
    conflicts = sum(step.conflicts for step in changing)
    if conflicts:
        both = "place where both versions stay" if conflicts == 1 else "places where both versions stay"
        yield f"{conflicts} {both}: look at each, keep one."


def _name(new: Coming) -> str:
    version = f"version {new.manifest.version}" if new.manifest.version else "the new release"
    return f"{version}, commit {new.manifest.commit[:12]}" if new.manifest.commit else version


def joined(root: Path, new: Coming, dry_run: bool) -> Iterator[str]:
    """Move the branch to the commit, or begin a merge with it where the learner has commits; no file changes."""
    if not new.commit or dry_run or _has(root, new.commit):
        return
    commit = new.commit
    if git(root, "merge-base", "--is-ancestor", "HEAD", commit) is not None:
        ran = _run(root, "reset", "--quiet", "--mixed", commit)
    else:
        ran = _run(root, "reset", "--quiet") or _run(root, "merge", "--quiet", "--strategy=ours", "--no-commit", commit)
        if not ran:
            yield TO_COMMIT
    if ran:
        yield LEFT.format(ran)


def _has(root: Path, commit: str) -> bool:
    """Whether the branch has the commit already, or is about to."""
    pending = (git(root, "rev-parse", "--verify", "--quiet", "MERGE_HEAD") or "").strip()
    if commit in (commit_of(root), pending):
        return True
    return git(root, "merge-base", "--is-ancestor", commit, "HEAD") is not None


def _run(root: Path, *arguments: str) -> str:
    """The objection of git; "" where all went well."""
    ran = run(root, *arguments)
    return ran.stderr.strip() or "git says no" if ran.returncode else ""
