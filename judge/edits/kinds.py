"""The kinds of edit: how plausible each is as the one change that is due, and how a learner is told of it."""

import ast
from dataclasses import dataclass

from judge.edits.trees import Path, replaced

TOO_MUCH = "Something here is too much: it works without it."
MISSING = "Something is missing here."
ANOTHER_NAME = "One of the names should be another."
ANOTHER_NUMBER = "A number, an index or a slice should be another."
ANOTHER_ORDER = "The parts are right, but not their order."
BRACKETS = "The steps are right, but not what they are applied to: think of brackets."
ANOTHER_OPERATOR = "An operator should be another."
ANOTHER_FUNCTION = "Another function is needed, a relative of this one."
ONE_MORE_STEP = "One more step is needed here."
IN_PLACE = "This changes a value in place; make a new one."


@dataclass(frozen=True)
class Kind:
    """`cost` orders the edits: the smaller comes first. `words` is all that a learner is told at first."""

    words: str
    cost: float


# The costs are set by hand, and fitted to nothing. Only their order counts: candidates are tried from the cheapest on.
# About 1 is one small slip; what makes several changes, or brings in a step, comes later. Costs that are close to each
# other say which of two kinds comes first where both can mend the same answer: a part is left out (0.88) before an
# argument is (0.9), arguments are swapped (0.98) before operands (1.0), and an operator comes before a comparison
KINDS = {
    # what keeps the code from running at all; these are proposed only where the form is wrong
    "name a method": Kind(ANOTHER_NAME, 0.3),
    "add self": Kind(MISSING, 0.3),
    "add a line to __init__": Kind(MISSING, 0.3),
    "keep nothing": Kind("Something is kept from one call to the next: compute it anew.", 0.3),
    "return it": Kind(MISSING, 0.5),
    "call it": Kind(MISSING, 0.5),
    "make it a parameter": Kind(MISSING, 0.5),
    "index it": Kind("Square brackets are needed here, not a call.", 0.6),
    "make it a tuple": Kind("Round brackets with a comma are needed here: a tuple.", 0.7),
    "one of a tuple": Kind(TOO_MUCH, 0.7),
    "swap targets": Kind(ANOTHER_ORDER, 0.8),
    "out of place": Kind(IN_PLACE, 0.8),
    "keep a result": Kind("A result is computed and not kept: give it a name.", 0.6),
    "library": Kind(ANOTHER_NAME, 0.6),
    "stars": Kind("These are settings with names: two stars hand them on.", 0.6),
    # small differences; what can simply be left out comes first
    "leave out an argument": Kind(TOO_MUCH, 0.9),
    "leave out a part": Kind(TOO_MUCH, 0.88),
    "bool": Kind("True and False are the wrong way round.", 1.0),
    "add keyword": Kind(MISSING, 1.0),
    "operator": Kind(ANOTHER_OPERATOR, 1.0),
    "swap operands": Kind(ANOTHER_ORDER, 1.0),
    "swap arguments": Kind(ANOTHER_ORDER, 0.98),
    "name": Kind(ANOTHER_NAME, 1.1),
    "comparison": Kind(ANOTHER_OPERATOR, 1.05),
    "slice": Kind(ANOTHER_NUMBER, 1.1),
    "index": Kind(ANOTHER_NUMBER, 1.1),
    "number": Kind(ANOTHER_NUMBER, 1.2),
    "brackets": Kind(BRACKETS, 1.2),
    "pattern": Kind("The pattern in quotes should be another.", 1.2),
    "text": Kind("A text in quotes should be another.", 1.2),
    "helper": Kind("The chapter has a function for this.", 1.5),
    "sibling": Kind(ANOTHER_FUNCTION, 1.2),
    "indentation": Kind("A line stands too far to the right.", 1.2),
    "begin anew": Kind("Something should begin anew in each round of a loop.", 1.2),
    "leave out a line": Kind(TOO_MUCH, 1.25),
    "name instead": Kind(ANOTHER_NAME, 1.3),
    "index instead": Kind("Square brackets are needed here, not a call.", 1.3),
    "size of an axis": Kind("This should be the size of an axis: read it off a shape.", 1.1),
    "setting": Kind("A number is written out that the Config or a shape knows.", 1.4),
    "minus infinity": Kind("This number is not low enough.", 0.9),
    # larger ones
    "parameter": Kind(MISSING, 1.6),
    "forgotten": Kind(ONE_MORE_STEP, 1.0),
    "frame": Kind(ONE_MORE_STEP, 1.9),
    "axis": Kind("An axis is missing here.", 2.0),
    "first of several": Kind("Only the first of these is needed here.", 2.0),
    "copy": Kind("The function changes what it was given: let it begin with a copy.", 2.0),
    "shape": Kind("The numbers are right, but not the shape that they are returned in.", 2.0),
    "dtype": Kind("This has the wrong dtype.", 2.2),
    # only for mutants
    "detach": Kind("This keeps gradients from flowing.", 3.0),
    "in place": Kind(IN_PLACE, 3.0),
}


@dataclass(frozen=True)
class Edit:
    """One change of the code: what stands in these places, all of them written alike, becomes something else."""

    kind: str
    places: tuple[tuple[Path, ast.AST | list[ast.stmt]], ...]
    before: str
    after: str
    line: int
    cost: float
    in_words: bool = False  # `before` and `after` are no piece of the code, but name what changes
    context: str = ""  # of two edits that are made together this must be the same

    def applied(self, tree: ast.Module) -> ast.Module:
        """The tree with this edit, ready to be compiled; the old one stays as it is."""
        from_the_end = sorted(self.places, key=lambda place: place[0], reverse=True)
        for path, new in from_the_end:
            tree = replaced(tree, path, new)
        return tree
