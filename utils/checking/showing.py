"""The call of a failed question, as a learner would write it: for what is called on strings, numbers and small tensors.

A tensor of many numbers is only named with its shape; where nothing but such is given, no call is shown.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from utils.checking.trial import Trial
from utils.checking.wording import number
from utils.running.plain import ARRAYS
from utils.running.records import Array, Opaque
from utils.running.settings import fields_of
from utils.running.values import is_dict, is_list_or_tuple, is_tuple

MOST_NUMBERS, MOST_AXES = 24, 2  # of a tensor that is written out
MOST_ITEMS = 12  # of a list, from its beginning
MOST_CHARACTERS = 240  # of one argument
LINE = 88
OF_ARRAYS = {"NumPy": "np.array", "JAX": "jnp.array"}


@dataclass(frozen=True)
class Written:
    """A value as Python would have it, about; and whether it is there, or only named."""

    text: str
    is_there: bool = True


def call_lines(trial: Trial) -> tuple[str, ...]:
    """The call of a question, in a line or with a line for each argument; nothing where it would say nothing."""
    exercise = trial.session.exercise
    lines: list[str] = []
    there = False
    for call in trial.kind.calls(trial.question):
        names = list(exercise.inputs) if call.by_name else []
        arguments = [written(value) for value in call.arguments]
        named = [(name, written(value)) for name, value in call.options.items()]
        there = there or any(one.is_there for one in (*arguments, *(one for _, one in named)))
        lines += _lines(call.form.format(exercise.symbol, "{}"), names, arguments, named)
    return tuple(lines) if there else ()


def _lines(form: str, names: list[str], arguments: list[Written], options: list[tuple[str, Written]]) -> list[str]:
    settings = [f"{name}={value.text}" for name, value in options]
    in_a_line = form.format(", ".join([*(one.text for one in arguments), *settings]))
    if len(in_a_line) <= LINE or len(names) < len(arguments):
        return [in_a_line]
    named = [f"{name}={one.text}" for name, one in zip(names, arguments, strict=False)]
    begin, end = form.split("{}")
    return [begin, *(f"    {one}," for one in (*named, *settings)), end]


def written(value: Any) -> Written:
    """A value as a card writes it, cut where it is long."""
    if isinstance(value, (Tensor, Array)):
        return _tensor(value)
    text = _text(value)
    cut = text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 3]}..."
    return Written(cut, "a tensor [" not in text)


def both(got: Any, want: Any) -> tuple[str, ...]:
    """What came and what is due, below each other; nothing where these are too large."""
    if isinstance(got, Opaque):
        return ()
    values = written(got), written(want)
    if not all(one.is_there for one in values):
        return ()
    mine, right = values
    return (f"got       {mine.text}", f"expected  {right.text}")


def _tensor(value: Tensor | Array) -> Written:
    numbers = value.tensor if isinstance(value, Array) else value
    made = OF_ARRAYS[value.of] if isinstance(value, Array) else "torch.tensor"
    what = ARRAYS[value.of] if isinstance(value, Array) else "tensor"
    if numbers.numel() > MOST_NUMBERS or numbers.ndim > MOST_AXES:
        return Written(f"a {what} {list(numbers.shape)}", is_there=False)
    return Written(f"{made}({_numbers(numbers.tolist())})")


def _numbers(nest: Any) -> str:
    if isinstance(nest, list):
        return f"[{', '.join(map(_numbers, nest))}]"
    return short_number(nest) if isinstance(nest, float) else str(nest)


def short_number(value: float) -> str:
    """A number of a tensor: as few digits as show it, four decimals at most."""
    text = number(value)
    return text.rstrip("0") + "0" * text.endswith(".0000") if "." in text and "e" not in text else text


def _text(value: Any) -> str:
    if isinstance(value, (Tensor, Array)):
        return _tensor(value).text
    if is_list_or_tuple(value):
        return _items(value)
    if is_dict(value):
        return "{" + ", ".join(f"{key!r}: {_text(item)}" for key, item in value.items()) + "}"
    return f"{type(value).__name__}({', '.join(_settings(value))})" if fields_of(value) else repr(value)


def _items(value: list[Any] | tuple[Any, ...]) -> str:
    items = [_text(item) for item in value[:MOST_ITEMS]]
    more = len(value) - MOST_ITEMS
    if more > 0:
        items.append(f"... {more} more")
    if is_tuple(value):
        return f"({', '.join(items)}{',' * (len(value) == 1)})"
    return f"[{', '.join(items)}]"


def _settings(value: Any) -> Iterator[str]:
    for name, held in fields_of(value).items():
        yield f"{name}={held!r}"
