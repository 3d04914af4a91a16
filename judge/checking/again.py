"""A question of a test asked once more, with what the learner wrote; and the lines by which a card says how."""

import inspect
from collections.abc import Sequence
from typing import Any, NamedTuple

from judge.checking.declaration import Components, Declaration
from judge.checking.oracle import expected
from judge.checking.session import Session
from judge.checking.survey import first_questions
from judge.checking.verdict import Failure
from judge.running.kinds import kind_of
from judge.running.kinds.kind import Observed
from judge.running.local import seeded
from judge.running.on_demand import Tensor
from judge.running.records import Array, Question, Record, Unchanged
from judge.running.values import copied, mapped


class Asked(NamedTuple):
    """The call of a line that did not hold: its inputs, its answer, and what is expected."""

    given: Any
    got: Any
    expected: Any


def ask_again(exercise: Declaration, component: Any, number: int, n_components: int, of: str, seed: int) -> Asked:
    """The question of this number, from 1, put to the component. Raises whatever the component's code raises.

    `of` says what is looked at: the "output", the "inputs" after the call, the "gradients" or the "parameters". Where
    the right end is an error, both errors come back as values.
    """
    if number < 1:
        raise ValueError(f"question={number}: questions are counted from 1.")
    question = first_questions(exercise, seed, n_components, number)[number - 1]
    right = expected(exercise, question)
    given = _given(question)
    if right.error:
        return Asked(given, _end_of(component, question), f"{right.error.type}: {right.error.message}")
    seen = _driven(component, question)
    return Asked(given, _look(of, exercise, question, seen), _look(of, exercise, question, right))


def _driven(component: Any, question: Question) -> Observed:
    """The answer, with nothing between the code and whoever runs it; random numbers begin as in the test."""
    with seeded(question.seed):
        return kind_of(question).drive(component, *copied(list(question.args)), **question.options)


def _end_of(component: Any, question: Question) -> Any:
    try:
        return _output(question, _driven(component, question))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _output(question: Question, seen: Observed | Record) -> Any:
    outputs = [_ordinary(output) for output in seen.outputs]
    return outputs if len(outputs) > 1 else outputs[0]


def _look(of: str, exercise: Declaration, question: Question, seen: Observed | Record) -> Any:
    """The answer in the form that can be looked at. Raises ValueError where there is none."""
    if of == "output":
        return _output(question, seen)
    if of == "inputs":
        pairs = zip(_given(question), seen.inputs_after, strict=False)
        return tuple(before if isinstance(after, Unchanged) else _ordinary(after) for before, after in pairs)
    if of == "gradients":
        return {**seen.grads, **dict(zip(exercise.inputs, seen.input_grads, strict=False))}
    if of == "parameters":
        return _ordinary(dict(seen.parameters))
    raise ValueError(f'of={of!r}: what can be looked at is "output", "inputs", "gradients" and "parameters".')


def _given(question: Question) -> tuple[Any, ...]:
    """The arguments of the call."""
    return tuple(map(_ordinary, kind_of(question).handed(question)))


def _ordinary(value: Any) -> Any:
    """A nest with the library's own arrays, and with tensors that no graph hangs on."""
    return mapped(value, _ordinary_leaf)


def _ordinary_leaf(leaf: Any) -> Any:
    if isinstance(leaf, Tensor):
        return leaf.detach().clone()
    return leaf.tensor.numpy() if isinstance(leaf, Array) else leaf


# What a check looks at, where that is not the output: see `ask_again`.
OF = {"input": "inputs", "gradient": "gradients", "parameters": "parameters", "start": "parameters"}


def again_lines(
    session: Session, components: Components, failure: Failure, component: Any, asked: Sequence[Question]
) -> tuple[str, ...]:
    """Three lines for a cell; none where the question is not one of the test's, or nobody could import the test."""
    question, test = failure.question, session.exercise.body
    if question is None or failure.not_yet or "<locals>" in test.__qualname__:
        return ()
    if question not in asked:
        return ()
    options = [f"question={asked.index(question) + 1}"]
    if failure.about in OF:
        options.append(f'of="{OF[failure.about]}"')
    if session.seed:
        options.append(f"seed={session.seed}")
    symbol = _name_of(component, components, list(inspect.signature(test).parameters))
    return (
        f"from {test.__module__} import {test.__name__}",
        f"given, got, expected = {test.__name__}.again({symbol}, {', '.join(options)})",
        'print(got, expected, sep="\\n")',
    )


def _name_of(component: Any, components: Components, names: list[str]) -> str:
    """The name that the test has for this component."""
    places = [index for index, given in enumerate(components) if given is component]
    return names[places[0] if places else 0]
