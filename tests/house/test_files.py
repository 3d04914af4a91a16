"""The house's files: none is stray, links lead somewhere, changes and versions agree."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.house.test_layout import HOUSES
from utils.course import ROOT, STEM, stems

TOP = {
    *{".ci", ".github", ".gitattributes", ".gitignore", ".pre-commit-config.yaml", "LICENSE", "Makefile"},
    *{"Dockerfile", ".dockerignore", ".devcontainer", "findings"},
    *{"ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.md"},
    *{"changelog.d", "constraints.txt", "pyproject.toml", "requirements.txt", "docs", "chapters", *HOUSES},
}


def tracked() -> list[Path]:
    """The files that git has, none outside a checkout; what else lies about is a learner's own."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    return [Path(name) for name in listed.stdout.splitlines() if (ROOT / name).exists()]


def test_no_stray_files():
    known = set(stems())
    if not tracked():
        pytest.skip("not a git checkout")
    for path in tracked():
        assert path.parts[0] in TOP, f"{path} is not part of the house"
        if path.suffix == ".ipynb" and path != Path("chapters/START.ipynb"):
            assert path.parts[0] in ("chapters", "solutions") and path.stem in known, f"{path} belongs to no chapter"
        if path.parts[0] == "solutions" and path.suffix == ".py" and path.name != "__init__.py":
            assert STEM.fullmatch(path.stem), f"{path} is no chapter's source"


PROSE = [path for path in tracked() if path.suffix == ".md" and "templates" not in path.parts]


@pytest.mark.parametrize("path", PROSE, ids=str)
def test_links_between_our_files_lead_somewhere(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in target:
            there = (ROOT / path.parent / target).resolve()
            assert there.exists() and there.is_relative_to(ROOT), f"{path} points at {target}, which is not there"


def test_changes_are_told_where_the_next_release_finds_them():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    readers = {one["directory"] for one in project["tool"]["towncrier"]["type"]}
    for path in (ROOT / "changelog.d").glob("*.md"):
        assert re.fullmatch(rf"\+[a-z0-9-]+\.({'|'.join(readers)})\.md", path.name), f"{path}: +what-changed.learner.md"
    told = re.findall(r"^## \[([\d.]+)\] - ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert told[0] == project["project"]["version"], "the version of pyproject.toml has no section in CHANGELOG.md"


def test_hooks_run_the_ruff_that_constraints_name():
    pinned = re.findall(r"^ruff==[\d.]+$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    hooks = re.findall(r"ruff==[\d.]+", (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert set(hooks) == set(pinned), (
        f".pre-commit-config.yaml has {hooks}, constraints.txt {pinned}: make them the same"
    )


def test_every_file_that_the_architecture_names_is_there():
    named = set(re.findall(r"\b[a-z_]+\.(?:py|mjs)\b", (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")))
    assert named - {path.name for path in tracked()} == set()
