"""Recorded answers: what a course that is handed out without its solutions has in their place, an archive an exercise.

tests/expected/ch03_layernorm/layer_norm.zip holds the reference's answers and those of the misconceptions, by the names
of their questions. Another processor may round a random number otherwise, and its question then has another name: it
is found by its form, and by how it looks.
"""

import hashlib
import json
import math
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from judge.checking.asking import Answering
from judge.checking.guard import ALWAYS, Guard
from judge.errors import CourseError
from judge.running.on_demand import Tensor, torch
from judge.running.records import Question, Record
from judge.running.values import is_dict, is_list
from judge.running.wire import Writer, from_bytes

FOLDER = "expected"  # in tests/
INDEX, RIGHT, WRONG = "index.json", "right", "wrong"
# Bytes of one answer: logits of GPT-2 itself.
MOST_RECORDED = 2**30
# By how much the numbers of two questions may differ that are the same but for roundings.
ROUNDED = 1e-5
FAR = 10.0  # from 0: what an end is counted from, in the tensor's own size
NOBODYS = -1  # in the place of an answer that was not recorded


class NotRecorded(CourseError, LookupError):
    """A question whose answer was never recorded, such as one with another seed."""


@dataclass(frozen=True)
class Look:
    """What of a question is the same on every processor, and the numbers of it that may be rounded otherwise."""

    form: str
    numbers: tuple[float, ...]

    def is_like(self, other: "Look") -> bool:
        """Whether both are one question."""
        if self.form != other.form:
            return False
        return all(map(_nearly, self.numbers, other.numbers))


def look_of(question: Question) -> Look:
    """The form of a question and its numbers; of a tensor of floats a few that tell it from others."""
    writer = Writer(sort=True)
    numbers: list[float] = []
    skeleton = _without_floats(writer.write(question), numbers)
    tensors = [_tensor_form(tensor, numbers) for tensor in writer.tensors]
    text = json.dumps([skeleton, tensors])
    return Look(hashlib.sha256(text.encode()).hexdigest()[:16], tuple(numbers))


@dataclass(frozen=True)
class Mistake:
    """A misconception of the archive: what a card says of it."""

    name: str
    advice: str
    another_form: bool
    guard: Guard = ALWAYS


@dataclass(eq=False)
class Archive:
    """The recorded answers of one exercise. Nothing is read before it is asked for."""

    path: Path

    @cached_property
    def mistakes(self) -> list[Mistake]:
        """Its misconceptions, in the order in which a cause is looked for."""
        return [_mistake(**fields) for fields in self._index["mistakes"]]

    def right(self, question: Question) -> Record:
        """The reference's answer. Raises NotRecorded."""
        blob = self._member(RIGHT, self._need(question))
        return from_bytes(blob, limit=MOST_RECORDED)

    def wrong(self, question: Question, mistake: int) -> Record | None:
        """A misconception's answer, None where that was not recorded."""
        name = self._named(question)
        if name not in self._index["wrong"]:
            return None
        answers, whose = self._wrong(name)
        place = whose[mistake]
        return None if place == NOBODYS else from_bytes(answers[place], limit=MOST_RECORDED)

    def has_wrong(self, question: Question, mistake: int) -> bool:
        """Whether a misconception's answer was recorded."""
        name = self._named(question)
        if name not in self._index["wrong"]:
            return False
        return self._wrong(name)[1][mistake] != NOBODYS

    @cached_property
    def _index(self) -> dict[str, Any]:
        content = json.loads(self._read(INDEX))
        content["wrong"] = set(content["wrong"])
        return content

    @cached_property
    def _looks(self) -> dict[str, Look]:
        return {name: Look(form, tuple(numbers)) for name, (form, numbers) in self._index["questions"].items()}

    @cached_property
    def _found(self) -> dict[str, str | None]:
        return {}

    def _need(self, question: Question) -> str:
        name = self._named(question)
        if name is None:
            raise NotRecorded(self._what_is_missing(question))
        return name

    def _what_is_missing(self, question: Question) -> str:
        seed = self._index["seed"]
        of = f"{self.path.parent.name}, {self.path.stem}"
        told = f"This course was handed out without its solutions, and no answer to this question is recorded ({of})."
        if question.seed != seed:
            return f"{told} Answers are recorded for seed {seed} alone, and this is seed {question.seed}."
        return f"{told} Recorded are those of the tests as they were handed out, on the bundled reference model."

    def _named(self, question: Question) -> str | None:
        """The name under which the question was recorded; None where it was not."""
        name = question.name
        if name in self._index["questions"]:
            return name
        if name not in self._found:
            look = look_of(question)
            alike = (known for known, seen in self._looks.items() if seen.is_like(look))
            self._found[name] = next(alike, None)
        return self._found[name]

    @lru_cache(maxsize=64)  # noqa: B019 - archives stay as long as the process
    def _wrong(self, name: str) -> tuple[list[bytes], list[int]]:
        return unpacked(self._member(WRONG, name))

    def _member(self, kind: str, name: str) -> bytes:
        return self._read(f"{kind}/{name}")

    def _read(self, name: str) -> bytes:
        with zipfile.ZipFile(self.path) as archive:
            return archive.read(name)


