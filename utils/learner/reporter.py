"""What a learner sees of a verdict: the card, what was kept of what they wrote, and what comes next.

A failed card is shown at once; if one change of the learner's code is found that mends it, the card is shown anew.
"""

import contextlib
import importlib
import inspect
import linecache
import logging
import sys
from collections.abc import Callable, Iterator
from functools import cache
from types import FunctionType
from typing import TYPE_CHECKING, Any

from judge.checking.verdict import Verdict
from utils.course import ExerciseInfo, exercises
from utils.learner.cards import as_folds, as_html, as_line, div
from utils.learner.keeping import NotKept, keep, kept_path
from utils.learner.progress import next_line, progress_bar, record_pass
from utils.learner.shell import current_shell, notebook_shell, progress_hidden, repairs_off

if TYPE_CHECKING:
    from judge.repairing import Repair

REFERENCE = "This is the reference solution: it is neither counted nor kept."
ANOTHER_NAME = "`{called}` does what `{symbol}` should. It is not counted or kept as yours: that goes by the name."
NO_NAME = "Neither counted nor kept: this notebook does not call it `{symbol}`. Give it that name and test it again."
NO_PACKAGE = "(The package that my_gpt/ is does not have it yet: {reason}. `python -m utils generate` tries again.)"
STILL_LOOKING = "Still looking for a change to your code that would make every check pass …"
FAULT = "(Something went wrong while the card was shown; your verdict stands. Please report this: {kind}: {said})"
LOG = logging.getLogger(__name__)
NO_FILE = "<string>"  # of what was handed to exec as text, and of `python -c`


class LearnerReporter:
    """Displays the card in a notebook; elsewhere prints a pass, and leaves a failure to the exception's own text."""

    def report(self, stem: str, verdict: Verdict, component: Any | None) -> bool:
        """Show the verdict, keep what passed; True if a reader now sees the card. Never raises."""
        with _told_of_faults():  # such as an output that can't write ✔: a pass stays a pass
            if notebook_shell():
                _show(stem, verdict, component)
                return True
            if verdict.status in ("passed", "skipped"):
                print(verdict)
                return True
        return False


@contextlib.contextmanager
def _told_of_faults() -> Iterator[None]:
    """What fails within the block breaks nobody's cell; the first time it is said on stderr, for it may be ours.

    Where it failed is logged, for whoever looks for it: `logging.basicConfig(level="DEBUG")`.
    """
    try:
        yield
    except Exception as error:
        LOG.debug("The card was not shown as it should be", exc_info=True)
        with contextlib.suppress(Exception):  # stderr may be closed
            _say_once(FAULT.format(kind=type(error).__name__, said=" ".join(str(error).split())))


@cache
def _say_once(said: str) -> None:
    print(said, file=sys.stderr)


def _show(stem: str, verdict: Verdict, component: Any | None) -> None:
    """Display the card, and do what takes longer once it is seen."""
    has_passed = verdict.status == "passed" and component is not None
    footer = _footer(stem, verdict.symbol, component) if has_passed else []
    shown = _display(verdict, footer)
    with _told_of_faults():  # the card is seen, whatever becomes of the rest
        if has_passed and (problem := _package(stem, verdict.symbol, component)):
            footer.append(problem)
            shown.update(_card(verdict, footer, as_html(verdict, footer)), raw=True)
        elif verdict.status == "failed":
            _mend(stem, verdict, component, shown)


def _mend(stem: str, verdict: Verdict, component: Any | None, shown: Any) -> None:
    """Look for one change that mends it; the card says so where that takes a while, and what was found."""
    repair = None
    has_been_said = False

    def say_so() -> None:
        nonlocal has_been_said
        has_been_said = True
        shown.update(_card(verdict, [], as_html(verdict, (), div(STILL_LOOKING, "opacity:.7"))), raw=True)

    try:
        repair = _repair(stem, verdict, component, say_so)
    finally:  # somebody may have stopped it
        if has_been_said and not repair:
            shown.update(_card(verdict, [], as_html(verdict)), raw=True)
    if repair:
        html = as_html(verdict, (), as_folds(repair))
        shown.update(_card(verdict, [as_line(repair)], html), raw=True)


