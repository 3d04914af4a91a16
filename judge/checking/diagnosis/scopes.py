"""What the code shows of an error about a name: that the object has it, or which line should have given it a value."""

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from judge.checking.code import every, names_stored
from judge.checking.diagnosis.cases import proved_by
from judge.checking.diagnosis.translations.raised import lacks
from judge.checking.evidence import Evidence
from judge.running.spelling import is_slip

UNDEFINED = re.compile(r"NameError: name '(\w+)' is not defined")
UNBOUND = re.compile(
    r"UnboundLocalError: cannot access local variable '(\w+)' where it is not associated with a value|"
    r"NameError: cannot access free variable '(\w+)' where it is not associated with a value in enclosing scope"
)
LACKING = re.compile(lacks())
TAKES_LESS = re.compile(
    r"TypeError: (\w+)(?:\(\) takes no arguments|\.__init__\(\) takes \d+ positional arguments? but (\d+) were given)"
)
NO_FUNCTION = re.compile(r"TypeError: '\w+' object is not callable")
CALLED = re.compile(r"(?<![\w.])([a-z]\w*)\(")
MISSING = re.compile(r"TypeError: (\w+)\(\) missing \d+ required positional arguments?: (.*)")
BLOCKS = (ast.If, ast.For, ast.While, ast.Try, ast.With, ast.Match)
OTHER_SCOPES = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@proved_by(
    case={
        "words('def find(self, w): return w\\ndef encode(self, text): return find(text)')": "`self.find(...)`.",
        "words('def find(w): return w\\ndef encode(self, text): return find(text)')": "`self` … `def find(self, w)`",
        "words('def __init__(self, vocab): self.ids = vocab\\ndef encode(self, text): return [ids for _ in text]')": (
            "write `self.ids`."
        ),
        "words('def __init__(self, vocab): self.all = vocab\\ndef encode(self, text): return vocab')": "`self.all`",
        "words('def __init__(self, vocab): pass\\ndef encode(self, text): return vocab')": "`self.vocab = vocab`",
        "words('def __init__(self, vocab): ids = vocab\\ndef encode(self, text): return ids')": "self.ids` there",
    },
    near=(
        "words('def encode(self, text): return find(text)')",
        "words('def encode(text, words): return find(text)\\ndef find(self, w): return w')",
        "words('def __init__(self, vocab):\\n    kept = ids\\n    self.ids = kept\\ndef encode(self, text): return 1')",
        "words('def __init__(self, vocab): pass\\ndef encode(self, text): return ids')",
    ),
)
def of_the_object(evidence: Evidence) -> str | None:
    """For a name that nothing has here, and that is a method, an attribute of `self`, or what `__init__` was given."""
    undefined, frames = UNDEFINED.fullmatch(evidence.got.text), evidence.got.error.frames
    around = evidence.code.functions_at(frames[-1]) if undefined and frames else []
    functions = evidence.code.functions
    # Of several classes it is not known whose they are.
    if not undefined or not around or not _has_self(around[0]) or _names(functions).count("__init__") > 1:
        return None
    name, init = undefined[1], next((one for one in functions if one.name == "__init__"), None)
    if name in _names(functions) and evidence.got.says(rf"(?<!\.)\b{name}\("):
        method = next(one for one in functions if one.name == name)
        return f"`{name}` is a method: call it as `self.{name}(...)`.{_self_too(method)}"
    kept = {node.attr: node for tree in evidence.code.trees for node in every(ast.Attribute, tree) if _is_set(node)}
    if name in kept and (around[0].name != "__init__" or kept[name].lineno < frames[-1].line):
        return f"`{name}` is kept in the object: write `self.{name}`."
    if init is None or around[0].name == "__init__":
        return None
    if name in names_stored(init) and name not in kept:
        gone = f"`{name}` is a variable of `__init__`, and is gone when that ends"
        return f"{gone}. Keep it in the object: write `self.{name}` there and here."
    if name not in _parameters(init):
        return None
    gone = f"`{name}` is a parameter of `__init__`, and is gone when `__init__` ends"
    for statement in every(ast.Assign, init):
        target = statement.targets[0]
        if ast.unparse(statement.value) == name and isinstance(target, ast.Attribute) and _is_set(target):
            return f"{gone}. The object keeps it as `self.{target.attr}`: write that here."
    return f"{gone}. Keep it there, `self.{name} = {name}`, and write `self.{name}` here."


