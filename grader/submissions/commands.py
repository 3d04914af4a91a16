"""The Python of a cell without IPython's own commands: `runnable` drops `%magics`, `!lines` and `help?`.

They are dropped, not translated: nothing that a shell or a magic does is needed for an answer, or may be done.
"""

import ast
import json
import re
import subprocess
import sys
import textwrap
import warnings
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any

KEEPS_ITS_CELL = {"capture", "prun", "time"}  # and leaves the names that it defines
LEAVES_NO_NAMES = {
    *{"!", "bash", "cmd", "file", "html", "javascript", "js", "latex", "markdown", "perl", "powershell", "pypy"},
    *{"python", "python2", "python3", "R", "ruby", "script", "sh", "sql", "svg", "sx", "system", "timeit", "writefile"},
}
COMMAND = re.compile(
    r"""
    (?P<indent>[ \t]*+)                      # all of it: what is tried twice takes the square of its length
    (?: %time[ ]+ (?P<timed>.+)             # the one magic that leaves what its line defines
      | [%!?] .*
      | [\w.%,\ ]++ = \s* [%!] .*           # files = !ls
      | [\w.\[\]*%]+ \?{1,2} \s*            # layer.forward?
      | (?:pip|conda|mamba|uv)\ +(?:pip\ +)?install\b .*
    )
    """,
    re.VERBOSE,
)
PROMPTS = {">>>": re.compile(r"^(>>>|\.\.\.)( |$)"), "In [": re.compile(r"^(In \[\d+\]: ?| *\.{3,}: ?)")}
TOO_LONG = "# longer than 1 MB, and not read"  # stands for a cell that is
MOST_WORK = 2_000_000  # characters to be parsed, in all attempts at a cell


@lru_cache(maxsize=512)
def runnable(cell: str) -> str:
    """Of a cell whose mistakes are of another kind, the cell as it is. Line numbers stay what they were."""
    source = _without_cell_magics(_without_prompts(cell))
    if parsed(source) is not None:
        return source
    dedented = textwrap.dedent(source) if source[:1].isspace() else source
    dropped = _without_commands(dedented)
    return source if dropped is None else dropped


def parsed(source: str) -> ast.Module | None:
    """Its syntax tree; None where it is no Python."""
    tree = tree_or_mistake(source)
    return tree if isinstance(tree, ast.Module) else None


def tree_or_mistake(source: str) -> ast.Module | SyntaxError:
    """Its syntax tree, or what is wrong with it."""
    try:
        with warnings.catch_warnings(action="ignore"):  # such as of "\d"
            return ast.parse(source)
    except SyntaxError as error:
        return error
    except (RecursionError, MemoryError):
        return SyntaxError("it is nested too deeply")
    except ValueError as error:
        return SyntaxError(str(error))


def _without_prompts(cell: str) -> str:
    """IPython takes a session that was pasted for its code."""
    start = cell.lstrip("\n")
    for begins, prompt in PROMPTS.items():
        if start.startswith(begins):
            return "\n".join(prompt.sub("", line) for line in cell.split("\n"))
    return cell


def _without_cell_magics(cell: str) -> str:
    """The cell below `%%time`; nothing below `%%bash`; below one that is not known, what is Python."""
    lines = cell.split("\n")
    for index, line in enumerate(lines):
        if not line.strip():
            continue
        if not line.startswith("%%"):
            return "\n".join(lines)
        name = line[2:].split(maxsplit=1)[0] if line[2:].strip() else "!"
        rest = "\n".join([*[""] * (index + 1), *lines[index + 1 :]])
        if name in LEAVES_NO_NAMES or (name not in KEEPS_ITS_CELL and parsed(rest) is None):
            return ""
        lines[index] = ""
    return "\n".join(lines)


def below_unknown_magic(cell: str) -> str:
    """What stands below a magic that is not known; "" where there is none. Line numbers stay what they were."""
    magic, _, rest = cell.lstrip("\n").partition("\n")
    named = magic[2:].split(maxsplit=1)
    if not magic.startswith("%%") or not named or named[0] in LEAVES_NO_NAMES | KEEPS_ITS_CELL:
        return ""
    return "\n" * (cell.count("\n") - rest.count("\n")) + rest


