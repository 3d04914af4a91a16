"""`python -P -m grader.fork FORK --course PATH-OR-COMMIT`: judges a fork, of which it reads notebooks alone.

Its chapters are copied into an empty folder, and a pytest of its own goes over them: with no settings but these, no
plugin but nbval and the course's, and with the code of the course that is named; else of the one that this module
belongs to. What follows `--` is for pytest.
"""

import contextlib
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from grader.submitted import CHAPTERS, is_linked
from utils.course import ROOT, STEM, CourseError, git

JUDGE = "COURSE_JUDGE"  # set by fork.py: the course that must judge, and its name for people


def who_judges(judged: Path) -> str:
    """The course whose tests and code these are, and whether they are the learner's to change."""
    if name := os.environ.get(JUDGE):
        return f"judged by {name}; of the fork nothing but its notebooks was read"
    if judged.resolve() == ROOT:
        return f"judged by the tests and the code beside the chapters, in {ROOT}; --course takes a release's"
    return f"judged by {named(ROOT)}; --course keeps the settings of {judged} out too"


def named(course: Path) -> str:
    """A course by its folder, and by its commit where that is known."""
    commit = (git.printed(course, "describe", "--always", "--tags", "--dirty", seconds=20) or "").strip()
    return f"the course in {course} (commit {commit})" if commit else f"the course in {course}"


PARTS = ("grader/fork_items.py", "tests")  # of a course that can judge


@contextmanager
def chosen(course: str | None) -> Iterator[tuple[Path, str]]:
    """The folder of the course that judges, and what it is called: a folder, or a commit of this one's repository."""
    if course is None:
        yield _complete(ROOT), named(ROOT)
        return
    folder = Path(course).resolve()
    if folder.is_dir():
        yield _complete(folder), named(folder)
        return
    with tempfile.TemporaryDirectory(prefix="course-") as made:
        home = Path(made).resolve()
        try:
            found = git.run(ROOT, "rev-parse", "--verify", "--end-of-options", f"{course}^{{commit}}")
        except OSError as error:
            raise CourseError(f"A commit is read by git, which can't be started: {error.strerror}.") from None
        if found.returncode:
            raise CourseError(f"--course {course}: neither a folder nor a commit of the repository in {ROOT}.")
        git.lay_out(ROOT, found.stdout.strip(), home)
        yield _complete(home), f"commit {course} of {ROOT}"


def _complete(home: Path) -> Path:
    for part in PARTS:
        if not (home / part).exists():
            raise CourseError(f"{home} can't judge a fork: it has no {part}. Name a course of this version or a later.")
    return home


SETTINGS = "[pytest]\nfilterwarnings =\n    ignore\n"
OPTIONS = [
    *("--nbval-lax", "--noconftest", "-p", "no:cacheprovider"),
    *("-p", "nbval.plugin", "-p", "grader.nbval_plugin"),
]


# Each with a value; what they would say is fixed here, or comes by another way.
SAID_OTHERWISE = {
    *("--course", "--junitxml", "--junit-xml"),
    *("--rootdir", "--confcutdir", "-c", "--config-file", "-p"),
}
KEPT = {"COURSE_REFERENCE", "PYTHONUTF8"}  # of the environment, where else these are dropped:
DROPPED = ("PYTHON", "PYTEST_", "COURSE_")


def main(arguments: list[str]) -> int:
    """The exit code of pytest, or 2 where there was nothing to judge with."""
    at = [*arguments, "--"].index("--")
    asked = ArgumentParser(prog="python -P -m grader.fork", description=(__doc__ or "").split("\n\n")[1])
    asked.add_argument("fork", type=Path, help="the learner's folder: its chapters/, or the notebooks in it")
    asked.add_argument("--course", metavar="PATH-OR-COMMIT", help="whose tests judge; this one's if left out")
    asked.add_argument("--junitxml", type=Path, metavar="FILE", help="write pytest's report there")
    told = asked.parse_args(arguments[:at])
    return _told(told.fork, told.course, told.junitxml, arguments[at + 1 :])