@proved_by(
    case={"of_a_cell('count', 'def count(number, tied=True): return n', OF_COUNT, 3)": "`n` is called `number`"},
    near=(
        "count_of('return number')",
        "of_a_cell('count', 'def count(n, tied=True): return number', OF_COUNT, 3)",
        "of_a_cell('count', 'def count(tied, more): return n', OF_BOTH, 3)",
    ),
)
def input_renamed(evidence: Evidence) -> str | None:
    """For an input by its usual name, where the `def` line gives it another."""
    undefined, frames = UNDEFINED.fullmatch(evidence.got.text), evidence.got.error.frames
    around = evidence.code.functions_at(frames[-1]) if undefined and frames else []
    if not undefined or not around or evidence.trial is None or _has_self(around[0]):
        return None
    exercise, name = evidence.trial.session.exercise, undefined[1]
    due, taken = list(exercise.inputs), _parameters(around[0])
    if name not in due or around[0].name != exercise.symbol or len(taken) < len(due):
        return None
    renamed = taken[due.index(name)]
    if renamed in due:
        return None
    return f"`{name}` is called `{renamed}` in your `def` line: write the same name in both places."


@proved_by(
    case={
        "count_of('return split(n)')": "`n.split()`",
        "count_of('all = []\\nappend(all, n)')": "`append` is a method of list",
    },
    near=("count_of('return cut(n)')", "count_of('return split')"),
)
def without_a_dot(evidence: Evidence) -> str | None:
    """For `split(text)`, where nothing is called `split`."""
    undefined, frames = UNDEFINED.fullmatch(evidence.got.text), evidence.got.error.frames
    calls = _calls_in_line(evidence) if undefined and frames else []
    for call in calls:
        name = ast.unparse(call.func)
        owners = [kind.__name__ for kind in (str, bytes, list, dict, set) if hasattr(kind, name)]
        if not undefined or name != undefined[1] or not owners or not call.args:
            continue
        alone = len(call.args) == 1 and not call.keywords
        written = f"write `{ast.unparse(call.args[0])}.{name}()`" if alone else f"it is called as in `x.{name}(...)`"
        return f"`{name}` is a method of {' and '.join(owners)}: {written}."
    return None


@proved_by(
    case={"of_a_cell('count', 'def count(n, tied): return n', OF_BOTH, 3)": "`tied` … `def count(n, tied=...)`"},
    near=(
        "of_a_cell('count', 'def count(n, tied, more): return n', OF_BOTH, 3)",
        "of_a_cell('count', 'def count(n, *, tied): return n', OF_BOTH, 3)",
        "of_a_cell('count', 'def count(n, tied=True): return count()', OF_COUNT, 3)",
    ),
)
def without_a_default(evidence: Evidence) -> str | None:
    """For a parameter that the call leaves out, and that has no default."""
    error = evidence.got.error
    missing = MISSING.fullmatch(evidence.got.text)
    functions = [one for one in evidence.code.functions if missing and one.name == missing[1]]
    if not missing or not error.in_the_call or len(functions) != 1 or functions[0].args.kwonlyargs:
        return None
    names = re.findall(r"'(\w+)'", missing[2])
    due = list(evidence.trial.session.exercise.inputs) if evidence.trial else []
    if names != _parameters(functions[0])[-len(names) :] or not {*names} <= {*due}:
        return None
    given = [name + "=..." * (name in names) for name in _parameters(functions[0])]
    left_out = " and ".join(f"`{name}`" for name in names)
    return (
        f"The call leaves {left_out} out, so your `def` line has to say what is taken then: "
        f"`def {missing[1]}({', '.join(given)})`, with the defaults of the stub."
    )


