"""How far correct variants and misconceptions lie from the tolerances: `python benchmarks/margins.py`.

For each exercise, the largest error of any correct variant and the smallest of any misconception that is rejected for
its numbers, both as multiples of the tolerance. The first must stay well below 1, the second well above. An exercise on
plain values, such as strings, has neither.
"""

import importlib
import math
from typing import Any

from utils.checking.judging import judge
from utils.course import exercises, stems

SEEDS = range(5)


def main() -> None:
    """Print a line for each exercise."""
    for one in (one for stem in stems() for one in exercises(stem)):
        exercise = getattr(importlib.import_module(f"tests.{one.stem}"), one.test).exercise
        print(f"{one.symbol}: {margins(exercise)}")


def _error(exercise: Any, implementation: Any, seed: int) -> float:
    return judge(exercise, (implementation.component,), seed, diagnosing=False).error_over_tolerance


def margins(exercise: Any) -> str:
    """Both multiples of the tolerance, and the misconception that comes nearest."""
    noise = [_error(exercise, right, seed) for right in exercise.variants for seed in SEEDS]
    wrong = [(_error(exercise, bad, seed), bad.name) for bad in exercise.misconceptions for seed in SEEDS]
    nearest = min((pair for pair in wrong if math.isfinite(pair[0])), default=None)
    right = f"correct variants up to {max(noise):.3f}" if noise else "no correct variant"
    return right + (
        f", nearest misconception {nearest[0]:.3g} ({nearest[1]})" if nearest else ", no misconception is numeric"
    )


if __name__ == "__main__":
    main()
