"""A function of JAX arrays, whose parameters may be trees of them."""

# JAX says of a type in its stubs, that of devices, nothing:
# pyright: reportUnknownMemberType=false

from typing import Any

from torch import Tensor

from judge.running.kinds.numpy_arrays import NumpyArrays
from judge.running.values import mapped


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