def _names(functions: list[ast.FunctionDef]) -> list[str]:
    return [function.name for function in functions]


def _parameters(function: ast.FunctionDef) -> list[str]:
    return [argument.arg for argument in every(ast.arg, function.args)]


def _has_self(function: ast.FunctionDef) -> bool:
    return [argument.arg for argument in function.args.args[:1]] == ["self"]


def _self_too(method: ast.FunctionDef) -> str:
    """The sentence on a method that is not given its object yet."""
    if _has_self(method) or method.decorator_list:
        return ""
    due = ", ".join(["self", *filter(None, [ast.unparse(method.args)])])
    return f" It also needs `self`, since a method is given its object first: `def {method.name}({due})`."


def _is_set(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self"


@proved_by(
    case={
        "count_of('if not tied:\\n    more = n\\nreturn n + more')": "in a branch of `if not tied:` … `else`",
        "count_of('if tied:\\n    pass\\nelif n < 0:\\n    more = n\\nreturn [more for _ in range(n)]')": "`if tied:`",
        "count_of('if n < 0:\\n    more = n\\nelse:\\n    pass\\nreturn more')": "each of its branches",
        "count_of('for more in []:\\n    pass\\nreturn more')": "in the loop `for more in []:` … before the loop",
    },
    near=(
        "count_of('more = more + n\\nreturn more')",
        "count_of('if tied:\\n    more = more + n\\nreturn more')",
        "count_of('if not tied:\\n    other = more\\nmore = n\\nreturn more')",
        "count_of('more = n\\ndel more\\nif tied:\\n    more = n\\nreturn more')",
        "count_of('for _ in range(n):\\n    n += more\\n    more = n\\nreturn n')",
        "count_of('try:\\n    if tied:\\n        more = n / 0\\nexcept ArithmeticError:\\n    pass\\nreturn more')",
    ),
)
def in_a_branch(evidence: Evidence) -> str | None:
    """For a variable that gets its value above this line, in a branch or a loop that did not get so far."""
    unbound, frames = UNBOUND.fullmatch(evidence.got.text), evidence.got.error.frames
    if not unbound or not frames:
        return None
    name = unbound[1] or unbound[2]
    for function in reversed(evidence.code.functions_at(frames[-1])):
        places = list(_places(function, name))
        if not places:
            continue
        blocks = {place[0] for place in places if place}
        inside = [block for place in places for block in place]
        if (
            len(blocks) != 1
            or not all(places)
            or any(isinstance(one, ast.Try | ast.With | ast.Match) for one in inside)
        ):
            return None
        (block,) = blocks
        deleted = any(isinstance(one.ctx, ast.Del) and one.id == name for one in every(ast.Name, function))
        caught = any(one.name == name for one in every(ast.ExceptHandler, function))
        if deleted or caught or (block.end_lineno or 0) >= frames[-1].line:
            return None
        return _only_in(name, block)
    return None


@proved_by(
    case={
        "count_of('sum = 0\\nsum += n\\nreturn sum([n, 1])')": "`sum` is a variable … (line 2)",
        "count_of('for max in range(n):\\n    n = max(n, 2)\\nreturn n')": "`max` is a variable … (line 2)",
        "count_of('sum = sum([n, 1])\\nreturn sum')": "`sum` is a variable … (line 2)",
        "words('def encode(self, list): return list(list)')": "`list` is a parameter",
        "count_of('return sum([n])', 'sum = 0\\n')": "outside … `sum`",
    },
    near=(
        "count_of('total = 0\\nreturn total([n, 1])')",
        "count_of('return sum(n(1) for _ in [0])')",
        "count_of('return sum([n]) + max(n, 2)', 'sum = max = 0\\n')",
        "count_of('sum = lambda x: 3\\nreturn sum([n(1)])')",
        "count_of('sum, max = 0, 0\\nreturn sum([max(1, 2)])')",
    ),
)
def name_of_a_builtin(evidence: Evidence) -> str | None:
    """For one of Python's own functions that is called, where a variable has its name."""
    frames = evidence.got.error.frames
    if not frames or not (NO_FUNCTION.fullmatch(evidence.got.text) or UNBOUND.fullmatch(evidence.got.text)):
        return None
    called = [name for name in CALLED.findall(evidence.got.line) if callable(getattr(builtins, name, None))]
    for function in reversed(evidence.code.functions_at(frames[-1])):
        lines = {name: _line_of_a_value(function, name) for name in called}
        taken = [name for name, line in lines.items() if line]
        if len(taken) > 1 or any(_is_a_lambda(node, taken) for node in every(ast.Assign, function)):
            return None
        if taken:
            what = "parameter" if taken[0] in _parameters(function) else "variable"
            return (
                f"`{taken[0]}` is a {what} in this function (line {lines[taken[0]]}), so Python's own `{taken[0]}` "
                f"can't be called there. Give the {what} another name."
            )
    calls = [ast.unparse(node.func) for node in _calls_in_line(evidence)]
    if NO_FUNCTION.fullmatch(evidence.got.text) and len(calls) == 1 and calls[0] in called:
        return (
            f"A variable outside of this function is called `{calls[0]}`, so Python's own `{calls[0]}` can't be called "
            "here. Give the variable another name."
        )
    return None


def _calls_in_line(evidence: Evidence) -> list[ast.Call]:
    frame = evidence.got.error.frames[-1]
    return [
        call
        for one in evidence.code.functions_at(frame)[:1]
        for call in every(ast.Call, one)
        if call.lineno == frame.line
    ]


def _line_of_a_value(function: ast.FunctionDef, name: str) -> int:
    """The first line on which a parameter or a variable of a function has this name; 0 where none has it."""
    if name in _parameters(function):
        return function.lineno
    stored = [node for node in every(ast.Name, function) if node.id == name and isinstance(node.ctx, ast.Store)]
    return min((node.lineno for node in stored), default=0) if list(_places(function, name)) else 0


def _is_a_lambda(node: ast.Assign, names: list[str]) -> bool:
    return isinstance(node.value, ast.Lambda) and any(ast.unparse(target) in names for target in node.targets)


@proved_by(
    case={
        "count_of('more == 2 * n\\nreturn n + more')": "`==` compares … `more = 2 * n`",
        "count_of('more == n\\nmore = 2\\nreturn more')": "`==` compares … `more = n`",
        "words('def __init__(self, vocab): self.ids == vocab', '')": "`==` compares … `self.ids = vocab`",
    },
    near=(
        *("count_of('return more == n')", "count_of('more\\nreturn n')", "count_of('n == more\\nreturn n')"),
        "words('def __init__(self, vocab):\\n    self.ids = 1\\n    self.ids == self.words', '')",
        "words('def __init__(self, vocab): self.ids.words == vocab', '')",
    ),
)
def compared(evidence: Evidence) -> str | None:
    """For `x == 3` on a line of its own, where `x` has no value yet."""
    error, frames = evidence.got, evidence.got.error.frames
    found = UNDEFINED.fullmatch(error.text) or UNBOUND.fullmatch(error.text) or LACKING.fullmatch(error.text)
    for function in evidence.code.functions_at(frames[-1]) if found and frames else []:
        for statement in every(ast.Expr, function):
            match statement.value:
                case ast.Compare(left=ast.Name() | ast.Attribute() as left, ops=[ast.Eq()], comparators=[value]) if (
                    statement.lineno == frames[-1].line and found and _name_of(left) in found.groups()
                ):
                    name, right = map(ast.unparse, (left, value))
                    return f"`==` compares two values. To assign one, write `{name} = {right}`."
                case _:
                    pass
    return None


def _name_of(target: ast.Name | ast.Attribute) -> str:
    """Of a variable, or of an attribute of `self`."""
    if isinstance(target, ast.Name):
        return target.id
    return target.attr if ast.unparse(target.value) == "self" else ""


@proved_by(
    case={"words('def encode(self, line: str): return STR.split()')": "`STR`; the `str` … is called `line`"},
    near=(
        "words('def encode(self, line: str): return lines.split()')",
        "words('def encode(self, line: str, other: str): return STR.split()')",
        "words('def encode(self, line): return STR.split()')",
        "words('def encode(self, line: str): return STR(line)')",
    ),
)
def named_for_its_class(evidence: Evidence) -> str | None:
    """For `config`, where a parameter is a `Config` and has another name."""
    undefined, frames = UNDEFINED.fullmatch(evidence.got.text), evidence.got.error.frames
    for function in evidence.code.functions_at(frames[-1])[-1:] if undefined and frames else []:
        name = undefined[1] if undefined else ""
        if evidence.got.says(rf"\b{name}\("):  # a function was meant, such as torch's tensor
            return None
        meant = [arg for arg in every(ast.arg, function.args) if _annotation(arg).lower() == name.lower()]
        if len(meant) == 1:
            kind = _annotation(meant[0])
            return f"Nothing is called `{name}`; the `{kind}` that this function takes is called `{meant[0].arg}`."
    return None


@proved_by(
    case={
        "width_of('return n_heads * d_head')": "of `cfg`: write `cfg.n_heads`",
        "width_of('return n_head * cfg.d_head')": "is called `n_heads` … of `cfg`: write `cfg.n_heads`",
        "width_of('def inner(): return n_heads\\nreturn inner()')": "of `cfg`: write `cfg.n_heads`",
    },
    near=(
        "width_of('return heads')",
        "width_of('return inner()\\n', 'def inner(): return n_heads\\n')",
        "count_of('return n / denominator')",  # an int has one, but nobody means that
    ),
)
def of_an_argument(evidence: Evidence) -> str | None:
    """For `n_layers`, where an argument is a Config that has it."""
    undefined, frames, question = UNDEFINED.fullmatch(evidence.got.text), evidence.got.error.frames, evidence.question
    functions = evidence.code.functions
    if not undefined or not frames or not question or question.drive != "function":
        return None
    if evidence.code.functions_at(frames[-1])[:1] != functions[:1]:  # it stands in another function
        return None
    name = undefined[1]
    meant = {name, evidence.got.settings.field_called(name)}
    for argument, value in zip(functions[0].args.args, question.args, strict=False):
        names = {field.name for field in fields(value)} if is_dataclass(value) else set[str]()
        for field in names & meant:
            other = f"called `{field}` here, and is " if field != name else ""
            return f"`{name}` is {other}a field of `{argument.arg}`: write `{argument.arg}.{field}`."
    return None


def _annotation(argument: ast.arg) -> str:
    return ast.unparse(argument.annotation) if argument.annotation else ""


@proved_by(
    case={
        "count_of('seen = {}\\nseen[n] += 1\\nreturn seen')": "`seen` has no such key yet … seen.get(n, 0) + 1`",
        "count_of('seen = {}\\nseen[n] += [n]\\nreturn seen')": "`seen` has no such key yet: give it a value",
        "count_of('seen, all = {}, {3: 1}\\nseen[n] += all[3]')": "reads `seen[n]` first: if",
    },
    near=("count_of('seen = {}\\nreturn seen[n]')", "count_of('seen = {}\\nseen[{}[n]] = 1')"),
)
def no_such_key_yet(evidence: Evidence) -> str | None:
    """For `seen[key] += 1` where the dict does not have the key."""
    frames = evidence.got.error.frames
    if evidence.got.error.type != "KeyError" or not frames:
        return None
    for function in evidence.code.functions_at(frames[-1]):
        for node in every(ast.AugAssign, function):
            if node.lineno != frames[-1].line or not isinstance(node.target, ast.Subscript):
                continue
            parts = [node.target.value, node.target.slice, node.value]
            kept, key, more = map(ast.unparse, parts)
            # Another one may be what lacks its key.
            if any(isinstance(one, ast.Subscript | ast.Call) for part in parts for one in ast.walk(part)):
                return f"`+=` reads `{kept}[{key}]` first: if that is not there yet, give it a value before."
            reads = f"`+=` reads the entry first, and `{kept}` has no such key yet"
            if not isinstance(node.op, ast.Add):
                return None
            if not isinstance(node.value, ast.Constant) or not isinstance(node.value.value, int | float):
                return f"{reads}: give it a value before."
            return f"{reads}. Write `{kept}[{key}] = {kept}.get({key}, 0) + {more}`, or make `{kept}` a `Counter`."
    return None


@proved_by(
    case={
        "words('', 'def __init__(vocab): self.vocab = vocab')": "`self` … `def __init__(self, vocab)`",
        "words('def encode(self, text): return 1', 'def _init_(self, vocab): pass\\n')": "`_init_`: rename",
        "words('def encode(self, text): return 1', 'def __int__(self, vocab): pass\\n')": "`__int__`: rename",
        "words('def encode(self, text): return 1', '')": "no `__init__`",
    },
    near=(
        "words('', 'def __init__(this): this.vocab = 1')",
        "words('', 'def __init__(self): pass')",
        "words('', 'def __init__(self, vocab, text): pass')",
    ),
)
def making(evidence: Evidence) -> str | None:
    """For a class that takes nothing, since its `__init__` lacks its `self`, or is called otherwise."""
    functions, takes = evidence.code.functions, TAKES_LESS.fullmatch(evidence.got.text)
    if not takes or evidence.got.error.frames:
        return None
    init = next((one for one in functions if one.name == "__init__"), None)
    if init:
        names = _parameters(init)
        has_object = _has_self(init) or any(_name_of_owner(node) in names for node in every(ast.Attribute, init))
        if has_object or not names or not takes[2] or int(takes[2]) != len(names) + 1:
            return None
        written = ast.unparse(init.args)
        return f"`self` is missing: write `def __init__(self, {written})`. A method is given its object first."
    others = [one.name for one in functions if one.name.strip("_") == "init" or is_slip(one.name.strip("_"), "init")]
    if others:
        return f"Python looks for `__init__`, with two underscores on each side, and finds `{others[0]}`: rename it."
    if takes[2]:
        return None
    return "The class has no `__init__`: define it there, and take what the class is made with after `self`."


def _name_of_owner(node: ast.Attribute) -> str:
    return ast.unparse(node.value) if isinstance(node.ctx, ast.Store) else ""


def _only_in(name: str, block: ast.stmt) -> str:
    head = ast.unparse(block).split("\n")[0]
    if not isinstance(block, ast.If):
        where, instead = f"in the loop `{head}`", "before the loop"
    else:
        last = block
        while len(last.orelse) == 1 and isinstance(last.orelse[0], ast.If):
            last = last.orelse[0]
        where, instead = f"in a branch of `{head}`", "in each of its branches" if last.orelse else "in an `else`"
    return (
        f"`{name}` gets its value only {where} (line {block.lineno}), and did not get one there this time: "
        f"give it a value {instead} too."
    )


def _places(node: ast.AST, name: str) -> Iterator[list[ast.stmt]]:
    """For each place where a function's variable gets a value, the blocks around it, the outermost first."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Name) and child.id == name and isinstance(child.ctx, ast.Store):
            yield []
        if isinstance(child, OTHER_SCOPES):
            continue
        for place in _places(child, name):
            yield [child, *place] if isinstance(child, BLOCKS) else place
