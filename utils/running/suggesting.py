"""The name that a misspelt one was meant to be, as Python itself suggests it in a traceback."""

import builtins
import difflib
from collections.abc import Iterable

ALIKE, SHORTEST = 0.75, 3


def meant(error: BaseException) -> str:
    """The nearest name that was there, for a name or an attribute that was not; "" where none is near."""
    name = getattr(error, "name", None)
    if not isinstance(name, str) or len(name) < SHORTEST or isinstance(error, UnboundLocalError):
        return ""
    try:
        close = difflib.get_close_matches(name, sorted(_known(error, name)), n=1, cutoff=ALIKE)
    except Exception:  # such as a __dir__ that fails
        return ""
    return close[0] if close else ""


def _known(error: BaseException, name: str) -> Iterable[str]:
    """The names that could have been meant; private ones only for a private name."""
    found: set[str] = set()
    if isinstance(error, AttributeError):
        found = set(dir(error.obj))
    elif isinstance(error, NameError) and error.__traceback__:
        frame = error.__traceback__
        while frame.tb_next:
            frame = frame.tb_next
        found = {*frame.tb_frame.f_locals, *frame.tb_frame.f_globals, *dir(builtins)}
    return (one for one in found - {name} if name[0] == "_" or one[0] != "_")
