"""grader.judging: each answer by itself, with earlier exercises lent, in a process apart."""

import sys

import pytest

from grader import judging
from grader.bounds import Bounds
from grader.judging import open_judge
from tests.grader.answers import chapter, replaced

pytestmark = pytest.mark.slow
LATER = "def greedy(logits):\n    return sample_next_token([], logits, temperature=0.0)"
TWICE = "def softmax(x, dim=-1):\n    return x"
SOFTMAX = "def softmax(x, dim=-1):\n    return torch.softmax(x, dim)"
HELPED = "def softmax(x, dim=-1):\n    return weighed(x, dim)"
HELPER = "def weighed(x, dim):\n    e = (x - x.amax(dim, keepdim=True)).exp()\n    return e / e.sum(dim, keepdim=True)"
NO_MASK = "def apply_causal_mask(attn_scores):\n    return attn_scores"
STUB = "def softmax(x, dim=-1):\n    raise NotImplementedError"
TOO_LARGE = "def softmax(x, dim=-1):\n    return 1.1 * torch.softmax(x, dim)"


@pytest.fixture(scope="module")
def judge():
    with open_judge(seed=11, bounds=Bounds(cpu_seconds=1), allow_none=True) as opened:
        yield opened


def one(judge, cells, stem, symbol):
    return judge.grades(cells, stem, symbol=symbol)[symbol]


def of_softmax(judge, *cells):
    """The grade of a notebook that has nothing else."""
    return one(judge, ["import torch", *cells], "ch04_attention", "softmax")


def of_attention(judge, softmax):
    """The grade of a right Attention beside this softmax."""
    return one(judge, replaced("ch04_attention", softmax=softmax), "ch04_attention", "Attention")


@pytest.fixture
def none_is_lent(monkeypatch):
    """As in a course without solutions."""
    monkeypatch.setattr(judging, "solutions_are_here", lambda: False)


def test_an_answer_is_judged_on_the_references_parts_and_again_on_its_own(judge):
    wrong = judge.grades(replaced("ch04_attention", softmax=TOO_LARGE), "ch04_attention")
    assert wrong["softmax"].status == "fail"
    assert (wrong["Attention"].status, wrong["Attention"].with_own_parts) == ("pass", "fail")


def test_where_all_that_it_uses_passes_nothing_is_judged_again(judge):
    assert judge.grades(chapter("ch04_attention"), "ch04_attention")["Attention"].with_own_parts is None
    alone = one(judge, chapter("ch04_attention"), "ch04_attention", "Attention")  # nothing is known of its parts
    assert alone.with_own_parts == "pass"


def test_nothing_is_lent_that_comes_later(judge):
    cells = ["import torch", LATER]
    assert one(judge, cells, "ch08_sampling", "greedy").status == "error"  # NameError: there is none in its notebook


OWN_MODEL = """class Transformer:
    def __init__(self, params, n_heads): self.of = params, n_heads
    def __call__(self, ids): return plain(ids, *self.of)"""
BY_A_MODEL = "def gpt2_numpy(input_ids, params, n_heads):\n    return Transformer(params, n_heads)(input_ids)"


@pytest.mark.parametrize(("own", "status"), [(OWN_MODEL, "pass"), ("", "error")])
def test_a_model_in_numpy_is_its_authors_class_and_not_the_one_that_the_chapter_borrows(judge, own, status):
    stem = "ch11_dialects"
    (right,) = [cell for cell in chapter(stem) if "def gpt2_numpy(" in cell]
    plain = right.replace("def gpt2_numpy(", "def plain(")
    grade = one(judge, replaced(stem, gpt2_numpy="\n".join([plain, own, BY_A_MODEL])), stem, "gpt2_numpy")
    assert grade.status == status and bool(grade.notes) == (not own)
    assert own or "is not lent" in grade.notes[0]


def test_what_is_written_with_another_library_is_noted_and_costs_nothing(judge):
    stem = "ch11_dialects"
    (right,) = [cell for cell in chapter(stem) if "def gpt2_numpy(" in cell]
    by_torch = right.replace("np.tanh(", "torch.tanh(torch.as_tensor(").replace("inner))", "inner)).numpy())")
    grade = one(judge, replaced(stem, gpt2_numpy=by_torch), stem, "gpt2_numpy")
    assert by_torch != right and grade.status == "pass"
    assert grade.notes == ("It uses PyTorch (`torch.tanh`), where the exercise asks for NumPy.",)


def test_what_is_particular_about_an_answer_is_noted(judge):
    twice = of_softmax(judge, TWICE, SOFTMAX)
    assert twice.status == "pass" and twice.notes == ("defined twice, in cells 2 and 3: the last counts",)
    helped = of_softmax(judge, HELPER, "softmax = None", HELPED)
    assert helped.status == "pass"


