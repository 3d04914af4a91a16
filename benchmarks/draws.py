"""How sure the tests of chapter 8's samplers are: `python benchmarks/draws.py --right 1000 --wrong 100`.

For each function that draws: the chance that its test refuses a right answer, bounded by exact binomial tails; of so
many seeds, with how many the solution was refused, and the largest share of the limit that it came to; and for each
misconception the share of the seeds with which it is rejected, and by how many times the limit at least.
"""

import argparse
import functools
import math
import multiprocessing
import time
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor

import tests.ch08_sampling as chapter
from judge.checking import Exercise
from judge.checking.counts import limit_of
from judge.checking.judging import judge
from judge.checking.oracle import solution_of
from judge.checking.verdict import Verdict
from judge.running.children import processors

SAMPLERS = ("sample_basic", "sample_top_k", "sample_top_p", "sample_next_token")
TEXTS = ("writing", "cached")  # generate and generate_with_cache, whose tests draw too


def main() -> None:
    """Print a table for each sampler."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--right", type=int, default=1000, help="seeds for the solution")
    parser.add_argument("--wrong", type=int, default=100, help="seeds for each misconception; 0: none is asked")
    parser.add_argument("--processes", type=int, default=processors())
    parser.add_argument("samplers", nargs="*", default=SAMPLERS + TEXTS)
    given = parser.parse_args()
    torch.set_num_threads(1)
    with multiprocessing.get_context("fork").Pool(given.processes) as pool:
        for name in given.samplers:
            report(name, given.right, given.wrong, pool)


def report(name: str, n_right: int, n_wrong: int, pool: Any) -> None:
    exercise = getattr(chapter, name)
    right = pool.map(functools.partial(outcome, name, None), range(n_right), chunksize=10)
    asked = [times for _, times in draws_asked(exercise)]
    print(f"{name}: {len(asked)} checks, {sum(asked):,} draws, {seconds(exercise):.2f} s", flush=True)
    print(f"  a right answer is refused in at most {false_alarms(exercise):.1e} of all tests")
    refused = sum(rejected for rejected, _ in right)
    print(
        f"  the solution: {refused} of {n_right} seeds refused, up to {max(far for _, far in right):.2f} of the limit"
    )
    for index, one in enumerate(exercise.misconceptions if n_wrong else ()):
        wrong = pool.map(functools.partial(outcome, name, index), range(n_wrong), chunksize=5)
        share = sum(rejected for rejected, _ in wrong) / n_wrong
        print(f"  {share:6.1%}  {_times(min(far for _, far in wrong)):>22}  {one.name}", flush=True)


def outcome(name: str, misconception: int | None, seed: int) -> tuple[bool, float]:
    """Whether the solution, or a misconception, is rejected with this seed; and the multiple of the limit."""
    exercise = getattr(chapter, name)
    whole = solution_of(exercise) if misconception is None else exercise.misconceptions[misconception].component
    verdict = _judged(exercise, whole, seed)
    return verdict.failure is not None, verdict.error_over_tolerance


def false_alarms(exercise: Exercise) -> float:
    """How often a right answer is refused, at most: over all checks and tokens, the sum of their binomials' tails."""
    return sum(_tails(want, times) for want, times in draws_asked(exercise))


def draws_asked(exercise: Exercise) -> list[tuple[Tensor, int]]:
    """The probabilities and the number of draws of each check that the test makes."""
    asked = []

    def recording(*arguments: Any, want: Tensor, times: int, **options: Any) -> None:
        asked.append((want, times))
        check(*arguments, want=want, times=times, **options)

    check = chapter.check_draws
    with patch.object(chapter, "check_draws", recording):
        _judged(exercise, solution_of(exercise), 0)
    return asked


def _tails(want: Tensor, times: int) -> float:
    limit = limit_of(len(want))
    drawn = torch.arange(times + 1, dtype=torch.double)
    return sum(float(_tail(float(p), drawn, limit)) for p in want if 0 < p < 1)


def _tail(p: float, drawn: Tensor, limit: float) -> Tensor:
    """P(n · KL(share ‖ p) > limit) for the share of n draws that fall on a token of probability p."""
    times = len(drawn) - 1
    share = drawn / times
    surprise = times * (torch.xlogy(share, share / p) + torch.xlogy(1 - share, (1 - share) / (1 - p)))
    chance = torch.distributions.Binomial(times, torch.tensor(p, dtype=torch.double)).log_prob(drawn).exp()
    return chance[surprise > limit].sum()


def seconds(exercise: Exercise) -> float:
    """What the test of a right answer takes."""
    started = time.monotonic()
    _judged(exercise, solution_of(exercise), 0)
    return time.monotonic() - started


def _judged(exercise: Exercise, component: Any, seed: int) -> Verdict:
    return judge(exercise, (component,), seed, diagnosing=False)


def _times(far: float) -> str:
    return f"{far:.1f} times the limit" if math.isfinite(far) else "beyond any limit"


if __name__ == "__main__":
    main()
