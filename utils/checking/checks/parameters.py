"""Checks of the parameters a component has when it is made: names, shapes, dtypes, and initial values."""

import dataclasses
import math
from collections.abc import Collection, Iterator
from typing import Any

import torch
from torch import Tensor

from utils.checking.diagnosis.explaining import Distance, explain_error, mismatch
from utils.checking.diagnosis.parameters import name_advice, shape_advice, types_of
from utils.checking.session import line, session
from utils.checking.trial import check
from utils.checking.wording import Difference, at, number
from utils.running.records import Question, Record

MOST_NAMED = 8  # parameters that the line's title lists one by one
FILL = "Draw it from a normal distribution, as in `nn.init.normal_(self.{}, std=cfg.init_range)`."
START = "Start it there: `self.{} = nn.Parameter({})`."
STAY_IN_FLOAT32 = (
    "Parameters are float32, as torch makes them: leave out `dtype=`, `.double()`, `.half()` and `.long()`."
)
LEFT = (
    "Parts start their own parameters when they are made: change none of them afterwards. If nothing here does, a part "
    "is wrong: run its own test."
)
OTHER_SPREAD = 0.3
FALSE_ALARMS = 1e-6  # how often right initial values may be refused, at most


def check_parameters(component: Any, made_of: Any) -> None:
    """Two lines of the card: exactly the parameters that the exercise names, in their shapes; and how they start."""
    axes = session().exercise.axes(made_of)
    with line(_title(axes)):
        check_names_and_shapes(component, made_of)
    if hasattr(made_of, "init_range") and (len(axes) <= MOST_NAMED or session().exercise.starts(made_of)):
        with line(_initial_title(made_of)):
            check_initial(component, made_of)


@check
def check_names_and_shapes(component: Any, made_of: Any) -> None:
    """The component has exactly the parameters that the exercise names, in float32 and in their shapes."""
    question, record = _made(component, made_of)
    axes = session().exercise.axes(made_of)
    sizes = {name: _sizes(made_of, names, record, name) for name, names in axes.items()}
    got = {name: tuple(value.shape) for name, value in record.parameters.items()}
    lines = [*_name_lines(got, sizes), *_few(list(_shape_lines(got, sizes)))]
    advice = name_advice(got, sizes, session().exercise.starts(made_of), record) or shape_advice(got, sizes)
    lines += [
        f"`{name}` is {str(value.dtype).removeprefix('torch.')}, expected float32"
        for name, value in record.parameters.items()
        if value.dtype != torch.float32
    ]
    if lines:
        raise mismatch(
            component,
            question,
            record,
            Difference(tuple(lines)),
            lambda other: _same_forms(record, other, axes.keys()),
            advice=advice or STAY_IN_FLOAT32,
        )


@check
def check_initial(component: Any, made_of: Any) -> None:
    """Parameters start with the constants that the exercise gives, the others at random, by default with `init_range`.

    For n normal numbers x of spread s, with r the mean of (x/s)², P(n/2 · (r - 1 - ln r) ≥ t) ≤ 2 exp(-t): Chernoff's
    bound for the chi-squared distribution, exact for every n (Laurent and Massart 2000, section 4.1, before rounding).
    """
    drawn = session().exercise.axes(made_of).keys() - session().exercise.starts(made_of).keys()
    settings = [made_of]
    if drawn and dataclasses.is_dataclass(made_of):  # 0.02 is GPT-2's own: a number written out would fit it
        settings.append(dataclasses.replace(made_of, init_range=OTHER_SPREAD))  # type: ignore[type-var]
    asked = [_asked(component, setting) for setting in settings]
    for setting, (question, record) in zip(settings, asked, strict=True):
        if record.error:
            raise explain_error(component, question, record)
        _compare_start(component, setting, question, record)


def _compare_start(component: Any, made_of: Any, question: Question, record: Record) -> None:
    starts = session().exercise.starts(made_of)
    for name, value in record.parameters.items():
        constant = starts.get(name)
        wrong = _not_constant(name, value, constant) if constant is not None else _not_spread(name, value, made_of)
        if wrong:
            raise mismatch(
                component,
                question,
                record,
                Difference((wrong,)),
                lambda other, name=name: _same_start(name, record, other),
                advice=_how_to_start(name, constant),
            )


def _how_to_start(name: str, constant: float | None) -> str:
    if "." in name:
        return LEFT
    return FILL.format(name) if constant is None else START.format(name, _made_with(constant))


def _made_with(constant: float) -> str:
    return {0.0: "torch.zeros(...)", 1.0: "torch.ones(...)"}.get(constant, f"torch.full(..., {constant:g})")


def _made(component: Any, made_of: Any) -> tuple[Question, Record]:
    question, record = _asked(component, made_of)
    if record.error:
        raise explain_error(component, question, record)
    return question, record


def _asked(component: Any, made_of: Any) -> tuple[Question, Record]:
    exercise = session().exercise
    question = exercise.kind.only_made(made_of, list(exercise.axes(made_of)), session().seed)
    return question, session().ask_in_test(component, question)


def _title(axes: dict[str, str]) -> str:
    if len(axes) <= MOST_NAMED:
        return "parameters " + ", ".join(f"`{name}` [{names}]" for name, names in axes.items())
    first, *_, last = axes
    return f"{len(axes)} parameters under TransformerLens's names, `{first}` to `{last}`"


