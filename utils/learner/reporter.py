"""What a learner sees of a verdict: the card, what was kept of what they wrote, and what comes next."""

import sys
from collections.abc import Callable
from typing import Any

from utils.checking.verdict import Verdict
from utils.course import exercises
from utils.learner.cards import as_html
from utils.learner.keeping import NotKept, keep, kept_path
from utils.learner.progress import next_line, progress_bar, progress_hidden, record_pass


class LearnerReporter:
    """Displays the card in a notebook; elsewhere prints a pass, and leaves a failure to the exception's own text."""

    def report(self, stem: str, verdict: Verdict, component: Any | None) -> bool:
        """Show the verdict, keep what passed; True if a reader now sees the card. Never raises."""
        try:
            if in_notebook():
                _display(verdict, _footer(stem, verdict, component))
                return True
            if verdict.status == "passed":
                print(verdict)
                return True
        except Exception:  # such as an output that can't write ✔: a pass stays a pass
            pass
        return False


def in_notebook() -> bool:
    """Whether this process is a notebook's kernel; a terminal's IPython is not."""
    return getattr(_shell(), "kernel", None) is not None


def _shell() -> Any:
    ipython = sys.modules.get("IPython")  # nobody runs in it before somebody has imported it
    return ipython and ipython.get_ipython()


def _display(verdict: Verdict, footer: list[str]) -> None:
    from IPython.display import display

    text = "\n".join([str(verdict), *(f"  {line}" for line in footer)])
    display({"text/plain": text, "text/html": as_html(verdict, footer)}, raw=True)


def _footer(stem: str, verdict: Verdict, component: Any | None) -> list[str]:
    """After a pass: keep the source, count it, and say so. Whatever goes wrong becomes one of these lines."""
    if verdict.status != "passed" or component is None:
        return []
    steps = [
        (_counted, "It could not be counted"),
        (_kept, "It could not be kept in my_gpt/"),
        (next_line, "What comes next is unknown"),
    ]
    if reason := _not_theirs(verdict.symbol, component):
        lines = [reason]
    else:
        lines = [_line(step, failed, stem, verdict.symbol) for step, failed in steps]
    return [] if progress_hidden() else lines


def _line(step: Callable[[str, str], str], failed: str, stem: str, symbol: str) -> str:
    try:
        return step(stem, symbol)
    except Exception as error:
        return f"({failed}: {type(error).__name__}: {error})"


def _not_theirs(symbol: str, component: Any) -> str | None:
    """Why a pass is not the learner's own; None when it is."""
    if str(getattr(component, "__module__", "")).startswith("solutions."):
        return "This is the reference solution: it is neither counted nor kept."
    shell = _shell()
    if shell is None or shell.user_ns.get(symbol) is not component:
        return (
            f"Neither counted nor kept: this notebook does not call it `{symbol}`. Give it that name and test it again."
        )
    return None


def _counted(stem: str, symbol: str) -> str:
    record_pass(stem, symbol)
    return progress_bar()


def _kept(stem: str, symbol: str) -> str:
    exercise, shell = next(one for one in exercises(stem) if one.symbol == symbol), _shell()
    try:
        keep(exercise, shell.history_manager.input_hist_parsed if shell else [])
    except NotKept as reason:
        return f"Not kept: {reason}"
    return f"Kept as `my_gpt/{kept_path(exercise).name}`."