REGISTRY = "WAYS = {}\ndef register(name, f):\n    WAYS[name] = f"
LOOKED_UP = "def softmax(x, dim=-1):\n    return WAYS['it'](x, dim)"


@pytest.mark.parametrize(
    ("registered", "status"),
    [
        ("register('it', torch.softmax)", "pass"),
        ("register('it', torch.log_softmax)", "fail"),
        ("register('it', torch.sofmax)", "error"),  # AttributeError, and an empty table
        ("register('other', torch.softmax)", "error"),
    ],
)
def test_a_table_that_a_call_fills_is_judged_as_it_fills_it(judge, registered, status):
    assert of_softmax(judge, REGISTRY, registered, LOOKED_UP).status == status


@pytest.mark.parametrize("lent", [True, False])
@pytest.mark.parametrize(
    ("call", "status"), [("register('it', torch.softmax)", "pass"), ("register('it', torch.log_softmax)", "fail")]
)
def test_an_own_part_reads_its_table_as_calls_fill_it(judge, monkeypatch, lent, call, status):
    monkeypatch.setattr(judging, "solutions_are_here", lambda: lent)
    grade = of_attention(judge, "\n".join([REGISTRY, call, LOOKED_UP]))
    assert (grade.status, grade.with_own_parts) == ("pass" if lent else status, status)


def test_an_own_part_passes_without_a_call_that_never_ends(judge, none_is_lent):
    forever = "n = 2\ndef wait():\n    global n\n    n = 3\n    while True: pass\nwait()\n"
    assert of_attention(judge, forever + SOFTMAX.replace("return", "n\n    return")).status == "pass"


def test_what_passes_without_a_call_passes_beside_one_that_never_ends(judge):
    forever = "def wait():\n    global n\n    n = 3\n    while True: pass"
    cells = ["n = 2", forever, "wait()", SOFTMAX.replace("return", "n\n    return")]
    assert of_softmax(judge, *cells).status == "pass"


@pytest.mark.parametrize(
    ("cells", "status", "said"),
    [
        (["import torch"], "missing", "No cell defines `softmax`."),
        (["from torch import softmax"], "missing", "only imported"),
        (["def softmax(x, dim=-1):\n    return (x"], "error", "is no Python"),
        (["def softmax(x, dim=-1):\n    return tourch.softmax(x, dim)"], "error", "name 'tourch' is not defined"),
        (["import torch\nsoftmax = torch.sofmax"], "error", "has no attribute 'sofmax'"),
        (["def softmax(x, dim=-1):\n    return x"], "fail", "softmax"),
        ([STUB], "not_yet", "not yet"),
        (["def softmax(x, dim=-1):\n    while True:\n        pass"], "limit", "while True"),
    ],
)
def test_every_status_has_its_reason(judge, cells, status, said):
    grade = one(judge, cells, "ch04_attention", "softmax")
    assert (grade.status, grade.points) == (status, 0.0)
    assert said in grade.said
    assert grade.protection == judge.protection and grade.seed == 11


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="knows all that is written here")
@pytest.mark.parametrize("right", [SOFTMAX, TOO_LARGE])
def test_what_takes_a_newer_python_is_not_graded_and_costs_nothing_else(judge, right):
    newer = right.replace("    return", "    name = t'{x}'\n    return")
    grade = of_softmax(judge, newer)
    assert grade.status == "not_graded" and "is Python from 3.14 on: `name = t'{x}'`" in grade.said
    beside = of_softmax(judge, right, "print(t'{softmax}')")
    assert beside.status == ("pass" if right is SOFTMAX else "fail")


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="knows what is written here")
def test_nor_is_what_uses_an_own_part_that_takes_one_where_none_is_lent(judge, none_is_lent):
    cells = replaced("ch04_attention", softmax=SOFTMAX.replace("softmax(", "softmax[T](", 1))
    grade = one(judge, cells, "ch04_attention", "Attention")
    assert (grade.status, grade.check) == ("not_graded", "can be read")
    assert grade.said.startswith("It uses `softmax` of ch04_attention. Cell ") and "from 3.12 on" in grade.said
    assert one(judge, cells, "ch04_attention", "apply_causal_mask").status == "pass"


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="knows what is written here")
@pytest.mark.parametrize(
    ("entry", "status"), [("newer", "not_graded"), ("torch.softmax", "pass"), ("torch.log_softmax", "fail")]
)
def test_nor_is_what_a_call_fills_with_a_part_that_takes_one(judge, monkeypatch, entry, status):
    newer = "def newer[T](x: T, dim):\n    return torch.softmax(x, dim)"
    filled = [REGISTRY, newer, f"register('it', {entry})", LOOKED_UP]
    grade = of_softmax(judge, *filled)
    assert grade.status == status
    if status == "not_graded":
        assert grade.said.startswith("Cell 3, line 1 is Python from 3.12 on: `def newer[T](x: T, dim):`.")
        monkeypatch.setattr(judging, "solutions_are_here", lambda: False)
        cells = [each for cell in replaced("ch04_attention", softmax="") for each in ([cell] if cell else filled)]
        own = one(judge, cells, "ch04_attention", "Attention")
        assert own.status == "not_graded" and own.said.startswith("It uses `softmax` of ch04_attention. Cell ")


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="has what is used here")
@pytest.mark.parametrize(
    ("before", "line", "status"),
    [
        ("from typing import override\n@override\n", "", "not_graded"),
        ("import itertools\n", "list(itertools.batched([1], 1)); ", "not_graded"),
        ("from typing import overide\n@overide\n", "", "error"),
        ("import itertools\n", "itertools.batch([1], 1); ", "error"),
        (
            "try:\n    from typing import override\nexcept ImportError:\n    override = lambda f: f\n@override\n",
            "",
            "pass",
        ),
    ],
)
def test_nor_is_what_uses_a_name_that_a_newer_library_has(judge, before, line, status):
    answer = before + SOFTMAX.replace("    return", f"    {line}return")
    grade = of_softmax(judge, answer)
    assert grade.status == status
    assert ("which Python has from 3.12 on. Python 3.11 grades here" in grade.said) == (status == "not_graded")


