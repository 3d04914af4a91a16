"""judge.edits.operators: each proposes what its example says, and no edit reaches beyond what the learner wrote."""

import ast
import functools
import importlib
import inspect
import textwrap
from dataclasses import replace
from types import ModuleType

import pytest

from benchmarks.answers import wrong_answers
from judge.checking.oracle import solution_of
from judge.edits import operators
from judge.edits.candidates import KINDS, edits
from judge.edits.operators import BREAKING, REPAIRING
from judge.edits.operators.proposals import operators_of
from judge.edits.trees import bare
from judge.edits.vocabulary import Vocabulary, vocabulary_of
from judge.running.settings import standard_settings
from tests.ch02_embeddings import test_embed as judge_embed
from tests.ch02_embeddings import test_pos_embed as judge_pos_embed
from tests.ch03_layernorm import test_layer_norm as judge_layer_norm
from tests.judge.edits.examples import EXAMPLES
from utils.course import ROOT, exercises
from utils.gpt import SMALL

MODULES = [one for one in vars(operators).values() if isinstance(one, ModuleType)]
OPERATORS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": operator
    for module in MODULES
    for name, operator in operators_of(module).items()
}
WORDS = Vocabulary(
    attributes=["w", "b"],
    inputs={"x": ["batch", "pos"]},
    output=["batch", "pos", "d_model"],
    fields=["layer_norm_eps", "d_model"],
    parts=["W_K", "b_K", "b_V"],
    frames=["HOLE + self.cfg.layer_norm_eps", "HOLE * x"],
    constants=["0.125"],
    solution="return inf",
    texts=["''", "b'-'"],
    helpers=["cut"],
    keywords={"mean": ["keepdim=True"], "normal_": ["std=cfg.init_range"]},
    methods=["__init__", "forward"],
    sizes=standard_settings().sizes,
    numbers=standard_settings().numbers,
    usual=standard_settings().defaults,
    small=vars(SMALL),
)
JUDGES = [judge_embed, judge_pos_embed, judge_layer_norm]
EXERCISES = {judge.exercise.symbol: judge.exercise for judge in JUDGES}
ENOUGH = 600  # edits of one answer


def written(body):
    """A class with this body of `forward`, or with this method."""
    method = body if body.startswith("def ") else "def forward(self, x, y):\n" + textwrap.indent(body, "    ")
    return ast.parse("class Norm:\n" + textwrap.indent(method, "    "))


def results(body, operators=REPAIRING):
    """The code after each edit, the cheapest first."""
    tree = written(body)
    return [ast.unparse(edit.applied(tree)) for edit in edits(tree, WORDS, operators)]


def test_every_operator_is_used_and_has_an_example():
    assert EXAMPLES.keys() == OPERATORS.keys()
    assert {*OPERATORS.values()} == {*REPAIRING, *BREAKING}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_operator_does_what_its_example_says(name):
    for before, after in (example.split(" → ") for example in EXAMPLES[name]):
        assert ast.unparse(written(after)) in results(before, [OPERATORS[name]])


def test_a_library_that_is_not_the_exercises_own_is_doubted_first():
    assert "torch.exp(y)" in results("y = x.sum(1) * 2\nreturn np.exp(y) / self.w.mean(0)")[0]


def test_every_kind_is_of_some_operator():
    bodies = {written(example.split(" → ")[0]): name for name in EXAMPLES for example in EXAMPLES[name]}
    found = {edit.kind for tree, name in bodies.items() for edit in edits(tree, WORDS, [OPERATORS[name]])}
    assert found == KINDS.keys()


def test_the_plausible_edits_come_first():
    costs = [edit.cost for edit in edits(written("return x.mean(dim=1) * 3"), WORDS, REPAIRING)]
    assert costs == sorted(costs)
    left_out, another, wrapped = map(written, ["return x", "return x * 2", "return x * 3 * x"])
    order = [results("return x * 3").index(ast.unparse(one)) for one in (left_out, another, wrapped)]
    assert order == sorted(order)


def test_edits_of_the_lines_that_raised_come_before_the_same_elsewhere():
    tree = written("y = x * 3\nreturn y * 3")
    for line in (3, 4):
        assert edits(tree, WORDS, [OPERATORS["arithmetic.sign"]], [line])[0].line == line


@pytest.mark.parametrize("body", ["x * 2 → x * 1", "x + 1 → x + 0", "x ** 0.5 → x ** 1.0", "x ** 0.5 → x ** 0.0"])
def test_what_would_change_nothing_or_leave_nothing_is_never_proposed(body):
    before, after = (f"return {code}" for code in body.split(" → "))
    assert ast.unparse(written(after)) not in results(before, [*REPAIRING, *BREAKING])


