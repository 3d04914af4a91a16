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
from utils.running.kinds import Kind, kind_of
from utils.running.records import Question, Record

Check = TypeVar("Check", bound=Callable[..., None])


@dataclass(frozen=True)
class Trial:
    """A question of the test, with its parts as a check needs them."""

    question: Question

    @property
    def kind(self) -> Kind:
        """What kind of exercise the question is for."""
        return kind_of(self.question)

    @property
    def made_of(self) -> Any:
        """What the component is made of, such as a Config; None for a function."""
        return self.kind.made_of(self.question)

    @property
    def inputs(self) -> tuple:
        """What the learner's code is called on."""
        return self.kind.inputs(self.question)

    @property
    def output_sizes(self) -> Sizes:
        """The axes of the output with their sizes. Raises CourseError, with the line, where these can't be known."""
        return session().sizes(self.made_of, self.inputs, session().exercise.output)

    def also(self, **options: Any) -> "Trial":
        """The same question with these options."""
        return Trial(replace(self.question, options=self.question.options | options))

    def on(self, *inputs: Any) -> "Trial":
        """The same question on other inputs."""
        settings = self.question.args[: len(self.question.args) - len(self.inputs)]
        return Trial(replace(self.question, args=(*settings, *inputs)))

    def to(self, kind: str) -> "Trial":
        """The same question to another kind, which looks at something else than the answer."""
        return Trial(replace(self.question, drive=kind))

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
    takes = trial.kind.misgiven(arguments)
    if takes:
        raise calling_place().mistake(f"a check of {exercise.symbol} {takes}")
    if trial.kind.names_inputs:
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