@dataclass(frozen=True)
class Recorded(Answering):
    """A misconception of which answers alone are known."""

    archive: Archive
    place: int

    def answer(self, question: Question) -> Record:
        """Its answer. Raises NotRecorded."""
        found = self.archive.wrong(question, self.place)
        if found is None:
            raise NotRecorded(f"no answer of {self.archive.mistakes[self.place].name!r} is recorded")
        return found

    def knows(self, question: Question) -> bool:
        return self.archive.has_wrong(question, self.place)


@lru_cache(maxsize=256)
def archive_in(folder: Path, stem: str, test: str) -> Archive | None:
    """The archive of a test function; None where there is none."""
    path = folder / stem / f"{test.removeprefix('test_')}.zip"
    return Archive(path) if path.is_file() else None


def _mistake(guard: Mapping[str, str] | None = None, **words: Any) -> Mistake:
    """One as the archive has it, with its guard, where it has one."""
    return Mistake(**words, guard=Guard(**guard) if guard else ALWAYS)


def packed(answers: Sequence[bytes], whose: Sequence[int]) -> bytes:
    """Answers, each once, and the place of each misconception's among them, as one member of an archive."""
    head = json.dumps([list(map(len, answers)), list(whose)]).encode()
    return b"\n".join([head, b"".join(answers)])


def unpacked(content: bytes) -> tuple[list[bytes], list[int]]:
    """The parts that `packed` put together."""
    head, _, rest = content.partition(b"\n")
    lengths, whose = json.loads(head)
    return list(_cut(rest, lengths)), whose


def _cut(content: bytes, lengths: Sequence[int]) -> Iterator[bytes]:
    begin = 0
    for length in lengths:
        yield content[begin : begin + length]
        begin += length


def _without_floats(skeleton: Any, numbers: list[float]) -> Any:
    """The nest with the floats of it moved to `numbers`."""
    if is_dict(skeleton):
        entries: Mapping[str, Any] = skeleton
        return {key: _without_floats(value, numbers) for key, value in entries.items()}
    if is_list(skeleton):
        return [_without_floats(value, numbers) for value in skeleton]
    if isinstance(skeleton, float):
        numbers.append(skeleton)
        return "float"
    return skeleton


def _tensor_form(tensor: Tensor, numbers: list[float]) -> list[Any]:
    """The dtype and shape of a tensor, and its content where that is no floats: these go to `numbers`."""
    flat = tensor.detach().cpu().reshape(-1)
    form: list[Any] = [str(tensor.dtype), list(tensor.shape)]
    if not tensor.dtype.is_floating_point:
        return [*form, hashlib.sha256(flat.contiguous().view(torch.uint8).numpy().tobytes()).hexdigest()]
    if len(flat):
        numbers += _told_apart_by(flat)
    return form


def _told_apart_by(flat: Tensor) -> list[float]:
    """Numbers that few other tensors have, each far from 0 where roundings would show: sizes, and the two ends."""
    exact = flat.double().nan_to_num(1e30, 2e30, 3e30)
    sizes = exact.abs()
    rising = torch.linspace(1, 2, len(flat), dtype=torch.double)
    size = sizes.mean()
    ends = FAR + exact[[0, -1]] / (size or 1.0)
    return [float(figure) for figure in (size, (sizes * rising).mean(), *ends)]


def _nearly(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=ROUNDED)
