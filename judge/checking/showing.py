"""The call of a failed question, as a learner would write it: for what is called on strings, numbers and small tensors.

A tensor of many numbers is only named with its shape; where nothing but such is given, no call is shown.
"""

from dataclasses import dataclass
from typing import Any, cast

from judge.checking.trial import Trial
from judge.checking.wording import in_code, number
from judge.running.kinds.kind import Call
from judge.running.on_demand import Tensor
from judge.running.records import Array, Opaque
from judge.running.values import is_dict, is_list, is_list_or_tuple

MOST_NUMBERS, MOST_AXES = 24, 2  # of a tensor that is written out
MOST_ITEMS = 12  # of a list, from its beginning
MOST_CHARACTERS = 240  # of one argument
LINE = 88  # characters
A_TENSOR = "a tensor "
OF_ARRAYS = {"NumPy": "np.array", "JAX": "jnp.array"}


@dataclass(frozen=True)
class Written:
    """A value as Python would have it, about; and whether it is there, or only named."""

    text: str
    is_there: bool = True


def call_lines(trial: Trial) -> tuple[str, ...]:
    """The call of a question, in a line or with a line for each argument; nothing where it would say nothing."""
    exercise = trial.session.exercise
    calls = trial.kind.calls(trial.question)
    values = [value for call in calls for value in (*call.arguments, *call.options.values())]
    if not any(written(value).is_there for value in values):
        return ()
    lines: list[str] = []
    for call in calls:
        lines += _lines(call.form.format(exercise.symbol, "{}"), list(exercise.inputs) if call.by_name else [], call)
    return tuple(lines)


def _lines(form: str, names: list[str], call: Call) -> list[str]:
    arguments = [written(value).text for value in call.arguments]
    settings = [f"{name}={written(value).text}" for name, value in call.options.items()]
    in_a_line = form.format(", ".join([*arguments, *settings]))
    if len(in_a_line) <= LINE or len(names) < len(arguments):
        return [in_a_line]
    named = [f"    {name}={text}," for name, text in zip(names, arguments, strict=False)]
    begin, end = form.split("{}")
    return [begin, *named, *(f"    {setting}," for setting in settings), end]


def written(value: Any) -> Written:
    """A value as a card writes it, cut where it is long."""
    if isinstance(value, (Tensor, Array)):
        return _tensor(value)
    text = _text(value)
    is_there = A_TENSOR not in text
    if len(text) > MOST_CHARACTERS:
        text = text[: MOST_CHARACTERS - 3] + "..."
    return Written(text, is_there)


def both(got: Any, want: Any) -> tuple[str, ...]:
    """Both values, what came and what is due, below each other; nothing where these are too large."""
    if isinstance(got, Opaque):
        return ()
    mine, right = written(got), written(want)
    if not (mine.is_there and right.is_there):
        return ()
    return (f"got       {mine.text}", f"expected  {right.text}")


def _tensor(value: Tensor | Array) -> Written:
    if isinstance(value, Array):
        numbers = value.tensor
        made = OF_ARRAYS[value.of]
    else:
        numbers = value
        made = "torch.tensor"
    if numbers.numel() > MOST_NUMBERS or numbers.ndim > MOST_AXES:
        shape = list(numbers.shape)
        return Written(f"{A_TENSOR}{shape}", is_there=False)
    nest = cast(Any, numbers).tolist()
    return Written(f"{made}({_numbers(nest)})")


def _numbers(nest: Any) -> str:
    if is_list(nest):
        inside = ", ".join(map(_numbers, nest))
        return f"[{inside}]"
    if isinstance(nest, float):
        return short_number(nest)
    return str(nest)


def short_number(value: float) -> str:
    """A number of a tensor: as few digits as show it, four decimals at most."""
    text = number(value)
    if "." not in text or "e" in text:
        return text
    whole, _, decimals = text.partition(".")
    return f"{whole}.{decimals.rstrip('0') or '0'}"


def _text(value: Any) -> str:
    if isinstance(value, (Tensor, Array)):
        return _tensor(value).text
    if is_list_or_tuple(value):
        return _items(value)
    if is_dict(value):
        items = [f"{in_code(key)}: {_text(item)}" for key, item in value.items()]
        inside = ", ".join(items)
        return "{" + inside + "}"
    return in_code(value)


def _items(value: list[Any] | tuple[Any, ...]) -> str:
    items = list(map(_text, value[:MOST_ITEMS]))
    more = len(value) - MOST_ITEMS
    if more > 0:
        items.append(f"... {more} more")
    inside = ", ".join(items)
    if is_list(value):
        return f"[{inside}]"
    comma = "," * (len(value) == 1)
    return f"({inside}{comma})"
