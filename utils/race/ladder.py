"""The ladder: what others came to, and the learner's own runs, which are kept in runs/race/."""

import json
import platform
import re
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from utils.course.files import write_text

RECORDED = Path(__file__).with_name("recorded.json")
FILE = "rung.json"


@dataclass(frozen=True)
class Rung:
    """A run on the ladder."""

    name: str
    loss: float
    steps: int
    seconds: float | None  # None: not known
    budget: float | None
    machine: str
    made: str  # day and time
    own: bool = False


def machine() -> str:
    """The processor, as far as Python knows it."""
    model = platform.processor() or platform.machine()
    try:
        cpus = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        found = re.search(r"model name\s*: (.*)", cpus)
        model = found[1] if found else model
    except OSError:
        pass
    return f"{model}, one thread"


def now() -> str:
    """Day and time, as the ladder writes them."""
    return time.strftime("%Y-%m-%d %H:%M")


def recorded() -> list[Rung]:
    """What nanoGPT's recipe and the course's came to when the course was made."""
    return [Rung(**rung) for rung in json.loads(RECORDED.read_text(encoding="utf-8"))]


def kept(folder: Path) -> list[Rung]:
    """The learner's own, whatever else lies there."""
    found = []
    for path in sorted(folder.glob(f"*/{FILE}")):
        try:
            found.append(Rung(**json.loads(path.read_text(encoding="utf-8"))))
        except (ValueError, TypeError, OSError):
            continue
    return found


def keep(rung: Rung, folder: Path) -> None:
    """Write a rung into the folder of its run."""
    write_text(folder / FILE, json.dumps(asdict(rung), indent=2, ensure_ascii=False) + "\n")


def free_folder(folder: Path, name: str) -> Path:
    """A folder for a run of that name, which no other run has."""
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "run"
    number = 1
    while (place := folder / f"{stem}-{number}").exists():
        number += 1
    return place


def table(rungs: Sequence[Rung]) -> str:
    """The ladder as text, the lowest loss on top."""
    rows = [f"{'held out':>9} {'steps':>7} {'seconds':>8}  {'budget':>7}"]
    for rung in sorted(rungs, key=lambda one: one.loss):
        mark = "→ " if rung.own else "  "
        numbers = f"{rung.loss:9.4f} {rung.steps:7,} {_seconds(rung.seconds):>8}  {_seconds(rung.budget):>7}"
        rows.append(f"{numbers}  {mark}{rung.name}, {rung.made}")
    machines = {rung.machine for rung in rungs}
    where = [
        f"on {name}: {'; '.join(sorted({climbed.name for climbed in rungs if climbed.machine == name}))}"
        for name in sorted(machines)
    ]
    return "\n".join([*rows, "", "→ yours. Seconds and budget are of the processor, where each was run:", *where])


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
