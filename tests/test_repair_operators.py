"""utils.repairing.operators: each proposes what its example says, and no edit reaches beyond what the learner wrote."""

import ast
import functools
import inspect
import re
import sys
import textwrap

import pytest

from tests.ch02_embeddings import test_embed as judge_embed
from tests.ch02_embeddings import test_pos_embed as judge_pos_embed
from tests.ch03_layernorm import test_layer_norm as judge_layer_norm
from utils.checking.oracle import solution_of
from utils.course import ROOT
from utils.repairing.candidates import edits
from utils.repairing.kinds import KINDS
from utils.repairing.operators import BREAKING, REPAIRING
from utils.repairing.operators.proposals import Operator
from utils.repairing.trees import bare
from utils.repairing.vocabulary import Vocabulary, vocabulary_of


def name_of(operator):
    return f"{operator.propose.__module__.rpartition('.')[2]}.{operator.propose.__name__}"


OPERATORS = {name_of(operator): operator for operator in [*REPAIRING, *BREAKING]}
WORDS = Vocabulary(
    attributes=["w", "b"],
    arguments=["x"],
    fields=["layer_norm_eps", "d_model"],
    frames=["HOLE + self.cfg.layer_norm_eps", "HOLE * x"],
    keywords={"mean": ["keepdim=True"], "normal_": ["std=cfg.init_range"]},
    methods=["__init__", "forward"],
)
EXAMPLES = {
    "arithmetic.sign": ["return x + y → return x - y", "return x * y → return x / y", "return x - 1 → return x + 1"],
    "arithmetic.sign_of_an_assignment": ["x += y → x -= y"],
    "arithmetic.comparison": ["return x < y → return x <= y"],
    "arithmetic.operands": ["return x - y → return y - x", "return x @ y → return y @ x"],
    "arithmetic.brackets": ["return x - y / 3 → return (x - y) / 3", "return (x - y) / 3 → return x - y / 3"],
    "arithmetic.into_a_call": ["return x.sqrt() + y → return (x + y).sqrt()"],
    "arithmetic.out_of_a_call": ["return torch.sqrt(x + y) → return torch.sqrt(x) + y"],
    "arithmetic.through_a_call": ["return x.mean(1).pow(2) → return x.pow(2).mean(1)"],
    "arithmetic.two_calls_into_one": ["return torch.sqrt(x) + torch.sqrt(y) → return torch.sqrt(x + y)"],
    "arithmetic.index": ["return x[self.w] → return self.w[x]"],
    "arithmetic.arguments": ["return f(x, y) → return f(y, x)", "return x.matmul(y) → return y.matmul(x)"],
    "arithmetic.elements": ["return x.view((2, 3)) → return x.view((3, 2))"],
    "arithmetic.targets": ["m, v = f(x) → v, m = f(x)", "m, v, n = f(x) → m, v = f(x)"],
    "leaving_out.call": ["return x.float() → return x", "return f(x) → return x", "y = x.shape() → y = x.shape"],
    "leaving_out.operand": ["return x + y → return x", "return x + y → return y"],
    "leaving_out.sign": ["return -x → return x"],
    "leaving_out.argument": ["return x.mean(0) → return x.mean()", "return f(x, n=2) → return f(x)"],
    "leaving_out.attribute": ["return x.data → return x"],
    "leaving_out.index": ["return x[0] → return x", "return x[:, None] → return x[None]"],
    "leaving_out.one_of_a_tuple": ["return x, y → return x"],
    "leaving_out.condition": ["return x if y else 0 → return x", "return x if y else 0 → return 0"],
    "leaving_out.line": ["y = 1; return x → return x", "with f(): return x → return x", "x += y → pass"],
    "leaving_out.indentation": ["for i in y: x += i; return x → for i in y: x += i\nreturn x"],
    "names.variable": ["return x → return y", "return w → return self.w", "n = d → n = self.cfg.d_model"],
    "names.attribute": ["return self.w → return self.b", "n = self.eps → n = self.cfg.layer_norm_eps"],
    "names.field": ["n = self.cfg.d_vocab → n = self.cfg.n_ctx", "n = 1; y = self.cfg.n_ctx → n = 1; y = n"],
    "names.method": ["def f(self, x): return f(x) → def f(self, x): return self.f(x)"],
    "names.keyword": ["return x.var(ddof=0) → return x.var(correction=0)"],
    "numbers.number": ["return x[1] → return x[-1]", "return x ** 0.5 → return x ** 2.0", "return x[-1] → return x[0]"],
    "numbers.bool_": ["return f(x, True) → return f(x, False)"],
    "numbers.slice_": ["return x[:y] → return x[y:]", "return x[1:] → return x[:-1]", "return x[y] → return x[:y]"],
    "numbers.order_of_an_index": ["return x[:, None] → return x[None, :]", "return x[None, :] → return x[..., None]"],
    "numbers.pattern": ["return f(x, 'bp,pd->bd') → return f(x, 'bp,dp->bd')", "f('p d -> p d') → f('p d -> 1 p d')"],
    "siblings.relative": ["return x.sum(1) → return x.mean(1)"],
    "siblings.root_of_the_variance": ["y = x.std(1) → y = x.var(1).sqrt()", "y = x.max(1) → y = x.max(1).values"],
    "siblings.without_values": ["return x.median(1).values → return x.mean(1)"],
    "forms.method_name": ["def foward(self, x): return x → def forward(self, x): return x"],
    "forms.self_": ["def forward(x): return x → def forward(self, x): return x"],
    "forms.needed_lines": [
        "def __init__(self, cfg): self.cfg = cfg → def __init__(self, cfg): super().__init__(); self.cfg = cfg",
        "def __init__(self, cfg): super().__init__() → def __init__(self, cfg): super().__init__(); self.cfg = cfg",
    ],
    "forms.target": ["self.weight = x → self.w = x"],
    "missing.tuple_": ["return F.layer_norm(x, y) → return F.layer_norm(x, (y,))"],
    "missing.size_of_an_axis": ["return self.w[:x] → return self.w[:x.shape[1]]", "range(x) → range(x.shape[1])"],
    "missing.any_size": ["return x.repeat(y, 2) → return x.repeat(y, 1)", "x.expand(3, 2) → x.expand(-1, 2)"],
    "missing.call": ["return x.sqrt → return x.sqrt()", "n = x.size → n = x.size(1)", "n = x.shape → n = x.shape[1]"],
    "missing.index": ["return self.w(x) → return self.w[x]", "return torch.mm(x, self.w) → return self.w[x]"],
    "missing.index_by_matmul": ["return x @ self.w → return self.w[x]"],
    "missing.keyword": [
        "return x.mean(dim=-1) → return x.mean(dim=-1, keepdim=True)",
        "return x.var(-1) → return x.var(-1, unbiased=False)",
        "init.normal_(x, cfg.init_range) → init.normal_(x, std=cfg.init_range)",
    ],
    "missing.argument": [
        "return x.expand(-1, 3) → return x.expand(x.shape[0], -1, 3)",
        "return F.one_hot(x) → return F.one_hot(x, self.cfg.d_model)",
        "return einops.repeat(x, 'p -> batch p') → return einops.repeat(x, 'p -> batch p', batch=y.shape[0])",
    ],
    "missing.parameter": [
        "def __init__(self): self.w = torch.ones(3) → def __init__(self): self.w = nn.Parameter(torch.ones(3))",
        "self.w = nn.Parameter(x, requires_grad=False) → self.w = nn.Parameter(x)",
    ],
    "missing.stack": ["return [i for i in x] → return torch.stack([i for i in x])"],
    "statements.return_": ["x * y → return x * y", "print(x) → return x", "y = x → y = x; return y"],
    "statements.parameter": ["self.register_buffer('w', x) → self.w = nn.Parameter(x)"],
    "statements.size_of_an_axis": ["n = int(x.max()) → n = x.shape[1]"],
    "statements.out_of_place": ["x -= y → x = x - y"],
    "statements.result_of_a_method": ["x.sub_(y) → x = x.sub(y)", "x.sqrt() → x = x.sqrt()"],
    "statements.method_out_of_place": ["return x.sub_(y) * 2 → return x.sub(y) * 2"],
    "statements.copy_first": ["return x → x = x.clone(); return x"],
    "statements.shape_of_the_result": ["return y → return y.expand(x.shape[0], -1, -1)"],
    "wrapping.frame": ["return y → return y + self.cfg.layer_norm_eps", "return y → return y * x"],
    "wrapping.axis": ["return x - y → return x - y.unsqueeze(-1)"],
    "wrapping.dtype": ["return self.w[x] → return self.w[x.long()]"],
    "wrapping.first_rows": ["return self.w → return self.w[:x.shape[1]]"],
    "wrapping.setting": ["return x + 1e-05 → return x + self.cfg.layer_norm_eps", "n = 8 → n = x.shape[-1]"],
    "breaking.detach": ["return x - y → return x - y.detach()"],
    "breaking.written_out": ["n = self.cfg.layer_norm_eps → n = 1e-05", "n = self.cfg.d_model → n = 8"],
    "breaking.in_place": ["y = x - 1 → x -= 1; y = x"],
}
JUDGES = [judge_embed, judge_pos_embed, judge_layer_norm]
EXERCISES = {judge.exercise.symbol: judge.exercise for judge in JUDGES}


