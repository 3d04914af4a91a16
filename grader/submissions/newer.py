"""Code that is Python, but of a newer version than this one: ruff knows which syntax came with which."""

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any

from grader.submissions.commands import without_all_commands

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
    for one in _mistakes(source, "3.11"):
        begin, end = (
            starts[place["row"] - 1] + place["column"] - 1 for place in (one["location"], one["end_location"])
        )
        pieces += [(begin, end, older) for what, older in OLDER.items() if what in one["message"] and begin < end]
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
    found = [_told(one["message"], one["location"]["row"]) for one in _mistakes(source, HERE)]
    newer = [one for one in found if one]
    if len(newer) < len(found):
        return None
    return max(newer, key=lambda one: [*map(int, one.version.split("."))], default=None)


def _mistakes(source: str, version: str) -> list[dict[str, Any]]:
    """What ruff says of its syntax, in a Python of this version; nothing where it says nothing."""
    command = [sys.executable, "-m", "ruff", *RUFF, f"--target-version=py{version.replace('.', '')}", "-"]
    try:
        done = subprocess.run(command, input=source, capture_output=True, text=True, encoding="utf-8", timeout=SECONDS)
        return [one for one in json.loads(done.stdout) if one["code"] in (None, "invalid-syntax")]
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return []


def _told(message: str, line: int) -> Newer | None:
    told = NEWER.fullmatch(message)
    if not told:
        return None
    what = told["what"][:1].lower() + told["what"][1:]  # most are "Cannot use ...", some "... must be parenthesized"
    return Newer(told["version"], what if what.startswith("cannot ") else f"has it that {what}", line)
