"""Keeps what passed in my_gpt/: the learner's source, once it has passed again on its own.

On its own is without the notebook round it, as my_gpt/ will hold it.
"""

import contextlib
import importlib
import importlib.util
import io
import itertools
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import CodeType, ModuleType

from judge.checking import CheckFailed
from judge.checking.reporting import SilentReporter, use_reporter
from judge.checking.verdict import Verdict
from judge.running.ambient import undisturbed
from judge.running.limited import MEMORY, Limit, TooSlow, limited
from utils.course import ExerciseInfo, state_dir
from utils.learner.collecting import gather, save

WHAT_IS_KEPT = (
    "Kept are imports, classes, functions and assignments, "
    "but no loops, `with` blocks, files that are read or long computations. "
    "Write what `{}` needs without these, run it, then run this cell again."
)
ALONE = "run on its own, without the rest of this notebook, your code"


class NotKept(Exception):
    """The source would not be what was judged: why, and what to do."""


def kept_path(exercise: ExerciseInfo) -> Path:
    """Where the learner's own component is kept: my_gpt/layer_norm.py for test_layer_norm."""
    name = exercise.test.removeprefix("test_")
    return state_dir() / "my_gpt" / f"{name}.py"


def keep(exercise: ExerciseInfo, cells: list[str]) -> None:
    """Save the source of an exercise out of the executed cells.

    Raises NotKept when no cell defines it, or when what was collected does not pass the exercise's own test again.
    """
    path = kept_path(exercise)
    try:
        source = gather(exercise.symbol, cells)
    except LookupError as error:
        raise NotKept(f"{error.args[0]}.") from None
    reason = _reason_against(source, exercise)
    if reason:
        told = [f"{reason}.", WHAT_IS_KEPT.format(exercise.symbol)]
        if path.exists():
            told.append(f"`my_gpt/{path.name}` still holds an earlier version.")
        raise NotKept(" ".join(told))
    heading = f"{exercise.symbol}, written by you; it passed the checks of {exercise.stem}."
    save(f'"""{heading}"""\n\n{source}', path)


def _reason_against(source: str, exercise: ExerciseInfo) -> str | None:
    """Why this source is not what was judged; None when it passes the same test."""
    tests = importlib.import_module(f"tests.{exercise.stem}")
    test = getattr(tests, exercise.test)
    name = f"my_gpt_{kept_path(exercise).stem}"
    try:
        with running_alone(source, name) as module, use_reporter(SilentReporter()):
            component = getattr(module, exercise.symbol)
            test(component)
    except CheckFailed as failed:
        return f"{ALONE} no longer passes: {_short(failed.verdict)}"
    except (Exception, SystemExit, TooSlow) as error:
        raised = f"{type(error).__name__}: {error}".rstrip(".: ")
        return f"{ALONE} stops with {raised}"
    return None


def _short(verdict: Verdict) -> str:
    """The line that failed and the first thing known about it, such as the name that is missing."""
    failure = verdict.failure
    if failure is None or verdict.status != "failed" or not failure.details:
        return verdict.summary()
    first = failure.details[0].splitlines()[0]
    return f"{verdict.summary()}: {first}"


SECONDS = 2.0  # definitions take no time; what takes longer computes something
# Times as long by the clock: the machine may be busy, but what sleeps or waits comes to an end too.
PATIENCE = 20


@contextlib.contextmanager
def running_alone(source: str, name: str, seconds: float = SECONDS) -> Iterator[ModuleType]:
    """The module `name` that `source` makes, in sys.modules within the block; no other has this name.

    Nothing that it prints is seen. Raises what the source raises, and TooSlow where it does not come to an end.
    """
    module = ModuleType(name)
    filename = f"<{name}>"
    sys.modules[name] = module
    try:
        with _quiet(), undisturbed():
            code = compile(source, filename, "exec", dont_inherit=True)
            _soon(partial(exec, code, module.__dict__), seconds)
        yield module
    finally:
        sys.modules.pop(name, None)


def module_in(file: Path, seconds: float = SECONDS) -> ModuleType:
    """The module that a file of my_gpt/ makes.

    It may have been changed by hand. Nobody is warned, and `torch.compile` leaves what it is given as it is. Raises
    what the file raises, and TimeoutError where it does not come to an end.
    """
    spec = importlib.util.spec_from_file_location(_new_name(f"my_gpt_{file.stem}"), file)
    assert spec
    module = importlib.util.module_from_spec(spec)
    with warnings.catch_warnings(action="ignore"):
        # Not exec_module: __pycache__ takes a file of the same second and size for the one that it knows.
        code = compile(file.read_bytes(), str(file.absolute()), "exec", dont_inherit=True)
        _run(code, module, seconds)
    return module


def module_of(source: str, name: str, seconds: float = SECONDS) -> ModuleType:
    """The module that `source` makes. Raises what it raises, and TimeoutError where it does not end."""
    module = ModuleType(_new_name(name))
    code = compile(source, f"<{name}>", "exec", dont_inherit=True)
    with _quiet():
        _run(code, module, seconds)
    return module


def _new_name(name: str) -> str:
    """A name that no module has had: torch keeps what it once found under a name, and a file may be loaded again."""
    return f"{name}_{next(_numbers)}"


_numbers = itertools.count(1)


def _run(code: CodeType, module: ModuleType, seconds: float) -> None:
    """Run the code of a module, which stays in sys.modules: there pickle, inspect and `torch.compile` look it up."""
    sys.modules[module.__name__] = module
    try:
        with undisturbed():
            _soon(partial(exec, code, module.__dict__), seconds)
    except BaseException as error:
        sys.modules.pop(module.__name__, None)
        if isinstance(error, TooSlow):
            raise TimeoutError(str(error)) from None
        raise


def _soon(run: Callable[[], None], seconds: float) -> None:
    limited(Limit(seconds, PATIENCE * seconds, MEMORY), run)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    unheard = io.StringIO()
    with (
        contextlib.redirect_stdout(unheard),
        contextlib.redirect_stderr(unheard),
        warnings.catch_warnings(action="ignore"),
    ):
        yield
