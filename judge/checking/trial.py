"""`Trial`: one question of the test, put alike to the learner's code, the reference and every misconception."""

from dataclasses import dataclass, replace
from typing import Any

from judge.checking.declaring import prove_settings
from judge.checking.oracle import right
from judge.checking.places import calling_place
from judge.checking.session import Session
from judge.checking.tensors import Sizes
from judge.checking.wording import count, spelled_out
from judge.running.kinds import Kind, kind_of
from judge.running.on_demand import Tensor
from judge.running.records import Arguments, Question, Record


@dataclass(frozen=True)
class Trial:
    """A question of the test, with its parts as a check needs them."""

    session: Session
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
    def inputs(self) -> Arguments:
        """The arguments that the learner's code is called on."""
        return self.kind.inputs(self.question)

    @property
    def output_sizes(self) -> Sizes:
        """The axes of the output with their sizes. Raises CourseError, with the line, where these can't be known."""
        return self.session.sizes(self.made_of, self.inputs, self.session.exercise.output, self._free_sizes())

    def _free_sizes(self) -> dict[str, int]:
        """The axes with the sizes that they have in the right answer, where some are known from that alone."""
        exercise = self.session.exercise
        if not exercise.free_axes:
            return {}
        right = self.right().output
        numbers = getattr(right, "tensor", right)
        names = exercise.output.split()
        shape = getattr(numbers, "shape", ())
        return dict(zip(names, shape, strict=True)) if len(shape) == len(names) else {}

    def also(self, **options: Any) -> "Trial":
        """The same question with these options."""
        return self.instead(replace(self.question, options=self.question.options | options))

    def on(self, *inputs: Any) -> "Trial":
        """The same question on other inputs."""
        settings = self.question.args[: len(self.question.args) - len(self.inputs)]
        return self.instead(replace(self.question, args=(*settings, *inputs)))

    def to(self, kind: str) -> "Trial":
        """The same question to another kind, which looks at something else than the answer."""
        return self.instead(replace(self.question, drive=kind))

    def instead(self, question: Question) -> "Trial":
        """Another question of the same test."""
        return Trial(self.session, question)

    def record(self, component: Any) -> Record:
        """The component's answer, an error included."""
        return self.session.transcript.ask(component, self.question)

    def right(self) -> Record:
        """The reference's answer."""
        return right(self.session.exercise, self.question)


def trial_of(session: Session, arguments: Arguments, options: dict[str, Any]) -> Trial:
    """The question with these arguments. Raises CourseError, with the line, for arguments that can't be right."""
    exercise = session.exercise
    trial = Trial(session, Question(exercise.drive, arguments, options, session.seed))
    prove_settings(arguments)
    takes = trial.kind.misgiven(arguments)
    if takes:
        raise calling_place().mistake(f"a check of {exercise.symbol} {takes}")
    if trial.kind.names_inputs:
        _prove_inputs(trial)
    return trial


def _prove_inputs(trial: Trial) -> None:
    exercise, inputs = trial.session.exercise, trial.inputs
    declared = exercise.inputs
    too_few = bool(declared) and not inputs
    if too_few or len(inputs) > len(declared):
        amount, names = count(len(inputs), "input", "inputs"), ", ".join(declared) or "none"
        raise calling_place().mistake(f"{amount}, but inputs= of {exercise.symbol} names {names}.")
    for value, (name, axes) in zip(inputs, declared.items(), strict=False):
        if _is_misdeclared(value, axes):
            message = f"`{name}` has shape {list(value.shape)}, but inputs= says [{axes}]."
            raise calling_place().mistake(message)


def _is_misdeclared(value: Any, axes: str) -> bool:
    return isinstance(value, Tensor) and value.ndim != len(spelled_out(axes.split(), value.ndim))
