"""A function of JAX arrays, whose parameters may be trees of them."""

# JAX says of a type in its stubs, that of devices, nothing:
# pyright: reportUnknownMemberType=false

from typing import Any

from torch import Tensor

from utils.running.calling import Code, Observed, called
from utils.running.kinds.kind import Kind
from utils.running.records import Arguments, Question, plain
from utils.running.values import mapped


class JaxArrays(Kind):
    """The question's arguments are the inputs, as tensors: arrays do not cross, and are made of them.

    JAX has 32 bits for whole numbers, so tokens come as int32.
    """

    name = "jax_arrays"
    call = "{}({})"
    is_function = True
    library = "jax"

    def drive(self, f: Code, *inputs: Any, **options: Any) -> Observed:
        """Call f on JAX arrays in the place of tensors, within lists and dicts too."""
        return called(f, *_as_jax(list(inputs)), **options)

    def handed(self, question: Question) -> Arguments:
        return plain(_as_jax(self.inputs(question)))


def _as_jax(value: Any) -> Any:
    """The same nest with JAX arrays in the place of tensors."""
    import jax.numpy as jnp  # which a course of other libraries need not have

    def as_array(leaf: Any) -> Any:
        return jnp.array(leaf.detach().numpy()) if isinstance(leaf, Tensor) else leaf

    return mapped(value, as_array)
