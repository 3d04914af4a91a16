"""Tries one candidate: makes the component of changed code, asks it, judges it whole.

Left out is what would mean nothing: an edit that writes down what does nothing, such as two axes that are one, and one
in a condition that always holds then, or never.
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any

from judge.checking import Exercise
from judge.checking.asking import record_of
from judge.checking.oracle import solution_of
from judge.edits.candidates import Edit
from judge.edits.operators.numbers import number_in
from judge.edits.trees import Path, Step, node_at, replaced
from judge.repairing.fresh import gets_through, stands
from judge.repairing.trust import Reached
from judge.running.kinds import briefly
from judge.running.limited import Limit, TooSlow, limited
from judge.running.records import Question
from judge.running.watching import work_time

SWAPS = {"transpose", "swapaxes", "swapdims", "movedim", "moveaxis"}
INVERSE: list[tuple[type[ast.operator], type[ast.operator]]] = [(ast.Add, ast.Sub), (ast.Mult, ast.Div)]


def is_senseless(mended: ast.AST, before: ast.AST) -> bool:
    """Whether the mended code has a part that does nothing, and that was not there before.

    x.transpose(0, -3) does nothing where there are three axes. How many there are is not known here, so a swap whose
    two numbers may mean one axis is kept only where the learner has written such a one.
    """
    if any(map(_may_be_one_axis, ast.walk(mended))) and not any(map(_may_be_one_axis, ast.walk(before))):
        return True
    return not set(_idle_parts(mended)) <= set(_idle_parts(before))


def _idle_parts(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        swaps_nothing = len(set(_swapped(node))) == 1
        if swaps_nothing or any(_cancels(node, *signs) for signs in INVERSE):
            yield ast.unparse(node)


def _may_be_one_axis(node: ast.AST) -> bool:
    """Whether it swaps 0 and -3, as of three axes: 0 and -1 are one only where there is no other."""
    axes = _swapped(node)
    return bool(axes) and min(axes) < 0 <= max(axes) and max(axes) - min(axes) > 1


def _swapped(node: ast.AST) -> list[int]:
    """The two axes that a call swaps, where both are written as numbers; else none."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name), args=[*_, one, other]) if name in SWAPS:
            axes = [number_in(one), number_in(other)]
            return [int(axis) for axis in axes if axis is not None] if None not in axes else []
        case _:
            return []


def _cancels(node: ast.AST, plus: type[ast.operator], minus: type[ast.operator]) -> bool:
    """x - (x - y), x * y / y: a part stands there once to be added, and once to be taken off."""
    if not isinstance(node, ast.BinOp):
        return False
    signed = set(_signed(node, plus, minus, 1))
    return any((text, -sign) in signed for text, sign in signed)


def _signed(
    node: ast.expr, plus: type[ast.operator], minus: type[ast.operator], sign: int
) -> Iterator[tuple[str, int]]:
    """The terms of a sum, or the factors of a product, with 1; those taken off, or divided by, with -1."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, plus | minus):
        yield from _signed(node.left, plus, minus, sign)
        yield from _signed(node.right, plus, minus, -sign if isinstance(node.op, minus) else sign)
    else:
        yield ast.unparse(node), sign


NAME = "_watched_condition"
BRANCHES = (ast.If, ast.IfExp, ast.While)
TEST: Step = ("test", None)  # where the condition of these stands
METHODS = {"where", "masked_fill", "masked_fill_"}  # calls whose condition, or mask, is a yes or no for each value
TURNING = {"comparison", "bool"}
Watch = Callable[[object], object]


def makes_idle(edit: Edit, tree: ast.Module, tried: Callable[[ast.Module, dict[str, Watch]], object]) -> bool:
    """Whether the edit stands in a condition that never holds with it, or always, in anything that is tried.

    The same for a mask that holds nowhere, or everywhere. To turn a condition round may well be what is due of a guard;
    but where order is put in the place of equality, or the other way round, one that always holds is out of reach too.

    `tried` is given the edited tree, and the name that it needs to run.
    """
    path = _condition(edit, tree)
    if path is None or edit.before == f"not {edit.after}":
        return False
    branch = path[-1] == TEST
    crossed = edit.kind == "comparison" and _is_equality(edit.before) != _is_equality(edit.after)
    if branch and edit.kind in TURNING and not crossed:
        return False
    held: set[bool] = set()

    def watch_branch(condition: Any) -> object:
        held.add(bool(condition))
        return condition

    def watch_mask(mask: Any) -> object:
        held.update([bool(mask.any()), bool(mask.all())])
        return mask

    watch = watch_branch if branch else watch_mask
    tried(_watched(edit.applied(tree), path), {NAME: watch})
    return len(held) == 1


def _is_equality(comparison: str) -> bool:
    match ast.parse(comparison, mode="eval").body:
        case ast.Compare(ops=[ast.Eq() | ast.NotEq(), *_]):
            return True
    return False


def _condition(edit: Edit, tree: ast.Module) -> Path | None:
    """The path of the innermost condition or mask that the edit is made in."""
    for path, _ in edit.places:
        for length in range(len(path), 0, -1):
            *outer, step = path[:length]
            if _is_condition(step, node_at(tree, tuple(outer))):
                return path[:length]
    return None


def _is_condition(step: Step, owner: ast.AST) -> bool:
    match owner:
        case ast.Call(func=ast.Attribute(value=ast.Name("torch"), attr="masked_fill" | "masked_fill_")):
            return step == ("args", 1)
        case ast.Call(func=ast.Attribute(attr=method)) if method in METHODS:
            return step == ("args", 0)
    return step == TEST and isinstance(owner, BRANCHES)


def _watched(tree: ast.Module, path: Path) -> ast.Module:
    """The tree with this condition handed through the watch."""
    condition = node_at(tree, path)
    assert isinstance(condition, ast.expr)
    call = ast.Call(ast.Name(NAME, ast.Load()), [condition], [])
    located = ast.copy_location(call, condition)
    return replaced(tree, path, ast.fix_missing_locations(located))


# Seconds of work: an answer that always takes longer is not tried. Of those that a repair was found for the slowest
# takes 0.06, and twice as much on a busy machine.
SLOW = 0.2
TIMES = 3  # that it is asked to find out: on a busy machine one may take longer
EACH = SLOW  # seconds of work for one candidate on one question: what never ends is most of a search's work
WHOLE = 6.0  # for one candidate in all: each question of a test alone may take longer
FILE = "<candidate>"


@dataclass(frozen=True)
class Answer:
    """A learner's answer, ready to be changed and run."""

    exercise: Exercise
    cell: str
    definitions: ast.Module  # the functions and classes of the cell
    namespace: dict[str, Any]  # of the notebook
    reached: Reached = field(default_factory=Reached)  # what the code reads there

    def made(self, tree: ast.Module, more: Mapping[str, Any] = MappingProxyType({})) -> Any:
        """The component that the changed definitions make; the notebook's own names stay as they are."""
        names = {**self.namespace, **more}
        exec(compile(tree, FILE, "exec", dont_inherit=True), names)
        return names[self.exercise.symbol]

    def judged(self, tree: ast.Module, more: Mapping[str, Any], *, seed: int) -> bool:
        """Whether what the changed definitions make passes."""
        return self.exercise.passes(self.made(tree, more), seed=seed)


