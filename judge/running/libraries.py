"""The libraries that exercises are written with: what is their own in code, and what would be foreign there."""

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field

OWNERS = {  # a name in code → what it stands for
    **{"torch": "PyTorch", "nn": "PyTorch", "F": "PyTorch"},
    **{"np": "NumPy", "numpy": "NumPy", "jnp": "JAX", "jax": "JAX"},
    **{"tf": "TensorFlow", "keras": "Keras"},
}
OF_TENSORS = frozenset({"unsqueeze", "detach", "requires_grad_", "backward", "keepdim", "unbiased", "correction"})
Words = dict[str, str]
Advice = dict[str, list[str]]  # what may be written for a word


@dataclass(frozen=True)
class Library:
    """One of them. `instead` and `keywords` say how to write what belongs to another one."""

    name: str  # as `Exercise(library=...)` has it
    called: str
    values: str  # what a card says of the values of an exercise
    advice: str  # and what to use
    drive: str = "function"  # the kind of exercise that a function of it is
    module: str = ""  # where its functions are, and how that is called in code
    short: str = ""
    imports: Mapping[str, str] = field(default_factory=Words)  # what a notebook imports: the name, and the line
    own: frozenset[str] = frozenset()  # the names in code that are its own
    instead: Mapping[str, list[str]] = field(default_factory=Advice)
    keywords: Mapping[str, str] = field(default_factory=Words)
    optional: str = ""  # the package that it is, where the course does not install it
    is_compiled: bool = False  # whether each operation is compiled before it runs for the first time at its size
    has_arrays: bool = False  # whether an answer is an array of its own
    has_tensors: bool = False  # whether torch's errors are told in a learner's terms, with advice that stays in torch

    @property
    def how_to_install(self) -> str:
        """What to do where it is missing; "" where it is here."""
        if not self.optional or importlib.util.find_spec(self.optional):
            return ""
        return (
            f"{self.called} is not installed, and the course goes on without it. To have it: run "
            f"`%pip install {self.optional}` in a cell, restart the kernel, and run the chapter again from the top."
        )

    @property
    def foreign(self) -> dict[str, str]:
        """The names that are another library's, and whose."""
        return {name: owner for name, owner in OWNERS.items() if name not in self.own}

    @property
    def foreign_words(self) -> frozenset[str]:
        """The names, methods and keywords that an edit must not bring in."""
        of_tensors: frozenset[str] = frozenset() if self.has_tensors else OF_TENSORS
        return frozenset(self.foreign) | of_tensors


MATH = {"math": "import math"}
TORCH = Library(
    "torch",
    "PyTorch",
    "the tensors here are torch's",
    "use torch's own function, or indexing",
    module="torch",
    short="torch",
    imports={
        **{"torch": "import torch", "nn": "from torch import nn", "Tensor": "from torch import Tensor"},
        **{"F": "import torch.nn.functional as F", "einops": "import einops", **MATH},
    },
    own=frozenset({"torch", "nn", "F"}),
    instead={
        **{"np": ["torch"], "numpy": ["torch"], "math": ["torch"]},
        **{"F": ["torch"], "torch": ["F", "nn.functional"]},
    },
    keywords={
        **{"ddof": "correction", "axis": "dim", "keepdims": "keepdim", "mean": "std", "k": "diagonal"},
        **{"axes": "dims", "value": "fill_value", "n": "repeats", "sd": "std", "scale": "std"},
    },
    has_tensors=True,
)
NUMPY = Library(
    "numpy",
    "NumPy",
    "the arrays here are NumPy's",
    "use NumPy's own function, or indexing",
    drive="numpy_arrays",
    has_arrays=True,
    module="numpy",
    short="np",
    imports={"np": "import numpy as np", **MATH},
    own=frozenset({"np", "numpy"}),
    instead={"torch": ["np"], "F": ["np"], "math": ["np"], "jnp": ["np"]},
    keywords={"dim": "axis", "dims": "axes", "keepdim": "keepdims", "correction": "ddof", "diagonal": "k"},
)
JAX = Library(
    "jax",
    "JAX",
    "the arrays here are JAX's",
    "use JAX's own function, or indexing",
    drive="jax_arrays",
    optional="jax",
    is_compiled=True,
    has_arrays=True,
    module="jax.numpy",
    short="jnp",
    imports={"jnp": "import jax.numpy as jnp", "jax": "import jax", **MATH},
    own=frozenset({"jnp", "jax"}),
    instead={"torch": ["jnp"], "F": ["jnp"], "np": ["jnp"], "numpy": ["jnp"], "math": ["jnp"]},
    keywords=NUMPY.keywords,
)
PYTHON = Library(
    "python",
    "Python",
    "nothing but Python's own values is needed here",
    "use a loop, or one of Python's functions",
    imports=MATH,
    instead={name: ["math"] for name in ("np", "numpy", "torch")},
)
LIBRARIES = {library.name: library for library in (TORCH, NUMPY, JAX, PYTHON)}