def _initial_title(made_of: Any) -> str:
    """`w` all ones; `b` all zeros; `W` at random: parameters that start alike are named together."""
    names, initial = list(session().exercise.axes(made_of)), session().exercise.starts(made_of)
    if len(names) > MOST_NAMED:
        return "each part's parameters start as they do in the part alone"
    alike: dict[str, list[str]] = {}
    for name in names:
        how = f"all {_in_words(initial[name])}" if name in initial else "at random, with spread `cfg.init_range`"
        alike.setdefault(how, []).append(f"`{name}`")
    return "starts with " + " and ".join(f"{', '.join(group)} {how}" for how, group in alike.items())


def _in_words(constant: float) -> str:
    return {0.0: "zeros", 1.0: "ones"}.get(constant, f"{constant:g}")


def _sizes(made_of: Any, names: str, record: Record, name: str) -> list[tuple[str, int]]:
    """The axes with their sizes; where these are not a Config's, with what the component has."""
    if hasattr(made_of, "d_model"):
        return session().sizes(made_of, (), names)
    shape = record.parameters[name].shape if name in record.parameters else [0] * len(names.split())
    return list(zip(names.split(), shape, strict=False))


def _name_lines(got: dict[str, tuple], sizes: dict[str, list]) -> Iterator[str]:
    yield from _few([f"`{name}` is missing" for name in sizes if name not in got])
    yield from _few([f"`{name}` is one too many" for name in got if name not in sizes])


def _few(lines: list[str]) -> list[str]:
    """The lines, or the first of them and how many more there are."""
    more = len(lines) - MOST_NAMED
    return lines if more <= 1 else [*lines[:MOST_NAMED], f"and {more} more"]


def _shape_lines(got: dict[str, tuple], sizes: dict[str, list[tuple[str, int]]]) -> Iterator[str]:
    for name, want in sizes.items():
        shape = [size for _, size in want]
        if name in got and list(got[name]) != shape:
            yield f"`{name}` has shape {list(got[name])}, expected {at(shape, [axis for axis, _ in want])}"
            if sorted(got[name]) == sorted(shape):
                yield "its axes are in another order"


def _same_forms(record: Record, other: Record, wanted: Collection[str]) -> Distance:
    """0 where both have the same parameters; what a submodule that should not be is called does not matter.

    A list of parts and a tuple that a comma made are two mistakes.
    """
    if any("tuple" in types_of(one).values() for one in (record, other)) and types_of(record) != types_of(other):
        return math.inf
    mine, theirs = (
        sorted(
            (name if name in wanted else _typed(name, one), list(value.shape), str(value.dtype))
            for name, value in one.parameters.items()
        )
        for one in (record, other)
    )
    return 0.0 if mine == theirs else math.inf


def _typed(name: str, record: Record) -> str:
    """`Embedding().weight` for `wte.weight`, where that is known."""
    types, (owner, dot, rest) = types_of(record), name.partition(".")
    return f"{types[owner]}().{rest}" if dot and owner in types else name


def _not_constant(name: str, value: Tensor, constant: float) -> str | None:
    wrong = value[value != constant]
    amount = f"{wrong.numel()} of {value.numel()} values of `{name}` do not start at {constant:g}"
    return f"{amount}, the first at {number(wrong[0].item())}" if wrong.numel() else None


def _not_spread(name: str, value: Tensor, cfg: Any) -> str | None:
    """What is wrong with numbers that should be normal, with mean 0 and one of the right spreads."""
    spreads, numbers = list(session().exercise.spreads(name, cfg)), value.double()
    if not numbers.isfinite().all():
        return f"`{name}` starts with numbers that are not finite: torch.empty holds whatever was in memory"
    if value.numel() > 1 and float(numbers.std(unbiased=False)) == 0.0:
        so = "" if "." in name else ", so all its rows would learn the same"  # a part's silence may be meant
        return f"`{name}` starts at {number(numbers.flatten()[0].item())} everywhere{so}"
    if any(_drawn_with(spread, numbers) for spread in spreads):
        return None
    found = f"mean {number(float(numbers.mean()))} and spread {number(float(numbers.std(unbiased=False)))}"
    return f"`{name}` starts with {found}, expected mean 0 and spread {number(spreads[0])}, `cfg.init_range`"


def _drawn_with(spread: float, numbers: Tensor) -> bool:
    """Whether these may come from a normal distribution with mean 0 and this standard deviation."""
    ratio = float(numbers.pow(2).mean()) / spread**2
    shifted = numbers.numel() / 2 * (float(numbers.mean()) / spread) ** 2
    surprise = numbers.numel() / 2 * (ratio - 1 - math.log(max(ratio, 1e-300)))
    return max(surprise, shifted) <= math.log(2 / FALSE_ALARMS)


def _same_start(name: str, record: Record, other: Record) -> Distance:
    """0 where the numbers are the same, or the other's have a mean and a spread that are nearly the same.

    A parameter of a part is not looked at alone: whatever was done to the parts shows in the others too.
    """
    names = list(record.parameters) if "." in name else [name]
    return max(_start_apart(one, record, other) for one in names)


def _start_apart(name: str, record: Record, other: Record) -> Distance:
    if name not in other.parameters or other.parameters[name].shape != record.parameters[name].shape:
        return math.inf
    mine, theirs = (one.parameters[name].double() for one in (record, other))
    spread, other_spread = (float(numbers.std(unbiased=False)) for numbers in (mine, theirs))
    chance = 2 / mine.numel() ** 0.5  # by which a few numbers of one distribution may miss its spread
    near = math.isclose(spread, other_spread, rel_tol=min(max(0.3, chance), 0.6), abs_tol=1e-6)
    shift = abs(float(mine.mean() - theirs.mean()))
    allowed = max(0.3 * float(mine.abs().max()), 2 * chance * spread, 3e-7)
    return shift if near and shift <= allowed else math.inf
