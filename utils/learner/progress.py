"""What has passed, and when: a small file for each pass, in my_gpt/passed/ in the folder that COURSE_STATE names.

Two notebooks may pass at once: neither reads what the other writes, so nothing is lost and nothing needs a lock. When
a chapter was opened lies in my_gpt/opened/, a file for each time, so that `time_spent` can be told.
"""

import contextlib
import textwrap
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import chain, pairwise

from utils.course import ExerciseInfo, exercises, next_exercise, state_dir, stems
from utils.files import write_text

PAUSE = timedelta(hours=2)  # from one sign of work to the next; what is longer is no work
WIDTH, KEEP = 78, "\xa0"  # characters in a line of a narrow notebook; where no line breaks


def record_pass(stem: str, symbol: str) -> None:
    """Note that an exercise has passed, and when it did so first."""
    file = state_dir() / "my_gpt" / "passed" / f"{stem}.{symbol}"
    if not file.exists():
        write_text(file, datetime.now(UTC).isoformat(timespec="seconds") + "\n")


def record_opening(stem: str) -> None:
    """Note that a chapter's first cell was run now."""
    now = datetime.now(UTC)
    name = f"{stem}.{now:%Y%m%dT%H%M%S}"
    write_text(state_dir() / "my_gpt" / "opened" / name, now.isoformat(timespec="seconds") + "\n")


def time_spent() -> timedelta:
    """From the first opening of a chapter or pass of an exercise to the last, less each pause longer than PAUSE.

    Between two of these nobody knows who reads and who is away: a pause of up to PAUSE counts as work. What is
    read after the last does not. 0 where fewer than two times are known.
    """
    times = sorted(_times())
    gaps = [later - earlier for earlier, later in pairwise(times)]
    work = [gap for gap in gaps if gap <= PAUSE]
    return sum(work, timedelta())


def passed() -> set[tuple[str, str]]:
    """(stem, symbol) of everything that has passed so far; empty when nothing has."""
    found = set[tuple[str, str]]()
    for file in (state_dir() / "my_gpt").glob("passed/ch*.*"):
        stem, _, symbol = file.name.partition(".")
        found.add((stem, symbol))
    return found


def progress_line(stem: str) -> str:
    """For the top of a chapter: each exercise of it, and how much of the whole course has passed.

    In one line while it is short enough for a narrow notebook, which would else break it within a name.
    """
    done = passed()
    bar = _bar(done)
    marks = "   ".join(_marked(one, done) for one in exercises(stem))
    line = f"{marks}     {bar}"
    if len(line) > WIDTH:
        line = "\n".join([*textwrap.wrap(marks, WIDTH), bar])
    return line.replace(KEEP, " ")


def _marked(exercise: ExerciseInfo, done: set[tuple[str, str]]) -> str:
    mark = "✔" if _key(exercise) in done else "○"
    return f"{mark}{KEEP}{exercise.symbol}"


def progress_bar() -> str:
    """How much of the whole course has passed, as a bar and in numbers."""
    return _bar(passed())


def next_line(stem: str, symbol: str) -> str:
    """What to do after a pass: the next exercise, or one that was left out on the way."""
    following = next_exercise(stem, symbol)
    if following and following.stem == stem:
        return f"Next: `{following.symbol}`, further down."
    if following:
        return f"Next: read on here, then {_with_place(following)}."
    done = passed()
    still_open = [one for one in _everything() if _key(one) not in done]
    if still_open:
        return f"Next: read on here, then {_with_place(still_open[0])}, which is still open."
    return "That was the last exercise. Read on: the rest of this chapter uses what you wrote."


def _with_place(exercise: ExerciseInfo) -> str:
    return f"`{exercise.symbol}` in chapters/{exercise.stem}.ipynb"


def _times() -> Iterator[datetime]:
    """When chapters were opened and exercises passed, from files that hold a time and its zone."""
    folder = state_dir() / "my_gpt"
    for file in [*folder.glob("opened/ch*.*"), *folder.glob("passed/ch*.*")]:
        with contextlib.suppress(OSError, ValueError):
            at = datetime.fromisoformat(file.read_text(encoding="utf-8").strip())
            if at.tzinfo:
                yield at


def _bar(done: set[tuple[str, str]]) -> str:
    keys = list(map(_key, _everything()))
    total, count = len(keys), sum(key in done for key in keys)
    return f"{'▰' * count}{'▱' * (total - count)} {count} of {total} exercises"


def _everything() -> Iterator[ExerciseInfo]:
    """The exercises of all chapters."""
    return chain.from_iterable(map(exercises, stems()))


def _key(exercise: ExerciseInfo) -> tuple[str, str]:
    return exercise.stem, exercise.symbol
