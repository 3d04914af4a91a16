"""A notebook as nbval sees it, cell by cell in one kernel: --nbval, and with --nbval-lax what is no chapter.

Strict nbval compares what a notebook prints with what is stored in it. That is for authors: whoever wrote the notebook
can make the two agree, so it is no verdict on an answer, and the report says so.
"""

import binascii
import json
import math
import re
from base64 import b64decode
from collections.abc import Iterator
from contextlib import ExitStack
from copy import deepcopy
from decimal import Decimal
from itertools import chain, count, repeat, zip_longest
from pathlib import Path
from queue import Empty
from typing import Any
from unittest.mock import patch

import pytest
from nbval.plugin import IPyNbCell, IPyNbFile, NbCellError

from grader.kernels import KernelDied, WatchedKernel
from grader.submitted import UnreadableNotebook, chapter_and, code_cells, stem_of
from utils.course import ExerciseInfo, exercises, throwaway_state
from utils.course.cells import calls, defines

FIGURE = "application/vnd.plotly.v1+json"
HTML, PLAIN = "text/html", "text/plain"
# A picture of utils.pictures: what comes before its words, the words, the script, its data, the rest.
PICTURE = re.compile(
    r'(.*<div class="cp"[^>]*>)(.*?)(</div><script>.*draw\(place,)(\{.*\})((?:,\w+)*\)\}catch.*)', re.S
)
NAME = re.compile(r'data-picture="\w*"')  # it is made of the data
# what was rounded: 0.52, 8e-09, 7 of "7%", 7.1
ROUNDED = re.compile(r"(?<![\w.])(-?\d+(?:\.\d+(?:e[+-]?\d+)?|e[+-]?\d+|(?= ?%)))(?![\w.]*\d)")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
BYTES = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}")  # too long for a word


def data_as_stored(data: dict[str, Any], stored: dict[str, Any]) -> dict[str, Any]:
    """An output's data by mime type, a figure or picture in it as stored where it is the same but for rounding."""
    if FIGURE in data:
        return data | {FIGURE: as_stored(data[FIGURE], stored.get(FIGURE))}
    if _is_picture(data) and _is_picture(stored):
        plain = text_as_stored(data.get(PLAIN, ""), stored.get(PLAIN, ""))
        return data | {HTML: picture_as_stored(data[HTML], stored[HTML]), PLAIN: plain}
    texts = {kind: data[kind] for kind in (HTML, PLAIN) if kind in data}
    return data | {kind: text_as_stored(text, stored.get(kind, "")) for kind, text in texts.items()}


def as_stored(value: Any, stored: Any) -> Any:
    """A figure's data with the stored number wherever that is at most one apart in the third digit, or in the last.

    Another processor adds in another order, so a number may fall on the other side of where figures are rounded.
    """
    match value, stored:
        case dict(), dict():
            return {key: as_stored(part, stored.get(key)) for key, part in value.items()}
        case list(), list() if len(value) == len(stored):
            return list(map(as_stored, value, stored))
        case int() | float(), int() | float() if math.isclose(value, stored, rel_tol=0.0101, abs_tol=1e-6):
            return stored
        case float(), float() if _one_apart(Decimal(repr(value)), Decimal(repr(stored))):
            return stored
        case str(), str():
            return text_as_stored(value, stored)
    return value


def picture_as_stored(html: str, stored: str) -> str:
    """The stored picture, if this one is the same but for decimals one apart in the last digit, and for bytes.

    A number that is stored as a byte may be one step up or down. Script, style, whole numbers and words are the same
    to the letter, the name apart, which depends on the data.
    """
    found, wanted = _parts(html), _parts(stored)
    if not found or not wanted:
        return html
    texts = zip(found.group(1, 3, 5), wanted.group(1, 3, 5), strict=True)
    alike = all(NAME.sub("", one) == NAME.sub("", other) for one, other in texts)
    alike = alike and text_as_stored(found[2], wanted[2]) == wanted[2]
    return stored if alike and _same(json.loads(found[4]), json.loads(wanted[4])) else html


