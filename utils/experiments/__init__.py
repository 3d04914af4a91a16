"""What was measured by runs too long for a chapter, and what it is made of.

benchmarks/training_experiments.py measured it, benchmarks/changes.py what each change since GPT-2 buys, and
training/modern.py the small modern model beside a GPT-2.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

RECORDED = Path(__file__).with_name("recorded.json")
CHANGES = Path(__file__).with_name("changes.json")  # by benchmarks/changes.py
MODERN_RUNS = Path(__file__).parent.parent / "modern_model" / "runs.json"
OPTIMISERS = ("muon", "adamw")
WAYS = ("equal steps", "equal time")


def recorded(name: str) -> dict[str, Any]:
    """What one experiment found, with the command that ran it. Raises LookupError for one that is not there."""
    found = json.loads(RECORDED.read_text(encoding="utf-8"))
    if name not in found:
        raise LookupError(f"no experiment is called {name}; there are {', '.join(found)}")
    return found[name]


def recorded_changes(optimiser: str) -> dict[str, Any]:
    """What each change since GPT-2 buys with an optimiser, by row, with the command that ran it.

    Raises LookupError for an optimiser whose runs are not there.
    """
    found = json.loads(CHANGES.read_text(encoding="utf-8"))
    if optimiser not in found:
        raise LookupError(f"no runs with {optimiser}; there are those with {', '.join(found)}")
    return found[optimiser]


def modern_runs() -> dict[str, Any]:
    """The runs that made the small modern model and the GPT-2 beside it, with the command that ran them."""
    return json.loads(MODERN_RUNS.read_text(encoding="utf-8"))


def losses_of(rows: Mapping[str, Any], name: str, way: str) -> list[float]:
    """A row's held-out losses, one for each seed. GPT-2's are the same at equal steps and at equal time."""
    return [run["loss"] for run in rows[name]["equal steps" if name == "gpt2" else way]["runs"]]


@dataclass(frozen=True)
class Against:
    """A row against GPT-2's block, in nats: the mean over seeds of the difference, negative where it is better."""

    difference: float
    error: float  # standard error over seeds
    same_sign: int  # seeds on which the difference has the mean's sign

    @property
    def shown(self) -> bool:
        """More than five standard errors: with five seeds chance does that once in 130 rows."""
        return abs(self.difference) > 5 * self.error


def against_gpt2(rows: Mapping[str, Any], name: str, way: str) -> Against:
    """A row's losses less those of GPT-2's block on the same seeds."""
    pairs = zip(losses_of(rows, name, way), losses_of(rows, "gpt2", way), strict=True)
    by_seed = [loss - gpt2 for loss, gpt2 in pairs]
    middle = mean(by_seed)
    return Against(middle, standard_error(by_seed), sum(one * middle > 0 for one in by_seed))


def standard_error(values: list[float]) -> float:
    """Of their mean."""
    return stdev(values) / len(values) ** 0.5


def changes_table(rows: Mapping[str, Any]) -> str:
    """Every row at equal steps and at equal processor time."""
    lines = []
    for way in WAYS:
        lines += [
            *([""] if lines else []),
            f"{way:12} {'pace':>5} {'steps':>6} {'held out':>14}  {'less GPT-2':>15}  sign",
        ]
        for name, row in rows.items():
            here = "equal steps" if name == "gpt2" else way
            losses = losses_of(rows, name, way)
            told = f"{name:12} {row['pace']:5.2f} {row[here]['steps']:6}"
            told += f" {mean(losses):6.3f} ± {standard_error(losses):.3f}"
            if name != "gpt2":
                found = against_gpt2(rows, name, way)
                verdict = "shown" if found.shown else "not shown"
                told += f"  {found.difference:+.3f} ± {found.error:.3f}  {found.same_sign} of {len(losses)}  {verdict}"
            lines.append(told)
    return "\n".join(lines)
