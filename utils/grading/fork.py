"""`python -P -m utils.grading.fork FORK --course PATH-OR-COMMIT`: judges a fork, of which it reads notebooks alone.

Its chapters are copied into an empty folder, and a pytest of its own goes over them: with no settings but these, no
plugin but nbval and the course's, and with tests/ and utils/ of the course that is named; else of the one that this
module belongs to. What follows `--` is for pytest.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from utils.course import ROOT, STEM, CourseError
from utils.grading.told import JUDGE, named

SETTINGS = "[pytest]\nfilterwarnings =\n    ignore\n"
OPTIONS = [
    *("--nbval-lax", "--noconftest", "-p", "no:cacheprovider"),
    *("-p", "nbval.plugin", "-p", "utils.grading.nbval_plugin"),
]


# Each with a value; what they would say is fixed here, or comes by another way.
SAID_OTHERWISE = {"--course", "--junitxml", "--junit-xml", "--rootdir", "--confcutdir", "-c", "--config-file", "-p"}


def main(arguments: list[str]) -> int:
    """The exit code of pytest, or 2 where there was nothing to judge with."""
    split = arguments.index("--") if "--" in arguments else len(arguments)
    asked = ArgumentParser(prog="python -P -m utils.grading.fork", description=(__doc__ or "").split("\n\n")[1])
    asked.add_argument("fork", type=Path, help="the learner's folder: its chapters/, or the notebooks in it")
    asked.add_argument("--course", metavar="PATH-OR-COMMIT", help="whose tests judge; this one's if left out")
    asked.add_argument("--junitxml", type=Path, metavar="FILE", help="write pytest's report there")
    told = asked.parse_args(arguments[:split])
    try:
        return judged(told.fork, told.course, told.junitxml, arguments[split + 1 :])
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2


def in_place_of(told: Namespace, arguments: Sequence[str]) -> int:
    """What `pytest --nbval-lax --course ... chapters/` comes to; its paths lead to one fork."""
    paths = [Path(name.partition("::")[0]) for name in told.file_or_dir] or [Path()]
    forks = {path if path.is_dir() else path.parent for path in paths}
    try:
        if len(forks) != 1:
            raise CourseError(f"With --course, one folder is judged at a time, not {', '.join(map(str, forks))}.")
        return judged(forks.pop(), told.course, told.xmlpath, list(_for_pytest(told.file_or_dir, arguments)))
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2


def judged(fork: Path, course: str | None, report: Path | None, options: list[str]) -> int:
    """Run the other pytest over copies of a fork's notebooks."""
    if not fork.is_dir():
        raise CourseError(f"{fork} is no folder: name the one that holds the learner's chapters/.")
    with tempfile.TemporaryDirectory(prefix="fork-") as made, chosen(course) as (home, name):
        folder = Path(made).resolve()
        settings, chapters = folder / "pytest.ini", folder / "fork" / "chapters"
        settings.write_text(SETTINGS, encoding="utf-8")
        copy_notebooks(fork, chapters)
        options = [*options, *([f"--junitxml={report.absolute()}"] if report else [])]
        places = ["-c", str(settings), f"--rootdir={chapters.parent}", *options, str(chapters)]
        command = [sys.executable, "-P", "-m", "pytest", *OPTIONS, *places]
        return subprocess.run(command, cwd=chapters.parent, env=surroundings(home, name)).returncode


def copy_notebooks(fork: Path, to: Path) -> None:
    """Copy the notebooks of chapters, under whatever name; a symbolic link stays one, and so is refused by name."""
    to.mkdir(parents=True)
    source = fork / "chapters" if (fork / "chapters").is_dir() else fork
    for file in sorted(source.glob("*.ipynb")):
        if STEM.search(file.stem) and (file.is_file() or file.is_symlink()):
            shutil.copyfile(file, to / file.name, follow_symlinks=False)


def surroundings(home: Path, name: str) -> dict[str, str]:
    """The environment without what would let the fork in: where to find modules, and settings of Python and pytest."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PYTEST_", "COURSE_"))}
    wanted = {key: os.environ[key] for key in ("COURSE_REFERENCE", "PYTHONUTF8") if key in os.environ}
    ours = {"PYTHONPATH": str(home), "PYTHONSAFEPATH": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", JUDGE: name}
    return kept | wanted | ours


@contextmanager
def chosen(course: str | None) -> Iterator[tuple[Path, str]]:
    """The folder of the course that judges, and what it is called: a folder, or a commit of this one's repository."""
    if course is None or Path(course).is_dir():
        home = Path(course).resolve() if course else ROOT
        yield _complete(home), named(home)
        return
    with tempfile.TemporaryDirectory(prefix="course-") as made:
        home = Path(made).resolve()
        _unpack(_commit(course), home)
        yield _complete(home), f"commit {course} of {ROOT}"


def _commit(name: str) -> str:
    found = _git("rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}")
    if found.returncode:
        raise CourseError(f"--course {name}: neither a folder nor a commit of the repository in {ROOT}.")
    return found.stdout.strip()


def _unpack(commit: str, home: Path) -> None:
    packed = home.with_suffix(".tar")
    try:
        if (done := _git("archive", "--format=tar", f"--output={packed}", commit)).returncode:
            raise CourseError(f"Commit {commit} can't be unpacked: {done.stderr.strip()}")
        with tarfile.open(packed) as archive:
            archive.extractall(home, filter="data")
    finally:
        packed.unlink(missing_ok=True)


def _git(*arguments: str) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True)
    except OSError as error:
        raise CourseError(f"A commit is read by git, which can't be started: {error.strerror}.") from None


def _complete(home: Path) -> Path:
    for part in ("utils/grading/fork_items.py", "tests"):
        if not (home / part).exists():
            raise CourseError(f"{home} can't judge a fork: it has no {part}. Name a course of this version or a later.")
    return home


def _for_pytest(paths: Sequence[str], arguments: Sequence[str]) -> Iterator[str]:
    """The arguments without the paths, and without those that are said in another way or must not be said."""
    waiting = iter(arguments)
    for one in waiting:
        name, equals, _ = one.partition("=")
        if name in SAID_OTHERWISE:
            _ = equals or next(waiting, "")
        elif one not in (*paths, "--nbval-lax"):
            yield one


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
