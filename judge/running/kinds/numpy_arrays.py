"""A function of NumPy arrays."""

from collections.abc import Sequence
from typing import Any

from judge.running.calling import Code, Observed, called
from judge.running.kinds.kind import Kind
from judge.running.records import Arguments, Question, plain
from judge.running.values import as_arrays


class NumpyArrays(Kind):
    """The question's arguments are the inputs, as tensors: arrays do not cross, and are made of them."""

    name = "numpy_arrays"
    call = "{}({})"
    is_function = True
    library = "numpy"

    def drive(self, f: Code, *inputs: Any, before: Sequence[Arguments] = (), **options: Any) -> Observed:
        """Call f on arrays in the place of tensors, within lists and dicts too."""
        earlier = [self.arrays(list(one)) for one in before]
        return called(f, *self.arrays(list(inputs)), before=earlier, **options)

    def handed(self, question: Question) -> Arguments:
        return plain(self.arrays(self.inputs(question)))

    def arrays(self, nest: Any) -> Any:
        """The same nest with the library's arrays in the place of tensors."""
        return as_arrays(nest)
