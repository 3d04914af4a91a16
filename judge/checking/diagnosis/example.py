"""The last resort where no cause is known: what the answer makes of the chapter's own worked example."""

from collections.abc import Iterator
from typing import Any

from judge.checking.declaration import WorkedExample
from judge.checking.evidence import Evidence
from judge.checking.likeness import ANOTHER_WAY, VISIBLE, absolute_tolerance
from judge.checking.session import Session
from judge.checking.tensors import first_named
from judge.checking.transcript import Row
from judge.checking.verdict import Picture, Rows
from judge.checking.wording import are_names, at, number
from judge.running.on_demand import Tensor

LARGEST = 8  # rows, and columns


def picture_of(evidence: Evidence) -> Picture | None:
    """The matrix, along the last two axes, of the place that the card names; None where it is long, or no matrix."""
    pair = evidence.same_form if evidence.about == "value" else None
    if pair is None or not _is_small(pair[1]):
        return None
    got, want = (side.double() for side in pair)
    allowed = absolute_tolerance(evidence.tolerance or ANOTHER_WAY, want)
    named = first_named(got, want, allowed)
    if named is None:
        return None
    before = list(named[:-2])
    place = tuple(before)
    wrong = _wrong(got[place], want[place], allowed)
    axes = evidence.axes
    rows, columns = axes[-2:] if are_names(axes) else ("row", "column")
    return Picture(
        at(before, axes[:-2]) if before else "", rows, columns, _rows(want[place]), _rows(got[place]), _flags(wrong)
    )


def _is_small(want: Tensor) -> bool:
    if want.ndim < 2:
        return False
    return 1 < min(want.shape[-2:]) and max(want.shape[-2:]) <= LARGEST


def _wrong(got: Tensor, want: Tensor, allowed: float) -> Tensor:
    same = (got == want) | (got.isnan() & want.isnan())
    near = (got - want).abs() <= allowed
    return ~(same | near)


def _rows(matrix: Tensor) -> Rows:
    lines: list[list[float]] = matrix.numpy().tolist()
    return tuple(map(tuple, lines))


def _flags(matrix: Tensor) -> tuple[tuple[bool, ...], ...]:
    lines: list[list[bool]] = matrix.numpy().tolist()
    return tuple(map(tuple, lines))


MOST_NUMBERS = 12  # of an answer, which fit on a line


def worked_example(session: Session, component: Any) -> str:
    """The answer on the example beside the text's, and which properties do not hold; nothing if alike."""
    example = session.exercise.example
    if example is None:
        return ""
    row = Row(session.transcript, component, None, session.exercise.example_question(session.seed))
    if row.mine.error or not row.mine.outputs or not row.right.outputs:
        return ""
    got, want = row.mine.output, row.right.output
    return "\n".join(_lines(example, got, want)) if _differ(got, want) else ""


def _differ(got: Any, want: Any) -> bool:
    """Whether these are numbers of one shape, and a reader can see that they are others."""
    if not isinstance(got, Tensor) or not isinstance(want, Tensor) or got.shape != want.shape:
        return False
    return not bool((got.double() - want.double()).abs().max() < VISIBLE)


def _lines(example: WorkedExample, got: Tensor, want: Tensor) -> Iterator[str]:
    yield f"On {example.text}:"
    yield f"  yours: {_numbers(got)}"
    yield f"  the text: {_numbers(want)}"
    for name, measure in example.shows.items():
        mine, theirs = measure(got.double()), measure(want.double())
        # NaN is not near anything.
        if not abs(mine - theirs) <= VISIBLE:
            yield f"  {name}: {_rounded(mine)}, but should be {_rounded(theirs)}"


def _rounded(value: float) -> str:
    # What rounding left of a 0.
    return number(0.0 if abs(value) < 1e-6 else value)


def _numbers(value: Tensor) -> str:
    flat = value.flatten()
    text = ", ".join(f"{entry.item():.3f}" for entry in flat[:MOST_NUMBERS].unbind())
    return text + (", ..." if flat.numel() > MOST_NUMBERS else "")
