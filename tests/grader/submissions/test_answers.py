"""grader.submissions.answers: an answer is found wherever it is, with what it uses and without others' parts."""

import sys
import time
from dataclasses import replace

import pytest

from grader.submissions.answers import Answer, find_answer
from grader.submissions.commands import HERE, of_a_newer_python
from grader.submissions.parsing import own_imports
from tests.grader.submissions.forms import FORMS
from utils.course import ROOT, all_exercises
from utils.course.cells import code_of

SYMBOLS = {exercise.symbol for exercise in all_exercises()}
# What an answer needs of ours, where the process that runs it has it
NEEDED = {"gpt2_jax": {"utils.dialects"}}


def found(*cells: str, symbol: str = "LayerNorm") -> Answer:
    return find_answer(cells, symbol, SYMBOLS)


def run(answer: Answer, **parts: object) -> dict[str, object]:
    assert answer.problem == ""
    names = dict(parts)
    exec(answer.source, names)
    return names


@pytest.mark.parametrize("exercise", all_exercises(), ids=lambda one: one.symbol)
def test_every_solution_is_found_whole(exercise):
    cells = code_of(ROOT / "solutions" / f"{exercise.stem}.ipynb")
    answer = find_answer(cells, exercise.symbol, SYMBOLS)
    assert (answer.problem, answer.notes, len(answer.cells)) == ("", (), 1)
    assert answer.fuller == ""  # no figure and no training of a chapter is run with it
    assert own_imports(answer.source) <= {"utils.config"} | NEEDED.get(exercise.symbol, set())
    compile(answer.source, exercise.symbol, "exec")
    assert not set(answer.uses) - SYMBOLS and exercise.symbol not in answer.uses
    assert all(f"class {name}(" not in answer.source for name in answer.uses)
    assert all(f"def {name}(" not in answer.source for name in answer.uses)


def test_the_last_definition_counts_and_that_is_said():
    twice = found("def LayerNorm(): return 1", "x = 1", "def LayerNorm(): return 2")
    assert run(twice)["LayerNorm"]() == 2
    assert twice.cells == (1, 3)
    assert twice.notes == ("defined twice, in cells 1 and 3: the last counts",)
    assert found("def LayerNorm(): 1\nLayerNorm = 2").notes == ("defined twice in cell 1: the last counts",)
    thrice = found("LayerNorm = 1", "LayerNorm = 2", "LayerNorm = 3")
    assert thrice.notes == ("defined 3 times, in cells 1, 2 and 3: the last counts",)


def test_what_wraps_itself_is_one_definition():
    wrapped = found("def twice(f): return lambda: 2 * f()", "def LayerNorm(): return 1", "LayerNorm = twice(LayerNorm)")
    assert run(wrapped)["LayerNorm"]() == 2
    assert wrapped.notes == ()


@pytest.mark.parametrize("form", FORMS)
def test_however_it_is_written(form):
    answer = found(*FORMS[form])
    assert run(answer)["LayerNorm"]() == 1
    assert answer.uses == () and own_imports(answer.source) == set()


REGISTER = "REGISTRY = {}\ndef register(name, f): REGISTRY[name] = f"
ONE = "def one(): return 1"
READS = "def LayerNorm(): return REGISTRY['one']()"
BOX = "class Box:\n    def __init__(self): self.rows = {}\n    def put(self, name, f): self.rows[name] = f"
# Right answers that a call of what the notebook defines fills
CALLED = {
    "a call": (REGISTER, ONE, "register('one', one)", READS),
    "in a loop": (REGISTER, ONE, "for f in [one]:\n    register(f.__name__, f)", READS),
    "in a with": (REGISTER, ONE, "import torch\nwith torch.no_grad():\n    register('one', one)", READS),
    "in a comprehension": (REGISTER, ONE, "[register(f.__name__, f) for f in [one]]", READS),
    "assigned": (REGISTER, ONE, "_ = register('one', one)", READS),
    "a method": (BOX, "R = Box()", ONE, "R.put('one', one)", "def LayerNorm(): return R.rows['one']()"),
    "a global": ("def setup():\n    global SIZE\n    SIZE = 1", "setup()", "def LayerNorm(): return SIZE"),
    "through another": (REGISTER, ONE, "def all_of(): register('one', one)", "all_of()", READS),
    "what it is given": ("T = {}\ndef put(t, x): t['a'] = x", "put(T, 1)", "def LayerNorm(): return T['a']"),
    "vars": (ONE, "vars(one)['a'] = 1", "def LayerNorm(): return one.a"),
    "globals": ("globals().update(SIZE=1)", "def LayerNorm(): return SIZE"),
    "computed": ("for n in ['ONE']:\n    globals()[n[:2] + 'E'] = 1", "def LayerNorm(): return ONE"),
    "a closure": (
        "def make():\n    t = {}\n    def put(n, f): t[n] = f\n    return put, t.get",
        "put, get = make()",
        "put('one', 1)",
        "def LayerNorm(): return get('one')",
    ),
    "a metaclass": (
        "T = {}\nclass Meta(type):\n    def __init__(cls, name, bases, d): T[name] = cls",
        "class One(metaclass=Meta):\n    value = 1",
        "def LayerNorm(): return T['One'].value",
    ),
    "one of them fails": (REGISTER, ONE, "register('one', one)", "register('two', two)", READS),
}


