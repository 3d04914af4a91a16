"""judge.repairing.trust: what acts is never tried, and what a learner's notebook holds stays as it was."""

import ast
import copy

import numpy as np
import pytest
import torch
from torch import nn

from judge.repairing import find_repair, search
from judge.repairing.trust import reached_by
from tests.judge.checking.tiny import scale
from tests.judge.repairing.test_search import LEFT_OUT, SEED, WRONG, forked, written

pytestmark = pytest.mark.usefixtures("unhurried")


def notebook(*cells):
    """The names of a notebook in which these cells were run."""
    names = {"__name__": "__main__", "torch": torch, "nn": nn}
    for cell in cells:
        exec(cell, names)
    return names


def is_tried(act, *cells):
    """Whether an answer that does this could be tried in a notebook with these cells."""
    names = notebook(*cells)
    answer = f"def answer(x):\n    {act}\n    return x"
    return reached_by(ast.parse(answer), names) is not None


ACTING = {
    "a session of the network": (
        "import http.client\nweb = http.client.HTTPConnection('h')",
        "web.request('GET', '/')",
    ),
    "a method of an object": ("import os\nclass Log:\n    def note(self): os.getcwd()\nlog = Log()", "log.note()"),
    "what an object holds": (
        "import sys\nclass Log:\n    def __init__(self): self.to = sys.stdout\n    def note(self): self.to.flush()\n"
        "log = Log()",
        "log.note()",
    ),
    "a method of a file": ("import sys\nlog = sys.stdout.write", "log('x')"),
    "a part of a function": ("import functools, os\nrun = functools.partial(os.system, 'true')", "run()"),
    "a part of a method": ("import functools\nseen = []\nnote = functools.partial(seen.append, 1)", "note()"),
    "a decorated helper": (
        "import functools, subprocess\n"
        "def slowly(f):\n    @functools.wraps(f)\n    def g(*a):\n        subprocess.run(['true'])\n"
        "        return f(*a)\n    return g\n@slowly\ndef helper(y): return y",
        "helper(x)",
    ),
    "a helper without gradients": (
        "import subprocess\n@torch.no_grad()\ndef helper(y): return subprocess.run(['true'])",
        "helper(x)",
    ),
    "a helper that remembers": (
        "import functools, subprocess\n@functools.lru_cache\ndef helper(y): return subprocess.run(['true'])",
        "helper(3)",
    ),
    "a helper of a helper": (
        "import subprocess\ndef start(): subprocess.run(['true'])\ndef helper(): start()",
        "helper()",
    ),
    "a helper in a list": ("import subprocess\ndef start(): subprocess.run(['true'])\nall = [start]", "all[0]()"),
    "a default of a helper": ("import os\ndef helper(run=os.system): run('true')", "helper()"),
    "a property": (
        "import os\nclass Log:\n    @property\n    def here(self): return os.getcwd()\nlog = Log()",
        "log.here",
    ),
    "a method of a class": (
        "import os\nclass Log:\n    @classmethod\n    def note(cls): os.getcwd()\nnote = Log.note",
        "note()",
    ),
    "a base of a class": (
        "import os\nclass Base:\n    def note(self): os.getcwd()\nclass Log(Base): pass",
        "Log().note()",
    ),
    "a module inside torch": ("", "torch.os.getcwd()"),
    "a module under another name": ("", "library = torch\n    library.zeros(3)"),
    "what the globals of a function hold": ("import os\ndef helper(): pass", "helper.__globals__['os'].getcwd()"),
    "a class that is known to Python": ("", "object.__subclasses__()[-1]()"),
    "a logger": ("import logging\nlogger = logging.getLogger('x')", "logger.info('x')"),
    "a lock": ("import threading\nlock = threading.Lock()", "lock.acquire()"),
    "a generator of numbers": ("generator = torch.Generator()", "torch.rand(3, generator=generator)"),
    "a generator of items": ("items = iter([1, 2])", "next(items)"),
    "a list of a bound method": ("seen = []\nnote = seen.append", "note(1)"),
    "a list of an enclosing function": (
        "def counting():\n    seen = []\n    def note(): seen.append(1)\n    return note\nnote = counting()",
        "note()",
    ),
    "a number of an enclosing function": (
        "def counting():\n    n = 0\n    def note():\n        nonlocal n\n        n += 1\n    return note\n"
        "note = counting()",
        "note()",
    ),
    "a list of a class": ("class Log:\n    seen = []\n    def note(self): self.seen.append(1)", "Log().note()"),
    "a default that grows": ("def note(seen=[]): seen.append(1)", "note()"),
    "an attribute of a class of the course": ("from utils.config import Config", "Config.calls = 1"),
    "an attribute that is counted": ("def helper(): pass\nhelper.calls = 0", "helper.calls += 1"),
    "a shared tensor": ("shared = torch.zeros(3).share_memory_()", "shared.add_(1)"),
    "a compiled function": ("", "torch.compile(len)(x)"),
    "the course's figures": ("from utils.plotting import bars", "bars(['a'], [x])"),
}


@pytest.mark.parametrize(("cell", "act"), ACTING.values(), ids=ACTING)
def test_what_acts_or_is_not_known_is_not_tried(cell, act):
    assert not is_tried(act, cell)


def test_an_array_in_a_file_is_not_tried(tmp_path):
    names = notebook()
    file = np.memmap(tmp_path / "f", dtype=np.float32, mode="w+", shape=(3,))
    for name, value in {"file": file, "view": np.asarray(file), "part": [file[:2]]}.items():
        assert reached_by(ast.parse(f"def answer(x):\n    {name}[0] = 1"), names | {name: value}) is None, name