def looks(question: Question) -> list[Question]:
    """The question as it is asked of each candidate: of draws a few first, then as many as the test takes."""
    brief = briefly(question)
    return [question] if brief is question else [brief, question]


def is_slow(answer: Answer, question: Question) -> bool:
    """Whether the answer takes too long to be tried again and again, each time that it is asked."""
    return all(_takes_long(answer, question) for _ in range(TIMES))


def _takes_long(answer: Answer, question: Question) -> bool:
    started = work_time()
    try:
        with answer.reached.lent():
            limited(Limit(EACH), lambda: record_of(answer.made(answer.definitions), question))
    except TooSlow:
        return True
    return work_time() - started > SLOW


def is_right(answer: Answer, question: Question, seed: int, most: float) -> bool:
    """Whether it passes as it is, so that it is not what was judged, or takes more than so many seconds of work."""

    def passes() -> bool:
        component = answer.made(answer.definitions)
        record = record_of(component, question)
        first = gets_through(answer.exercise, question, record)  # most answers are told from right by it
        return first and answer.exercise.passes(component, seed=seed)

    try:
        with answer.reached.lent():
            return limited(Limit(most), passes)
    except TooSlow:
        return True


def mends(answer: Answer, edit: Edit, question: Question, seed: int, most: float = WHOLE) -> bool:
    """Whether the edited code passes and stands: asked this question first, then all of the test, then fresh ones.

    False where all that takes more than `most` seconds of work, or than WHOLE.
    """
    try:
        with answer.reached.lent():
            return limited(Limit(min(most, WHOLE)), partial(_mends, answer, edit, question, seed))
    except (Exception, TooSlow):  # whatever an edited line does while the class is made
        return False


def _mends(answer: Answer, edit: Edit, question: Question, seed: int) -> bool:
    mended = edit.applied(answer.definitions)
    component = _made_that_gets_through(answer, mended, looks(question))
    if component is None:
        return False
    if not answer.exercise.passes(component, seed=seed):
        return False
    if is_senseless(mended, answer.definitions):
        return False
    if makes_idle(edit, answer.definitions, partial(answer.judged, seed=seed)):
        return False
    return stands(answer.exercise, component, question, mended, seed)


def _made_that_gets_through(answer: Answer, tree: ast.Module, looks: list[Question]) -> Any | None:
    """The component that the code makes, where it answers all of these rightly. Raises whatever it raises."""

    def made() -> Any | None:
        component = answer.made(tree)
        is_right = all(gets_through(answer.exercise, question, record_of(component, question)) for question in looks)
        return component if is_right else None

    return limited(Limit(EACH * len(looks)), made)


def reference_still_passes(exercise: Exercise, question: Question, seed: int) -> bool:
    """Whether nothing that a candidate did has changed how right answers are judged.

    Where all of the test is compiled first, which takes seconds, the reference is asked this question alone.
    """
    try:
        reference = solution_of(exercise)
    except ImportError:
        return True  # a course without its solutions: answers are recorded, which nothing here can change
    if exercise.written_with.is_compiled:
        return gets_through(exercise, question, record_of(reference, question))
    return exercise.passes(reference, seed=seed)
