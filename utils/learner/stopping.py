"""Says where a run of many cells ended: at the first error, mostly the card of an exercise that is not written."""

import time
from typing import Any

from utils.learner.in_page import stopped


def tell_where_it_stops(shell: Any) -> None:
    """From now on a cell that stops with an error leads the reader to it, where they don't see it."""
    shell.events.register("post_run_cell", _tell)


def _tell(result: Any) -> None:
    error = result.error_before_exec or result.error_in_exec
    if error is None or isinstance(error, KeyboardInterrupt):
        return
    from IPython.display import HTML, display

    display(HTML(stopped(f"The run stopped. {_words(error)}", time.time())))


def _words(error: BaseException) -> str:
    verdict = getattr(error, "verdict", None)  # of a CheckFailed
    return verdict.summary() if verdict else type(error).__name__
