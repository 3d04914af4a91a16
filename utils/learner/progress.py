"""What has passed: one small file, my_gpt/progress.json in the folder that COURSE_STATE names."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from utils.course import ExerciseInfo, exercises, next_exercise, state_dir, stems
from utils.learner.cards import in_notebook
from utils.learner.collecting import gather, save


def record_pass(stem: str, symbol: str, component: Any) -> tuple[str, ...]:
    """After a pass in a notebook: collect the source, move the progress; return the lines that the card ends with.

    Whatever goes wrong here becomes one of these lines and changes no verdict. Elsewhere, nothing happens.
    """
    if not (in_notebook() and getattr(component, "__module__", None) == "__main__"):
        return ()
    lines = []
    for step, failed in ((_keep, "It could not be kept in my_gpt/"), (_next_line, "What comes next is unknown")):
        try:
            lines.append(step(stem, symbol))
        except Exception as error:
            lines.append(f"({failed}: {type(error).__name__}: {error})")
    return () if progress_hidden() else tuple(lines)


def progress_hidden() -> bool:
    """True where outputs are stored and compared: cards then leave progress out, so that they never change."""
    return os.environ.get("COURSE_PROGRESS") == "hidden"


def passed(folder: Path | None = None) -> set[tuple[str, str]]:
    """(stem, symbol) of everything that has passed so far; empty when nothing has.

    Raises ValueError, naming the file, when the file is no progress file.
    """
    return {(stem, symbol) for stem, symbols in _read(_file(folder)).items() for symbol in symbols}


def progress_line(stem: str) -> str:
    """One line for the top of a chapter: each exercise of it, and how far the whole course has come."""
    done = passed()
    here = "   ".join(f"{'✔' if _key(one) in done else '○'} {one.symbol}" for one in exercises(stem))
    return f"{here}     {_count(done)}"


def kept_path(exercise: ExerciseInfo) -> Path:
    """Where the learner's own component is kept: my_gpt/layer_norm.py for test_layer_norm."""
    return state_dir() / "my_gpt" / f"{exercise.test.removeprefix('test_')}.py"


def _keep(stem: str, symbol: str) -> str:
    from IPython import get_ipython

    exercise = next(one for one in exercises(stem) if one.symbol == symbol)
    source = gather(symbol, get_ipython().user_ns["In"])
    save(f'"""{symbol}, written by you; it passed the checks of {stem}."""\n\n{source}', kept_path(exercise))
    _mark(exercise)
    return f"Kept as `my_gpt/{kept_path(exercise).name}`. {_count(passed())}"


def _read(file: Path) -> dict[str, dict[str, str]]:
    """When each exercise passed first, by stem and symbol."""
    if not file.exists():
        return {}
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        if all(isinstance(symbols, dict) for symbols in content.values()):
            return content
    except (ValueError, AttributeError):
        pass
    raise ValueError(f"{file} is damaged. Delete it and run the test cells again: your code is not in it.")


def _mark(exercise: ExerciseInfo) -> None:
    file = _file(None)
    content = _read(file)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    content.setdefault(exercise.stem, {}).setdefault(exercise.symbol, now)
    partial = file.with_suffix(".partial")
    partial.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    partial.replace(file)


def _count(done: set[tuple[str, str]]) -> str:
    everything = [one for stem in stems() for one in exercises(stem)]
    count = sum(_key(one) in done for one in everything)
    return f"{'▰' * count}{'▱' * (len(everything) - count)} {count} of {len(everything)} exercises"


def _next_line(stem: str, symbol: str) -> str:
    following = next_exercise(stem, symbol)
    if following is None:
        done = passed()
        still_open = next((one for known in stems() for one in exercises(known) if _key(one) not in done), None)
        if still_open is None:
            return "That was the last exercise there is. Read on: the rest of this chapter uses what you wrote."
        return (
            f"Next: read on here, then `{still_open.symbol}` in chapters/{still_open.stem}.ipynb, which is still open."
        )
    if following.stem == stem:
        return f"Next: `{following.symbol}`, further down."
    return f"Next: read on here, then `{following.symbol}` in chapters/{following.stem}.ipynb."


def _key(exercise: ExerciseInfo) -> tuple[str, str]:
    return exercise.stem, exercise.symbol


def _file(folder: Path | None) -> Path:
    return (folder or state_dir()) / "my_gpt" / "progress.json"
