"""A quick gate: whether an answer to one question is right, before a candidate is judged whole."""

from itertools import starmap

from judge.checking import Exercise
from judge.checking.counts import are_indices, same_draws
from judge.checking.likeness import ANOTHER_WAY, QUICK_GATE, VISIBLE, equal, largest, near
from judge.checking.oracle import expected
from judge.running.kinds import is_drawn, kind_of
from judge.running.on_demand import Tensor
from judge.running.records import Question, Record


def gets_through(exercise: Exercise, question: Question, record: Record, false_alarms: float = QUICK_GATE) -> bool:
    """Whether the record is what the reference answers, but for rounding; draws may be those of one distribution.

    `false_alarms` is how often right draws may be refused. Of draws that are no indices, and of work, only the form is
    compared.
    """
    right = expected(exercise, question)
    if record.error or right.error:
        return _error_type(record) == _error_type(right)
    if kind_of(question).varies(question):
        return _same_kind(question, record, right, false_alarms)
    return (
        (_only_made(question) or _same_values(exercise, record, right))
        and _forms(record.parameters) == _forms(right.parameters)
        and _inputs_kept(record, right)
        and _same_gradients(record, right)
    )


def _error_type(record: Record) -> str | None:
    return record.error.type if record.error else None


def _same_kind(question: Question, record: Record, right: Record, false_alarms: float) -> bool:
    """Whether these may be answers to one question that has many: of one form, and drawn alike."""
    got, want = record.outputs, right.outputs
    if list(map(type, got)) != list(map(type, want)):
        return False
    are_drawn_indices = is_drawn(question) and are_indices(got) and are_indices(want)
    return not are_drawn_indices or same_draws(got, want, false_alarms)


def _only_made(question: Question) -> bool:
    """Whether a component is only made, to see its parameters: what else it is made of is its own affair."""
    return "names" in question.options


def _same_values(exercise: Exercise, record: Record, right: Record) -> bool:
    try:
        got = list(map(exercise.view, record.outputs))
        want = list(map(exercise.view, right.outputs))
    except Exception:  # a view may be made for right answers alone
        return False
    return near(got, want, ANOTHER_WAY)


def _inputs_kept(record: Record, right: Record) -> bool:
    """Whether they are as they were, or one is the answer itself: a test may allow that, and is asked afterwards."""
    changed = record.inputs_after
    return equal(changed, right.inputs_after) or equal(changed[:1], record.outputs[:1])


def _same_gradients(record: Record, right: Record) -> bool:
    got = [record.grads.get(name) for name in right.grads]
    pairs = [*zip(got, right.grads.values(), strict=True), *zip(record.input_grads, right.input_grads, strict=False)]
    return all(starmap(_near, pairs))


def _near(got: Tensor | None, want: Tensor | None) -> bool:
    """Whether two gradients are the same; none at all is as good as zeros."""
    if want is None:
        return got is None
    if got is None:
        return largest(want) == 0.0
    return near(got, want, VISIBLE)


def _forms(parameters: dict[str, Tensor]) -> dict[str, tuple]:
    return {name: (value.shape, value.dtype) for name, value in parameters.items()}
