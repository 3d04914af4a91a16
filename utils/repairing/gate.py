"""A quick gate: whether an answer to one question is right, before a candidate is judged whole."""

from typing import Any

from torch import Tensor

from utils.checking import Exercise
from utils.checking.counts import are_indices, same_draws
from utils.checking.measuring import absolute_tolerance, distance, equal, largest
from utils.checking.oracle import expected
from utils.running.kinds import is_drawn, kind_of
from utils.running.records import Question, Record

VALUES, GRADIENTS = 1e-4, 1e-3  # relative; the exercise's own test is stricter
REFUSED = 0.05  # of right draws, by the gate


def gets_through(exercise: Exercise, question: Question, record: Record) -> bool:
    """Whether the record is what the reference answers, but for rounding; draws may be those of one distribution.

    Of draws that are no indices, and of work, only the form is compared.
    """
    right = expected(exercise, question)
    if record.error or right.error:
        return bool(record.error and right.error) and record.error.type == right.error.type  # type: ignore[union-attr]
    if kind_of(question).varies(question):
        if [type(one) for one in record.outputs] != [type(one) for one in right.outputs]:
            return False
        indices = is_drawn(question) and are_indices(record.outputs) and are_indices(right.outputs)
        return not indices or same_draws(record.outputs, right.outputs, REFUSED)
    return (
        _same_values(exercise, record, right)
        and _forms(record.parameters) == _forms(right.parameters)
        and equal(record.inputs_after, right.inputs_after)
        and _same_gradients(record, right)
    )


def _same_values(exercise: Exercise, record: Record, right: Record) -> bool:
    try:
        got, want = (list(map(exercise.view, one.outputs)) for one in (record, right))
    except Exception:  # a view may be made for right answers alone
        return False
    return distance(got, want) <= absolute_tolerance(VALUES, want)


def _same_gradients(record: Record, right: Record) -> bool:
    pairs = [(record.grads.get(name), want) for name, want in right.grads.items()]
    pairs += list(zip(record.input_grads, right.input_grads, strict=False))
    return all(_near(got, want) for got, want in pairs)


def _near(got: Any, want: Any) -> bool:
    if not isinstance(got, Tensor) or not isinstance(want, Tensor):
        return got is want or (want is not None and largest(want) == 0.0)
    return distance(got, want) <= GRADIENTS * max(1.0, largest(want))


def _forms(parameters: dict[str, Tensor]) -> dict[str, tuple]:
    return {name: (value.shape, value.dtype) for name, value in parameters.items()}
