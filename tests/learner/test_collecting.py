"""utils.learner.collecting: what goes to my_gpt/ is the learner's source with all that it uses, and nothing is lost."""

import errno
import io
from typing import Any

import pytest

from tests.house.fresh_python import at_once
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
import math
from torch import nn as layers


SIZE = 3


def root(x):
    return math.sqrt(x) + SIZE


def decorate(cls):
    return cls


# mine
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
    namespace: dict[str, Any] = {"__name__": "my_gpt"}
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
        (["try:\n    import flash as f\nexcept ImportError:\n    f = None"], "except ImportError:"),
        (["from math import *", "def f(x):\n    return sqrt(x) + len(x)"], "from math import *"),
        (["async def f():\n    return 1"], "async def f():"),
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


WRITTEN_OVER_SEVERAL_CELLS = {
    "an attribute that is assigned later": (
        ["class f:\n    pass", "def forward(self):\n    return 1", "f.forward = forward", "print(f)"],
        [0, 1, 2],
    ),
    "the last of several attempts at an attribute": (
        ["class f:\n    pass", "f.forward = print", "f.size = 2", "f.forward = len"],
        [0, 2, 3],
    ),
    "a method that is wrapped": (
        ["class f:\n    pass", "f.g = len", "f.g = abs", "f.g = wrap(f.g)", "f.g = wrap(f.g)"],
        [0, 2, 3, 4],
    ),
    "attributes of an earlier class": (["class f:\n    a = 1", "f.forward = print", "class f:\n    b = 1"], [2]),
    "an attribute of a method": (["class f:\n    def g(self): ...", "f.g.size[0] = 2"], [0, 1]),
    "a helper that is defined again": (["def g():\n    return 1", "def f():\n    return g()", "def g(): ..."], [1, 2]),
    "a default of its time": (["N = 1", "def f(n=N):\n    return n", "N = 2"], [0, 1]),
    "a base class of the same name": (["class f:\n    a = 1", "class f(f):\n    b = 1"], [0, 1]),
    "a decorator": (["def twice(g):\n    return g", "@twice\ndef f(): ...", "def twice(g): ..."], [0, 1]),
    "a name that is decorated later": (["def f(): ...", "def wrap(g): ...", "f = wrap(f)"], [0, 1, 2]),
    "an augmented assignment": (["N = 1", "N += 1", "N += 1", "def f():\n    return N"], [0, 1, 2, 3]),
    "a table that is filled": (["T = {}", "T['a'] = 1", "T['b'] = 2", "f = lambda: T"], [0, 1, 2, 3]),
    "one branch": (["f = 1", "if f:\n    def f(): ..."], [0, 1]),
    "all branches": (["f = 1", "if N:\n    def f(): ...\nelse:\n    f = 2"], [1]),
    "the same condition run again": (["N = 1", "if N:\n    f = 2", "if N:\n    f = 2"], [0, 2]),
    "a type alias and an annotation": (["V = list[int]", "def f(x: V) -> V:\n    return x"], [0, 1]),
    "a comprehension sees its time": (["N = 1", "f = [N for _ in range(2)]", "N = 2"], [0, 1]),
}


@pytest.mark.parametrize(("cells", "expected"), WRITTEN_OVER_SEVERAL_CELLS.values(), ids=WRITTEN_OVER_SEVERAL_CELLS)
def test_what_belongs_together_is_gathered_in_the_order_in_which_it_ran(cells, expected):
    assert gather("f", cells) == "\n\n\n".join(cells[index] for index in expected) + "\n"


@pytest.mark.parametrize(
    "cell",
    [
        "while True:\n    N = 1",
        "for N in range(3):\n    pass",
        "with open('file') as N:\n    pass",
        "N = open('file', 'w')",
        "N = print('said')",
        "N = get_ipython().system('ls')",
        "if True:\n    N = 1\n    train()",
        "try:\n    N = 1\nfinally:\n    train()",
        "train(N := 1)",
    ],
)
def test_what_does_more_than_define_is_left_out(cell):
    assert gather("f", [cell, "def f():\n    return N"]) == "def f():\n    return N\n"


def test_the_comments_right_above_a_definition_come_along():
    cell = "# far off\n\n# why\n# it works\ndef f():\n    return N\n# after"
    assert gather("f", ["# how many\nN = 3", cell]) == "N = 3\n\n\n# why\n# it works\ndef f():\n    return N\n"


