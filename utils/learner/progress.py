"""What has passed, and when: a small file for each pass, in my_gpt/passed/ in the folder that COURSE_STATE names.

Two notebooks may pass at once: neither reads what the other writes, so nothing is lost and nothing needs a lock. When
a chapter was opened lies in my_gpt/opened/, a file for each time, so that `time_spent` can be told; what was predicted
in my_gpt/predicted/, a file for each prediction, and one for when its numbers were seen first.
"""

import contextlib
import json
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

from utils.course import ROOT, ExerciseInfo, all_exercises, doable, exercises, next_exercise, state_dir
from utils.course.files import write_text

PAUSE = timedelta(hours=2)  # between two signs of work; what is longer is no work
WIDTH = 78  # characters in a line of a narrow notebook
SEGMENTS = 20  # of the bar: no browser breaks a line within it, so it must fit a narrow notebook
KEEP = "\xa0"  # where no line breaks
LAST = "That was the last exercise. Read on: the rest of this chapter uses what you wrote."


def record_pass(stem: str, symbol: str) -> None:
    """Note that an exercise has passed, and when it did so first."""
    file = _folder("passed") / f"{stem}.{symbol}"
    if not file.exists():
        _note(file, datetime.now(UTC))


def record_opening(stem: str) -> None:
    """Note that a chapter's first cell was run now."""
    now = datetime.now(UTC)
    _note(_folder("opened") / f"{stem}.{now:%Y%m%dT%H%M%S}", now)


@dataclass(frozen=True)
class Event:
    """A prediction, or that its numbers were seen: then also whether the prediction before that was right."""

    at: datetime
    answer: str = ""
    seen: bool = False
    right: bool = False
    late: bool = False  # made after the numbers were seen


def record_prediction(stem: str, name: str, event: Event) -> None:
    """Note what was predicted, or that the numbers were seen."""
    text = json.dumps({**asdict(event), "at": event.at.isoformat()})
    write_text(_folder("predicted") / f"{stem}.{name}.{event.at:%Y%m%dT%H%M%S%f}", text + "\n")


def prediction_events(stem: str = "*", name: str = "*") -> list[Event]:
    """What was noted of a prediction, in order."""
    return [event for events in _predictions(f"{stem}.{name}").values() for event in events]


def predictions_line() -> str:
    """How many were made before their numbers were seen, and how many of those seen were right; "" for none."""
    made = right = 0
    for events in _predictions("*.*").values():
        if not events[0].seen:
            made += 1
            right += any(event.right for event in events)
    return f"{made} predicted before the numbers were seen, {right} of them right" if made else ""


def time_spent() -> timedelta:
    """From the first opening of a chapter or pass of an exercise to the last, less each pause longer than PAUSE.

    Between two of these nobody knows who reads and who is away: a pause of up to PAUSE counts as work. What is
    read after the last does not. 0 where fewer than two times are known.
    """
    gaps = [later - earlier for earlier, later in pairwise(sorted(_times()))]
    work = [gap for gap in gaps if gap <= PAUSE]
    return sum(work, timedelta())


def passed() -> set[tuple[str, str]]:
    """(stem, symbol) of everything that has passed so far; empty when nothing has."""
    names = [file.name.partition(".") for file in _folder("passed").glob("ch*.*")]
    return {(stem, symbol) for stem, _, symbol in names}


def day_of_pass(exercise: ExerciseInfo) -> str:
    """The day on which an exercise passed first, "" where nobody noted it."""
    file = _folder("passed") / ".".join(_key(exercise))
    if not file.is_file():
        return ""
    return file.read_text(encoding="utf-8", errors="replace")[:10]


def next_open(root: Path = ROOT) -> ExerciseInfo | None:
    """The first exercise of the course that can be done here and has not passed; None when all have."""
    done = passed()
    still_open = (exercise for exercise in doable(all_exercises(root)) if _key(exercise) not in done)
    return next(still_open, None)


def progress_line(stem: str) -> str:
    """For the top of a chapter: each exercise of it, and how much of the whole course has passed.

    In one line while it is short enough for a narrow notebook, which would else break it within a name.
    """
    done = passed()
    signs = [
        mark(_key(exercise) in done) + KEEP + exercise.symbol + exercise.lacks.replace(" ", KEEP)
        for exercise in exercises(stem)
    ]
    marks = "   ".join(signs)
    bar = progress_bar()
    line = f"{marks}     {bar}"
    if len(line) > WIDTH:
        line = "\n".join([*textwrap.wrap(marks, WIDTH), bar])
    return line.replace(KEEP, " ")


def mark(done: bool) -> str:
    """The sign before what has passed, and before what has not."""
    return "✔" if done else "○"


def progress_bar() -> str:
    """How much of the course has passed, as a bar and in numbers: the first pass shows, and only the last fills it."""
    keys = set(map(_key, doable(all_exercises())))
    total = len(keys)
    count = len(keys & passed())
    filled = max(SEGMENTS * count // max(total, 1), min(count, 1))
    return f"{'▰' * filled}{'▱' * (SEGMENTS - filled)} {count} of {total} exercises"


def next_line(stem: str, symbol: str) -> str:
    """What to do after a pass: the next exercise, or one that was left out on the way."""
    following = next_exercise(stem, symbol)
    if following and following.stem == stem:
        return f"Next: `{following.symbol}`, further down."
    going_on = following or next_open()
    if going_on is None:
        return LAST
    left_out = "" if following else ", which is still open"
    return f"Next: read on here, then `{going_on.symbol}` in chapters/{going_on.stem}.ipynb{left_out}."


def _folder(name: str) -> Path:
    return state_dir() / "my_gpt" / name


def _predictions(pattern: str) -> dict[str, list[Event]]:
    """What was noted of each prediction, in order; a file that somebody has spoilt counts for nothing."""
    found: dict[str, list[Event]] = defaultdict(list)
    for file in sorted(_folder("predicted").glob(f"{pattern}.*")):
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
            noted = json.loads(file.read_text(encoding="utf-8"))
            at = datetime.fromisoformat(noted.pop("at")).astimezone(UTC)
            found[file.name.rpartition(".")[0]].append(Event(at, **noted))
    return found


def _note(file: Path, at: datetime) -> None:
    write_text(file, at.isoformat(timespec="seconds") + "\n")


def _times() -> Iterator[datetime]:
    """When chapters were opened and exercises passed, from files that hold a time and its zone."""
    noted = [*_folder("opened").glob("ch*.*"), *_folder("passed").glob("ch*.*")]
    for file in filter(Path.is_file, noted):
        with contextlib.suppress(OSError, ValueError):
            at = datetime.fromisoformat(file.read_text(encoding="utf-8").strip())
            if at.tzinfo:
                yield at


def _key(exercise: ExerciseInfo) -> tuple[str, str]:
    return exercise.stem, exercise.symbol
