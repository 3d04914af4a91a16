"""Checks of the parameters a component has when it is made: names, shapes and dtypes; and the lines of all of these."""

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from judge.checking.answer import Answer, answered, check, line
from judge.checking.declaring import prove_settings
from judge.checking.diagnosis.parameters import Due, Made
from judge.checking.evidence import Evidence
from judge.checking.likeness import FALSE_ALARMS, Distance
from judge.checking.session import Session, session
from judge.checking.tensors import Sizes
from judge.checking.trial import Trial
from judge.checking.wording import Difference, count, number, sized
from judge.running.kinds.modules import COPY
from judge.running.on_demand import Tensor, torch
from judge.running.records import Record
from judge.running.settings import fields_of, with_field

# The spread of the second question: the usual one may be written out as a number.
OTHER_SPREAD = 0.3
# How far the spreads of one mistake may be apart: of many numbers, and of very few.
NEAR, FAR = 0.3, 0.6
# What float32 makes of a mean that should be 0.
TINY_SHIFT = 3e-7


@check
def check_initial(session: Session, component: Any, made_of: Any) -> None:
    """Parameters start as `initial={"w": 1.0}` says, the others at random, by default with spread `cfg.init_range`.

    For n normal numbers x of spread s, with r the mean of (x/s)², P(n/2 · (r - 1 - ln r) ≥ t) ≤ 2 exp(-t): Chernoff's
    bound for the chi-squared distribution, exact for every n (Laurent and Massart 2000, section 4.1, before rounding).
    """
    exercise = session.exercise
    drawn = exercise.axes(made_of).keys() - exercise.starts(made_of).keys()
    settings = [made_of]
    if drawn and "init_range" in fields_of(made_of):
        settings.append(with_field(made_of, "init_range", OTHER_SPREAD))
    trials = [only_made(session, cfg) for cfg in settings]
    # All are asked before any is looked at.
    for trial in trials:
        trial.record(component)
    for setting, trial in zip(settings, trials, strict=True):
        _compare(answered(trial, component), setting)


def only_made(session: Session, made_of: Any) -> Trial:
    """The question for the parameters of a component that is made of this, and not called."""
    exercise = session.exercise
    return Trial(session, exercise.kind.only_made(made_of, list(exercise.axes(made_of)), session.seed))


def _compare(answer: Answer, made_of: Any) -> None:
    exercise = answer.trial.session.exercise
    starts, record = exercise.starts(made_of), answer.record
    for name, value in record.parameters.items():
        constant = starts.get(name)
        if constant is None:
            wrong = _not_spread(name, value, list(exercise.spreads(name, made_of)))
        else:
            wrong = _not_constant(name, value, constant)
        if wrong:
            raise answer.mismatch(
                Difference((wrong,)),
                Evidence("start", want=constant, name=name),
                lambda other, name=name: _same_start(name, record, other),
            )


def _not_constant(name: str, value: Tensor, constant: float) -> str | None:
    wrong = value[value != constant]
    if not wrong.numel():
        return None
    amount = f"{wrong.numel()} of {value.numel()} values of `{name}` do not start at {constant:g}"
    return f"{amount}, the first at {number(wrong[0].item())}"


def _not_spread(name: str, value: Tensor, spreads: list[float]) -> str | None:
    """The fault of numbers that should be normal, with mean 0 and one of the right spreads."""
    numbers = value.double()
    if not numbers.isfinite().all():
        return f"`{name}` starts with numbers that are not finite: torch.empty holds whatever was in memory"
    if value.numel() > 1 and spread_of(numbers) == 0.0:
        # That a part starts so may be meant.
        so = "" if "." in name else ", so all its rows would learn the same"
        return f"`{name}` starts at {number(numbers.flatten()[0].item())} everywhere{so}"
    if any(_drawn_with(spread, numbers) for spread in spreads):
        return None
    found = f"mean {number(float(numbers.mean()))} and spread {number(spread_of(numbers))}"
    return f"`{name}` starts with {found}, expected mean 0 and spread {number(spreads[0])}, `cfg.init_range`"


def spread_of(numbers: Tensor) -> float:
    """The standard deviation of these numbers themselves."""
    return float(numbers.std(unbiased=False))


