"""utils.learner.collecting: what goes to my_gpt/ is the learner's source with all that it uses, and nothing is lost."""

import pytest

from utils.learner.collecting import gather, save

CELLS = [
    "",
    "import math\nimport torch, os\nfrom torch import nn as layers\nfrom utils.setup import start\n\nstart('ch03')",
    "SIZE = 3\nUNUSED = 4\nprint(SIZE)",
    "def root(x):\n    return math.sqrt(x) + SIZE\n\n\ndef unused():\n    return os.getcwd()",
    "def decorate(cls):\n    return cls",
    "@decorate\nclass Layer(layers.Module):\n    '''An old one.'''",
    "# mine\n@decorate\nclass Layer(layers.Module):\n    '''Mine.'''\n\n    def forward(self, x: Tensor = root(4)):\n"
    "        # a comment within\n        return x  # and behind\n\nLayer(3)",
]
GATHERED = """\
from torch import nn as layers
import math


SIZE = 3


def root(x):
    return math.sqrt(x) + SIZE


def decorate(cls):
    return cls


@decorate
class Layer(layers.Module):
    \'\'\'Mine.\'\'\'

    def forward(self, x: Tensor = root(4)):
        # a comment within
        return x  # and behind
"""


def test_the_last_definition_comes_with_the_imports_and_helpers_that_it_uses():
    assert gather("Layer", CELLS) == GATHERED


def test_what_is_gathered_runs():
    namespace = {"__name__": "my_gpt"}
    exec(
        gather("double", ["N = 2", "import math", "def _twice(x):\n    return math.prod([N, x])", "double = _twice"]),
        namespace,
    )
    assert namespace["double"](21) == 42


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["def f():\n    return g()", "def g():\n    return 1", "def g():\n    return 2"], "return 2"),
        (["a, (b, *c) = 1, (2, 3)", "def f():\n    return c"], "a, (b, *c) = 1, (2, 3)"),
        (["limit: int = 3", "def f():\n    return limit"], "limit: int = 3"),
        (["def f(n):\n    return f(n - 1)"], "f(n - 1)"),
        (["import torch.nn.functional as F", "def f():\n    return F"], "import torch.nn.functional as F"),
        (["import os.path", "def f():\n    return os.path"], "import os.path"),
        (["class f:\n    pass", "f.forward = print", "f[0] = 1"], "class f:\n    pass"),
        (["def f():\n    return 1", "def f(:\n    return 2"], "return 1"),
        (["def f():\n    return 1", "def f():\n    nonlocal g\n    return 2"], "return 1"),
    ],
)
def test_each_kind_of_definition_is_found(cells, expected):
    assert expected in gather("f", cells)


def test_a_local_variable_is_not_taken_for_a_global_of_the_same_name():
    cells = [
        "variance = 9\nmean = 3\nscale = 2\nrows = [1]",
        "def f(mean):\n    variance = mean**2\n    return [scale * variance for rows in [mean]], lambda scale: scale",
    ]
    assert gather("f", cells) == f"scale = 2\n\n\n{cells[1]}\n"


def test_magics_are_left_out():
    """As IPython keeps the cells: each magic made a call of get_ipython()."""
    cells = [
        "get_ipython().run_line_magic('matplotlib', 'inline')\nimport torch",
        "get_ipython().system('ls')\n\ndef f():\n    return torch.ones(1)\nget_ipython().run_line_magic('time', '')",
        "%time f()",
        "!ls",
        "f?",
    ]
    assert gather("f", cells) == "import torch\n\n\ndef f():\n    return torch.ones(1)\n"


@pytest.mark.parametrize("cells", [[], ["Other = 1"], ["Layer.forward = print"], ["def outer():\n    Layer = 1"]])
def test_a_symbol_that_no_cell_defines_is_named(cells):
    with pytest.raises(LookupError, match="no cell of this notebook defines Layer"):
        gather("Layer", cells)


def test_saving_keeps_every_earlier_text(tmp_path):
    file = tmp_path / "my_gpt" / "layer.py"
    for text in ("one ✘", "two", "two", "three"):
        save(text, file)
    assert file.read_text(encoding="utf-8") == "three"
    earlier = tmp_path / "my_gpt" / "earlier"
    assert {path.name: path.read_text(encoding="utf-8") for path in earlier.iterdir()} == {
        "layer.1.py": "one ✘",
        "layer.2.py": "two",
    }
    (earlier / "layer.1.py").unlink()
    save("four", file)
    assert (earlier / "layer.1.py").read_text(encoding="utf-8") == "three"
    assert (earlier / "layer.2.py").read_text(encoding="utf-8") == "two"
    assert sorted(path.name for path in file.parent.iterdir()) == ["earlier", "layer.py"]
