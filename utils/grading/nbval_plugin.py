"""Names nbval's items by exercise, and fails what is missing from a chapter's notebook. Registered in pyproject.toml.

Without nbval, or without --nbval and --nbval-lax, it does nothing.
"""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest


def active(config: pytest.Config) -> bool:
    """Whether this run of pytest executes notebooks."""
    return bool(getattr(config.option, "nbval", False) or getattr(config.option, "nbval_lax", False))


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Notebooks run on the Python that runs pytest, even where another one is registered as python3."""
    if active(config) and not config.option.nbval_kernel_name:
        config.option.nbval_current_env = True


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Generator[None, Any, Any]:
    """Puts the course's kind of notebook in the place of nbval's."""
    collected = yield
    if not active(parent.config):
        return collected
    from utils.grading.nbval_items import CourseNotebook, IPyNbFile

    for place, node in enumerate(collected):
        if type(node) is IPyNbFile:
            collected[place] = CourseNotebook.from_parent(parent, path=file_path)
    return collected