@pytest.mark.parametrize("body", ["x = torch.zeros(3)", "x = torch.empty(3)", "x = torch.rand(3)"])
def test_whatever_memory_happens_to_hold_makes_nothing_right(body):
    made = results(body, [OPERATORS["siblings.relative"]])
    assert "torch.ones(3)" in "".join(made) and "torch.empty" not in "".join(made)


NO_REASON = {
    "an ordinary number for a tiny one": ("return x + 1e-9", "return x + 1.0"),
    "its inverse": ("return x + 1e-4", "return x + 10000.0"),
    "a number of the solution for a tiny one": ("return x + 1e-9", "return x + 0.125"),
    "adding nothing": ("x[0] = 0", "x[0] += 0"),
    "taking nothing off": ("x[0] = 0.0", "x[0] -= 0.0"),
    "an encoding as a pattern": ("return re.sub('a|b', x)", "return re.sub('utf-8', x)"),
    "one part's name for another's": ("return x['hook_attn_out']", "return x['_mlp_out']"),
    "a weight's name for a bias's": ("return y.b_K", "return y.W_K"),
    "another key than is kept": ("if x in y: return y[x]", "if w in y: return y[x]"),
    "one list twice": ("for a, b in zip(self.w, self.b): pass", "for a, b in zip(self.b, self.b): pass"),
}


@pytest.mark.parametrize(("before", "after"), NO_REASON.values(), ids=NO_REASON)
def test_what_the_code_has_no_reason_to_hold_is_not_proposed(before, after):
    words = replace(WORDS, texts=["'utf-8'", "'_mlp_out'"], solution="y = x.decode('utf-8')\nreturn y['_mlp_out']")
    tree, wrong = written(f"w = x\n{before}"), ast.unparse(written(f"w = x\n{after}"))
    made = [ast.unparse(edit.applied(tree)) for edit in edits(tree, words, REPAIRING)]
    assert made and wrong not in made


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return x.decode('ascii')", "return x.decode('utf-8')"),  # for the same use
        ("return f(x, errors='ignore')", "return f(x, errors='replace')"),
        ("return x['_mpl_out']", "return x['_mlp_out']"),  # misspelt
        ("return x + 1e-9", "return x + 1e-06"),
        ("if x in y: return y[w]", "if w in y: return y[w]"),  # of which it keeps another
        ("return zip(self.w, x)", "return zip(self.b, x)"),
        ("x[0] = 2", "x[0] += 2"),
    ],
)
def test_what_it_may_well_hold_still_is(before, after):
    words = replace(
        WORDS,
        texts=["'utf-8'", "'replace'", "'_mlp_out'"],
        solution="y = x.decode('utf-8', errors='replace')\nreturn y['_mlp_out']",
    )
    tree, right = written(f"w = x\n{before}"), ast.unparse(written(f"w = x\n{after}"))
    assert right in [ast.unparse(edit.applied(tree)) for edit in edits(tree, words, REPAIRING)]


def test_the_key_of_a_dict_gets_no_second_index():
    assert not results("return x['best']", [OPERATORS["missing.last"]])


def test_the_same_slip_in_two_places_is_also_one_edit():
    body = "m = x.mean(dim=1)\nreturn m + x.sum(dim=1)"
    (edit,) = (one for one in edits(written(body), WORDS, REPAIRING) if (one.after, len(one.places)) == ("-1", 2))
    assert ast.unparse(edit.applied(written(body))) == ast.unparse(written(body.replace("=1", "=-1")))
    assert edit.before == "1" and edit.line == 3


@pytest.mark.parametrize("other", ["for i in range(1, y): m = i", "return m.roll(shifts=1)", "return m + 1"])
def test_the_same_number_of_something_else_is_not(other):
    body = f"m = x.mean(dim=1)\n{other}"
    assert ast.unparse(written(body.replace("1", "2"))) not in results(body)


def test_a_plain_function_is_given_no_self():
    function = ast.parse("def softmax(scores, dim):\n    return score.exp() / m.sum(dim)")
    words = replace(WORDS, attributes=[])
    made = [ast.unparse(edit.applied(function)) for edit in edits(function, words, [OPERATORS["names.unknown"]])]
    assert not [code for code in made if "self" in code]


@pytest.mark.parametrize("body", ["self.w = x", "x[0] = y", "cfg.d_model = 8"])
def test_what_is_assigned_to_is_not_wrapped(body):
    wrapping = [one for name, one in OPERATORS.items() if name.startswith("wrapping.")]
    target = ast.unparse(ast.parse(body).body[0].targets[0])
    assert all(f"{target} = " in code for code in results(body, wrapping))


