"""What an answer's own source says, so that nothing is said beside it that is not true of it.

An advice may speak of a call or an attribute that wrong answers of its kind have: where the learner's has none, that
part is left out. A cause that is known by its error alone must fail in a line of the same kind, and must not ask for
what is there already.
"""

import ast
import builtins
import copy
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from judge.checking.asking import record_of
from judge.checking.declaration import Declaration
from judge.checking.known import Misconception
from judge.checking.oracle import solution_of
from judge.running.on_demand import Module, Tensor, is_imported, torch
from judge.running.records import Frame, Question, Record
from judge.running.sources import sources_of
from judge.running.values import is_list

Node = TypeVar("Node", bound=ast.AST)
SIGNS: dict[type[ast.operator], str] = {
    **{ast.MatMult: "@", ast.Pow: "**", ast.BitXor: "^"},
    **{ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"},
}
# Signs that all code has: an advice that has one says nothing of it.
USUAL = {"+", "-", "*", "/", "[]"}
# Names for the same, as far as an advice goes.
ALIKE = [("view", "reshape"), ("reshape", "view"), ("amax", "max"), ("max", "amax")]
# Methods of torch that nobody means by these words.
NO_CALLS = {"dim", "index", "size", "type"}
MOST_KEPT = 4096


@dataclass(frozen=True)
class Code:
    """The functions of an answer; none where its source can't be read, and then nothing is known to be untrue."""

    texts: tuple[str, ...]

    @cached_property
    def trees(self) -> list[ast.AST]:
        return [tree for tree in map(_parsed, self.texts) if tree]

    def functions_at(self, frame: Frame) -> list[ast.FunctionDef]:
        """The functions that a frame's line stands in, the outermost first; none where this is not their line."""
        for text in self.texts:
            lines = text.split("\n")
            if frame.line > len(lines) or lines[frame.line - 1].strip() != frame.source:
                continue
            functions = every(ast.FunctionDef, _parsed(text) or ast.Module([], []))
            around = [one for one in functions if one.lineno <= frame.line <= (one.end_lineno or 0)]
            if around:
                return sorted(around, key=lambda function: function.lineno)
        return []

    @cached_property
    def functions(self) -> list[ast.FunctionDef]:
        """The methods of a class and the functions of its file, without those inside of them."""
        nodes = [node for tree in self.trees for node in ast.iter_child_nodes(tree)]
        return [node for node in nodes if isinstance(node, ast.FunctionDef)]

    @cached_property
    def names_read(self) -> frozenset[str]:
        """The variables and attributes whose values it takes."""
        read = (node for tree in self.trees for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute))
        values = (node for node in read if isinstance(node.ctx, ast.Load))
        return frozenset(node.id if isinstance(node, ast.Name) else node.attr for node in values)

    @cached_property
    def plain(self) -> str:
        """All of it as Python writes it, without comments, docstrings and decorators; "" where it can't be read."""
        return "\n".join(map(_plain, self.trees))

    @cached_property
    def words(self) -> frozenset[str]:
        """The attributes, keywords, signs and names from elsewhere that it has; not the names that it makes itself."""
        return frozenset(word for tree in self.trees for word in words_in(tree))


def code_of(component: Any) -> Code:
    """The source of a component, from its side of the wall."""
    record = record_of(component, Question("source", ()))
    texts: Any = record.outputs[0] if not record.error and record.outputs else []
    fits = is_list(texts) and all(isinstance(text, str) for text in texts)
    return Code(tuple(texts) if fits else ())


def every(kind: type[Node], tree: ast.AST) -> Iterator[Node]:
    """The nodes of one kind in a tree."""
    for node in ast.walk(tree):
        if isinstance(node, kind):
            yield node


def names_stored(tree: ast.AST) -> set[str]:
    """The variables that get a value in it."""
    return {node.id for node in every(ast.Name, tree) if isinstance(node.ctx, ast.Store)}


