"""pytest on notebooks: what is judged, what is missing, and by which course. Registered in pyproject.toml.

Without nbval, or without --nbval and --nbval-lax, it does nothing but to know its options.
"""

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from utils.course import CourseError, stems

NBVALS_OWN, SECONDS = 2000, 60.0  # for a cell, where nobody says how many
STRICT = "course: --nbval compares outputs with the stored ones, for authors; --nbval-lax judges what a learner wrote"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("course", "Judging a learner's chapters, with --nbval-lax")
    course = "take all that judges from this course, and of the fork nothing but its notebooks"
    group.addoption("--course", metavar="PATH-OR-COMMIT", help=course)
    group.addoption("--course-seed", type=int, metavar="N", help="repeat the questions of another run")
    refuse = "judge nothing where answers can't be kept in a sandbox"
    group.addoption("--require-sandbox", action="store_true", help=refuse)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """With --course another pytest does the work, which reads none of the fork's settings; no conftest.py was yet."""
    told = early_config.known_args_namespace
    if told.course and judging(told):
        from grader.fork import in_place_of

        raise SystemExit(in_place_of(told, early_config.invocation_params.args))


def judging(options: Any) -> bool:
    """Whether this run judges what learners wrote."""
    return bool(getattr(options, "nbval_lax", False))


def active(config: pytest.Config) -> bool:
    """Whether this run of pytest executes notebooks."""
    return bool(getattr(config.option, "nbval", False)) or judging(config.option)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Notebooks run on the Python that runs pytest, even where another one is registered as python3."""
    if judging(config.option) and config.option.nbval_cell_timeout == NBVALS_OWN:
        config.option.nbval_cell_timeout = SECONDS
    if active(config) and not config.option.nbval_kernel_name:
        config.option.nbval_current_env = True


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Generator[None, Any, Any]:
    """Puts the course's kinds of notebook in the place of nbval's."""
    collected = yield
    if not active(parent.config):
        return collected
    from grader.fork import JUDGE
    from grader.fork_items import ForkNotebook
    from grader.nbval_items import CourseNotebook, IPyNbFile
    from grader.submitted import stem_of

    is_judged = judging(parent.config.option) and stem_of(file_path)
    kind = ForkNotebook if is_judged else CourseNotebook
    if JUDGE in os.environ and not is_judged:
        return []  # a learner's own notebook, whose cells nobody gave
    for place, node in enumerate(collected):
        if type(node) is IPyNbFile:
            collected[place] = kind.from_parent(parent, path=file_path)
    return collected


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """A chapter that is not there has its exercises in the report too."""
    if judging(config.option):
        items += items_of_missing(session, items)


def items_of_missing(session: pytest.Session, items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """Those of the chapters that should be in the folders that pytest was given, and were not collected from there.

    Whether a file of that name was hidden from pytest or is gone: the one is judged, the other says that it is missing.
    """
    from grader.fork_items import ForkNotebook

    here = session.config.invocation_params.dir
    ignored = [Path(here, name).resolve() for name in session.config.option.ignore or []]
    seen = {*(item.path for item in items), *ignored}
    for argument in session.config.args:
        asked = Path(here, argument.partition("::")[0]).resolve()
        folder = asked if asked.name == "chapters" else asked / "chapters"
        for path in [folder / f"{stem}.ipynb" for stem in stems() if folder.is_dir()]:
            if path not in seen:
                yield from ForkNotebook.from_parent(session, path=path).collect()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """All verdicts are there before the first kernel starts: what runs in one comes too late for them."""
    config = session.config
    if not judging(config.option) or config.option.collectonly or hasattr(config, "workerinput"):
        return
    from grader.fork_items import ExerciseItem

    for item in session.items:
        if isinstance(item, ExerciseItem):
            try:
                _ = item.parent.grades
            except CourseError as error:
                raise pytest.UsageError(str(error)) from None


def pytest_report_header(config: pytest.Config) -> str | None:
    if judging(config.option):
        from grader.fork import who_judges

        return f"course: {who_judges(config.rootpath)}"
    return STRICT if active(config) else None


def pytest_report_collectionfinish(config: pytest.Config) -> str | None:
    from_bench = _bench(config)
    return from_bench.terms() if from_bench else None


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    found = _bench(config)
    if found and found.notes:
        terminalreporter.section("notes")
        terminalreporter.write_line("\n".join(found.notes))


def pytest_unconfigure(config: pytest.Config) -> None:
    found = _bench(config)
    if found:
        found.close()


def _bench(config: pytest.Config) -> Any:
    """The judge's bench, where one was needed."""
    if not judging(config.option):
        return None
    from grader.fork_items import KEY

    return config.stash.get(KEY, None)