def _without_commands(source: str) -> str | None:
    """Where Python stops to understand a line that may be a command, it is one. None if anything else is wrong."""
    lines = source.split("\n")
    for _ in range(min(500, MOST_WORK // (len(source) + 1))):
        source = "\n".join(lines)
        wrong = tree_or_mistake(source)
        if isinstance(wrong, ast.Module):
            return source
        place = (wrong.lineno or 0) - 1
        if not 0 <= place < len(lines) or not _drop(lines, place):
            return None
    return None


def without_all_commands(source: str) -> str:
    """Without every line that looks like a command, whether it is one or not. Line numbers stay what they were."""
    lines = source.split("\n")
    for place in range(len(lines)):
        _drop(lines, place)
    return "\n".join(lines)


def _drop(lines: list[str], place: int) -> bool:
    """Put `pass` in the place of a command, which may go on in further lines; whether there was one."""
    found = COMMAND.fullmatch(lines[place])
    if not found:
        return False
    more = place
    while lines[more].endswith("\\") and more + 1 < len(lines):
        more += 1
        lines[more - 1], lines[more] = "", lines[more]
    if more > place:
        lines[more] = ""
    lines[place] = found["indent"] + (found["timed"] or "pass")
    return True


HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
NEWER = re.compile(r"(?P<what>.+) on Python [\d.]+ \(syntax was added in Python (?P<version>[\d.]+)\)")
RUFF = ["check", "--isolated", "--no-cache", "--exit-zero", "--select=F", "--output-format=json"]
SECONDS = 20.0
# What stands for a piece of newer syntax in a cell that is only asked for its names, by what ruff calls the piece
OLDER = {
    "t-strings": '""',
    "type parameter lists": "",
    "`type` alias": "0;",  # type Name = int
    "`lazy` import": "0;",
    "unpacking in": "0",
    "exception types": "({})",
}
F_STRING = re.compile(r"(?<!\w)(r?)f(r?)(?=['\"])", re.IGNORECASE)
# What later versions have brought into modules that are there already: of such a name Python can't say that it is new
BROUGHT = {
    "3.12": {
        *{"collections.abc.Buffer", "itertools.batched", "math.sumprod", "random.binomialvariate"},
        *{"types.get_original_bases", "typing.TypeAliasType", "typing.override"},
    },
    "3.13": {
        *{"copy.replace", "math.fma", "queue.ShutDown", "typing.NoDefault", "typing.ReadOnly", "typing.TypeIs"},
        *{"typing.get_protocol_members", "typing.is_protocol", "warnings.deprecated"},
    },
    "3.14": {"functools.Placeholder", "heapq.heappop_max", "heapq.heappush_max", "typing.evaluate_forward_ref"},
}
# As Python words it
NOT_THERE = re.compile(
    r"ImportError: cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'"
    r"|AttributeError: module '(?P<of>[\w.]+)' has no attribute '(?P<attribute>\w+)'"
)


@dataclass(frozen=True)
class Newer:
    """The newest syntax of a cell."""

    version: str  # that it came with, such as "3.12"
    what: str  # this Python does: "cannot use type parameter lists"
    line: int  # where it stands, counted from 1


@lru_cache(maxsize=1024)
def of_a_newer_python(source: str) -> Newer | None:
    """None where it is no Python at all, or ruff is not installed. IPython's commands in it are no mistakes."""
    bare = without_all_commands(source)
    return _newer(source) or (_newer(bare) if bare != source else None)


@lru_cache(maxsize=1024)
def in_older_syntax(source: str) -> str:
    """A cell of a newer Python for its names alone: it binds, calls and changes the same ones, and has no f-strings.

    Of an f-string ruff doesn't say where it ends, of a t-string it does.
    """
    source = F_STRING.sub(r"\1t\2", source)
    starts = [0, *accumulate(len(line) + 1 for line in source.split("\n"))]
    pieces: list[tuple[int, int, str]] = []
    for mistake in _mistakes(source, "3.11"):
        begin, end = (
            starts[place["row"] - 1] + place["column"] - 1 for place in (mistake["location"], mistake["end_location"])
        )
        pieces += [(begin, end, older) for what, older in OLDER.items() if what in mistake["message"] and begin < end]
    parts, done = list[str](), 0
    for begin, end, older in sorted(pieces):
        if begin >= done:  # no part of the one before
            parts += [source[done:begin], older.format(source[begin:end])]
            done = end
    return "".join(parts) + source[done:]


def why_not_there(said: str) -> str:
    """Of an error: that it is of a name which a newer Python than this one has, as a sentence; "" of others."""
    for found in NOT_THERE.finditer(said):
        name = f"{found['module'] or found['of']}.{found['name'] or found['attribute']}"
        for version, brought in BROUGHT.items():
            if name in brought and [*map(int, version.split("."))] > [*sys.version_info[:2]]:
                return (
                    f"It uses `{name}`, which Python has from {version} on. Python {HERE} grades here, so nobody can "
                    f"say what the answer is worth: grade it with Python {version} or newer."
                )
    return ""


def _newer(source: str) -> Newer | None:
    found = [_told(mistake["message"], mistake["location"]["row"]) for mistake in _mistakes(source, HERE)]
    newer = [mistake for mistake in found if mistake]
    if len(newer) < len(found):
        return None
    return max(newer, key=lambda one: [*map(int, one.version.split("."))], default=None)


def _mistakes(source: str, version: str) -> list[dict[str, Any]]:
    """What ruff says of its syntax, in a Python of this version; nothing where it says nothing."""
    command = [sys.executable, "-m", "ruff", *RUFF, f"--target-version=py{version.replace('.', '')}", "-"]
    try:
        done = subprocess.run(command, input=source, capture_output=True, text=True, encoding="utf-8", timeout=SECONDS)
        return [mistake for mistake in json.loads(done.stdout) if mistake["code"] in (None, "invalid-syntax")]
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return []


def _told(message: str, line: int) -> Newer | None:
    told = NEWER.fullmatch(message)
    if not told:
        return None
    what = told["what"][:1].lower() + told["what"][1:]  # most are "Cannot use ...", some "... must be parenthesized"
    return Newer(told["version"], what if what.startswith("cannot ") else f"has it that {what}", line)