def test_a_subclass_of_tensor_is_not_run_to_find_out():
    run = []

    class Noting(torch.Tensor):
        @classmethod
        def __torch_function__(cls, f, types, args=(), kwargs=None):
            run.append(f)

    names = notebook() | {"noting": torch.ones(3).as_subclass(Noting)}
    Noting.__module__ = "__main__"
    run.clear()
    assert reached_by(ast.parse("def answer():\n    return noting"), names) is None and not run


COMPUTING = {
    "a dataclass of settings": (
        "from dataclasses import dataclass, field\n"
        "@dataclass\nclass Settings:\n    n: int = 3\n    parts: list = field(default_factory=list)\ncfg = Settings()",
        "x = x * cfg.n",
    ),
    "the course's Config": ("from utils.config import Config\ncfg = Config()", "x = x * cfg.d_model"),
    "einops": ("import einops\nfrom einops import rearrange", "x = rearrange(einops.rearrange(x, 'a -> a'), 'a -> a')"),
    "functions of torch": ("import torch.nn.functional as F", "x = F.softmax(torch.sqrt(x), dim=-1)"),
    "functions by name": ("from math import sqrt\nfrom torch import Tensor, einsum", "x = sqrt(3) * x"),
    "NumPy's functions": ("import numpy as np\nfrom numpy import sum, exp", "x = np.exp(sum(x)) + np.random.rand()"),
    "a helper": ("def helper(y):\n    return y * 2", "x = helper(x)"),
    "a helper without gradients": ("@torch.no_grad()\ndef helper(y):\n    return y * 2", "x = helper(x)"),
    "a helper that remembers": ("import functools\n@functools.cache\ndef helper(y):\n    return y * 2", "helper(3)"),
    "a lambda": ("helper = lambda y: y * 2", "x = helper(x)"),
    "a part of a function": ("from functools import partial\nmean = partial(torch.mean, dim=-1)", "x = mean(x)"),
    "constants": ("SIZE, NAME, PAIR, NONE = 3, 'a', (1, 2.0), None", "x = x * SIZE + PAIR[0]"),
    "a table": ("TABLE = {'a': [1, 2], 'b': [3]}", "x = x * TABLE['a'][0]"),
    "a tensor": ("mask = torch.ones(3)", "x = x * mask"),
    "a device": ("device = 'cuda' if torch.cuda.is_available() else 'cpu'", "x = x.to(device)"),
    "a pattern": ("import re\npattern = re.compile('a')", "pattern.findall('abc')"),
    "types": (
        "from typing import Optional\nfrom jaxtyping import Float\nfrom torch import Tensor\nX = Float[Tensor, 'a']",
        "y: Optional[X] = None",
    ),
    "a class": ("class Norm(nn.Module):\n    def forward(self, y):\n        return super().forward(y)", "Norm()"),
    "a layer": ("layer = nn.Linear(3, 3)", "x = layer(x)"),
    "an object of the notebook": (
        "class Table:\n    def __init__(self): self.known = {'a': 1}\n    def of(self, key): return self.known[key]\n"
        "table = Table()",
        "table.of('a')",
    ),
    "a method of it": ("class Table:\n    def of(self, key): return key\nof = Table().of", "of('a')"),
    "Python's own": ("from collections import Counter, defaultdict\ncounts = defaultdict(int)", "print(len(counts))"),
}


@pytest.mark.parametrize(("cell", "act"), COMPUTING.values(), ids=COMPUTING)
def test_what_only_computes_is_tried(cell, act):
    assert is_tried(act, cell)


KEPT = """\
seen, table, total = [], {"n": 0}, torch.zeros(3)
class Log:
    calls = 0
    def __init__(self):
        self.seen = []
log = Log()
alias = seen
count = 0
def note(x):
    global count
    count += 1
    seen.append(1)
    table["n"] += 1
    total.add_(1)
    log.seen.append(1)
    kind = type(log)
    kind.calls += 1
    assert alias is seen and len(seen) < 100
"""


@pytest.mark.slow
@pytest.mark.parametrize("fork", [pytest.param(True, marks=forked), False])
@pytest.mark.parametrize("act", ["note(x)", "seen.append(1)", "log.seen.append(1)", "total.add_(1)"])
def test_what_the_notebook_holds_stays_as_it_was(act, fork, monkeypatch):
    monkeypatch.setattr(search, "can_fork", lambda: fork)
    cell = written(f"{act}\n{WRONG}")
    names = notebook(KEPT, cell)
    verdict = scale.judge(names["Scale"], seed=SEED)
    held = {name: names[name] for name in ("seen", "table", "total", "log", "Log", "note", "count", "alias")}
    before = state_of(names)
    repair = find_repair(scale, verdict, cell, names)
    assert repair and repair.after == LEFT_OUT.after
    assert state_of(names) == before
    assert all(names[name] is value for name, value in held.items())


def state_of(names):
    values = [names["seen"], names["table"], names["total"].tolist(), names["log"].seen, names["count"]]
    return copy.deepcopy([*values, names["Log"].calls, vars(names["note"])])


def test_without_a_child_nothing_is_printed_drawn_or_warned_of(monkeypatch, capsys, recwarn):
    monkeypatch.setattr(search, "can_fork", lambda: False)
    cell = written(WRONG).replace("def forward", "print('made'), torch.rand(3)\n    def forward")
    names = notebook(cell)
    verdict = scale.judge(names["Scale"], seed=SEED)
    capsys.readouterr()
    drawn = torch.get_rng_state()
    assert find_repair(scale, verdict, cell, names)
    assert capsys.readouterr().out == "" and torch.equal(drawn, torch.get_rng_state())
    assert not recwarn.list
