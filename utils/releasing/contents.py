"""Which of the course's files learners get: what runs, is opened, judges; none of the project's own tests."""

import re
from pathlib import Path, PurePosixPath

from utils.course import STEM
from utils.releasing.places import course_files

TOP = {"LICENSE", "requirements.txt", "constraints.txt", ".gitattributes", ".gitignore", ".ci/install.py"}
# Rooms of utils/ that are an author's, as all of author/ is, and what makes a release.
AUTHORS = {"javascript", "site"}
MAKING = {"contents.py", "discretion.py", "leaks.py", "making.py", "recording.py", "templates"}
# Tables of pyproject.toml that are the project's own.
PROJECTS_OWN = ("tool.towncrier", "tool.ruff", "tool.pyright")
KNOWN = "misconceptions"


def released_files(root: Path, with_solutions: bool) -> list[str]:
    """The files that go into the release as they are, by their paths from the root."""
    return [name for name in course_files(root) if _goes(PurePosixPath(name), with_solutions)]


def _goes(path: PurePosixPath, with_solutions: bool) -> bool:
    parts = path.parts
    match parts[0]:
        case "chapters":
            return path.suffix == ".ipynb"
        case "solutions":
            return with_solutions
        case "tests":
            return _is_asked(parts[1:], with_solutions)
        case "judge" | "grader":
            return True
        case "utils":
            return not AUTHORS & set(parts[1:2]) and not _makes_releases(parts[1:])
        case _:
            return str(path) in TOP


def _makes_releases(parts: tuple[str, ...]) -> bool:
    return parts[0] == "releasing" and parts[1] in MAKING


def _is_asked(parts: tuple[str, ...], with_solutions: bool) -> bool:
    """What a chapter's tests are made of."""
    if len(parts) == 1:
        name = parts[0].removesuffix(".py")
        return name == "__init__" or STEM.fullmatch(name) is not None
    return parts[0] == KNOWN and with_solutions


def project_file(text: str) -> str:
    """pyproject.toml as learners get it: without what lints, formats and tests the project itself."""
    kept = [table for table in _tables(text) if not _is_projects_own(table)]
    return re.sub(r"^test = \[\n(?:.*\n)*?\]\n", "", "".join(kept), flags=re.MULTILINE)


def _tables(text: str) -> list[str]:
    """The file in pieces, each from one heading to the next."""
    return re.split(r"^(?=\[)", text, flags=re.MULTILINE)


def _is_projects_own(table: str) -> bool:
    heading = table.partition("\n")[0].lstrip("[")
    return heading.startswith(PROJECTS_OWN)
