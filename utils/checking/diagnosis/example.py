"""The last resort where no cause is known: what the answer makes of the chapter's own worked example."""

from typing import Any

from torch import Tensor

from utils.checking.oracle import expected
from utils.checking.session import session
from utils.checking.survey import example_question
from utils.checking.wording import number

MOST_NUMBERS = 12


def worked_example(component: Any) -> tuple[str, ...]:
    """What the answer gives on the example, what the text has, which properties do not hold; nothing if alike."""
    example = session().exercise.example
    if example is None:
        return ()
    question = example_question(session().exercise, session().seed)
    record, right = session().ask(component, question), expected(session().exercise, question)
    if record.error or not record.outputs or not right.outputs:
        return ()
    got, want = record.outputs[0], right.outputs[0]
    if not isinstance(got, Tensor) or not isinstance(want, Tensor) or got.shape != want.shape:
        return ()
    if (got.double() - want.double()).abs().max() < 1e-3:
        return ()
    lines = [f"On {example.text}:", f"  yours: {_numbers(got)}", f"  the text: {_numbers(want)}"]
    for name, measure in example.shows.items():
        mine, theirs = measure(got.double()), measure(want.double())
        if not abs(mine - theirs) <= 1e-3:  # NaN is not near anything
            lines.append(f"  {name}: {_rounded(mine)}, but should be {_rounded(theirs)}")
    return ("\n".join(lines),)


def _rounded(value: float) -> str:
    return number(0.0 if abs(value) < 1e-6 else value)


def _numbers(value: Tensor) -> str:
    flat = value.flatten()
    text = ", ".join(f"{entry:.3f}" for entry in flat[:MOST_NUMBERS].tolist())
    return text + (", ..." if flat.numel() > MOST_NUMBERS else "")