def _display(verdict: Verdict, footer: list[str]) -> Any:
    """Show the card; what is returned can show another one in its place."""
    from IPython.display import display

    card = _card(verdict, footer, as_html(verdict, footer))
    return display(card, raw=True, display_id=True)


def _card(verdict: Verdict, below: list[str], html: str) -> dict[str, str]:
    lines = [str(verdict), *(f"  {line}" for line in below)]
    return {"text/plain": "\n".join(lines), "text/html": html}


def _repair(stem: str, verdict: Verdict, component: Any | None, meanwhile: Callable[[], None]) -> "Repair | None":
    """One change with which every check passes, of the cell that defines the component; never in a graded run."""
    names = current_shell().user_ns
    is_theirs = names.get(verdict.symbol) is component
    if repairs_off() or not is_theirs:
        return None
    from judge.repairing import find_repair  # only a failure needs it

    cell = _cell_of(component)
    if not cell:
        return None
    tests = importlib.import_module(f"tests.{stem}")
    test = getattr(tests, _exercise(stem, verdict.symbol).test)
    return find_repair(test.exercise, verdict, cell, names, meanwhile)


def _exercise(stem: str, symbol: str) -> ExerciseInfo:
    return next(exercise for exercise in exercises(stem) if exercise.symbol == symbol)


def _cell_of(component: Any) -> str:
    """The source of the cell that made it, "" where that is unknown, such as below %%time."""
    values = [component, *vars(component).values()]
    functions = [value for value in values if isinstance(value, FunctionType)]
    codes = [inspect.unwrap(function).__code__ for function in functions]
    files = {code.co_filename for code in codes}
    if len(files) != 1 or files == {NO_FILE}:
        return ""
    return "".join(linecache.getlines(files.pop()))


def _package(stem: str, symbol: str, component: Any) -> str:
    """Bring the package in my_gpt/ up to what has passed; what kept it from that, "" where nothing did."""
    try:
        is_kept = kept_path(_exercise(stem, symbol)).is_file()
        if not is_kept or progress_hidden() or _not_theirs(symbol, component):
            return ""
        from utils.learner.handed import handed_over  # only a pass needs it

        handed_over().write_package()
    except Exception as error:
        return NO_PACKAGE.format(reason=f"{type(error).__name__}: {error}")
    return ""


def _footer(stem: str, symbol: str, component: Any) -> list[str]:
    """After a pass: keep the source, count it, and say so. Whatever goes wrong becomes one of these lines."""
    reason = _not_theirs(symbol, component)
    lines = [reason] if reason else []
    for step, failed in () if reason else _STEPS:
        try:
            lines.append(step(stem, symbol))
        except Exception as error:
            lines.append(f"({failed}: {type(error).__name__}: {error})")
    return [] if progress_hidden() else lines


def _not_theirs(symbol: str, component: Any) -> str | None:
    """Why a pass is not the learner's own; None when it is."""
    module = str(getattr(component, "__module__", ""))
    if module.startswith("solutions."):
        return REFERENCE
    if current_shell().user_ns.get(symbol) is component:
        return None
    called = getattr(component, "__name__", symbol)
    if called != symbol:  # a bug hunt's, most likely
        return ANOTHER_NAME.format(called=called, symbol=symbol)
    return NO_NAME.format(symbol=symbol)


def _counted(stem: str, symbol: str) -> str:
    record_pass(stem, symbol)
    return progress_bar()


def _kept(stem: str, symbol: str) -> str:
    exercise = _exercise(stem, symbol)
    cells = current_shell().history_manager.input_hist_parsed
    try:
        keep(exercise, cells)
    except NotKept as reason:
        return f"Not kept: {reason}"
    return f"Kept as `my_gpt/{kept_path(exercise).name}`."


_STEPS = (
    (_counted, "It could not be counted"),
    (_kept, "It could not be kept in my_gpt/"),
    (next_line, "What comes next is unknown"),
)