def words_in(tree: ast.AST) -> Iterator[str]:
    """The words of a piece of code that say what it does, whoever wrote it."""
    own = {node.arg for node in every(ast.arg, tree)} | names_stored(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) if name not in own:
                yield name
            case ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                yield name
            case ast.BinOp(op=sign) | ast.AugAssign(op=sign) if type(sign) in SIGNS:
                yield SIGNS[type(sign)]
            case ast.Subscript():
                yield "[]"
            case ast.Constant(value="inf" | "-inf"):
                yield "inf"
            case _:
                pass


@dataclass(frozen=True)
class Claims:
    """What the words of a misconception say that code has, or lacks.

    It speaks of what its wrong answers have and the solution has not; and it asks for what the solution has, and they
    have not.
    """

    known: Misconception
    of_its_forms: frozenset[str]  # the words of all answers that are known by this name
    of_its_own: frozenset[str]  # without those of functions that these call
    of_the_solution: frozenset[str]
    of_tensors: bool  # whether the answers are written with a library of tensors or arrays

    def advice_for(self, code: Code) -> str:
        """The advice without what it says of something that the code does not have; "" where nothing is left."""
        if not code.words:
            return self.known.advice
        sentences = re.split(r"(?<=[.?]) (?=[A-Z`])", self.known.advice)
        here = code.words | {other for name, other in ALIKE if name in code.words}
        lacking = self.of_its_forms - here
        return " ".join(filter(None, (self._without_foreign(sentence, here, lacking) for sentence in sentences)))

    def asks_for_what_is_there(self, code: Code) -> bool:
        """Whether all functions that the advice asks for, and its wrong answer lacks, are in the code already."""
        lacking = self.of_the_solution - words_of(self.known.component)
        asked = lacking & set(filter(self._is_a_function, re.findall(r"\w+", self.known.advice)))
        return bool(asked) and asked <= code.words

    def leaves_unsaid(self, message: str, code: Code) -> bool:
        """Whether an error's message names, in backticks, what this code has, and no answer of this kind."""
        named = set(re.findall(r"`(\w+)`", message))
        return bool(named & code.words - self.of_its_own - self.of_the_solution)

    def _without_foreign(self, sentence: str, here: frozenset[str], lacking: frozenset[str]) -> str:
        """The sentence up to the part whose subject is not here: "`sort` goes from low to high: pass …".

        What follows may as well propose something: "the logits are not sorted: `topk` finds the highest".
        """
        kept: list[str] = []
        for part in re.split(r"(?<=[:;]) (?![^(]*\))", sentence):
            subject = self._subject(part)
            foreign = not subject & here if not kept else subject <= lacking
            if subject and foreign:
                break
            kept.append(part)
        return re.sub(r"[:;]$", ".", " ".join(kept))

    def _subject(self, part: str) -> set[str]:
        """The functions and methods that a part of a sentence begins with, to say something of them."""
        begins = re.match(r"(?:`[^`]*`(?:, | and | or )?)+ (?!or |and )(?=[a-z])", part)
        names = re.findall(r"`(?:\w*\.)*(\w*)[^`]*`", begins[0]) if begins else []
        return set(names) if all(map(self._is_a_function, names)) else set()

    def _is_a_function(self, name: str) -> bool:
        """Whether this is a function of what the answers are written with, whatever else is imported."""
        if not self.of_tensors:
            return callable(getattr(builtins, name, None))
        owners = (torch, Tensor, torch.nn.functional) if is_imported("torch") else ()
        return name not in NO_CALLS and any(callable(getattr(owner, name, None)) for owner in owners)


def claims_of(known: Misconception, exercise: Declaration) -> Claims:
    """The claims that this misconception's words make about code."""
    forms = [misconception.component for misconception in exercise.misconceptions if misconception.name == known.name]
    try:
        solution = words_of(solution_of(exercise))
    except ImportError:  # a course that was handed out without its solutions
        solution = frozenset[str]()
    everything, own = (frozenset[str]().union(*(words_of(form, most) for form in forms)) for most in (None, 1))
    return Claims(known, everything, own, solution, bool(exercise.written_with.module))