def test_a_line_with_several_statements_gives_only_what_defines():
    cells = ["train(); N = 3; print(N)", "def f(): return N  # mine"]
    assert gather("f", cells) == "N = 3\n\n\ndef f(): return N  # mine\n"


def test_what_changes_a_library_is_left_out():
    cells = ["import torch", "torch.relu = abs", "def f():\n    return torch"]
    assert gather("f", cells) == "import torch\n\n\ndef f():\n    return torch\n"


def test_imports_from_the_future_come_first():
    cells = ["import os\nfrom __future__ import annotations", "def f(x: Later):\n    return os"]
    assert gather("f", cells).startswith("from __future__ import annotations\nimport os\n\n\ndef f")


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


@pytest.mark.parametrize(("magic", "found"), [("time", True), ("capture", True), ("bash", False), ("timeit", False)])
def test_the_cell_below_a_magic_counts_when_the_magic_runs_it_here(magic, found):
    """As IPython keeps it: the cell as a text, with its own magics untouched."""
    cell = "%matplotlib inline\ndef f():\n    return 1\n"
    cells = ["def f(): ...", f"get_ipython().run_cell_magic({magic!r}, '', {cell!r})\n"]
    assert gather("f", cells) == ("def f():\n    return 1\n" if found else "def f(): ...\n")


@pytest.mark.parametrize("cells", [[], ["Other = 1"], ["Layer.forward = print"], ["def outer():\n    Layer = 1"]])
def test_a_symbol_that_no_cell_defines_is_named(cells):
    with pytest.raises(LookupError, match="no cell of this notebook defines `Layer`"):
        gather("Layer", cells)


def test_a_symbol_that_is_imported_is_named():
    with pytest.raises(LookupError, match="`Layer` is imported here; what is written in a cell can be kept"):
        gather("Layer", ["class Layer: ...", "from mine import Layer", "Layer.forward = print"])


def test_saving_keeps_every_text_that_ever_was(tmp_path):
    file = tmp_path / "my_gpt" / "layer.py"
    for text in ("one ✘", "two", "two", "one ✘", "three"):
        save(text, file)
    file.write_text("by hand", encoding="utf-8")
    save("four", file)
    assert file.read_text(encoding="utf-8") == "four"
    versions = file.parent / "versions"
    assert {path.name: path.read_text(encoding="utf-8") for path in versions.iterdir()} == {
        f"layer.{number}.py": text for number, text in enumerate(("one ✘", "two", "three", "by hand", "four"), start=1)
    }
    assert sorted(path.name for path in file.parent.iterdir()) == ["layer.py", "versions"]


def test_what_is_no_text_is_kept_too_and_does_not_stop_what_comes(tmp_path):
    file, versions = tmp_path / "layer.py", tmp_path / "versions"
    for damage in (b"\xff\xfe\x00", b"\xff\xfe\x00", b"text\r\n"):
        file.write_bytes(damage)
        save("new", file)
        assert file.read_text() == "new"
    assert {path.name: path.read_bytes() for path in versions.iterdir()} == {
        "layer.1.py": b"\xff\xfe\x00", "layer.2.py": b"new", "layer.3.py": b"text\r\n",
    }  # fmt: skip


def test_half_a_version_is_none(tmp_path, monkeypatch):
    class Full(io.BytesIO):
        def write(self, text):
            raise OSError(errno.ENOSPC, "No space left on device")

    def opened(place, mode):
        place.touch()
        return Full()

    monkeypatch.setattr("pathlib.Path.open", opened)
    with pytest.raises(OSError, match="No space left"):
        save("new", tmp_path / "layer.py")
    assert list((tmp_path / "versions").iterdir()) == [] and not (tmp_path / "layer.py").exists()


SAVE_MANY = """\
from pathlib import Path
from utils.learner.collecting import save
# ready
for number in range(30):
    save(f"{{number}} of {name}", Path({file!r}))
"""


@pytest.mark.slow
def test_notebooks_that_save_at_once_lose_no_text(tmp_path):
    file = tmp_path / "my_gpt" / "layer.py"
    at_once([SAVE_MANY.format(name=name, file=str(file)) for name in "abc"], tmp_path / "waiting")
    texts = {f"{number} of {name}" for number in range(30) for name in "abc"}
    assert {path.read_text(encoding="utf-8") for path in (file.parent / "versions").iterdir()} == texts
    assert file.read_text(encoding="utf-8") in texts
    assert sorted(path.name for path in file.parent.iterdir()) == ["layer.py", "versions"]
