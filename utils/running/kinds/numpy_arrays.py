"""A function of NumPy arrays."""

from collections.abc import Callable
from typing import Any

from utils.running.calling import Observed, called
from utils.running.kinds.kind import Kind
from utils.running.records import Question, plain
from utils.running.values import as_arrays


class NumpyArrays(Kind):
    """The question's arguments are the inputs, as tensors: arrays do not cross, and are made of them."""

    name = "numpy_arrays"
    call = "{}({})"
    is_function = True
    library = "numpy"

    def drive(self, f: Callable, *inputs: Any, **options: Any) -> Observed:
        """Call f on NumPy arrays in the place of tensors, within lists and dicts too."""
        return called(f, *as_arrays(list(inputs)), **options)

    def handed(self, question: Question) -> tuple:
        return plain(as_arrays(self.inputs(question)))
