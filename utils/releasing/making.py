"""Makes the folder that learners get, with solutions or without; what leaks is found before it is finished."""

import json
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from author.filling import filled
from author.source import read_source
from grader.given import as_json, places
from utils.course import ROOT, STEM, CourseError, ExerciseInfo, all_exercises, stems
from utils.course.files import write_text
from utils.releasing.leaks import Secret, leaks_in, secrets_of
from utils.releasing.manifest import (
    MANIFEST,
    commit_of,
    course_files,
    git,
    manifest_of,
    notebook_in,
    source_of,
    text_of,
    version_of,
)
from utils.releasing.recording import record_all

TEMPLATES = Path(__file__).parent / "templates"
THE_SOLUTION = "<details>\n<summary>Hint 3: the solution</summary>"
SHOWN = 20  # leaks
TOP = {"LICENSE", "requirements.txt", "constraints.txt", ".gitattributes", ".gitignore", ".ci/install.py"}
# Rooms of utils/ that are an author's, as all of author/ is, and what makes a release.
AUTHORS = {"javascript", "site", "solving"}
MAKING = {"leaks.py", "making.py", "recording.py", "templates"}
# Tables of pyproject.toml that are the project's own.
PROJECTS_OWN = ("tool.towncrier", "tool.ruff", "tool.pyright")
KNOWN = "misconceptions"


def release(
    out: Path, root: Path = ROOT, without_solutions: bool = False, recorded: Sequence[ExerciseInfo] | None = None
) -> Iterator[str]:
    """Make it in `out`, which appears when all is done; yields what was done. `recorded` are all exercises by default.

    Raises CourseError where `out` is in use, or where a file of a release without solutions holds a part of one.
    """
    out = out.resolve()
    _prove_that_it_is_free(out, root)
    making = out.with_name(f".{out.name}.partial")
    shutil.rmtree(making, ignore_errors=True)
    try:
        for name in released_files(root, not without_solutions):
            (making / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, making / name)
        _write_own(root, making, not without_solutions)
        if without_solutions:
            _take_solutions_out(making)
            _write_what_is_given(root, making)
            secrets = secrets_of(read_source(stem, root) for stem in stems(root))
            exercises = all_exercises(root) if recorded is None else recorded
            yield from record_all(exercises, making, os.cpu_count() or 1, frozenset(secret.text for secret in secrets))
            _prove_that_nothing_leaks(making, secrets)
        names = [path.relative_to(making).as_posix() for path in making.rglob("*") if path.is_file()]
        manifest = manifest_of(making, names, version_of(root), commit_of(root), not without_solutions)
        write_text(making / MANIFEST, text_of(manifest))
        if out.is_dir():
            out.rmdir()
        making.rename(out)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    yield from _uncommitted(root)
    sizes = [path.stat().st_size for path in out.rglob("*") if path.is_file()]
    proved = "; no line of a solution is in it" if without_solutions else ""
    yield f"{out}: {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB{proved}"


def _prove_that_it_is_free(out: Path, root: Path) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise CourseError(f"{out} is there already, and not empty: name a folder that is to be made.")
    if out.is_relative_to(root) and (root / ".git").exists():
        raise CourseError(f"{out} lies in the course itself: name a folder outside {root}.")


def _write_own(root: Path, out: Path, with_solutions: bool) -> None:
    """The files that are written for a release: its README, its Makefile, what pytest needs, its pyproject.toml."""
    for path in (TEMPLATES / "release").iterdir():
        place = "tests/conftest.py" if path.name == "conftest.py" else path.name
        write_text(out / place, path.read_text(encoding="utf-8"))
    kind = "with" if with_solutions else "without"
    about = (TEMPLATES / f"{kind}_solutions.md").read_text(encoding="utf-8").strip()
    readme = out / "README.md"
    names = {"ABOUT_SOLUTIONS": about, "VERSION": version_of(root)}
    write_text(readme, filled(readme.read_text(encoding="utf-8"), names))
    project = root / "pyproject.toml"
    if project.is_file():
        write_text(out / project.name, project_file(project.read_text(encoding="utf-8")))


def _write_what_is_given(root: Path, out: Path) -> None:
    """What of each chapter is not the learner's: pytest --nbval-lax reads it off the solutions where they are."""
    built = [stem for stem in stems(root) if (root / "solutions" / f"{stem}.ipynb").is_file()]
    for stem in built:
        write_text(out / "tests" / "given" / f"{stem}.json", as_json(places(stem, root)))


def _take_solutions_out(out: Path) -> None:
    """The third hint of each exercise."""
    for path in (out / "chapters").glob("*.ipynb"):
        notebook = notebook_in(path.read_bytes())
        if notebook is None:
            raise CourseError(f"chapters/{path.name} can't be read: make it again with python -m utils build.")
        notebook["cells"] = [cell for cell in notebook["cells"] if not source_of(cell).startswith(THE_SOLUTION)]
        write_text(path, json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


def _prove_that_nothing_leaks(out: Path, secrets: Sequence[Secret]) -> None:
    found = list(map(str, leaks_in(out, secrets)))
    if found:
        more = [f"and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
        what = "This release would hold parts of solutions, so it was not made:"
        raise CourseError("\n".join([what, *found[:SHOWN], *more]))


def _uncommitted(root: Path) -> Iterator[str]:
    """The files that differ from the commit that the release names."""
    changed = (git(root, "status", "--porcelain") or "").splitlines()
    new = [line for line in changed if line.startswith("??")]
    if len(changed) > len(new):
        yield f"{_files(len(changed) - len(new))} as in your working tree, and not as committed."
    if new:
        yield f"{_files(len(new))} left out, since git tracks none of that."


def _files(number: int) -> str:
    return "1 file is" if number == 1 else f"{number} files are"


def released_files(root: Path, with_solutions: bool) -> list[str]:
    """The files that go into the release as they are, by their paths from the root."""
    return [name for name in course_files(root) if _goes(PurePosixPath(name), with_solutions)]


def _goes(path: PurePosixPath, with_solutions: bool) -> bool:
    match path.parts:
        case ["chapters", *_]:
            return path.suffix == ".ipynb"
        case ["solutions", *_]:
            return with_solutions
        case ["tests", name]:
            return name == "__init__.py" or STEM.fullmatch(name.removesuffix(".py")) is not None
        case ["tests", "predictions", *_]:  # the cells of chapters import it
            return True
        case ["tests", folder, *_]:
            return folder == KNOWN and with_solutions
        case ["judge" | "grader", *_]:
            return True
        case ["utils", "releasing", name, *_]:
            return name not in MAKING
        case ["utils", room, *_]:
            return room not in AUTHORS
        case _:
            return str(path) in TOP


def project_file(text: str) -> str:
    """pyproject.toml as learners get it: without what lints, formats and tests the project itself."""
    tables = re.split(r"^(?=\[)", text, flags=re.MULTILINE)
    kept = [table for table in tables if not table.lstrip("[").startswith(PROJECTS_OWN)]
    return re.sub(r"^test = \[\n(?:.*\n)*?\]\n", "", "".join(kept), flags=re.MULTILINE)