def written(body):
    """A class with this body of `forward`, or with this method."""
    method = body if body.startswith("def ") else "def forward(self, x, y):\n" + textwrap.indent(body, "    ")
    return ast.parse("class Norm:\n" + textwrap.indent(method, "    "))


def results(body, operators=REPAIRING):
    """The code after each edit, the cheapest first."""
    tree = written(body)
    return [ast.unparse(edit.applied(tree)) for edit in edits(tree, WORDS, operators)]


def test_every_operator_has_an_example():
    modules = [sys.modules[operator.propose.__module__] for operator in OPERATORS.values()]
    defined = [one for module in modules for one in vars(module).values() if isinstance(one, Operator)]
    assert EXAMPLES.keys() == OPERATORS.keys() == {*map(name_of, defined)}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_operator_does_what_its_example_says(name):
    for before, after in (example.split(" → ") for example in EXAMPLES[name]):
        assert ast.unparse(written(after)) in results(before, [OPERATORS[name]])


def test_every_kind_is_of_some_operator():
    bodies = {written(example.split(" → ")[0]): name for name in EXAMPLES for example in EXAMPLES[name]}
    found = {edit.kind for tree, name in bodies.items() for edit in edits(tree, WORDS, [OPERATORS[name]])}
    assert found == KINDS.keys()


