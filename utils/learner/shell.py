"""Where the learner's code runs: IPython's shell, that of a notebook or of a terminal, if there is one."""

import os
import sys
from typing import Any


def progress_hidden() -> bool:
    """Whether cards say nothing of progress and keep nothing, so that stored ones stay: COURSE_PROGRESS=hidden."""
    return os.environ.get("COURSE_PROGRESS") == "hidden"


def repairs_off() -> bool:
    """Whether nobody looks for one change that makes a wrong answer pass: COURSE_REPAIRS=off."""
    return os.environ.get("COURSE_REPAIRS") == "off"


def widgets_off() -> bool:
    """Whether figures stand without their controls, and long cells without a bar: COURSE_WIDGETS=off."""
    return os.environ.get("COURSE_WIDGETS") == "off"


def current_shell() -> Any:
    """The shell of this process; None outside IPython, which is not imported to find out."""
    ipython = sys.modules.get("IPython")
    return ipython and ipython.get_ipython()


def notebook_shell() -> Any:
    """The shell of a notebook's kernel; None in a terminal's IPython and outside of it."""
    shell = current_shell()
    return shell if getattr(shell, "kernel", None) is not None else None