def in_place_of(told: Namespace, arguments: Sequence[str]) -> int:
    """What `pytest --nbval-lax --course ... chapters/` comes to; its paths lead to one fork."""
    # Each may be an item, `chapters/ch03_layernorm.ipynb::ch03 LayerNorm`
    paths = [Path(argument.partition("::")[0]) for argument in told.file_or_dir or ["."]]
    forks = {path if path.is_dir() else path.parent for path in paths}
    if len(forks) != 1:
        named = ", ".join(sorted(map(str, forks)))
        print(f"With --course, one folder is judged at a time, not {named}.", file=sys.stderr)
        return 2
    for_pytest = list(_for_pytest(told.file_or_dir, arguments))
    return _told(forks.pop(), told.course, told.xmlpath, for_pytest)


def _told(fork: Path, course: str | None, report: str | Path | None, options: list[str]) -> int:
    if report:
        options = [*options, f"--junitxml={Path(report).absolute()}"]
    try:
        return judged(fork, course, options)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2


def judged(fork: Path, course: str | None, options: list[str]) -> int:
    """Run the other pytest over copies of a fork's notebooks."""
    if not fork.is_dir():
        raise CourseError(f"{fork} is no folder: name the one that holds the learner's chapters/.")
    with tempfile.TemporaryDirectory(prefix="fork-") as made, chosen(course) as (home, name):
        folder = Path(made).resolve()
        settings = folder / "pytest.ini"
        chapters = folder / "fork" / "chapters"
        settings.write_text(SETTINGS, encoding="utf-8")
        copy_notebooks(fork, chapters)
        command = [
            *(sys.executable, "-P", "-m", "pytest"),
            *("-c", str(settings)),
            f"--rootdir={chapters.parent}",
            *OPTIONS,
            *options,
            str(chapters),
        ]
        with deaf_to_what_is_printed():
            done = subprocess.run(command, cwd=chapters.parent, env=surroundings(home, name))
        return done.returncode


@contextlib.contextmanager
def deaf_to_what_is_printed() -> Iterator[None]:
    """Within the block a runner of GitHub Actions obeys no line of what is printed, such as a learner's `::error::`.

    docs.github.com/actions, "Workflow commands", "Stopping and starting workflow commands".
    """
    if os.environ.get("GITHUB_ACTIONS") != "true":
        yield
        return
    word = secrets.token_hex()
    print(f"::stop-commands::{word}", flush=True)
    try:
        yield
    finally:
        print(f"::{word}::", flush=True)


def copy_notebooks(fork: Path, to: Path) -> None:
    """Copy the notebooks of chapters, under whatever name; a symbolic link stays one, and so is refused by name.

    What lies in a folder of chapters that is a link itself becomes one. A folder that has a notebook's name stays
    one: the report says so, and names the copies beside it.
    """
    to.mkdir(parents=True)
    inner = fork / CHAPTERS
    source = inner if inner.is_dir() else fork
    for file in sorted(source.glob("*.ipynb")):
        if not STEM.search(file.stem) or not (file.is_symlink() or file.is_file() or file.is_dir()):
            continue
        if file.is_dir() and not file.is_symlink():
            (to / file.name).mkdir()
        elif is_linked(file):
            (to / file.name).symlink_to(file)
        else:
            shutil.copyfile(file, to / file.name)


def surroundings(home: Path, name: str) -> dict[str, str]:
    """The environment without what would let the fork in: where to find modules, and settings of Python and pytest."""
    kept = {key: value for key, value in os.environ.items() if key in KEPT or not key.startswith(DROPPED)}
    return {**kept, "PYTHONPATH": str(home), "PYTHONSAFEPATH": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", JUDGE: name}


def _for_pytest(paths: Sequence[str], arguments: Sequence[str]) -> Iterator[str]:
    """The arguments without the paths, and without those that are said in another way or must not be said."""
    left_out = {*paths, "--nbval-lax"}
    waiting = iter(arguments)
    for option in waiting:
        name, equals, _ = option.partition("=")
        if name not in SAID_OTHERWISE:
            if option not in left_out:
                yield option
        elif not equals:
            next(waiting, "")  # its value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