def _drawn_with(spread: float, numbers: Tensor) -> bool:
    """Whether these may come from a normal distribution with mean 0 and this standard deviation."""
    half = numbers.numel() / 2
    ratio = float(numbers.pow(2).mean()) / spread**2
    shifted = half * (float(numbers.mean()) / spread) ** 2
    # The logarithm of 0 is none.
    surprise = half * (ratio - 1 - math.log(max(ratio, 1e-300)))
    return max(surprise, shifted) <= math.log(2 / FALSE_ALARMS)


def _same_start(name: str, record: Record, other: Record) -> Distance:
    """0 where the numbers are the same, or the other's have a mean and a spread that are nearly the same.

    A parameter of a part is not looked at alone: whatever was done to the parts shows in the others too.
    """
    names = list(record.parameters) if "." in name else [name]
    return max(_start_apart(record.parameters[parameter], other.parameters.get(parameter)) for parameter in names)


def _start_apart(start: Tensor, other: Tensor | None) -> Distance:
    if other is None or other.shape != start.shape:
        return math.inf
    mine, theirs = start.double(), other.double()
    # By so much a few numbers of one distribution may miss its spread.
    chance = 2 / mine.numel() ** 0.5
    tolerance = min(max(NEAR, chance), FAR)
    # The spreads of two constants are 0, but for rounding.
    if not math.isclose(spread_of(mine), spread_of(theirs), rel_tol=tolerance, abs_tol=1e-6):
        return math.inf
    shift = abs(float(mine.mean() - theirs.mean()))
    allowed = max(NEAR * float(mine.abs().max()), 2 * chance * spread_of(mine), TINY_SHIFT)
    return shift if shift <= allowed else math.inf


# Parameters that a card lists one by one: more would hide what is wrong.
MOST_NAMED = 8
MOST_SAID = 3  # lines that need no fold
IN_WORDS = {0.0: "zeros", 1.0: "ones"}


@dataclass(frozen=True)
class Counted:
    """Parameters of which the same is to be said, each in a line."""

    one: str
    many: str
    lines: list[str]

    def in_words(self) -> str:
        return count(len(self.lines), self.one, self.many)


def check_parameters(component: Any, made_of: Any, *, only_saved: bool = False) -> None:
    """Two lines of the card: exactly the parameters that the exercise names, in their shapes; and how they start.

    With `only_saved` no buffer may be saved beside them, so that weights from elsewhere load with `strict=True`.
    """
    prove_settings([made_of])
    exercise = session().exercise
    axes, starts = exercise.axes(made_of), exercise.starts(made_of)
    with line(_title(axes, exercise.known_settings.names_from)):
        check_names_and_shapes(component, made_of, only_saved=only_saved)
    # Of many, each part has shown alone how its own start.
    many = len(axes) > MOST_NAMED
    if "init_range" in fields_of(made_of) and (starts or not many):
        title = "each part's parameters start as they do in the part alone" if many else _start_title(axes, starts)
        with line(title):
            check_initial(component, made_of)


@check
def check_names_and_shapes(session: Session, component: Any, made_of: Any, only_saved: bool = False) -> None:
    """The component has exactly the parameters that the exercise names, in float32 and in their shapes.

    With `only_saved` it saves nothing else.
    """
    answer = answered(only_made(session, made_of), component)
    made, due = Made(answer.record), _due(session, made_of, answer.record)
    saved = made.saved_buffers if only_saved else []
    copies = [name for name in due.axes if name not in made.shapes and made.types.get(name) == COPY]
    missing = [f"`{name}` is missing" for name in due.axes if name not in made.shapes and name not in copies]
    too_many = [f"`{name}` is one too many" for name in made.shapes if name not in due.axes]
    names = Counted("is missing", "are missing", missing), Counted("is one too many", "are too many", too_many)
    lines = [*_few(list(_shape_lines(made, due))), *_dtype_lines(answer.record)]
    lines += _few([f"`{name}` is a copy, not the parameter that was handed in" for name in copies])
    lines += _few([f"`{name}` is a buffer that `state_dict()` saves with them" for name in saved])
    if not (lines or missing or too_many):
        return
    sentences, more = _in_short(names, lines)

    def apart(other: Record) -> Distance:
        return _same_forms(made, Made(other), due.axes.keys())

    raise answer.mismatch(Difference(tuple(sentences), more=tuple(more)), Evidence("parameters", made, due), apart)