@lru_cache(maxsize=MOST_KEPT)
def words_of(component: Any, most: int | None = None) -> frozenset[str]:
    """The words of a component on this side of the wall; of so many of its functions."""
    return Code(tuple(sources_of(component)[:most])).words


def apart_in_line(mine: Record, theirs: Record) -> float:
    """How unlike the lines are in which two errors came up: 0 where they are alike, or not known, `inf` where wholly.

    Signs that all code has count where a line has no other words.
    """
    lines = [
        record.error.frames[-1].source if record.error and record.error.frames else "" for record in (mine, theirs)
    ]
    words = [_words_of_a_line(line) for line in lines]
    if not all(words):
        return 0.0
    telling = [word - USUAL for word in words]
    one, other = telling if all(telling) else words
    return 1 - len(one & other) / len(one | other) if one & other else math.inf


def _words_of_a_line(line: str) -> frozenset[str]:
    """Its words without the names of variables, which are anybody's choice."""
    tree = _parsed(line)
    if tree is None:
        return frozenset()
    called = {id(node.func) for node in every(ast.Call, tree)}
    variables = [node.id for node in every(ast.Name, tree) if id(node) not in called]
    return frozenset(words_in(tree)).difference(variables)


def _plain(tree: ast.AST) -> str:
    """A function's text; what stands above it or describes it is words about it."""
    alone = copy.deepcopy(tree)
    for function in every(ast.FunctionDef, alone):
        function.decorator_list = []
        if ast.get_docstring(function, clean=False) is not None:
            function.body = function.body[1:] or [ast.Pass()]
    return ast.unparse(alone)


@lru_cache(maxsize=MOST_KEPT)
def _parsed(text: str) -> ast.AST | None:
    """The tree of a function, or of a line, whose block may be missing; None where it is no Python by itself."""
    for end in ("", " pass", "\n pass"):
        try:
            return ast.parse(f"{text}{end}" if end else text)
        except (SyntaxError, ValueError, RecursionError):
            continue
    return None


# Expressions that do nothing but give a value.
PURE = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript, ast.Attribute, ast.Name)
GIVING = {
    "sorted",
    "reversed",
    "sum",
    "len",
    "max",
    "min",
    "abs",
    "round",
    "list",
    "tuple",
    "dict",
    "set",
    "int",
    "float",
}
OF_MODULES = {"torch", "F", "einops"}
JOINING = {"cat", "stack", "where", "einsum"}
POWERS = (2, 3)  # which nobody means by a `^` of bits
REPLACED = re.compile(r"^ *(?P<name>\w+) *=\+(?P<more>[^#\n]+)", re.MULTILINE)
LONGEST = 60  # characters of an expression that is quoted


def thrown_away(code: Code) -> str | None:
    """For a line that computes something, and keeps it nowhere."""
    for statement in _of_type(code, ast.Expr):
        value, where = statement.value, f"{_quoted(statement.value)} (line {statement.lineno})"
        if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.UAdd | ast.USub):
            return (
                f"{where} stands on a line of its own, and what it gives is thrown away: a line that goes on in the "
                "next one needs round brackets around both."
            )
        if is_comparison(value):
            return f"{where} compares and changes nothing. To assign, write `=`."
        if _only_gives(value):
            is_last = any(_ends_in(function, statement) for function in _of_type(code, ast.FunctionDef))
            instead = f"write `return {ast.unparse(value)}`." if is_last else "nothing keeps what this line gives."
            return f"{where} is computed and thrown away: {instead}"
    return None


def is_comparison(value: ast.expr) -> bool:
    """`x == 3`, which on a line of its own is meant to assign."""
    match value:
        case ast.Compare(left=ast.Name() | ast.Attribute() | ast.Subscript(), ops=[ast.Eq()]):
            return True
        case _:
            return False


def _ends_in(function: ast.FunctionDef, statement: ast.stmt) -> bool:
    """Whether this is the last statement of a function that returns nothing and could."""
    gives = (ast.Return, ast.Yield, ast.YieldFrom)
    return (
        function.body[-1] is statement
        and function.name != "__init__"
        and not any(isinstance(node, gives) for node in ast.walk(function))
    )


