"""How learning platforms name what they hand out in bulk, and what one says beside it.

Moodle (mod/assign/locallib.php, download_submissions): `Ada Lovelace_4711_assignsubmission_file_/ch03_layernorm.ipynb`,
or the same with the file's name behind it, where no folders were asked for.
Canvas (app/models/content_zipper.rb): `lovelaceada_LATE_2301_88123_ch03_layernorm-1.ipynb`, all in one folder.
Gradescope: `assignment_12_export/submission_345/ch03_layernorm.ipynb`; submission_metadata.yml has when and who.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

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
        people = filter(None, map(_person, _submitters(block)))
        created = re.search(r"^ {1,4}:created_at: (.+)$", block, re.MULTILINE)
        found[name] = Listed(_moment(created[1]) if created else None, tuple(people))
    return found


def _submitters(block: str) -> list[str]:
    """What is said of each; they stand first."""
    submitters = block.partition(":submitters:")[2].partition("\n  :created_at:")[0]
    return re.split(r"^ *- ", submitters, flags=re.MULTILINE)[1:]


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
