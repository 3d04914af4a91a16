"""An error of the learner's code with what is known about it: the line, and which axis has which size."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from judge.running.libraries import TORCH, Library
from judge.running.records import LearnerError
from judge.running.settings import Settings, standard_settings

NUMBER = r"(-?\d{1,15})"
OPERANDS = r"TypeError: unsupported operand type\(s\) for .+: "
ARGUMENT = r"TypeError: \w+\(\): argument '\w+' (?:\(position \d+\) )?must be "
# A group of a pattern, in the words of a rule, and how to write it.
FIELD = r"\{([1-9]|[a-z]\w*)(?::(\w+))?\}"
INDEX_INSTEAD = "To pick rows of a table, index it: `table[rows]`."
# Characters: patterns take long on what has no end.
LONGEST_MESSAGE, LONGEST_LINE = 1500, 400


# Axes with their sizes, and these by the name of what has them.
Axes = dict[str, int]
Shapes = dict[str, Axes]
Match = re.Match[str]


@dataclass(frozen=True)
class Raised:
    """The facts that a translation may use: the error, the shapes of the inputs and of the component's parameters."""

    error: LearnerError
    of_inputs: Shapes = field(default_factory=Shapes)
    of_parameters: Shapes = field(default_factory=Shapes)
    # What components are made of.
    settings: Settings = field(default_factory=standard_settings)
    library: Library = TORCH
    is_function: bool = False  # whether what is judged is a function, and no class

    @property
    def fields(self) -> list[str]:
        """The fields of what components are made of, such as a Config."""
        return self.settings.names

    @cached_property
    def shapes(self) -> Shapes:
        """The shapes of inputs and parameters together."""
        return {**self.of_inputs, **self.of_parameters}

    @property
    def text(self) -> str:
        """The error as Python prints it."""
        return f"{self.error.type}: {self.error.message}"

    @property
    def line(self) -> str:
        """The learner's innermost line, empty where it is not known."""
        return self.error.frames[-1].source[:LONGEST_LINE] if self.error.frames else ""

    @property
    def function(self) -> str:
        """The function that this line stands in, empty where it is not known."""
        return self.error.frames[-1].function if self.error.frames else ""

    @property
    def inputs(self) -> list[str]:
        """The names of what is passed to the call, in order."""
        return list(self.of_inputs)

    @property
    def parameters(self) -> list[str]:
        """The names of the component's own parameters, without those of its parts."""
        return [name for name in self.of_parameters if "." not in name]

    @property
    def parts(self) -> list[str]:
        """The parts whose parameters the component has: `ln1` of `ln1.w`."""
        return list(dict.fromkeys(name.partition(".")[0] for name in self.shapes if "." in name))

    @cached_property
    def _names(self) -> dict[int, set[str]]:
        names: dict[int, set[str]] = {}
        for axes in self.shapes.values():
            for name, size in axes.items():
                names.setdefault(size, set()).add(name)
        return names

    def axis(self, size: str | int) -> str | None:
        """The axis that has this size, None where none has it, or more than one. Size 1 says nothing."""
        names = self._names.get(int(size), set())
        return next(iter(names)) if len(names) == 1 and int(size) > 1 else None

    def sized(self, size: str | int) -> str:
        """A size with the axis that has it: "5 (`pos`)"."""
        name = self.axis(size)
        return f"{size} (`{name}`)" if name else str(size)

    def shape(self, listed: str) -> str:
        """A shape such as "2, 5, 8" with its axes where each is known: "[2, 5, 8] (`batch pos d_model`)"."""
        names = [self.axis(size) for size in re.findall(r"\d{1,15}", listed)]
        known = " ".join(name for name in names if name)
        return f"[{listed}] (`{known}`)" if names and all(names) else f"[{listed}]"

    def array(self, printed: str) -> str:
        """The axes of a shape as NumPy and JAX print it: "(2,5)"."""
        return self.shape(", ".join(re.findall(r"\d{1,15}", printed)))

    def usual(self, *sizes: str | int) -> str:
        """A sentence on a usual size that the line has as a number, and that no axis has here; "" if none is."""
        known = self.settings.usual_sizes
        for size in map(int, sizes):
            unknown_here = size in known and size not in self._names
            if unknown_here and self.says(rf"(?<![\w.]){size}(?![\w.])"):
                return (
                    f" {size} is written out, {self.settings.whose}'s `{known[size]}`: "
                    "take sizes from `cfg` or from a shape, since tests choose others."
                )
        return ""

    def says(self, pattern: str) -> Match | None:
        """Where the learner's line has this pattern."""
        return re.search(pattern, self.line)


def lacks(owner: str = r"(\w+)", name: str = r"(\w+)") -> str:
    """The pattern of what Python says where an object has no attribute of this name: `owner` is its type.

    Python 3.14 says more where one is set.
    """
    return f"AttributeError: '{owner}' object has no attribute '{name}'(?: and no __dict__ for setting new attributes)?"


class Rule(NamedTuple):
    """All that is known of an error: how it reads, what it means to a learner, and code that ends in it.

    The first rule that fits and has something to say is heard, so their order is meaning. `case` gets its words from
    this rule, and `near`, a near relative, does not get them: test_translations.py runs both, and says how they are
    written. Nothing else reads them.
    """

    # The whole of "Type: message".
    pattern: str
    # Its words, or what finds them; None where that does not know. `{1}` and `{name}` are what the pattern or `line`
    # found, `{1:size}` with its axis, `{1:shape}` and `{1:array}` with their axes, `{1:a}` a type with its article.
    says: str | Callable[[Match, Raised], str | None]
    # What the learner's line must have, with the pattern's groups filled in.
    line: str = ""
    of_parts: bool = False  # said of components that have parts alone
    # Code that ends in the error, or several; with each, what tells its words from the others: pieces in their order.
    case: str | tuple[str, ...] | dict[str, str] = ""
    near: str | tuple[str, ...] = ""

    def advice(self, raised: Raised) -> str | None:
        """The advice of this rule on an error; None where it does not fit."""
        match = re.fullmatch(self.pattern, raised.text, re.DOTALL)
        if not match or (self.of_parts and not raised.parts):
            return None
        found = raised.says(_filled(self.line, match, match, raised))
        if not found:
            return None
        return self.says(match, raised) if callable(self.says) else _filled(self.says, match, found, raised)


NOUNS = {
    "str": "text",
    "string": "text",
    "NoneType": "None",
    "dict_keys": "the keys of a dict",
    "builtin_function_or_method": "a method without brackets",
}


def a(kind: str) -> str:
    """A type's name with its article: a list, an int."""
    return NOUNS.get(kind) or f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _filled(text: str, match: Match, found: Match, raised: Raised) -> str:
    """The text with its fields, each of which is a group of the message or of the line."""
    forms: dict[str | None, Callable[[str], str]] = {
        None: str,
        "a": a,
        "size": raised.sized,
        "shape": raised.shape,
        "array": raised.array,
    }

    def value(field: Match) -> str:
        key = int(field[1]) if field[1].isdigit() else field[1]
        whole = found if key in found.groupdict() else match
        return forms[field[2]](whole[key])

    return re.sub(FIELD, value, text)