def never_read(code: Code) -> str | None:
    """For a name that is assigned, and read nowhere."""
    for function in _of_type(code, ast.FunctionDef):
        read = {name.id for name in every(ast.Name, function) if not isinstance(name.ctx, ast.Store)}
        for name, value in _assigned(function):
            if name not in read and name[0] != "_" and not isinstance(value, ast.Constant):
                return f"`{name} = {ast.unparse(value)[:LONGEST]}` is computed, and `{name}` is never read."
    return None


def _assigned(function: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """The names that get one value each, with the values."""
    for statement in every(ast.Assign, function):
        if isinstance(statement.targets[0], ast.Name):
            yield statement.targets[0].id, statement.value


def no_power(code: Code) -> str | None:
    """For `^ 2` or `^ 3`, whatever stands before and behind: Python's `^` is no power."""
    for operation in _of_type(code, ast.BinOp):
        behind = operation.right
        while isinstance(behind, ast.BinOp):  # `^` binds less tightly than `*` and `+`
            behind = behind.left
        if isinstance(operation.op, ast.BitXor) and isinstance(behind, ast.Constant) and behind.value in POWERS:
            power = behind.value
            return f"`^ {power}` is no power in Python, where `^` is the exclusive or of bits: write `** {power}`."
    return None


def no_sum(code: Code) -> str | None:
    """For `total =+ x` where `total` has a value already: it is replaced, and nothing is added to it."""
    for text in code.texts:
        for line in REPLACED.finditer(text):
            name, more = line["name"], line["more"].strip()[:LONGEST]
            if re.search(rf"\b{name}\b", text[: line.start()]):
                return (
                    f"`{name} =+ {more}` replaces what `{name}` held. To add to it, the `+` stands before the `=`: "
                    f"`{name} += {more}`."
                )
    return None


def no_f_string(code: Code) -> str | None:
    """For a text that has a variable's name in curly brackets, and is no f-string."""
    for function in _of_type(code, ast.FunctionDef):
        names = {name.id for name in every(ast.Name, function)}
        for text in _plain_texts(function):
            for name in re.findall(r"\{(\w+)\}", text):
                if name in names:
                    quoted = f"`{{{name}}}` in `{text!r}`"
                    return f"{quoted} is plain text: an `f` before the quotes puts the value in."
    return None


def _plain_texts(function: ast.FunctionDef) -> list[str]:
    """The texts in quotes that are no f-string, no pattern for `format`, and no docstring."""
    if "format" in set(words_in(function)):
        return []
    of_f_strings = {id(part) for text in every(ast.JoinedStr, function) for part in text.values}
    constants = [node.value for node in every(ast.Constant, function) if id(node) not in of_f_strings]
    docstring = ast.get_docstring(function, clean=False)
    return [text for text in constants if isinstance(text, str) and text != docstring]


def _only_gives(value: ast.expr) -> bool:
    """Whether an expression does nothing but give a value; a call that nobody knows may do more."""
    if not isinstance(value, ast.Call):
        return isinstance(value, PURE)
    called = value.func
    if any(word.arg == "out" for word in value.keywords):  # where the result is kept
        return False
    if isinstance(called, ast.Name):
        return called.id in GIVING
    if not isinstance(called, ast.Attribute):
        return False
    if isinstance(called.value, ast.Name) and called.value.id in OF_MODULES:
        return called.attr in JOINING or hasattr(Tensor, called.attr)
    # `split`, which torch has too, is one of str: nothing is said of it, wherever torch is.
    elsewhere = any(hasattr(kind, called.attr) for kind in (list, dict, set, str, Module))
    return hasattr(Tensor, called.attr) and not elsewhere and called.attr[-1] != "_" and called.attr != "backward"


def _of_type(code: Code, kind: type[Node]) -> Iterator[Node]:
    for tree in code.trees:
        yield from every(kind, tree)


def _quoted(value: ast.expr) -> str:
    text = ast.unparse(value)
    return f"`{text if len(text) <= LONGEST else text[:LONGEST] + '...'}`"