LACKED = "It uses `softmax` of ch04_attention, and a course without solutions has none to lend. "


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ("", "No cell defines `softmax`. Write it in the notebook of ch04_attention, and hand that in too; or grade"),
        ("def softmax(x, dim=-1):\n    return (", ": `return (`. Put it right in the notebook of ch04_attention, and"),
        (STUB, "It is not written yet. Write it in the notebook of ch04_attention, and hand that in too; or grade"),
    ],
    ids=["missing", "broken", "stub"],
)
def test_an_own_part_that_is_lacking_is_named_with_its_chapter_and_the_way_out(judge, none_is_lent, own, said):
    grade = of_attention(judge, own)
    assert (grade.status, grade.check) == ("error", "has what it uses")
    assert grade.said.startswith(LACKED) and said in grade.said and "NameError" not in grade.said


def test_another_name_that_is_not_there_is_told_as_it_is(judge, none_is_lent):
    grade = of_attention(judge, SOFTMAX.replace("torch.softmax(x, dim)", "soft(x)"))
    assert grade.status == "error" and "NameError: name 'soft' is not defined" in grade.said


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="knows what is written here")
def test_what_passes_without_the_call_passes(judge):
    newer = "def newer[T](x: T, dim): pass"
    cells = [REGISTRY, "register('it', torch.softmax)", newer, "register('new', newer)", LOOKED_UP]
    assert of_softmax(judge, *cells).status == "pass"


BY_A_NEWER = {
    "called": ([REGISTRY, "type Any = object\nregister('it', torch.softmax)"], "not_graded"),
    "defined": (
        ["WAYS = {}", "def register[T](name, f: T):\n    WAYS[name] = f", "register('it', torch.softmax)"],
        "not_graded",
    ),
    "another table": ([REGISTRY, "def show[T](x: T):\n    seen = {}\n    seen['it'] = x\nshow(1)"], "error"),
    "only a mistake": ([REGISTRY, "register('it' torch.softmax)"], "error"),
    "a library": ([REGISTRY, "type Any = object\ntorch.manual_seed(0)"], "error"),
}


@pytest.mark.parametrize("kind", BY_A_NEWER)
@pytest.mark.skipif(sys.version_info >= (3, 12), reason="knows what is written here")
def test_nor_is_what_a_cell_of_a_newer_python_would_fill(judge, kind):
    cells, status = BY_A_NEWER[kind]
    grade = of_softmax(judge, *cells, LOOKED_UP)
    assert grade.status == status
    assert ("is Python from 3.12 on" in grade.said) == (status == "not_graded")
    assert ("KeyError: 'it'" in grade.said) == (status == "error")


def test_a_fault_of_the_grader_is_a_row_that_says_so(judge, monkeypatch):
    def broken(*given):
        raise ZeroDivisionError("of the grader")

    monkeypatch.setattr(judging, "judge", broken)
    judge._known.clear()
    grade = of_softmax(judge, SOFTMAX.replace("x, dim)", "x, dim=dim)"))
    assert grade.status == "not_graded" and "The grader itself failed" in grade.said and "of the grader" in grade.said