def test_the_plausible_edits_come_first():
    costs = [edit.cost for edit in edits(written("return x.mean(dim=1) * 3"), WORDS, REPAIRING)]
    assert costs == sorted(costs)
    left_out, another, wrapped = map(written, ["return x", "return x * 2", "return x * 3 + self.cfg.layer_norm_eps"])
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


def test_the_same_slip_in_two_places_is_also_one_edit():
    body = "m = x.mean(dim=1)\nreturn m + x.sum(dim=1)"
    (edit,) = (one for one in edits(written(body), WORDS, REPAIRING) if (one.after, len(one.places)) == ("-1", 2))
    assert ast.unparse(edit.applied(written(body))) == ast.unparse(written(body.replace("=1", "=-1")))
    assert edit.before == "1" and edit.line == 3


@pytest.mark.parametrize("other", ["for i in range(1, y): m = i", "return m.roll(shifts=1)", "return m + 1"])
def test_the_same_number_of_something_else_is_not(other):
    body = f"m = x.mean(dim=1)\n{other}"
    assert ast.unparse(written(body.replace("1", "2"))) not in results(body)


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
    for path in sorted((ROOT / "benchmarks" / "wrong_answers").glob("ch*.py")):
        cells = re.split(r"^# %% ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
        for title, _, code in (cell.partition("\n") for cell in cells[:: len(cells) // 8]):
            yield title, EXERCISES[title.partition(":")[0]], code


ANSWERS = {title: (exercise, bare(ast.parse(code))) for title, exercise, code in answers()}
BEFORE = {title: ast.dump(tree) for title, (_, tree) in ANSWERS.items()}
every_answer = pytest.mark.parametrize("title", ANSWERS)


@functools.cache
def changed(title):
    """The answer after each edit; found once for all tests."""
    exercise, tree = ANSWERS[title]
    return [edit.applied(tree) for edit in edits(tree, vocabulary_of(exercise), REPAIRING)]


@every_answer
def test_every_edit_is_python(title):
    assert len(changed(title)) > 50
    for tree in changed(title):
        compile(tree, "<candidate>", "exec")


@every_answer
def test_an_edit_leaves_the_answer_as_it_was(title):
    assert changed(title) and ast.dump(ANSWERS[title][1]) == BEFORE[title]


@every_answer
def test_an_edit_changes_nothing_but_locals_and_self(title):
    """No `nn.init = ...`, no `cfg.d_model = ...`, no `cfg.__init__(...)`: others read these too."""
    _, own = ANSWERS[title]
    for tree in changed(title):
        assert reaches(tree) <= reaches(own)


def reaches(tree):
    """Whatever is assigned to or made anew, but for names, attributes of self, and places in either."""
    stored = [node for node in ast.walk(tree) if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))]
    attributes = [ast.unparse(owner_of(node)) for node in stored if isinstance(owner_of(node), ast.Attribute)]
    made = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "__init__"]
    return {name for name in attributes if not re.fullmatch(r"self\.\w+", name)} | {*made} - {"super().__init__"}


def owner_of(node):
    """y of y[0][1]"""
    return owner_of(node.value) if isinstance(node, ast.Subscript) else node