@pytest.mark.parametrize("form", CALLED)
def test_calls_that_fill_what_it_reads_are_in_its_fuller_source(form):
    answer = found(*CALLED[form])
    assert run(replace(answer, source=answer.fuller or answer.source))["LayerNorm"]() == 1


NO_CALLS = {
    "a test": ("def LayerNorm(): return 1", "test_layer_norm(LayerNorm)", "print(LayerNorm())"),
    "a demonstration": ("n = []\ndef LayerNorm(): n.append(1)", "def demo(): LayerNorm()", "demo()", "LayerNorm()"),
    "a table that it does not read": (REGISTER, ONE, "register('one', one)", "def LayerNorm(): return 1"),
}


@pytest.mark.parametrize("form", NO_CALLS)
def test_demonstrations_are_in_none(form):
    assert found(*NO_CALLS[form]).fuller == ""


def test_of_what_is_decorated_only_what_fills_is_taken_along():
    register = "table = {}\ndef register(f):\n    table[f.__name__] = f\n    return f"
    shown = "seen = {}\ndef shown(f):\n    seen[f.__name__] = f\n    return f\n@shown\ndef demo(): 1 / 0"
    answer = found(register, "@register\ndef one(): return 2", shown, "def LayerNorm(): return table['one']()")
    assert run(answer)["LayerNorm"]() == 2  # wrong, and what the notebook says
    assert "demo" not in answer.source and "seen" not in answer.source


BLOCK = "class TransformerBlock:\n    def __init__(self): self.parts = LayerNorm, Attention"
BORROWED = {
    "defined": "class LayerNorm: pass\nclass Attention: pass",
    "imported": "from solutions.ch03_layernorm import LayerNorm\nfrom solutions.ch04_attention import Attention",
    "borrowed": "from utils.pieces import pieces\nLayerNorm, Attention = pieces('LayerNorm', 'Attention')",
    "tried": "try:\n    from my_gpt.layer_norm import LayerNorm\nexcept ImportError:\n    LayerNorm = None",
    "patched": "class LayerNorm: pass\nLayerNorm.forward = None",
    "not there": "",
}


@pytest.mark.parametrize("way", BORROWED)
def test_other_exercises_are_left_out(way):
    answer = find_answer((BORROWED["borrowed"], BORROWED[way], BLOCK), "TransformerBlock", SYMBOLS)
    assert answer.uses == ("Attention", "LayerNorm")
    names = run(answer, LayerNorm="given", Attention="given too")
    assert names["TransformerBlock"]().parts == ("given", "given too")


@pytest.mark.parametrize("way", ["imported", "tried", "not there"])
def test_they_need_not_be_borrowed_by_a_given_cell(way):
    assert find_answer((BORROWED[way], BLOCK), "TransformerBlock", SYMBOLS).uses == ("Attention", "LayerNorm")


def test_a_helper_may_have_the_name_of_another_chapters_exercise():
    """A softmax in NumPy is none of chapter 4's, which has other parameters."""
    answer = find_answer(("def softmax(x): return x", "def gpt2_numpy(): return softmax(1)"), "gpt2_numpy", SYMBOLS)
    assert answer.uses == () and run(answer)["gpt2_numpy"]() == 1


