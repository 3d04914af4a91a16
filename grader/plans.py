"""A plan: how one exercise is judged for a whole class; made once, and the reference asked once."""

import functools
import importlib
import inspect
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from grader.bounds import MB, Bounds
from judge.checking import Exercise
from judge.checking.survey import lines_of, questions_of_each
from judge.running.records import Question
from utils.course import ExerciseInfo, exercises

SLOWER = 5  # times as long as the reference solution an answer may take, beside the bound itself
# It compiles for seconds of a processor, and a `jax.lax.scan` over the blocks anew for each question: half a minute in
# all, and minutes by the clock where many wait for one
FOR_JAX = Bounds(wall_seconds=300, cpu_seconds=60, memory=4_000 * MB, processes=200, open_files=64)


@dataclass(frozen=True)
class Plan:
    """How one exercise is judged with one seed."""

    info: ExerciseInfo
    exercise: Exercise
    seed: int
    bounds: Bounds
    questions: Sequence[Question]  # all that the test will ask
    checks: int  # lines of the card of an answer that passes

    @property
    def components(self) -> int:
        """How many the test function takes: what is judged, and what stands in for the rest where there is nothing."""
        return len(inspect.signature(self.exercise.body).parameters)


def declared(info: ExerciseInfo) -> Exercise:
    """The exercise as its chapter's tests declare it."""
    return getattr(importlib.import_module(f"tests.{info.stem}"), info.test).exercise


def points_of(info: ExerciseInfo) -> float:
    """The points of an exercise."""
    return declared(info).points


def chosen(stems: Iterable[str], symbol: str | None = None) -> list[ExerciseInfo]:
    """The exercises of these chapters, or the one of this name."""
    return [exercise for stem in stems for exercise in exercises(stem) if symbol in (None, exercise.symbol)]


@functools.cache
def plan_of(info: ExerciseInfo, seed: int, bounds: Bounds) -> Plan:
    """The plan for one exercise; what the reference answers is remembered with it."""
    exercise = declared(info)
    components = len(inspect.signature(exercise.body).parameters)
    began = time.thread_time()
    (questions, *_) = questions_of_each(exercise, components, seed)
    taken = time.thread_time() - began
    return Plan(info, exercise, seed, _wider(bounds, info, taken), questions, lines_of(exercise, components, seed))


def _wider(bounds: Bounds, info: ExerciseInfo, taken: float) -> Bounds:
    """The bounds for an exercise whose reference solution takes so many seconds."""
    more = int(SLOWER * taken)
    wide = replace(bounds, cpu_seconds=bounds.cpu_seconds + more, wall_seconds=bounds.wall_seconds + 2 * more)
    if info.needs != "jax":
        return wide
    both = ((name, max(getattr(wide, name), getattr(FOR_JAX, name))) for name in vars(FOR_JAX))
    return Bounds(**dict(both))


def without_extras(found: Sequence[ExerciseInfo]) -> Iterator[ExerciseInfo]:
    """The exercises that can be prepared before workers are forked: JAX starts threads, which no fork survives."""
    return (exercise for exercise in found if not exercise.needs)
