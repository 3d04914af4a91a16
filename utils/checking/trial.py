"""One question put alike to the learner's code, the reference and every misconception; and the decorator of checks."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from torch import Tensor

from utils.checking.diagnosis.explaining import explain_error
from utils.checking.oracle import right
from utils.checking.places import calling_place
from utils.checking.session import Mismatch, session
from utils.checking.tensors import Sizes
from utils.checking.wording import count
from utils.running.drivers import inputs_of
from utils.running.records import Question, Record

Check = TypeVar("Check", bound=Callable[..., None])


@dataclass(frozen=True)
class Trial:
    """A question of the test, with its parts as a check needs them."""

    question: Question

    @property
    def made_of(self) -> Any:
        """What the driver makes the component of, such as a Config; None for a function."""
        inputs = self.inputs
        return self.question.args[0] if len(self.question.args) > len(inputs) else None

    @property
    def inputs(self) -> tuple:
        """What the learner's code is called on."""
        return inputs_of(self.question.drive, self.question.args) or ()

    @property
    def output_sizes(self) -> Sizes:
        """The axes of the output with their sizes. Raises CourseError, with the line, where these can't be known."""
        return session().sizes(self.made_of, self.inputs, session().exercise.output)

    def also(self, **options: Any) -> "Trial":
        """The same question with these options of the driver's."""
        return Trial(replace(self.question, options=self.question.options | options))

    def on(self, *inputs: Any) -> "Trial":
        """The same question on other inputs."""
        settings = self.question.args[: len(self.question.args) - len(self.inputs)]
        return Trial(replace(self.question, args=(*settings, *inputs)))

    def ask(self, component: Any) -> Record:
        """What the component answers, an error included."""
        return session().ask_in_test(component, self.question)

    def run(self, component: Any) -> Record:
        """What the component answers. Raises Mismatch when that is an error."""
        record = self.ask(component)
        if record.error:
            raise explain_error(component, self.question, record)
        return record

    def right(self) -> Record:
        """What the reference answers."""
        return right(session().exercise, self.question)


def trial_of(arguments: tuple, options: dict[str, Any]) -> Trial:
    """The question with these arguments. Raises CourseError, with the line, for arguments that can't be right."""
    exercise = session().exercise
    trial = Trial(Question(exercise.drive, arguments, options, session().seed))
    if exercise.drive in ("component", "with_gpt") and not _is_for_a_component(arguments):
        message = f"a check of {exercise.symbol} takes cfg, weights (a dict, or None), and then the inputs."
        raise calling_place().mistake(message)
    if exercise.drive == "methods" and not _are_calls(arguments):
        message = f'a check of {exercise.symbol} takes a list of what it is made of, and then calls: ("encode", "a b").'
        raise calling_place().mistake(message)
    if inputs_of(exercise.drive, arguments) is not None and exercise.drive != "methods":
        _prove_inputs(trial.inputs)
    return trial


def check(function: Check) -> Check:
    """Make a check: it stands in a line of the card, and while questions are collected it does not end the test."""

    @functools.wraps(function)
    def checked(*arguments: Any, **options: Any) -> None:
        if session().line is None:
            raise calling_place().mistake(
                f"{function.__name__} stands outside `with line(...)`, so the card could not say what did not hold."
            )
        try:
            function(*arguments, **options)
        except Mismatch as mismatch:
            if not session().surveying:
                raise
            session().close_call(mismatch.error_over_tolerance)

    return checked  # type: ignore[return-value]


def _is_for_a_component(arguments: tuple) -> bool:
    return len(arguments) >= 2 and hasattr(arguments[0], "d_model") and isinstance(arguments[1], dict | None)


def _are_calls(arguments: tuple) -> bool:
    calls = [isinstance(call, tuple) and call and isinstance(call[0], str) for call in arguments[1:]]
    return bool(arguments) and isinstance(arguments[0], list) and bool(calls) and all(calls)


def _prove_inputs(inputs: tuple) -> None:
    declared = session().exercise.inputs
    if len(inputs) > len(declared) or (declared and not inputs):
        amount = count(len(inputs), "input", "inputs")
        message = f"{amount}, but inputs= of {session().exercise.symbol} names {', '.join(declared) or 'none'}."
        raise calling_place().mistake(message)
    for value, (name, axes) in zip(inputs, declared.items(), strict=False):
        if isinstance(value, Tensor) and axes != "..." and value.ndim != len(axes.split()):
            message = f"`{name}` has shape {list(value.shape)}, but inputs= says [{axes}]."
            raise calling_place().mistake(message)
