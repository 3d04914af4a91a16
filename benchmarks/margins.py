"""How far correct variants and misconceptions lie from the tolerances: `python benchmarks/margins.py`.

For each exercise, the largest error of any correct variant and the smallest of any misconception that is rejected for
its numbers alone, both as multiples of the tolerance. The error is the largest in the whole test, not the first: what a
misconception fails by little may stand before what it fails by far. The first figure must stay well below 1, the second
well above. An exercise on plain values, such as strings, has neither.
"""

import importlib
import math
from typing import Any

from judge.checking.survey import largest_error
from utils.course import exercises, stems

SEEDS = range(5)


def main() -> None:
    """Print a line for each exercise."""
    for one in (one for stem in stems() for one in exercises(stem)):
        exercise = getattr(importlib.import_module(f"tests.{one.stem}"), one.test).exercise
        print(f"{one.symbol}: {margins(exercise)}")


def margins(exercise: Any) -> str:
    """Both multiples of the tolerance, and the misconception that comes nearest."""
    right, wrong = (
        [(largest_error(exercise, (one.component,), seed), one.name) for one in some for seed in SEEDS]
        for some in (exercise.variants, exercise.misconceptions)
    )
    nearest = min((pair for pair in wrong if math.isfinite(pair[0])), default=None)
    noise = f"correct variants up to {max(right)[0]:.3f}" if right else "no correct variant"
    return noise + (
        f", nearest misconception {nearest[0]:.3g} ({nearest[1]})" if nearest else ", no misconception is numeric"
    )


if __name__ == "__main__":
    main()