def _is_picture(data: dict[str, Any]) -> bool:
    return _parts(data.get(HTML, "")) is not None


def _parts(html: str) -> re.Match[str] | None:
    return PICTURE.fullmatch(html) if "data-picture=" in html else None


def text_as_stored(text: str, stored: str) -> str:
    """The stored text, if this one is the same but for rounded numbers one apart in the third digit, or in the last."""
    pieces = zip_longest(ROUNDED.split(text), ROUNDED.split(stored))
    alike = all(one == other or _close(one, other) for one, other in pieces)
    return stored if alike else text


def _close(one: str | None, other: str | None) -> bool:
    numbers = [Decimal(text) for text in (one, other) if text and NUMBER.fullmatch(text)]
    return len(numbers) == 2 and (_one_apart(*numbers) or math.isclose(*numbers, rel_tol=0.0101))


def _one_apart(one: Decimal, other: Decimal) -> bool:
    """At most one in the last of the digits that either has."""
    last = min(int(number.as_tuple().exponent) for number in (one, other))
    return abs(one - other) <= Decimal(1).scaleb(last)


def _same(value: Any, stored: Any) -> bool:
    match value, stored:
        case dict(), dict():
            return value.keys() == stored.keys() and all(_same(part, stored[key]) for key, part in value.items())
        case list(), list():
            return len(value) == len(stored) and all(map(_same, value, stored))
        case float(), float():
            return _one_apart(Decimal(repr(value)), Decimal(repr(stored)))
        case str(), str() if BYTES.fullmatch(value) and BYTES.fullmatch(stored):
            return _same_bytes(value, stored)
    return type(value) is type(stored) and value == stored


def _same_bytes(value: str, stored: str) -> bool:
    try:
        both = b64decode(value, validate=True), b64decode(stored, validate=True)
    except binascii.Error:
        return value == stored
    pairs = zip_longest(*both, fillvalue=-2)
    return all(abs(one - other) <= 1 for one, other in pairs)


class CourseNotebook(IPyNbFile):
    """Any notebook; if it is a chapter's, each of the chapter's exercises is an item or a failure by its name."""

    kernel: WatchedKernel | None  # None only until setup

    def setup(self) -> None:
        """Start the kernel, with a state that is thrown away.

        One that does not answer is started once more, on other ports: another program may have taken one of the first.
        """
        self.state = ExitStack()
        self.state.enter_context(throwaway_state())
        self.done: set[int] = set()
        self.failed = list(self.missing)
        with patch("nbval.plugin.RunningKernel", WatchedKernel):
            try:
                super().setup()
            except RuntimeError:
                super().setup()

    def teardown(self) -> None:
        super().teardown()
        if self.kernel is not None:
            self.kernel.close()
        self.state.close()

    def collect(self) -> Iterator[pytest.Item]:
        cells = self._cells()
        sources = [item.cell.source for item in cells]
        self.stem = stem = stem_of(self.path) or ""
        names: list[list[str]] = [[] for _ in cells]
        self.missing: dict[str, str] = {}
        for exercise in exercises(stem) if stem else []:
            if reason := self._what_is_missing(exercise, sources):
                self.missing[exercise.symbol] = reason
            else:
                _name_tests(names, exercise, sources)
        self.items = list(map(CourseCell.in_place_of, cells, map(", ".join, names)))
        yield from self.items
        for symbol, reason in self.missing.items():
            item = MissingExercise.from_parent(self, name=chapter_and(self.stem, symbol))
            item.reason = reason
            yield item

    def _cells(self) -> list[IPyNbCell]:
        try:
            code_cells(self.path)
            return list(super().collect())
        except UnreadableNotebook as refused:
            raise self.CollectError(str(refused)) from None
        except Exception as error:  # whatever nbformat raises for what its schema does not allow
            raise self.CollectError(f"{self.path.name} can't be read as a notebook: {error}") from None

    def run_until(self, cell_num: int) -> None:
        """Run the cells before `cell_num` that were not selected, so that one exercise can be tested by its name."""
        assert self.kernel
        if not self.kernel.is_alive():
            raise KernelDied("Not run: the kernel ended in a cell before.")
        for item in self.items[:cell_num]:
            if item.cell_num in self.done or item.options["skip"]:
                continue
            message = self.kernel.execute_cell_input(item.cell.source, allow_stdin=False)
            try:
                self.kernel.await_reply(message, timeout=self.config.option.nbval_cell_timeout)
            except Empty:
                self.kernel.interrupt()
        self.done.update(range(cell_num + 1))

    def _what_is_missing(self, exercise: ExerciseInfo, sources: list[str]) -> str:
        name, symbol, test = self.path.name, exercise.symbol, exercise.test
        reasons = []
        if not any(map(defines, sources, repeat(symbol))):
            reasons.append(
                f"No cell of {name} defines {symbol}. Define it in a code cell of its own; "
                f"its first lines are in the published chapters/{exercise.stem}.ipynb."
            )
        if not any(map(calls, sources, repeat(test), repeat(symbol))):
            reasons.append(
                f"No cell of {name} calls {test}({symbol}). Add a code cell with that line below {symbol}, "
                f"and `from tests.{exercise.stem} import {test}` above it if that is gone too."
            )
        return "\n".join(reasons)