def _due(session: Session, made_of: Any, record: Record) -> Due:
    exercise = session.exercise
    axes = exercise.axes(made_of)
    sizes = {name: _sizes(session, made_of, names, record, name) for name, names in axes.items()}
    return Due(sizes, exercise.starts(made_of), exercise.known_settings)


def _sizes(session: Session, made_of: Any, names: str, record: Record, name: str) -> Sizes:
    """The axes with their sizes; where these are not a Config's, with what the component has."""
    if fields_of(made_of):
        return session.sizes(made_of, (), names)
    shape = record.parameters[name].shape if name in record.parameters else [0] * len(names.split())
    return list(zip(names.split(), shape, strict=False))


def _title(axes: dict[str, str], names_from: str) -> str:
    if len(axes) <= MOST_NAMED:
        return "parameters " + ", ".join(f"`{name}` [{names}]" for name, names in axes.items())
    first, *_, last = axes
    under = f" under {names_from}'s names" if names_from else ""
    return f"{len(axes)} parameters{under}, `{first}` to `{last}`"


def _start_title(axes: dict[str, str], starts: dict[str, float]) -> str:
    """`w` all ones; `b` all zeros; `W` at random: parameters that start alike are named together."""
    alike: dict[str, list[str]] = {}
    for name in axes:
        how = "at random, with spread `cfg.init_range`"
        if name in starts:
            how = f"all {IN_WORDS.get(starts[name], f'{starts[name]:g}')}"
        alike.setdefault(how, []).append(f"`{name}`")
    return "starts with " + " and ".join(f"{', '.join(group)} {how}" for how, group in alike.items())


def _in_short(names: tuple[Counted, ...], others: list[str]) -> tuple[list[str], list[str]]:
    """A card's sentence about the parameters, and its fold: all of them, where the sentence only counts them."""
    named = [line for kind in names for line in kind.lines]
    if len(named) + len(others) <= MOST_SAID:
        return [*named, *others], []
    counted = " and ".join(kind.in_words() for kind in names if kind.lines)
    sentences = [f"of the parameters, {counted}"] if counted else others[:1]
    listed = [line for kind in names for line in _few(kind.lines)]
    return sentences, [*listed, *(others if counted else others[1:])]


def _shape_lines(made: Made, due: Due) -> Iterator[str]:
    for name, shape in due.shapes.items():
        got = made.shapes.get(name, shape)
        if got == shape:
            continue
        axes = [axis for axis, _ in due.axes[name]]
        yield f"`{name}` has shape {list(got)}, expected {sized(list(shape), axes)}"
        if sorted(got) == sorted(shape):
            yield "its axes are in another order"


def _dtype_lines(record: Record) -> Iterator[str]:
    for name, value in record.parameters.items():
        if value.dtype != torch.float32:
            yield f"`{name}` is {str(value.dtype).removeprefix('torch.')}, expected float32"


def _few(lines: list[str]) -> list[str]:
    """The lines, or the first of them and how many more there are."""
    more = len(lines) - MOST_NAMED
    return lines if more <= 1 else [*lines[:MOST_NAMED], f"and {more} more"]


def _same_forms(made: Made, other: Made, wanted: Collection[str]) -> Distance:
    """0 where both have the same parameters; what a submodule that should not be is called does not matter.

    A list of parts and a tuple that a comma made are two mistakes.
    """
    if made.saved_buffers != other.saved_buffers:
        return math.inf
    with_a_tuple = any("tuple" in either.types.values() for either in (made, other))
    if with_a_tuple and made.types != other.types:
        return math.inf
    return 0.0 if _forms(made, wanted) == _forms(other, wanted) else math.inf


def _forms(made: Made, wanted: Collection[str]) -> list[tuple[str, list[int], str]]:
    return sorted(
        (name if name in wanted else _typed(name, made), list(value.shape), str(value.dtype))
        for name, value in made.record.parameters.items()
    )


def _typed(name: str, made: Made) -> str:
    """`Embedding().weight` for `wte.weight`, where that is known."""
    owner, dot, rest = name.partition(".")
    return f"{made.types[owner]}().{rest}" if dot and owner in made.types else name