HANDS_OVER = "def gpt2_numpy(ids): return Transformer(ids)"
NOT_LENT = "It uses `Transformer`, which is written with another library than this exercise asks for, and is not lent."
BORROWED_BUT_NOT_LENT = {
    "from solutions.ch07_transformer import Transformer": (NOT_LENT,),
    "from utils.pieces import pieces\nAttention, Transformer = pieces('Attention', 'Transformer')": (NOT_LENT,),
    "": (NOT_LENT,),
    "class Transformer(int): pass": (),
    "from utils.pieces import pieces\n(Transformer,) = pieces('Transformer')\nclass Transformer(int): pass": (),
    "def Transformer(ids):\n    def softmax(x): return x\n    return softmax(ids)": (),
}


@pytest.mark.parametrize("cell", BORROWED_BUT_NOT_LENT)
def test_what_is_not_lent_is_told_from_a_helper_of_its_name(cell):
    notes = BORROWED_BUT_NOT_LENT[cell]
    answer = find_answer([cell, HANDS_OVER], "gpt2_numpy", not_lent={"Attention", "Transformer", "softmax"})
    assert answer.uses == () and answer.notes == notes and not own_imports(answer.source)
    if not notes:
        assert run(answer)["gpt2_numpy"](3) == 3


LATER_IMPORTS = {
    "from torch.nn import LayerNorm": "",
    "from solutions.ch03_layernorm import LayerNorm": "",
    "import torch.nn as LayerNorm": "",
    "from math import sqrt, pi as LayerNorm\none = sqrt(1)": "import sqrt\n",
}


@pytest.mark.parametrize("imported", LATER_IMPORTS)
def test_what_is_imported_under_its_name_afterwards_is_no_answer(imported):
    answer = found("def LayerNorm(): return one", "one = 1", imported)
    assert run(answer)["LayerNorm"]() == 1
    assert LATER_IMPORTS[imported] in answer.source and "torch" not in answer.source
    assert answer.notes == ("`LayerNorm` is imported in cell 3; what is written in cell 1 counts.",)


def test_of_an_import_only_the_exercise_is_left_out():
    cells = ("from solutions.ch03_layernorm import LayerNorm, helper", "def TransformerBlock(): LayerNorm, helper")
    answer = find_answer(cells, "TransformerBlock", SYMBOLS)
    assert "import helper\n" in answer.source and answer.uses == ("LayerNorm",)
    assert answer.notes == ("It imports `solutions.ch03_layernorm`, which is not there where answers are judged.",)


def test_a_librarys_function_of_the_same_name_is_no_exercise():
    cells = ("from torch import softmax", "def Attention(): return softmax")
    answer = find_answer(cells, "Attention", SYMBOLS)
    assert answer.uses == () and "from torch import softmax" in answer.source
    answer = find_answer((*cells, "def softmax(x): return x"), "Attention", SYMBOLS)
    assert answer.uses == ("softmax",) and "torch" not in answer.source


PROBLEMS = {
    "No cell defines `LayerNorm`.": ("x = 1", "print(LayerNorm)"),
    "`LayerNorm` is only imported, in cell 2; write it in a cell.": (
        "",
        "from solutions.ch03_layernorm import LayerNorm",
    ),
    "`LayerNorm` is only imported, in cell 1; write it in a cell.": (
        "from utils.pieces import pieces\n(LayerNorm,) = pieces('LayerNorm')",
    ),
    "Cell 1, line 2 is no Python (invalid syntax): `x = = 1`.": ("class LayerNorm:\n    x = = 1",),
    "Cell 2 defines `LayerNorm` within another block; define it at the top level of a cell.": (
        "",
        "def make():\n    class LayerNorm: pass",
    ),
    "`LayerNorm` can't be run ('return' outside function): `return 3`.": (
        "if True:\n    class LayerNorm:\n        return 3",
    ),
}


@pytest.mark.parametrize("problem", PROBLEMS)
def test_what_is_wrong_is_said_in_a_sentence(problem):
    answer = found(*PROBLEMS[problem])
    assert answer.problem == problem
    assert answer.missing == ("define" in problem or "imported" in problem)


