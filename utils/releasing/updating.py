"""Brings a learner's folder to a new release: plans everything, puts the old aside, then writes file by file.

It can be killed at any moment and begun again: each file is written whole or not at all, a file that has been brought
up to date is one that nobody has changed, and the release's account of itself comes last.
"""

import itertools
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from utils.course import ROOT, CourseError
from utils.course.git import run
from utils.releasing.fetching import Coming, coming, handed_out
from utils.releasing.manifest import commit_of, git
from utils.releasing.planning import Plan, Step, manifest_step

TO_COMMIT = 'You have commits of your own: git add -A && git commit -m "A newer version of the course"'
LEFT = "git was not told of it ({}): your files are as they should be."


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
    """What git says against it; "" where all went well."""
    ran = run(root, *arguments)
    return ran.stderr.strip() or "git says no" if ran.returncode else ""


BACKUP = "before_update"
INSTALLED_BY = {"requirements.txt", "constraints.txt", "pyproject.toml"}
UP_TO_DATE = "Everything is as in {}: nothing to do."
INSTALL = "What the course needs has changed: `make lab` installs it, or python .ci/install.py .venv lab."


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
    """What is to be said of single files; those that nobody has changed are only counted."""
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
