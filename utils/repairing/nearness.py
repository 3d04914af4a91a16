"""How far an answer is from the right one, in one number: of two mistakes, whoever mends one comes nearer."""

import math
from collections.abc import Sequence
from difflib import SequenceMatcher
from statistics import mean
from typing import Any

import torch
from torch import Tensor

from utils.checking import Exercise
from utils.checking.counts import are_indices
from utils.checking.measuring import equal
from utils.checking.oracle import expected
from utils.repairing.gate import gets_through
from utils.running.kinds import kind_of
from utils.running.records import Array, Question, Record

THERE = 0.0  # it gets through; below that is minus the number of lines of the test that hold
VALUES_RIGHT = 0.5  # something beside its values is wrong, such as a gradient
OF_ONE_FORM, OF_ANOTHER, OF_ANOTHER_TYPE, WITHOUT_END = 1.0, 2.0, 2.8, 4.0
AN_ERROR = 3.0
ALMOST_ALL = 0.99  # so that what is wrong of one form stays below another form
NEARER = 0.999  # of what was wrong: what leaves more is chance, or rounding


def how_far(exercise: Exercise, question: Question, record: Record) -> float:
    """0 where it answers the question rightly; then by what is wrong: beside the values, them, their form, an error.

    Within each of these a smaller number is nearer: by the size of the error, by how many items are wrong, by how many
    parameters are, by how late in the code the error is raised.
    """
    if gets_through(exercise, question, record):
        return THERE
    if record.error:
        return AN_ERROR + 1 / (1 + _line(record))
    right = expected(exercise, question)
    if right.error:
        return AN_ERROR
    wrong = _wrong_parameters(record, right)
    if wrong:
        return OF_ANOTHER + wrong
    if kind_of(question).varies(question) and are_indices(record.outputs) and are_indices(right.outputs):
        return OF_ONE_FORM + _share_drawn_otherwise(record.outputs, right.outputs)
    return _of_values(exercise, record, right)


def is_nearer(far: float, than: float) -> bool:
    """Whether less is wrong, or the same by less; a difference that may be rounding is none."""
    if math.floor(far) != math.floor(than):
        return far < than
    return far - math.floor(far) < NEARER * (than - math.floor(than))


def _line(record: Record) -> int:
    return record.error.frames[-1].line if record.error and record.error.frames else 0


def _wrong_parameters(record: Record, right: Record) -> float:
    """The share of all parameters that are too many, missing, or of another form."""
    forms = [{name: (value.shape, value.dtype) for name, value in one.parameters.items()} for one in (record, right)]
    got, want = ({*one.items()} for one in forms)
    return len(got ^ want) / max(1, len(got | want))


def _share_drawn_otherwise(got: list[int], want: list[int]) -> float:
    seen = {*got, *want}
    apart = sum(abs(got.count(one) / len(got) - want.count(one) / len(want)) for one in seen)
    return apart / 2


def _of_values(exercise: Exercise, record: Record, right: Record) -> float:
    try:
        got = list(map(exercise.view, record.outputs))
        want = list(map(exercise.view, right.outputs))
    except Exception:  # a view may be made for right answers alone
        return OF_ANOTHER_TYPE
    if equal(got, want):
        return VALUES_RIGHT
    if len(got) != len(want):
        return OF_ANOTHER
    return max(map(_of_one_value, got, want))


def _of_one_value(got: Any, want: Any) -> float:
    """How much of a tensor, a number, a list or a text is wrong."""
    match got, want:
        case Array(tensor=mine), Array(tensor=theirs):
            return _of_one_value(mine, theirs)
        case Tensor(), Tensor() if got.shape != want.shape:
            return OF_ANOTHER + 0.1 * min(5, abs(got.ndim - want.ndim))
        case Tensor(), Tensor():
            return OF_ONE_FORM + ALMOST_ALL * _of_numbers(got.double(), want.double())
    if type(got) is not type(want):
        return OF_ANOTHER_TYPE
    return OF_ONE_FORM + ALMOST_ALL * _of_plain(got, want)


def _of_plain(got: Any, want: Any) -> float:
    """The share of a number, a text, or of what lists hold, that is wrong: from 0 to 1."""
    if type(got) is not type(want):
        return 1.0
    if isinstance(got, (list, tuple)) and len(got) == len(want) and got:
        return mean(map(_of_plain, got, want))
    if isinstance(got, (list, tuple)):
        return 1 - _likeness(list(map(repr, got)), list(map(repr, want)))
    if isinstance(got, (str, bytes)):
        return 1 - _likeness(got, want)
    if isinstance(got, float):
        return _of_numbers(torch.tensor([got]).double(), torch.tensor([want]).double())
    return float(not equal(got, want))


def _likeness(got: Sequence[Any], want: Sequence[Any]) -> float:
    return SequenceMatcher(None, got, want, autojunk=False).ratio()


def _of_numbers(got: Tensor, want: Tensor) -> float:
    """The mean of what is wrong with each number: 0 where nothing is, 1 where it is far away, or not finite."""
    error = (got - want).abs().nan_to_num(nan=math.inf, posinf=math.inf)
    size = want.abs().where(want.isfinite(), 0.0).mean().clamp(min=1e-9)
    wrong = (error / (error + size)).nan_to_num(nan=1.0)
    return float(wrong.where(got != want, 0.0).mean()) if wrong.numel() else 0.0