# Of each form a cell in which `name` is defined; by the version that it came with
NEWER = {
    "3.12": [
        "def name(a):\n    return f'{a['b']}'",
        "def name(a):\n    return f'{'\\\\n'.join(a)}'",
        "def name(a):\n    return f'{a # it\n}'",
        "type name = int",
        "type of = int\n%time\nname = 1",
        "def name[T](x: T) -> T:\n    return x",
        "class name[T]:\n    pass",
        "%matplotlib inline\ndef name[T](x):\n    return x\n!ls",
        "%%time\ndef name[T](x):\n    return x",
        "def of[T](x):\n    return x\nfrom math import (pi,\n    e as name)",
        "def of[T](x):\n    return x\nother, name = 1, 2",
    ],
    "3.13": ["class name[T = int]:\n    pass"],
    "3.14": ["name = t'{1}'", "def name():\n    try:\n        pass\n    except TypeError, ValueError:\n        pass"],
}
IS_NEWER = [(since, cell) for since, cells in NEWER.items() for cell in cells if sys.version_info < (3, int(since[2:]))]


@pytest.mark.parametrize(("since", "cell"), IS_NEWER)
def test_python_of_a_newer_version_is_no_mistake_of_the_answers(since, cell):
    """Neither in the answer nor in what it uses."""
    helped = found(cell, "def LayerNorm(): return name")
    assert helped.newer and not helped.missing and helped.cells == (2,)
    start = f"Cell 1, line {1 + cell[: _place(cell)].count(chr(10))} is Python from {since} on: "
    assert helped.problem.startswith(start)
    assert f"Python {HERE}, which grades here, " in helped.problem
    assert helped.problem.endswith(f": grade it with Python {since} or newer.")
    if "import" not in cell and ", name" not in cell and "type name" not in cell:  # those write no answer
        assert found(cell.replace("name", "LayerNorm")).newer
        assert found("def LayerNorm(): return 1", cell.replace("name", "LayerNorm")).newer


# What a cell of a newer Python does: that an answer can't be judged without it, or not if a call is to be made, or can
USED = ("import torch\nTABLE, scale = {}, 1\ndef helper(x): return x\ndef fill(): TABLE['it'] = 1",)
USED = (*USED, "class LayerNorm:\n    def forward(self): return torch, TABLE, scale, helper")
DONE = {
    "newer": [
        *("TABLE['a'] = 1", "TABLE.update(a=1)", "del TABLE['a']", "helper.scale = 2", "LayerNorm.scale = 2"),
        *("if True:\n    scale = 2", "with open('a') as scale: pass", "for scale in (1, 2): pass", "print(scale := 2)"),
        *("scale += 1", "try:\n    scale = 2\nfinally: pass", "import scale", "from json import (\n    a, b as scale)"),
        *("def helper[T](x: T): return x", "class LayerNorm[T]: pass", "TABLE['a'], b = 1, 2", "type scale = int"),
        *("@helper\ndef other(): pass\nTABLE |= {'a': other}", "import numpy as torch", "s = f'{1}'; scale = s"),
    ],
    "unfilled": [
        *("fill()", "if True:\n    fill()", "[fill() for _ in '1']", "def f():\n    global scale\n    scale = 2\nf()")
    ],
    "": [
        *("torch.manual_seed(0)", "import torch, json\ntorch.manual_seed(0)", "torch.backends.allow = True"),
        *("print(TABLE['a'], scale, helper(1))", "text = '''\nscale = 2\nTABLE['a'] = 1\nfill()\n'''", "# fill()"),
        *("def f():\n    scale = 2\nf()", "def f():\n    TABLE['a'] = 1", "def f(TABLE):\n    TABLE['a'] = 1"),
        *("LayerNorm().forward()", "other = fill", "seen = {}\nseen['a'] = TABLE", "lambda: fill()"),
        *("sum(x for scale in [1])", "print(f'{TABLE[\"a\"]} fill()')"),
    ],
}
NEWEST = ["t'{1}'", "type Other = int", "f'{'a' 'b'}\\n'", "lazy import other", "[*a for a in []]"]


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="knows what is written here")
@pytest.mark.parametrize(("found_as", "does"), [(kind, does) for kind, rows in DONE.items() for does in rows])
def test_only_what_an_answer_would_be_made_of_in_a_newer_python_keeps_it_from_being_judged(found_as, does):
    answer = found(*USED, f"{does}\nsomething = t'{{1}}'")
    assert ("newer" if answer.newer else "unfilled" if answer.unfilled else "") == found_as
    assert "Cell 3, line " in answer.problem + answer.unfilled or not found_as


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="knows some of what is written here")
@pytest.mark.parametrize("syntax", NEWEST)
def test_what_a_cell_does_is_seen_beside_any_newer_syntax(syntax):
    if not of_a_newer_python(syntax):
        pytest.skip("this ruff is older")
    assert found(*USED, f"if True:\n    scale = 2\n{syntax}").newer
    beside = found(*USED, f"{syntax}\ntorch.manual_seed(0)")
    assert not beside.newer and not beside.unfilled


