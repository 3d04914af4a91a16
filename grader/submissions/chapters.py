"""Which chapter a notebook is a copy of: by its name, else by what its cells define."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

from utils.course import exercises, stems

MOODLE = re.compile(r"(?P<who>(?P<name>.+)_\d+)_assignsubmission_\w+?(?:_(?P<file>.*))?", re.DOTALL)
CANVAS = re.compile(r"(?P<name>[^_]+)_(?P<late>LATE_)?(?P<id>\d+|anon_\w{5})_\d+_(?P<file>.+)", re.DOTALL)
GRADESCOPE = re.compile(r"submission_\d+")
GRADESCOPE_LIST = "submission_metadata.yml"
LARGEST_LIST = 200_000_000  # bytes


@dataclass(frozen=True)
class Named:
    """What a platform's name of a file or a folder says."""

    platform: str
    who: str  # names the submission
    people: tuple[str, ...] = ()  # whose it is, by name or by the platform's ID
    file: str = ""  # as it was called when it was handed in; "" for a folder
    late: bool = False


def named(name: str) -> Named | None:
    """None where no platform has given this name."""
    if found := MOODLE.fullmatch(name):
        # The number is that of a participant in one assignment, no ID number
        return Named("Moodle", found["who"], (found["name"],), found["file"] or "")
    if found := CANVAS.fullmatch(name):
        who = f"{found['name']}_{found['id']}"
        return Named("Canvas", who, (found["id"],), found["file"], bool(found["late"]))
    if GRADESCOPE.fullmatch(name):
        return Named("Gradescope", name)
    return None


@dataclass(frozen=True)
class Listed:
    """What Gradescope's list says of a submission."""

    submitted: float | None
    people: tuple[str, ...]  # their e-mail addresses, or their names


def gradescopes_list(text: str) -> dict[str, Listed]:
    """By the name of the submission's folder. Its YAML has Ruby's symbols for keys, and may have 100 MB of results."""
    found: dict[str, Listed] = {}
    for block in re.split(r"^(?=submission_\d+:)", text, flags=re.MULTILINE)[1:]:
        name = block.partition(":")[0]
        submitters = block.partition(":submitters:")[2].partition("\n  :created_at:")[0]  # they stand first
        people = filter(None, map(_person, re.split(r"^ *- ", submitters, flags=re.MULTILINE)[1:]))
        created = re.search(r"^ {1,4}:created_at: (.+)$", block, re.MULTILINE)
        found[name] = Listed(_moment(created[1]) if created else None, tuple(people))
    return found


def _person(submitter: str) -> str:
    """The e-mail address, else the name; one of a group may have no address."""
    found = dict(re.findall(r"^ *:(email|name): *(.+?) *$", submitter, re.MULTILINE))
    values = [found.get(key, "").strip(" '\"") for key in ("email", "name")]
    return next(filter(None, values), "")


def _moment(text: str) -> float | None:
    """`2024-02-01 12:34:56.789000000 Z`"""
    found = re.match(r"['\"]?(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)[.\d]* *(Z|[+-]\d\d:?\d\d)?", text)
    if not found:
        return None
    day, hour, zone = found.groups()
    try:
        moment = datetime.fromisoformat(f"{day}T{hour}{'' if zone in (None, 'Z') else zone}")
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


STUB = "raise NotImplementedError"
DEFINED = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)|^(\w+)[ \t]*(?::[^=\n]*)?=(?!=)", re.MULTILINE)
# Nothing is tried twice: a name with thousands of dashes is looked at once. Of three digits it is somebody's number
COPY = re.compile(r"[-_ ]*+(copy|kopie|copie)?+[-_ ]*+\(?+\d{0,2}+\)?+[-_ ]*+(checkpoint)?+[-_ ]*+", re.IGNORECASE)
# What systems add to the name of a copy, in the languages that learners have
_WORD = r"(?:copy|copie|c[oóò]pia|kopie)"
_WORDS = rf"(?:{_WORD}|kopi[ao]?|копия|副本|コピー)"  # Kopi is a surname too: only where a system has set it off
_WHICH = r"(?:(?:another|\d{1,2}(?:st|nd|rd|th))\s)?"
_NUMBER = r"(?:\d{1,3}|\(\d{1,3}\))?"
# Colab's "Copy of ada", a browser's "ada (1)", Jupyter's "ada-Copy1", file managers' "ada - Copy (2)", "ada (3rd copy)"
_BEHIND = (
    rf"(?:[-_ ]++{_WORD}[-_ ]*+{_NUMBER}|\s[-–]\s{_WORDS}\s?{_NUMBER}"
    rf"|[-_ ]*+\({_WHICH}{_WORDS}(?:\s\d{{1,3}})?\)|[-_ ]*+\(\d{{1,3}}\))"
)
COPY_MARKS = re.compile(
    rf"^{_WORDS}(?:\s\(\d{{1,3}}\))?\s(?:of|von|van|de|di|da|af|av)[-_ ]++|(?<![-–_ ]){_BEHIND}$", re.IGNORECASE
)
# The released one was copied before its copy was given a name: `ch03_layernorm (1)_zoe`
COPY_MARK_BEFORE = re.compile(rf"^{_BEHIND}(?:(?=[-_ ]++\w)|(?<=[-_ ])(?=\w))", re.IGNORECASE)


def stem_named(name: str) -> str | None:
    """The longest stem that a name contains, whatever its case and whether it has dashes for underscores."""
    plain = _plain(name)
    return max((stem for stem in stems() if stem in plain), key=len, default=None)


def without_copy_marks(name: str) -> str:
    """A name without what is added to that of a copy; one that is nothing else stays. `team-1` is no copy of `team`."""
    while (plain := COPY_MARKS.sub("", name)) not in (name, ""):
        name = plain
    return name


def besides_stem(name: str) -> str:
    """What a name says beside its chapter, such as whose it is; "" for a copy of the released one."""
    name = without_copy_marks(name)
    stem = stem_named(name)
    if stem is None:
        return name
    before, _, after = _plain(name).partition(stem)
    beside = name[: len(before)] + COPY_MARK_BEFORE.sub("", name[len(name) - len(after) :])
    return "" if COPY.fullmatch(beside) else beside.strip("-_ ")


def names_defined(cell: str) -> set[str]:
    """What lines of a cell define at its top level; it need not be Python."""
    return {name for found in DEFINED.findall(cell) for name in found}


def stem_defined(cells: Iterable[str]) -> str | None:
    """The chapter most of whose exercises these cells define; None where they define none."""
    names = set[str]().union(*map(names_defined, cells))
    best, most = None, 0.0
    for stem, symbols in _symbols().items():
        share = len(names & symbols) / max(1, len(symbols))
        if share > most:
            best, most = stem, share
    return best


def is_begun(stem: str, cells: Iterable[str]) -> bool:
    """Whether any exercise of a chapter is written in these cells, and not just the stub that it was released with."""
    return any(STUB not in cell and names_defined(cell) & _symbols()[stem] for cell in cells)


def beside(symbol: str) -> set[str]:
    """The exercises of its chapter, itself among them."""
    homes = (symbols for symbols in _symbols().values() if symbol in symbols)
    return next(homes, set())


def _plain(name: str) -> str:
    return re.sub(r"[-\s]", "_", name.lower()) if len(name.lower()) == len(name) else name


@cache
def _symbols() -> dict[str, set[str]]:
    return {stem: {exercise.symbol for exercise in exercises(stem)} for stem in stems()}
