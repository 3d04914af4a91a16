"""Cells that Python can't read: the line with the place in it, and a sentence where Python's own words are too few."""

import re
import traceback
from textwrap import dedent
from typing import NamedTuple

SIGNS = {"×": "*", "·": "*", "−": "-", "–": "-", "÷": "/", "²": "** 2", "³": "** 3", "≤": "<=", "≥": ">=", "≠": "!="}
QUOTES = {**dict.fromkeys("“”„", '"'), **dict.fromkeys("‘’", "'")}
KEYWORDS = "and|as|class|def|del|for|from|if|import|in|is|lambda|not|or|pass|return|while|with"
A_NAME = rf"(?!(?:{KEYWORDS})\b)[\w.]+"
INVALID = "invalid syntax"
WIDTH = 24  # characters before a mark that a phone shows


class Row(NamedTuple):
    """A sentence, and patterns of the error's message and of what stands before and behind the place in the line."""

    message: str
    before: str
    behind: str
    sentence: str


ROWS = [
    *(Row(f"invalid character '{sign}'.*", "", "", f"For `{sign}` Python has `{own}`.") for sign, own in SIGNS.items()),
    *(
        Row(f"invalid character '{sign}'.*", "", "", f"Python's quotation marks are straight: write `{own}`.")
        for sign, own in QUOTES.items()
    ),
    Row(
        "invalid decimal literal",
        r"(?P<tens>[\d.]*)",
        r"(?P<ones>\d)(?P<name>[A-Za-z_][\w.]*)",
        "A product needs its sign, `{tens}{ones} * {name}`, and a name can't begin with a digit.",
    ),
    Row(
        "'return' outside function",
        r"^",
        "return",
        "This line stands at the left edge, outside of the function: indent it like the function's other lines.",
    ),
    Row("expected ':'", r"^ *else ", "if ", "Python writes `else if` as `elif`."),
    Row(
        "expected ':'",
        "",
        "{",
        "Python has no curly brackets around code: a colon ends this line, and the lines below it are indented.",
    ),
    Row(INVALID, r"(?P<name>\w+)\+\+", r" *$", "Python has no `++`: write `{name} += 1`."),
    Row(INVALID, r"(?P<name>\w+)--", r" *$", "Python has no `--`: write `{name} -= 1`."),
    Row(INVALID, r"&", "&", "Python writes `&&` as `and`."),
    Row(INVALID, r"", r"\|\|", "Python writes `||` as `or`."),
    Row(INVALID, r"\|", r"\|", "Python writes `||` as `or`."),
    Row(INVALID, r"", r"!(?!=)", "Python writes `!` as `not`."),
    *(
        Row(INVALID, "", wrong, f"Python writes `{wrong}` as `{own}`.")
        for wrong, own in {"=>": ">=", "=<": "<=", "<>": "!="}.items()
    ),
    Row(
        INVALID,
        r"(?P<sign>[-+*/=%@]|\band|\bor) *",
        r" *(?:#.*)?$",
        "Nothing stands behind the last `{sign}`. An expression goes on in the next line only inside brackets.",
    ),
    Row(
        INVALID,
        rf"\b(?P<name>{KEYWORDS}) *",
        "=(?!=)",
        "`{name}` is one of Python's own words, and no variable can be called that: choose another name.",
    ),
    Row(
        INVALID,
        r"^ *",
        r"(?P<name>else|elif)\b",
        "This `{name}` belongs to no `if`: the `if` stands above it with the same indentation, and between them are "
        "only lines that are indented further.",
    ),
    Row(
        INVALID,
        r"^ *(?P<kind>int|float|str|bool|list|dict|let|var|const) +",
        r"(?P<name>\w+) *=(?!=)",
        "A variable needs no `{kind}` before it: write `{name} = ...`.",
    ),
    Row(
        INVALID,
        rf"(?P<left>(?<![\w.]){A_NAME}|[])]) +",
        rf"(?P<right>{A_NAME})",
        "Nothing stands between `{left}` and `{right}` that joins them, such as an operator or a comma.",
    ),
]


def unreadable(error: SyntaxError, source: str) -> tuple[str, list[str], str | None]:
    """What Python says of a cell's source, the line with the place marked below it, and what to do about it."""
    lines = source.split("\n")
    if error.text is None and error.lineno and error.lineno <= len(lines):  # as of a `return` outside a function
        error.text = lines[error.lineno - 1]
    printed = "".join(traceback.format_exception_only(error)).splitlines()
    said, place = printed[-1], dedent("\n".join(printed[1:-1])).splitlines()  # the first line names the file
    return said, _in_sight(place), advice(said.partition(": ")[2], error.text or "", (error.offset or 1) - 1)


def _in_sight(place: list[str]) -> list[str]:
    """The line and its mark, without the line's beginning where that would push the mark off a narrow screen."""
    mark = place[1].find("^") if len(place) == 2 else 0
    if mark <= WIDTH:
        return place
    return ["… " + place[0][mark - WIDTH // 2 :], "  " + place[1][mark - WIDTH // 2 :]]


def advice(message: str, line: str, column: int) -> str | None:
    """A sentence on what is wrong at this column, counted from 0; None where nothing is certain."""
    before, behind = line[:column], line[column:].rstrip("\n")
    for row in ROWS:
        found = (
            re.fullmatch(row.message, message),
            re.search(f"(?:{row.before})$", before),
            re.match(row.behind, behind),
        )
        if all(found):
            groups = {name: part for match in found if match for name, part in match.groupdict().items()}
            return row.sentence.format_map(groups)
    return None
