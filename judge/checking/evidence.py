"""`Evidence`: what is known of a wrong answer, which every function of diagnosis/ takes and nothing else."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from judge.checking.code import Code, code_of
from judge.checking.tensors import Sizes
from judge.checking.trial import Trial
from judge.running.on_demand import Tensor
from judge.running.records import Array, Question
from judge.running.values import is_tuple

PYTHON, ARRAYS, TORCH = "python", "arrays", "torch"


@dataclass(frozen=True)
class Evidence:
    """All that is known of an answer in which something is wrong.

    `about` says what is wrong, and so what `got` and `want` are: a word of `registry.SENTENCES`, "" where no sentence
    is looked for. `trial` and `component` are there for whoever has to ask once more; a case of the table of sentences
    has none.
    """

    about: str = ""
    got: Any = None
    want: Any = None
    # The axes of what is due.
    sizes: Sizes = field(default_factory=Sizes)
    name: str = ""  # of the parameter or the axis that it is about
    axis: int = 0  # the number of that axis
    tolerance: float = 0.0  # of the check
    source: str = ""  # the learner's line that raised an error
    trial: Trial | None = None
    component: Any = None

    def of(self, trial: Trial, component: Any) -> "Evidence":
        """This evidence, of the answer of this component."""
        return replace(self, trial=trial, component=component)

    @property
    def question(self) -> Question | None:
        return self.trial.question if self.trial else None

    @property
    def axes(self) -> list[str]:
        """The names of the axes of what is due."""
        return [name for name, _ in self.sizes]

    @property
    def library(self) -> str:
        """Whose the values are: torch's, NumPy's or JAX's arrays, or Python's own."""
        if isinstance(self.want, Array):
            return ARRAYS
        return TORCH if isinstance(self.want, Tensor) else PYTHON

    @cached_property
    def code(self) -> Code:
        """The source of the component."""
        return code_of(self.component)

    @property
    def tensors(self) -> tuple[Tensor, Tensor] | None:
        """What came and what is due, where both are tensors."""
        if isinstance(self.got, Tensor) and isinstance(self.want, Tensor):
            return self.got, self.want
        return None

    @cached_property
    def same_form(self) -> tuple[Tensor, Tensor] | None:
        """What came and what is due as tensors, where their shapes agree."""
        got, want = (as_tensor(value) for value in (self.got, self.want))
        if got is None or want is None:
            return None
        return (got, want) if got.shape == want.shape else None

    @cached_property
    def floats(self) -> tuple[Tensor, Tensor] | None:
        """The pair where both are floats of one dtype, and what is due is finite, and not nothing."""
        if self.same_form is None:
            return None
        got, want = self.same_form
        if got.dtype != want.dtype or not want.is_floating_point():
            return None
        return (got, want) if want.numel() and bool(want.isfinite().all()) else None

    @cached_property
    def finite(self) -> tuple[Tensor, Tensor] | None:
        """The pair where all that came is finite too."""
        if self.floats is None:
            return None
        got, _ = self.floats
        return self.floats if bool(got.isfinite().all()) else None


def as_tensor(value: Any) -> Tensor | None:
    """The numbers of a tensor or an array, or of the first part of a tuple; None for anything else."""
    if is_tuple(value) and value:
        return as_tensor(value[0])
    if isinstance(value, Array):
        return value.tensor
    return value if isinstance(value, Tensor) else None
