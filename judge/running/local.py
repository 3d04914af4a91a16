"""The runner that drives code in this process: it reports a Record, and leaves nothing behind but that."""

import builtins
import contextlib
import warnings
from collections.abc import Callable, Generator
from types import FrameType
from typing import Any

from judge.running.ambient import Change, seed_all, undisturbed
from judge.running.frames import Looks, own_frames
from judge.running.hearing import Heard
from judge.running.kinds import kind_of
from judge.running.limited import Limit, TooSlow, for_a_question, limited
from judge.running.records import CHANGES, STOPPED, TOO_SLOW, LearnerError, Question, Record, Unchanged, plain
from judge.running.spelling import IN_CODE, is_slip, nearest

SHORTEST = 3  # letters: of fewer, everything is near


def meant(error: BaseException) -> str:
    """The nearest name that was there, for a name or an attribute that was not; "" where none is near."""
    name = getattr(error, "name", None)
    if not isinstance(name, str) or len(name) < SHORTEST:
        return ""
    try:
        return nearest(name, _known(error, name), IN_CODE, guess=True) or ""
    except Exception:  # such as a __dir__ that fails
        return ""


def _known(error: BaseException, name: str) -> set[str]:
    """The names that could have been meant; private ones only for a private name.

    Not those that have all its letters in quite another order: `stoi` is there, and `itos` is what it says.
    """
    letters = sorted(name)
    found = {one for one in _there(error) - {name} if sorted(one) != letters or is_slip(name, one)}
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


MOST_OF_A_MESSAGE, MOST_PRINTED = 10_000, 100_000  # characters that a record takes along
Limiting = Callable[[Callable[[FrameType], None]], Limit]  # given what looks at the code now and then


class Interrupted(KeyboardInterrupt):
    """Somebody stopped the code; `record` says where it was, and what it had printed."""

    def __init__(self, record: Record):
        super().__init__()
        self.record = record


class LocalRunner:
    """Asks in this process. Anything that can `ask` may stand in its place: see judge.checking.asking.

    `limit` makes what a question may take, and `printed` is how many characters of what is printed are kept, the last.
    Where all that runs in this process are questions, draws need not go on after one.
    """

    def __init__(self, limit: Limiting = for_a_question, printed: int = MOST_PRINTED, draws_go_on: bool = True):
        self.limit, self.printed, self.draws_go_on = limit, printed, draws_go_on

    def ask(self, component: Any, question: Question) -> Record:
        """Drive the component as the question says. Never raises for what the component does: see `Record.error`.

        It is ended where it takes too long (limited.py). Raises Interrupted where somebody stops it.
        """
        looks = Looks()
        with _heard(self.printed) as printed:
            content, stopped = self._content(component, question, looks)
        record = Record(**content, printed=_writable(printed.text()))
        if stopped:
            raise Interrupted(record)
        return record

    def _content(self, component: Any, question: Question, looks: Looks) -> tuple[dict[str, Any], bool]:
        """The fields of a record, but for what was printed; and whether somebody stopped it."""
        limit = self.limit(looks.look)
        try:
            with seeded(question.seed, self.draws_go_on) as changed:
                content = limited(limit, lambda: _driven(component, question))
                left = changed()
            return {"error": _told_of(left[0])} if left else content, False
        except KeyboardInterrupt as error:
            return {"error": LearnerError(STOPPED, "", own_frames(error))}, True
        except TooSlow:
            if not limit.reason:  # it is another limit's
                raise
            message = f"{limit.reason}\n{looks.sentence()}".strip()
            return {"error": LearnerError(TOO_SLOW, message, looks.frames)}, False
        except (Exception, SystemExit) as error:
            return {"error": _error(error)}, False
        finally:
            looks.forget()


def _driven(component: Any, question: Question) -> dict[str, Any]:
    seen = kind_of(question).drive(component, *question.args, **question.options)
    content: dict[str, Any] = {}
    for name in ("outputs", "inputs_after", "input_grads"):
        content[name] = [value if isinstance(value, Unchanged) else plain(value) for value in getattr(seen, name)]
    for name in ("grads", "parameters"):
        content[name] = {key: plain(value) for key, value in getattr(seen, name).items()}
    return content


@contextlib.contextmanager
def seeded(seed: int, draws_go_on: bool = True) -> Generator[Callable[[], list[Change]]]:
    """Within the block torch, `random` and NumPy draw from this seed, and torch has its ordinary settings.

    Afterwards all goes on as if nothing had been; what is given tells which settings the block has changed.
    """
    with undisturbed(draws_go_on=draws_go_on) as changed:
        seed_all(seed)
        yield changed


@contextlib.contextmanager
def _heard(most: int) -> Generator[Heard]:
    """The last of what is printed within the block, on both streams; nobody is warned."""
    printed = Heard(most)
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
        warnings.catch_warnings(action="ignore"),
    ):
        yield printed


def _told_of(change: Change) -> LearnerError:
    """The error for code that leaves a setting of torch otherwise than it was."""
    what, before, after = change
    ways = f", from {before} to {after}" if before is not None else f" to {after}"
    said = f"your code changes {what.name}{ways}, for all that runs after it, in other cells too"
    return LearnerError(CHANGES, f"{said}\n{what.instead}")


def _error(error: BaseException) -> LearnerError:
    return LearnerError(
        type(error).__name__, _message(error), own_frames(error), _bases(error), _writable(meant(error))
    )


def _bases(error: BaseException) -> list[str]:
    """Python's own types that a type of error made elsewhere is a kind of."""
    own, *others = type(error).__mro__
    if own.__module__ == "builtins":
        return []
    return [base.__name__ for base in others if issubclass(base, Exception) and base.__module__ == "builtins"]


def _message(error: BaseException) -> str:
    try:
        return _writable(str(error)[:MOST_OF_A_MESSAGE])
    except Exception as another:
        return f"its message can't be read: __str__ raised {type(another).__name__}"


def _writable(text: str) -> str:
    """The text without halves of characters, which neither a file nor a notebook can hold."""
    return text.encode("utf-8", "backslashreplace").decode()
