"""The course's version, as pyproject.toml has it."""

import tomllib
from pathlib import Path


def version_of(root: Path) -> str:
    """ "0.1.0"; "" where pyproject.toml is missing or says none."""
    path = root / "pyproject.toml"
    if not path.is_file():
        return ""
    project = tomllib.loads(path.read_text(encoding="utf-8")).get("project", {})
    return str(project.get("version", ""))
