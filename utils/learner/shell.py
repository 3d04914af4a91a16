"""Where the learner's code runs: IPython's shell, that of a notebook or of a terminal, if there is one."""

import sys
from typing import Any


def current_shell() -> Any:
    """The shell of this process; None outside IPython, which is not imported to find out."""
    ipython = sys.modules.get("IPython")
    return ipython and ipython.get_ipython()


def notebook_shell() -> Any:
    """The shell of a notebook's kernel; None in a terminal's IPython and outside of it."""
    shell = current_shell()
    return shell if getattr(shell, "kernel", None) is not None else None
