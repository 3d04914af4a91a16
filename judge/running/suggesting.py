"""The name that a misspelt one was meant to be, as Python itself suggests it in a traceback."""

import builtins
import difflib
from types import FrameType

ALIKE = 0.75  # as much as one wrong letter in four
SHORTEST = 3  # letters: of fewer, everything is near


def meant(error: BaseException) -> str:
    """The nearest name that was there, for a name or an attribute that was not; "" where none is near."""
    name = getattr(error, "name", None)
    if not isinstance(name, str) or len(name) < SHORTEST:
        return ""
    try:
        known = sorted(_known(error, name))
        close = difflib.get_close_matches(name, known, n=1, cutoff=ALIKE)
    except Exception:  # such as a __dir__ that fails
        return ""
    return close[0] if close else ""


def _known(error: BaseException, name: str) -> set[str]:
    """The names that could have been meant; private ones only for a private name."""
    found = _there(error) - {name}
    if name.startswith("_"):
        return found
    return {one for one in found if not one.startswith("_")}


def _there(error: BaseException) -> set[str]:
    """All names that were there."""
    if isinstance(error, UnboundLocalError):  # it is spelt as it should be
        return set()
    if isinstance(error, AttributeError):
        return set(dir(error.obj))
    frame = _innermost(error)
    if frame is None or not isinstance(error, NameError):
        return set()
    return {*frame.f_locals, *frame.f_globals, *dir(builtins)}


def _innermost(error: BaseException) -> FrameType | None:
    """Where it was raised."""
    entry = error.__traceback__
    while entry and entry.tb_next:
        entry = entry.tb_next
    return entry and entry.tb_frame