def test_equal_answers_of_other_code_are_judged_once_and_wrong_ones_each(judge, monkeypatch):
    asked = []
    whole = judging.judge
    monkeypatch.setattr(judging, "judge", lambda *given: asked.append(given) or whole(*given))
    judge._known.clear()
    right = [of_softmax(judge, SOFTMAX + f"  # {name}") for name in "ab"]
    assert [grade.status for grade in right] == ["pass", "pass"] and len(asked) == 1
    wrong = [of_softmax(judge, TOO_LARGE + f"  # {name}") for name in "ab"]
    assert [grade.status for grade in wrong] == ["fail", "fail"] and wrong[0].misconception == wrong[1].misconception


@pytest.fixture
def started(judge, monkeypatch):
    """The names of what is run from here on; nothing is known of what was run before."""
    names = []
    start = judge.box.start
    monkeypatch.setattr(judge.box, "start", lambda task: names.append(task.name) or start(task))
    judge._known.clear()
    return names


@pytest.mark.parametrize("answer", [SOFTMAX, TOO_LARGE, STUB])
def test_the_same_code_is_run_once(judge, started, answer):
    first = of_softmax(judge, answer)
    second = of_softmax(judge, "# another's notebook", answer, "print(softmax)")
    assert second == first and started == ["softmax"]
    assert second.shape == first.shape and second.seconds == first.seconds > 0
    of_softmax(judge, f"{answer}  # of my own")
    assert started == ["softmax", "softmax"]


@pytest.mark.parametrize("line", ["while True: pass", "import os; os._exit(3)"])
def test_what_a_busy_machine_may_have_ended_is_run_each_time(judge, started, line):
    answer = SOFTMAX.replace("    return", f"    {line}\n    return")
    grades = [of_softmax(judge, answer) for _ in range(2)]
    assert started == ["softmax", "softmax"] and grades[0].status == grades[1].status != "pass"


def test_the_same_code_on_other_parts_is_other_code(judge, started):
    grades = [of_attention(judge, softmax) for softmax in (SOFTMAX, TOO_LARGE)]
    assert [grade.with_own_parts for grade in grades] == ["pass", "fail"]
    assert started == ["Attention"] * 3  # once on the reference's parts, and on the two own ones


def test_a_card_is_the_same_whoever_was_graded_before(judge):
    """An answer that fails on its author's own parts is not diagnosed; another one may answer the same, and is."""
    stem = "ch04_attention"
    without_mask = [cell.replace("apply_causal_mask(", "(") for cell in replaced(stem) if "class Attention" in cell]
    other = replaced(stem, Attention=without_mask[0])
    judge._known.clear()
    alone = one(judge, other, stem, "Attention")
    judge._known.clear()
    assert one(judge, replaced(stem, apply_causal_mask=NO_MASK), stem, "Attention").with_own_parts == "fail"
    assert one(judge, other, stem, "Attention").card == alone.card
    assert alone.status == "fail" and alone.misconception


@pytest.mark.parametrize(("line", "status"), [("raise NotImplementedError", "not_yet"), ("while True: pass", "limit")])
def test_what_would_do_the_same_on_any_parts_is_asked_once(judge, line, status):
    stem = "ch04_attention"
    attention = next(cell for cell in chapter(stem) if "class Attention" in cell)
    begins = "        project = ("
    assert begins in attention
    cells = replaced(stem, Attention=attention.replace(begins, f"        {line}\n{begins}"))
    grade = one(judge, cells, stem, "Attention")
    assert (grade.status, grade.with_own_parts) == (status, None)


def test_nothing_is_judged_on_a_part_that_reached_a_limit(judge):
    """It would take as long again, and the part's own row says what it does."""
    endless = "def softmax(x, dim=-1):\n    while True:\n        pass"
    grades = judge.grades(replaced("ch04_attention", softmax=endless), "ch04_attention")
    assert grades["softmax"].status == "limit"
    assert (grades["Attention"].status, grades["Attention"].with_own_parts) == ("pass", None)


def test_a_parameter_whose_name_nobody_can_write_is_told_in_what_can_be_written(judge):
    odd = "self.cfg = cfg; self.register_parameter('x\\ud800', nn.Parameter(torch.zeros(1)))"
    cells = [cell.replace("self.cfg = cfg", odd) for cell in chapter("ch03_layernorm")]
    grade = one(judge, cells, "ch03_layernorm", "LayerNorm")
    assert grade.status == "fail" and r"x\ud800" in grade.said
    assert grade.said.encode() and grade.card.encode()
