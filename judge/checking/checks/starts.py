"""The check of how parameters start: with constants, or at random with the right spread, tested by an exact bound."""

import math
from typing import Any

from torch import Tensor

from judge.checking.answer import Answer, answered
from judge.checking.diagnosis.evidence import Evidence
from judge.checking.likeness import FALSE_ALARMS
from judge.checking.measuring import Distance
from judge.checking.session import Session
from judge.checking.trial import Trial, check
from judge.checking.wording import Difference, number
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
    """Parameters start with the constants that the exercise gives, the others at random, by default with `init_range`.

    For n normal numbers x of spread s, with r the mean of (x/s)², P(n/2 · (r - 1 - ln r) ≥ t) ≤ 2 exp(-t): Chernoff's
    bound for the chi-squared distribution, exact for every n (Laurent and Massart 2000, section 4.1, before rounding).
    """
    exercise = session.exercise
    drawn = exercise.axes(made_of).keys() - exercise.starts(made_of).keys()
    settings = [made_of]
    if drawn and "init_range" in fields_of(made_of):
        settings.append(with_field(made_of, "init_range", OTHER_SPREAD))
    trials = [only_made(session, one) for one in settings]
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
    """What is wrong with numbers that should be normal, with mean 0 and one of the right spreads."""
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
    return max(_start_apart(record.parameters[one], other.parameters.get(one)) for one in names)


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
