"""Records what the reference and the misconceptions of an exercise answer, for a release without solutions.

Of the reference every answer is kept. The misconceptions together would answer with half a gigabyte: of each there is
what it answers to the question at which its own test stops it, and then, as far as there is room, what all of them
answer to the shortest questions. That is enough to name a mistake, and to see that it is no other.
"""

import importlib
import inspect
import json
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from judge.checking import Exercise
from judge.checking.asking import ask_locally
from judge.checking.judging import judge
from judge.checking.known import Misconception
from judge.checking.oracle import solution_of
from judge.checking.recorded import FOLDER, INDEX, MOST_RECORDED, NOBODYS, RIGHT, WRONG, look_of, packed
from judge.checking.survey import questions_of_each
from judge.running.kinds import briefly
from judge.running.records import Question, Record
from judge.running.wire import to_bytes
from utils.course import CourseError, ExerciseInfo
from utils.course.files import replacing
from utils.releasing.leaks import discreet

SEED = 0  # of the notebooks
# Bytes, compressed, that the misconceptions of one exercise may take beside those that stop each.
ROOM = 250_000
# The same day in every archive, so that the same answers make the same file.
NO_DAY = (1980, 1, 1, 0, 0, 0)


def record_all(
    exercises: Iterable[ExerciseInfo], folder: Path, workers: int, secrets: frozenset[str] = frozenset()
) -> Iterator[str]:
    """Record each exercise into tests/expected/ of this folder, by so many processes; yields what was recorded.

    `secrets` is what no advice may say, without blanks.
    Raises CourseError for an exercise whose package is not installed here.
    """
    chosen = list(exercises)
    for exercise in chosen:
        if exercise.is_missing_its_package:
            way = f"pip install {exercise.needs}, and release again"
            raise CourseError(
                f"{exercise.symbol} can't be recorded, because {exercise.needs} is not installed here: {way}."
            )
    place = folder / "tests" / FOLDER
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        done = [pool.submit(record_named, exercise, place, secrets) for exercise in chosen]
        for future in done:
            if said := future.result():
                yield said


def record_named(exercise: ExerciseInfo, folder: Path, secrets: frozenset[str] = frozenset()) -> str:
    """Record one exercise; says what it came to, "" where its test function is no Exercise's and nothing is asked."""
    torch.set_num_threads(1)
    test = getattr(importlib.import_module(f"tests.{exercise.stem}"), exercise.test)
    if not hasattr(test, "exercise"):
        return ""
    path = record(test.exercise, folder, secrets=secrets)
    return f"{exercise.stem} {exercise.symbol}: {path.stat().st_size / 1000:.0f} kB of answers"


def record(
    exercise: Exercise, folder: Path, seed: int = SEED, room: int = ROOM, secrets: frozenset[str] = frozenset()
) -> Path:
    """Write the archive of an exercise; returns its place."""
    recording = Recording(exercise, seed)
    path = folder / exercise.stem / f"{exercise.body.__name__.removeprefix('test_')}.zip"
    wrong = dict(recording.chosen(room))
    with replacing(path) as partial, zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        _add(archive, INDEX, recording.index(wrong, secrets))
        for name, content in recording.right.items():
            _add(archive, f"{RIGHT}/{name}", content)
        for name, content in wrong.items():
            _add(archive, f"{WRONG}/{name}", content)
    return path


@dataclass(frozen=True)
class Recording:
    """All that can be recorded of an exercise with one seed."""

    exercise: Exercise
    seed: int

    @cached_property
    def questions(self) -> dict[str, Question]:
        """The questions of the test by their names, and each that asks for many draws with few, too."""
        n_components = len(inspect.signature(self.exercise.body).parameters)
        each = questions_of_each(self.exercise, n_components, self.seed)
        asked = [question for of_one in each for question in of_one]
        return {one.name: one for one in [*asked, *map(briefly, asked)]}

    @cached_property
    def right(self) -> dict[str, bytes]:
        """What the reference answers, by the questions' names."""
        solution = solution_of(self.exercise)
        return {name: _answer(solution, question) for name, question in self.questions.items()}

    @cached_property
    def mistakes(self) -> list[Misconception]:
        return self.exercise.misconceptions

    def index(self, wrong: Mapping[str, Any], secrets: frozenset[str]) -> bytes:
        """The archive's account of itself."""
        looks = {name: look_of(question) for name, question in self.questions.items()}
        content = {
            "seed": self.seed,
            "questions": {name: (look.form, look.numbers) for name, look in looks.items()},
            "wrong": sorted(wrong),
            "mistakes": [_words_of(mistake, secrets) for mistake in self.mistakes],
        }
        return json.dumps(content, indent=1).encode()

    def chosen(self, room: int) -> Iterator[tuple[str, bytes]]:
        """The answers of misconceptions that are kept: by the questions' names, packed."""
        everyone = range(len(self.mistakes))
        stopped = self._stopped
        for name in sorted(self.questions, key=lambda one: len(self.right[one])):
            if room > 0:
                pack = self._pack(name, everyone)
                room -= len(zlib.compress(pack))
                if room >= 0:
                    yield name, pack
                    continue
            if stopped[name]:
                yield name, self._pack(name, stopped[name])

    def _pack(self, name: str, places: Iterable[int]) -> bytes:
        """The answers of these misconceptions to one question, each text once."""
        answers: dict[bytes, int] = {}
        whose = [NOBODYS] * len(self.mistakes)
        for place in places:
            blob = _answer(self.mistakes[place].component, self.questions[name])
            whose[place] = answers.setdefault(blob, len(answers))
        return packed(list(answers), whose)

    @cached_property
    def _stopped(self) -> dict[str, list[int]]:
        """The misconceptions that a question stops, by its name; and by that of the same with few draws."""
        found = defaultdict[str, list[int]](list)
        for place, mistake in enumerate(self.mistakes):
            failure = judge(self.exercise, (mistake.component,), self.seed, diagnosing=False).failure
            question = failure and failure.question
            if question is not None:
                for name in {question.name, briefly(question).name} & self.questions.keys():
                    found[name].append(place)
        return found


def _words_of(mistake: Misconception, secrets: frozenset[str]) -> dict[str, Any]:
    """What a card may say of it, and of which code: the patterns are about wrong code, and tell no solution."""
    words = {"name": mistake.name, "advice": discreet(mistake.advice, secrets), "another_form": mistake.another_form}
    if not mistake.guard.is_there:
        return words
    return words | {"guard": vars(replace(mistake.guard, otherwise=discreet(mistake.guard.otherwise, secrets)))}


def _answer(component: Any, question: Question) -> bytes:
    """The record as bytes, without the lines of code in which an error came up: they are the solution's."""
    record: Record = ask_locally(component, question)
    if record.error:
        record = replace(record, error=replace(record.error, frames=[]))
    return to_bytes(record, limit=MOST_RECORDED)


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, NO_DAY)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)
