"""Colab badges for an instructor's copy: where it lives is written into pyproject.toml, and the notebooks follow.

No notebook is executed, and every stored output stays.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from author.building import build
from author.start_page import build_start_page
from utils.course import BRANCH, REPOSITORY, ROOT, CourseError, git, repository, stems
from utils.course.files import write_text

HEADER = "[tool.course]"
SECTION = rf"^{re.escape(HEADER)}[^\n]*\n(?:(?!\[).*\n?)*"
ON_GITHUB = re.compile(r".*github\.com[:/]([\w.-]+/[\w.-]+?)(?:\.git)?/?")
OURS = r"^(repository|branch)\s*=.*\n?"


def settle(name: str | None, branch: str | None, remove: bool) -> None:
    """What the command is for: name a repository, forget it, or need one that was named before."""
    if remove:
        forget_repository()
    elif name:
        name_repository(name, branch)
    else:
        need_repository()


def name_repository(name: str, branch: str | None = None, root: Path = ROOT) -> None:
    """Write "owner/name", and a branch if it is not main, under [tool.course] in pyproject.toml."""
    if not REPOSITORY.fullmatch(name):
        way = "write OWNER/NAME, such as ada/gpt-from-scratch"
        raise CourseError(f"{name} is no repository on GitHub; {way}.")
    if branch and not BRANCH.fullmatch(branch):
        raise CourseError(f"{branch} is no branch's name.")
    settings = {"repository": name}
    if branch and branch != "main":
        settings["branch"] = branch
    _rewrite(settings, root)


def forget_repository(root: Path = ROOT) -> None:
    """Take both out of pyproject.toml."""
    _rewrite({}, root)


def put_badges(root: Path = ROOT) -> Iterator[str]:
    """Bring the badge and the cell of every notebook to what pyproject.toml says; yields what was done.

    Raises CourseError for a notebook that is out of date in more than these, and has done the others by then.
    """
    yield from build_start_page(root)
    refused: list[str] = []
    for stem in stems(root):
        try:
            yield from build(stem, root, may_execute=False)
        except CourseError as error:
            refused.append(str(error))
    if refused:
        raise CourseError("\n".join(refused))


def need_repository(root: Path = ROOT) -> None:
    """Raise CourseError where no repository is named, with the command that names it."""
    if repository(root) is None:
        name = _origin(root) or "OWNER/NAME"
        way = f"Where your copy lives: python -m utils badges {name}"
        raise CourseError(f"No repository is named yet. {way}")


def _origin(root: Path) -> str | None:
    """The "owner/name" of git's remote origin, if that is on GitHub."""
    url = git.printed(root, "config", "--get", "remote.origin.url") or ""
    found = ON_GITHUB.fullmatch(url.strip())
    return found[1] if found else None


def _rewrite(settings: dict[str, str], root: Path) -> None:
    """Make `settings` the repository and the branch of pyproject.toml; everything else stays as it is, comments too."""
    path = root / "pyproject.toml"
    old = path.read_text(encoding="utf-8") if path.is_file() else ""
    lines = [f'{name} = "{value}"\n' for name, value in settings.items()]
    new = _with_entries(old, "".join(lines)).rstrip("\n") + "\n"
    _check(old, new, settings, path)
    if new != old:
        write_text(path, new)


def _with_entries(text: str, entries: str) -> str:
    """The file with these lines in the section, in the place of those that were there."""
    found = re.search(SECTION, text, re.MULTILINE)
    if found is None:
        return f"{text}\n{HEADER}\n{entries}" if entries else text
    kept = re.sub(OURS, "", found[0], flags=re.MULTILINE)
    head, _, rest = kept.partition("\n")
    section = f"{head}\n{entries}{rest}" if entries or rest.strip() else ""
    return text[: found.start()] + section + text[found.end() :]


def _check(old: str, new: str, settings: dict[str, str], path: Path) -> None:
    """Raise CourseError unless the file says what it said before, with these settings."""
    try:
        (others, _), got = _settings_apart(old), _settings_apart(new)
    except tomllib.TOMLDecodeError as error:
        way = f"Write there by hand: {HEADER} {settings}"
        raise CourseError(f"{path} can't be changed: {error}. {way}") from None
    if got != (others, settings):
        way = f"Write there by hand, under {HEADER}: {settings}"
        raise CourseError(f"{path} can't be changed safely. {way}")


def _settings_apart(text: str) -> tuple[dict, dict]:
    """What a pyproject.toml says, and apart from that the repository and the branch."""
    everything = tomllib.loads(text)
    course = everything.setdefault("tool", {}).setdefault("course", {})
    named = [name for name in ("repository", "branch") if name in course]
    ours = {name: course.pop(name) for name in named}
    return everything, ours
