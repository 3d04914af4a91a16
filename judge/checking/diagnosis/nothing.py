"""What gives None, where something is due."""

import ast
from collections.abc import Iterator

from judge.checking.code import every
from judge.checking.diagnosis.cases import proved_by
from judge.checking.evidence import Evidence
from judge.running.values import is_list

END_IT = "end it with `return` and what was computed."
# Methods of lists, dicts and sets, which change what they are called on.
GIVE_NONE = {"add", "append", "clear", "discard", "extend", "insert", "remove", "reverse", "sort", "update"}


@proved_by(
    case={
        "form(None)": "A function that ends",
        "value(None)": "A function that ends",
        'Evidence("index", None)': "A function that ends",
        "count_of('m = n')": "`count` ends without",
        "count_of('def more(): return n\\nmore()')": "`count` ends without",
        "count_of('if n < 0:\\n    return n')": "`count` gives None: it comes to its end",
        "count_of('return [n].sort()')": "`.sort(...)` … return that",
        "count_of('all = []\\nall = all.append(n)\\nreturn all')": "so `all` is None … `all.append(n)` on a line",
        "count_of('all = [].append(n)\\nall = print(n)\\nreturn all')": "`count` gives None, since … returns",
        "count_of('if n < 0:\\n    return [n].sort()')": "`count` gives None: it comes to its end",
        "count_of('if n > 0:\\n    return\\nreturn n')": "`count` gives None: it comes to its end",
        "words('def encode(self, text): pass')": "`encode` ends without",
        "words('def encode(self, text):\\n    if not text: return [0]')": "`encode` gives None: it comes to its end",
    },
    near=(
        *("form(0)", 'value(Opaque("Config"))', 'Evidence("index", 7)'),
        *("count_of('return n')", "words('def encode(self, text): return [0]')"),
    ),
)
def nothing_returned(evidence: Evidence) -> str | None:
    """For None, from a function or from a method of what was made."""
    functions = evidence.code.functions
    if evidence.got is None:
        called = functions if len(functions) == 1 else [one for one in functions if one.name == "forward"]
        return _of(called[0]) if len(called) == 1 else f"A function that ends without `return` gives None: {END_IT}"
    question = evidence.question
    if not question or question.drive != "methods" or not is_list(evidence.got) or not is_list(evidence.want):
        return None
    _, *calls = question.args
    for (name, *_), got, want in zip(calls, evidence.got, evidence.want, strict=False):
        methods = [function for function in functions if function.name == name]
        if got is None and want is not None and len(methods) == 1:
            return _of(methods[0])
    return None


def _of(function: ast.FunctionDef) -> str:
    """Which of its lines gives None."""
    name = function.name
    returns = [node for node in _in_its_scope(function) if isinstance(node, ast.Return)]
    values = [node.value for node in returns if node.value]
    if not values:
        return f"`{name}` ends without `return`, and so gives None: {END_IT}"
    last = function.body[-1]
    if not isinstance(last, ast.Return) or len(returns) > 1:  # None may have come from elsewhere
        return f"`{name}` gives None: it comes to its end without meeting a `return`, or what it returns is None."
    if method := _gives_none(values[0]):
        return (
            f"`.{method}(...)` changes what it is called on, and gives None: do that on a line before, and return that."
        )
    target = ast.unparse(values[0])
    assigned = [node for node in every(ast.Assign, function) if ast.unparse(node.targets[0]) == target]
    value = max(assigned, key=lambda node: node.lineno).value if assigned else values[0]
    if method := _gives_none(value):
        return (
            f"`.{method}(...)` changes what it is called on, and gives None, so `{target}` is None: write "
            f"`{ast.unparse(value)}` on a line of its own."
        )
    return f"`{name}` gives None, since what it returns is None: look where that value comes from."


def _in_its_scope(node: ast.AST) -> Iterator[ast.AST]:
    """What is in a function, without the functions inside of it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            yield child
            yield from _in_its_scope(child)


def _gives_none(value: ast.expr) -> str:
    """The method that it calls, where that gives None."""
    match value:
        case ast.Call(func=ast.Attribute(attr=method)) if method in GIVE_NONE:
            return method
        case _:
            return ""