def _place(cell):
    """Where it has what is newer."""
    return min(at for at in map(cell.find, ("f'{", "[T", "type ", "t'{", "except")) if at >= 0)


@pytest.mark.parametrize("cell", [cell for _, cell in IS_NEWER])
def test_it_costs_no_answer_that_needs_nothing_of_it_and_excuses_no_mistake(cell):
    answer = found("def LayerNorm(): return 1", cell, "print(LayerNorm(), name)")
    assert run(answer)["LayerNorm"]() == 1 and not answer.newer
    broken = found(f"{cell}\ndef LayerNorm():\n    x = = 1")
    assert "is no Python (" in broken.problem and not broken.newer and not broken.missing
    unhelped = found(f"{cell}\nx = = 1", "def LayerNorm(): return name")
    assert not unhelped.problem and not unhelped.newer


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="knows what is written here")
def test_below_an_unknown_magic_a_newer_python_is_said():
    answer = found("%%heat\ndef LayerNorm[T](x):\n    return x")
    assert answer.newer and not answer.missing
    assert answer.problem.startswith("Cell 1, line 2 is Python from 3.12 on: `def LayerNorm[T](x):`.")


def test_below_an_unknown_magic_another_language_is_left_out():
    answer = found("%%typescript\nclass LayerNorm {", "def LayerNorm(): return 1")
    assert run(answer)["LayerNorm"]() == 1 and answer.notes == ()


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="knows what is written here")
def test_another_exercise_in_a_newer_python_is_lent_and_a_helper_is_not():
    cells = "def softmax(x): return t'{x}'", "def Attention(): return softmax"
    assert found(*cells, symbol="Attention").uses == ("softmax",)
    assert found(*cells, symbol="softmax").newer
    own = [cell.replace("softmax", "gelu_new") for cell in cells]  # has the name of another chapter's exercise
    assert found(*own, symbol="Attention").newer


def test_of_a_broken_second_definition_the_first_counts():
    answer = found("LayerNorm = 1", "class LayerNorm:\n  def x(")
    assert run(answer)["LayerNorm"] == 1
    assert answer.notes == (
        "Cell 2, line 2 is no Python ('(' was never closed): `def x(`. "
        "It seems to define `LayerNorm` too; cell 1 counts.",
    )


HUGE = {
    "many statements": ["a = 1\n" * 30_000 + "LayerNorm = 1"],
    "many names": ["\n".join(f"a{i} = " + " + ".join(f"a{j}" for j in range(i)) for i in range(400))] * 20,
    "many cells": [f"def f{i}(): return f{i - 1}, f{i + 1}, LayerNorm" for i in range(2_000)] + ["LayerNorm = f7"],
    "deep": ["LayerNorm = " + "-" * 100_000 + "1"],
    "deep parts": ["LayerNorm = x" + ".a" * 5_000],
    "deep sums": ["LayerNorm = 1" + " + 1" * 5_000],
    "zeros": ["\0", "LayerNorm = '\0'"],
    "half a character": ["LayerNorm = '\ud800'"],
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HUGE)
def test_huge_and_odd_cells_raise_nothing_and_take_little_time(kind):
    began = time.thread_time()
    answer = found(*HUGE[kind])
    assert answer.problem or "LayerNorm = " in answer.source
    assert time.thread_time() - began < 15