def _name_tests(names: list[list[str]], exercise: ExerciseInfo, sources: list[str]) -> None:
    """Give the cells that test an exercise its name; the second gets it with a (2)."""
    symbol = exercise.symbol
    name = chapter_and(exercise.stem, symbol)
    labels = chain([name], map(f"{name} ({{}})".format, count(2)))
    for of_cell, source in zip(names, sources, strict=True):
        if calls(source, exercise.test, symbol):
            of_cell.append(next(labels))


class CourseCell(IPyNbCell):
    """A code cell; one that tests an exercise carries the exercise's name, and can't be skipped by a marker."""

    exercise: str  # empty if the cell tests none

    @classmethod
    def in_place_of(cls, item: IPyNbCell, exercise: str) -> "CourseCell":
        """The cell under the name of the exercise, or under nbval's own if it tests none."""
        name, number = item.name, item.cell_num
        if exercise:
            name = exercise
            item.options.update(skip=False, check_exception=False)
        cell = cls.from_parent(item.parent, name=name, cell_num=number, cell=item.cell, options=item.options)
        cell.exercise = exercise
        return cell

    def runtest(self) -> None:
        """Run the cell; where an exercise failed before or is missing, another cell's failure is only noted."""
        notebook = self.parent
        try:
            notebook.run_until(self.cell_num)
            super().runtest()
        except KernelDied as died:
            pytest.fail(str(died), pytrace=False)
        except NbCellError as error:
            if self.exercise:
                notebook.failed.append(self.exercise)
            elif notebook.failed:
                before = ", ".join(notebook.failed)
                pytest.xfail(f"after {before}, which failed or is missing: {error}")
            raise

    def compare_outputs(self, test: list, ref: list, skip_compare: tuple | None = None) -> bool:
        """Strict nbval's comparison, but for what another processor rounds otherwise."""
        test = deepcopy(test)
        for output, stored in zip(test, ref, strict=False):
            if "data" in output:
                output["data"] = data_as_stored(output["data"], stored.get("data", {}))
            elif "text" in output:
                output["text"] = text_as_stored(output["text"], stored.get("text", ""))
        return super().compare_outputs(test, ref, skip_compare)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.name} in {self.path.name}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo) -> str:
        """The card alone where a check failed; it says what, where and what to do."""
        for output in self.test_outputs or ():
            if output.get("ename") == "CheckFailed":
                return output.evalue
        return super().repr_failure(excinfo)


class MissingExercise(pytest.Item):
    """Fails for an exercise that the notebook does not hold any more."""

    reason: str

    def runtest(self) -> None:
        pytest.fail(self.reason, pytrace=False)

    reportinfo = CourseCell.reportinfo
