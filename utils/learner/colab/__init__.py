"""Google Colab: a runtime made ready for the course, and my_gpt/ kept beyond the runtime's end.

Every notebook begins with a cell that fetches the course and calls `prepare` (author/notebooks.py).
"""

import time

from IPython.core.getipython import get_ipython

from utils.learner.colab.installing import install
from utils.learner.colab.taking_along import bring_back_my_gpt, download_my_gpt, kept_on_drive, where_it_is_kept


def prepare(keep_on_drive: bool = False) -> None:
    """Install what the course needs, once for a runtime; say where my_gpt/ is, and how to keep it.

    Raises NotInstalled, with what to do next, where pip fails.
    """
    began = time.monotonic()
    installed = install()
    if shell := get_ipython():
        commands = (download_my_gpt, bring_back_my_gpt)
        shell.push({one.__name__: one for one in commands})
    seconds = time.monotonic() - began
    print(f"Ready, after {seconds:.0f} seconds." if installed else "Ready.")
    if keep_on_drive:
        print(*kept_on_drive(), sep="\n")
    print(where_it_is_kept())