@pytest.mark.parametrize("call", ["torch.full_like(x, -y)", "torch.full_like(x[0], -y)", "x[0].new_full(y)"])
def test_what_a_like_takes_its_form_of_is_not_made_a_number(call):
    made = "".join(results(f"return self.w.scatter(0, x, {call})"))
    form = made.replace("x.float(), ", "")  # that of the index is another matter
    assert "x.float()" not in form and "x[0].float()" not in form


def test_a_base_class_is_not_made_anew_of_something_else():
    made = results("def __init__(self, cfg): super().__init__(cfg)")
    assert made and not [code for code in made if "cfg.__init__" in code]


def test_names_that_were_mixed_up_are_one_edit():
    body = "self.w, self.b = x, y\nreturn x * self.gamma + self.beta"
    assert ast.unparse(written(body.replace("gamma", "w").replace("beta", "b"))) in results(body)


def answers():
    """The solutions, and some of the benchmark's wrong answers."""
    for exercise in EXERCISES.values():
        yield f"the solution {exercise.symbol}", exercise, inspect.getsource(solution_of(exercise))
    for folder in sorted((ROOT / "benchmarks" / "wrong_answers").glob("ch*")):
        tests = importlib.import_module(f"tests.{folder.name}")
        judged = {one.symbol: getattr(tests, one.test).exercise for one in exercises(folder.name)}
        files = (folder / f"{one.test.removeprefix('test_')}.py" for one in exercises(folder.name))
        cells = [one for file in files for one in wrong_answers(file)]
        for one in cells[:: len(cells) // 3]:
            yield f"{one.symbol}: {one.title}", judged[one.symbol], one.cell


ANSWERS = {title: (exercise, bare(ast.parse(code))) for title, exercise, code in answers()}
BEFORE = {title: ast.dump(tree) for title, (_, tree) in ANSWERS.items()}


def every_answer(test):
    return pytest.mark.slow(pytest.mark.parametrize("title", ANSWERS)(test))


@functools.cache
def changed(title):
    """The answer after each edit, or after every so many where there are thousands; found once for all tests."""
    exercise, tree = ANSWERS[title]
    proposed = edits(tree, vocabulary_of(exercise), REPAIRING)
    return [edit.applied(tree) for edit in proposed[:: 1 + len(proposed) // ENOUGH]]


@every_answer
def test_every_edit_is_python(title):
    assert len(changed(title)) > 20
    for tree in changed(title):
        compile(tree, "<candidate>", "exec")


@every_answer
def test_an_edit_leaves_the_answer_as_it_was(title):
    assert changed(title) and ast.dump(ANSWERS[title][1]) == BEFORE[title]


@every_answer
def test_an_edit_changes_nothing_but_locals_and_self(title):
    """No `nn.init = ...`, no `cfg.d_model = ...`, no `cfg.__init__(...)`: others read these too."""
    _, own = ANSWERS[title]
    before = frozenset(ast.walk(own))
    allowed = reaches(before)
    for tree in changed(title):
        assert reaches(brought_in(tree, before)) <= allowed


def brought_in(tree, before):
    """The nodes that an edit has made; what it left alone is shared with the tree before."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if node not in before:
            yield node
            waiting += ast.iter_child_nodes(node)


def reaches(nodes):
    """Whatever is assigned to or made anew, but for names, what self and its parts have, and places in either."""
    nodes = list(nodes)
    stored = [node for node in nodes if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))]
    attributes = [owner_of(node) for node in stored if isinstance(owner_of(node), ast.Attribute)]
    made = [node for node in nodes if isinstance(node, ast.Attribute) and node.attr == "__init__"]
    others = [node for node in attributes if not is_of_the_answer(node)]
    return {*map(ast.unparse, others), *map(ast.unparse, made)} - {"super().__init__"}


def is_of_the_answer(node):
    """Whether it is something of self or of its parts, but for the configuration, which others share."""
    parts = []
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        parts += [node.attr] if isinstance(node, ast.Attribute) else []
        node = node.value
    return isinstance(node, ast.Name) and node.id == "self" and "cfg" not in parts


def owner_of(node):
    """y of y[0][1]"""
    return owner_of(node.value) if isinstance(node, ast.Subscript) else node


def test_nothing_is_changed_in_what_fills_a_cache():
    """Another key or another dict would only keep the answer from being found there."""
    tree = written("if x in y: return y[x]\ny[x] = 2 * x\nreturn 2 * x")
    changed = [path for edit in edits(tree, WORDS, REPAIRING) for path, _ in edit.places]
    target = (("body", 0), ("body", 0), ("body", 1), ("targets", 0))
    assert any(path[:3] == target[:3] for path in changed)
    assert not any(path[:4] == target for path in changed)
