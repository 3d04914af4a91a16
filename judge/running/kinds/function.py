"""A function of its inputs alone: of torch's tensors or plain data, of NumPy's arrays, of JAX's."""

import inspect
from collections.abc import Sequence
from typing import Any

from judge.running.calling import OWN_OPTIONS, Code, Observed, called
from judge.running.kinds.kind import Kind
from judge.running.on_demand import Module, Tensor
from judge.running.records import Arguments, Question, plain
from judge.running.values import as_arrays, mapped

# JAX says of a type in its stubs, that of devices, nothing:
# pyright: reportUnknownMemberType=false


class Function(Kind):
    """The question's arguments are the inputs; its other options are keyword arguments of the function's own."""

    name = "function"
    call = "{}({})"
    is_function = True

    def drive(self, f: Code, *inputs: Any, **options: Any) -> Observed:
        """Call f on the inputs, as `called` says."""
        return called(f, *inputs, **options)

    def keywords(self, question: Question) -> list[str]:
        return sorted(question.options.keys() - OWN_OPTIONS)

    def unfit(self, solution: Any) -> str | None:
        if not isinstance(solution, type):
            return None
        if issubclass(solution, Module):
            return "is an nn.Module, so parameters= is needed; write {} if it has none."
        return "is a class, but no nn.Module: name its driver, such as drive='methods'."

    def parameters_of(self, solution: Any) -> list[str] | None:
        return list(inspect.signature(solution).parameters)


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


class JaxArrays(NumpyArrays):
    """As NumPy's, but JAX has 32 bits for whole numbers: tokens come as int32."""

    name = "jax_arrays"
    library = "jax"

    def arrays(self, nest: Any) -> Any:
        """The same nest with JAX arrays in the place of tensors."""
        import jax.numpy as jnp  # which a course of other libraries need not have

        def as_array(leaf: Any) -> Any:
            return jnp.array(leaf.detach().numpy()) if isinstance(leaf, Tensor) else leaf

        return mapped(nest, as_array)
