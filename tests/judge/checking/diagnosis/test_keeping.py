"""judge.checking.diagnosis.keeping: the variable that stays from call to call is named, and nothing else is."""

import pytest

from judge.checking.code import Code
from judge.checking.diagnosis.keeping import kept_between_calls, kept_by_the_class

DEFAULT = "The default `found=[]` is made once, and keeps what each call puts there: make it inside."
OUTSIDE = "`seen` stands outside of the function, and keeps what each call puts there: make it inside."
BOTH = "`n` and `seen` stand outside of the function, and keep what each call puts there: make them inside."
SELF = "`self.kept` stays from call to call: make it a plain variable, `kept`."
ITSELF = "`f.kept` stays on the function from call to call: take a variable inside it."


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def f(x, found=[]):\n    found.append(x)\n    return found", DEFAULT),
        ("def f(x, *, found=[]):\n    found[0] = x\n    return found", DEFAULT),
        ("def f(x, found=[]):\n    return [*found, x]", None),
        ("def f(x, found=None):\n    found = found or []\n    found.append(x)\n    return found", None),
        ("def f(x):\n    seen[x] = 1\n    return seen", OUTSIDE),
        ("def f(x):\n    seen[0][x].append(1)\n    return seen", OUTSIDE),
        ("def f(x):\n    global seen\n    seen = x\n    return seen", OUTSIDE),
        ("def f(x):\n    global n\n    n += 1\n    seen[n] = x\n    return seen", BOTH),
        ("def f(x):\n    seen = {}\n    seen[x] = 1\n    return seen", None),
        ("def f(x):\n    seen = []\n    def g():\n        seen.append(x)\n    g()\n    return seen", None),
        ("def f(x):\n    for seen in x:\n        seen[0] = 1\n    return x", None),
        ("def f(x):\n    x[0] = seen[1]\n    return x", None),
        ("def f(x):\n    f.kept = x\n    return f.kept", ITSELF),
        ("def f(x):\n    x.kept = f\n    return x", None),
        ("def forward(self, x):\n    if x:\n        self.kept = x\n    return self.kept", SELF),
        ("def forward(self, x):\n    self.n += 1\n    return self.n * x", SELF.replace("kept", "n")),
        ("def __init__(self, cfg):\n    self.cfg = cfg", None),
        ("def forward(self, x):\n    kept = self.kept\n    return kept * x", None),
        ("x = [1", None),
    ],
)
def test_what_stays_from_call_to_call_is_named(source, said):
    assert kept_between_calls(Code((source,))) == said


SHARED = "`seen` is made in the class, and all its instances share it: assign `self.seen` in `__init__` instead."


@pytest.mark.parametrize(
    ("methods", "said"),
    [
        (["def __init__(self, words):\n    self.seen.extend(words)"], SHARED),
        (["def __init__(self, words):\n    self.words = words", "def f(self, x):\n    self.seen[x] = 1"], SHARED),
        (["def __init__(self, words):\n    self.seen = []", "def f(self, x):\n    self.seen.append(x)"], None),
        (["def __init__(self, words):\n    setattr(self, 'seen', [])\n    self.seen.append(words)"], None),
        (["def f(self, x):\n    return self.seen[x]"], None),
        (["def f(self, x):\n    seen = {}\n    seen[x] = 1\n    return seen"], None),
        (["def f(self, x):\n    self._modules[x] = 1"], None),
    ],
)
def test_what_the_class_keeps_is_named(methods, said):
    assert kept_by_the_class(Code(tuple(methods))) == said
