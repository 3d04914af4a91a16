"""How far correct variants and misconceptions lie from the tolerances: `python benchmarks/margins.py`.

For each exercise, the largest error of any correct variant and the smallest of any misconception that is rejected for
its numbers, both as multiples of the allowed error. The first must stay well below 1, the second well above.
"""

import importlib
import math

from utils.course import exercises, stems

SEEDS = range(5)


def main() -> None:
    """Print a line for each exercise."""
    for one in (one for stem in stems() for one in exercises(stem)):
        exercise = getattr(importlib.import_module(f"tests.{one.stem}"), one.test).exercise
        noise = max(exercise.judge(right.component, seed).ratio for right in exercise.variants for seed in SEEDS)
        wrong = [
            (exercise.judge(bad.component, seed).ratio, bad.name) for bad in exercise.misconceptions for seed in SEEDS
        ]
        nearest, name = min(pair for pair in wrong if math.isfinite(pair[0]))
        print(f"{one.symbol}: correct variants up to {noise:.3f}, nearest misconception {nearest:.3g} ({name})")


if __name__ == "__main__":
    main()
