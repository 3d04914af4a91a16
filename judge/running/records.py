"""What is asked of a learner's code, a `Question`, and what comes back, a `Record`: plain data, both."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from judge.running.copying import plain
from judge.running.on_demand import Tensor
from judge.running.plain import MAX_NAME, MAX_TEXT, Array, Opaque, Unchanged, cut, opaque_in
from judge.running.values import is_dict, is_list_or_tuple

__all__ = ["Array", "Frame", "LearnerError", "Opaque", "Question", "Record", "Unchanged", "opaque_in", "plain"]

Values = list[Any]  # what a learner's code takes and gives may be anything
Arguments = tuple[Any, ...]
Options = dict[str, Any]
Weights = dict[str, Tensor]  # by the names of parameters
Gradients = dict[str, Tensor | None]
TOO_SLOW = "TooSlow"  # the type of the error that stands for code which did not come to its end
STOPPED = "KeyboardInterrupt"  # and for code that somebody stopped
CHANGES = "ChangesTheRest"  # and for code that leaves what all code shares otherwise than it was
MAX_SOURCE = 1_000  # characters of a line of code


@dataclass(frozen=True)
class Frame:
    """One of the learner's own lines on the way to an error."""

    where: str
    line: int
    function: str
    source: str

    def __post_init__(self):
        cut(self, where=MAX_NAME, function=MAX_NAME, source=MAX_SOURCE)


@dataclass(frozen=True)
class LearnerError:
    """An exception that left the learner's code; `frames` are theirs alone, innermost last.

    `bases` are those of Python's own types that it is a kind of, where its type is the learner's own. `meant` is the
    name that a misspelt one was meant to be.
    """

    type: str
    message: str
    frames: list[Frame] = field(default_factory=list[Frame])
    bases: list[str] = field(default_factory=list[str])
    meant: str = ""

    def __post_init__(self):
        cut(self, type=MAX_NAME, message=MAX_TEXT, meant=MAX_NAME)

    def is_a(self, kind: str) -> bool:
        """Whether `except kind` would catch it."""
        return kind in (self.type, *self.bases)

    @property
    def not_implemented(self) -> bool:
        """True for the stub: the learner's own line raises it. PyTorch raises it too, for a dtype that it can't do."""
        if self.type != "NotImplementedError" or not self.frames:
            return False
        source = self.frames[-1].source  # empty where Python can't look it up
        return not source or "raise" in source

    @property
    def by_a_raise(self) -> bool:
        """True where the learner's own line raises it."""
        return bool(self.frames) and self.frames[-1].source.strip().startswith("raise ")

    @property
    def in_the_call(self) -> bool:
        """True when no line of the learner's was reached: the arguments did not fit the signature."""
        return self.type == "TypeError" and not self.frames


@dataclass(frozen=True, eq=False)
class Question:
    """All that is asked in one run: `drive` names the driver that makes a component work with these arguments.

    Questions with the same content are equal, and have the same `name`.
    """

    drive: str
    args: Arguments = ()
    options: Options = field(default_factory=Options)
    seed: int = 0

    @cached_property
    def name(self) -> str:
        """The digest of its bytes."""
        from judge.running.wire import digest  # which writes what is defined here

        return digest(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Question) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True)
class Record:
    """All that a test may know of one run.

    `outputs` holds one value per call; `inputs_after` the last call's inputs once it returned, `Unchanged` for one that
    is as it was; `grads` and `input_grads` are filled when a cotangent was given; `parameters` holds initial values
    when no weights were given.
    """

    outputs: Values = field(default_factory=Values)
    inputs_after: Values = field(default_factory=Values)
    grads: Gradients = field(default_factory=Gradients)
    input_grads: list[Tensor | None] = field(default_factory=list[Tensor | None])
    parameters: Weights = field(default_factory=Weights)
    printed: str = ""
    error: LearnerError | None = None

    def __post_init__(self):
        cut(self, printed=MAX_TEXT)

    @property
    def output(self) -> Any:
        """The first call's result."""
        return self.outputs[0]

    @property
    def tensor_bytes(self) -> int:
        """What its tensors take, each as often as it is in it: on the wire the record takes little more."""
        kept = (self.outputs, self.inputs_after, self.input_grads, self.grads, self.parameters)
        return sum(map(_tensor_bytes, kept))


def _tensor_bytes(value: object) -> int:
    if isinstance(value, Tensor):
        return value.numel() * value.element_size()
    if isinstance(value, Array):
        return _tensor_bytes(value.tensor)
    if is_dict(value):
        return sum(map(_tensor_bytes, value.values()))
    if is_list_or_tuple(value):
        return sum(map(_tensor_bytes, value))
    return 0
