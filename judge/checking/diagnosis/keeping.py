"""Where a function keeps something from one call to the next: in a default, outside of it, as its own or as `self`'s.

It is read off the code, so that a card can name the very variable. What is not changed in the function is not meant.
"""

import ast
from collections.abc import Iterator

from judge.checking.code import Code, every, names_stored

CHANGING = frozenset(
    """
    append extend insert update setdefault add
    """.split()
)
# What may put an attribute there without naming it.
SETTING = frozenset({"setattr", "__dict__", "vars"})
MADE = (ast.List, ast.Dict, ast.Set, ast.Call)


def kept_between_calls(code: Code) -> str | None:
    """One sentence about what stays; None where nothing does that can be seen."""
    functions = [node for tree in code.trees for node in ast.iter_child_nodes(tree)]
    for function in functions:
        if not isinstance(function, ast.FunctionDef):
            continue
        said = _in_a_default(function) or _outside(function) or _on_itself(function) or _on_self(function)
        if said:
            return said
    return None


def kept_by_the_class(code: Code) -> str | None:
    """One sentence about what methods change in `self`, where none has put it there: so it is the class's."""
    if code.words & SETTING:
        return None
    made = {node.attr for tree in code.trees for node in _attributes_set(tree)}
    changed = [_of_self(target) for tree in code.trees for target in _written_into(tree)]
    shared = [name for name in changed if name not in made and name[:1].isalpha()]
    if not shared:
        return None
    return (
        f"`{shared[0]}` is made in the class, and all its instances share it: "
        f"assign `self.{shared[0]}` in `__init__` instead."
    )


def _in_a_default(function: ast.FunctionDef) -> str | None:
    """def f(x, found=[]): found.append(x)"""
    changed = set(_changed(function))
    for name, value in _defaults(function):
        if name in changed and isinstance(value, MADE):
            default = f"{name}={ast.unparse(value)}"
            return f"The default `{default}` is made once, and keeps what each call puts there: make it inside."
    return None


def _defaults(function: ast.FunctionDef) -> Iterator[tuple[str, ast.expr | None]]:
    given = function.args
    names = [argument.arg for argument in (*given.posonlyargs, *given.args)]
    first = len(names) - len(given.defaults)
    yield from zip(names[first:], given.defaults, strict=True)
    alone = [argument.arg for argument in given.kwonlyargs]
    yield from zip(alone, given.kw_defaults, strict=True)


def _outside(function: ast.FunctionDef) -> str | None:
    """global n, or seen[x] = y, where `seen` is no variable of the function's own"""
    own = {argument.arg for argument in every(ast.arg, function)} | names_stored(function)
    others = (name for name in _changed(function) if name and name not in own)
    declared = [name for line in every(ast.Global, function) for name in line.names]
    names = list(dict.fromkeys([*declared, *others]))
    if not names:
        return None
    listed = " and ".join(f"`{name}`" for name in names)
    if len(names) == 1:
        return f"{listed} stands outside of the function, and keeps what each call puts there: make it inside."
    return f"{listed} stand outside of the function, and keep what each call puts there: make them inside."


def _on_itself(function: ast.FunctionDef) -> str | None:
    """def f(x): f.kept = x"""
    for node in _attributes_set(function):
        if _name(node.value) == function.name:
            return f"`{ast.unparse(node)}` stays on the function from call to call: take a variable inside it."
    return None


def _on_self(function: ast.FunctionDef) -> str | None:
    """def forward(self, x): self.kept = x"""
    if function.name == "__init__":
        return None
    for node in _attributes_set(function):
        if _name(node.value) == "self":
            return f"`{ast.unparse(node)}` stays from call to call: make it a plain variable, `{node.attr}`."
    return None


def _attributes_set(tree: ast.AST) -> Iterator[ast.Attribute]:
    """The attributes that get a value in it."""
    return (node for node in every(ast.Attribute, tree) if isinstance(node.ctx, ast.Store))


def _changed(function: ast.AST) -> Iterator[str]:
    """The variables into which it puts something: x[i] = y, x.append(y)."""
    yield from map(_name, _written_into(function))


def _written_into(function: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        match node:
            case ast.Subscript(ctx=ast.Store(), value=value):
                yield value
            case ast.Call(func=ast.Attribute(attr=method, value=value)) if method in CHANGING:
                yield value
            case _:
                continue


def _name(node: ast.expr) -> str:
    """cache of cache[layer][0]; "" of what is no variable."""
    node = _whole(node)
    return node.id if isinstance(node, ast.Name) else ""


def _of_self(node: ast.expr) -> str:
    """cache of self.cache[layer][0]; "" of what is no attribute of `self`."""
    node = _whole(node)
    if not isinstance(node, ast.Attribute) or _name(node.value) != "self":
        return ""
    return node.attr


def _whole(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Subscript):
        node = node.value
    return node
