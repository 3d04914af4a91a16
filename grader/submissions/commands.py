"""The Python of a cell without IPython's own commands: `runnable` drops `%magics`, `!lines` and `help?`.

They are dropped, not translated: nothing that a shell or a magic does is needed for an answer, or may be done.
"""

import ast
import re
import textwrap
import warnings
from functools import lru_cache

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
        return _tree(source)
    except SyntaxError as error:
        return error
    except (RecursionError, MemoryError):
        return SyntaxError("it is nested too deeply")
    except ValueError as error:
        return SyntaxError(str(error))


def _tree(source: str) -> ast.Module:
    with warnings.catch_warnings(action="ignore"):  # such as of "\d"
        return ast.parse(source)


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
