"""grader.submissions.shapes: what an answer in arrays computes with another library, and no more than that."""

import pytest

from grader.submissions.shapes import uses_of_other_libraries

IN_PYTORCH = "It uses PyTorch (`{}`), where the exercise asks for NumPy."
USES = {
    "import torch\ndef gpt(x):\n    return torch.tanh(torch.tensor(x)).numpy()": "torch.tanh",
    "def gpt(x):\n    import torch as t\n    return t.nn.functional.gelu(x)": "t.nn.functional.gelu",
    "import torch.nn.functional as F\ngelu = F.gelu": "F.gelu",
    "from torch import nn\nclass Block(nn.Module):\n    pass": "nn.Module",
    "from torch import tanh\nimport numpy as np\ngelu = np.vectorize(tanh)": "tanh",
    "import torch\ndef gpt(x):\n    return x[torch.arange(3)]": "torch.arange",
}


@pytest.mark.parametrize("source", USES)
def test_another_library_is_named_with_what_is_used_of_it(source):
    assert uses_of_other_libraries(source, "numpy") == [IN_PYTORCH.format(USES[source])]


def test_a_whole_model_of_another_library_is_named_too():
    source = "def gpt(x):\n    from transformers import GPT2LMHeadModel\n    return GPT2LMHeadModel(x)"
    (said,) = uses_of_other_libraries(source, "jax")
    assert said == "It uses Hugging Face's transformers (`GPT2LMHeadModel`), where the exercise asks for JAX."


NO_USES = {
    "numpy": [
        "import numpy as np\ndef gpt(x):\n    return np.tanh(x)",
        "import torch\ndef gpt(x: torch.Tensor) -> torch.Tensor:\n    y: torch.Tensor = x\n    return y",
        "from torch import Tensor\nfrom jaxtyping import Float\nLogits = Float[Tensor, 'pos d_vocab']",
        "import torch\ndef gpt(x):\n    assert not isinstance(x, torch.Tensor)\n    return x",
        "import torch",
        "def gpt(x, torch):\n    return torch(x)",
        "import torchtyping as torch\ndef gpt(x):\n    return torch.tanh(x)",
    ],
    "jax": ["import numpy as np\nimport jax.numpy as jnp\ndef gpt(x):\n    return jnp.tanh(np.sqrt(2) * x)"],
    "": ["import numpy as np\nimport jax\ndef layer(x):\n    return jax.nn.gelu(np.sqrt(x))"],
    "python": ["import torch\ncount = torch.tensor"],
}


@pytest.mark.parametrize(("library", "source"), [(name, one) for name, sources in NO_USES.items() for one in sources])
def test_types_and_what_belongs_are_no_uses(library, source):
    assert uses_of_other_libraries(source, library) == []


def test_what_is_no_python_uses_nothing():
    assert uses_of_other_libraries("import torch\nx = = 1", "numpy") == []
