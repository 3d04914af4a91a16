"""grader.submissions.commands: IPython's commands are dropped, everything else stays, and nothing hangs."""

import ast
import time

import pytest

from grader.submissions.commands import runnable

DROPPED = {
    "%matplotlib inline\nx = 1": "pass\nx = 1",
    "!echo it's\nx = 1": "pass\nx = 1",
    "files = !ls *.txt\nx = 1": "pass\nx = 1",
    "x = 1\nx.real??": "x = 1\npass",
    "?print\nx = 1": "pass\nx = 1",
    "if x:\n    !ls\n    %cd ..": "if x:\n    pass\n    pass",
    "%time model = train()": "model = train()",
    "!pip install a \\\n    b \\\n    c\nx = 1": "pass\n\n\nx = 1",
    "pip install torch\nx = 1": "pass\nx = 1",
    "    x = 1\n    %timeit x": "x = 1\npass",
    "%%time\nx = 1": "\nx = 1",
    "\n%%capture out\n%%time\nx = 1": "\n\n\nx = 1",
    "%%wandb\nx = 1": "\nx = 1",
    "%%bash\nls": "",
    "%%writefile x.py\nx = 1": "",
    "%%timeit\nx = 1": "",
    "%%mermaid\nA -> B": "",
    "%%": "",
    ">>> def f():\n...     return '>>> '\n...\n>>> f()\n1": "def f():\n    return '>>> '\n\nf()\n1",
    "In [1]: %time x = 1\n   ...: y = 2": "x = 1\ny = 2",
}
KEPT = [
    "x = 1",
    "text = '''\n%x\n!y\n'''",
    "share = (part\n% whole)",
    "def f(:\n    pass\n%x",
    "x = 1 +\n!ls (\nreturn",
    "\0",
    "",
]


@pytest.mark.parametrize("cell", DROPPED)
def test_commands_are_dropped(cell):
    assert runnable(cell) == DROPPED[cell]
    ast.parse(runnable(cell))


@pytest.mark.parametrize("cell", KEPT)
def test_everything_else_stays(cell):
    assert runnable(cell) == cell


@pytest.mark.slow
@pytest.mark.parametrize(
    "cell",
    [
        "%x\n" * 300_000,
        "a = 1\n" * 50_000 + "%x",
        "(" * 900_000,
        "-" * 900_000 + "1",
        "x" + ".a" * 450_000,
        "'''\n!" * 999,
        "x = 1\n" + " " * 900_000 + "$",
        "x = 1\n" + "a " * 450_000,
    ],
    ids=["commands", "statements", "brackets", "signs", "parts", "quotes", "spaces", "words"],
)
def test_long_cells_take_little_time(cell):
    began = time.thread_time()
    runnable(cell)
    assert time.thread_time() - began < 20
