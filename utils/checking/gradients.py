"""The check that gradients flow back as they do in the reference solution."""

from dataclasses import replace
from typing import Any

from torch import Tensor

from utils.checking.comparing import Difference, tensor_difference
from utils.checking.judging import session
from utils.checking.measuring import distance, error_ratio
from utils.checking.randomness import random_tensor
from utils.checking.trial import Alike, same_if, same_output, trial_of
from utils.running.records import Record

CUT = (
    "Something cuts the graph: detach(), .data, .item(), torch.no_grad(), requires_grad=False "
    "or a copy made with torch.tensor."
)


def check_gradients(component: Any, *arguments: Any, allowed: float = 1e-4) -> None:
    """The gradients of every parameter and every float input are the reference solution's, for a random cotangent."""
    plain = trial_of(arguments)
    sizes = session().sizes(plain.cfg, plain.inputs, session().exercise.output)
    trial = replace(plain, cotangent=random_tensor(*sizes.values()))
    record, right = trial.of(component), trial.expected()
    want_all = _gradients(right)
    for name, got in _gradients(record).items():
        difference = _difference(name, got, want_all[name], allowed)
        if difference:
            mismatch = trial.mismatch(record, difference, lambda other: _alike(record, other, right, allowed))
            mismatch.advice = mismatch.advice or (CUT if got is None else None)
            raise mismatch
        if got is not None:
            session().verdict.ratio = max(session().verdict.ratio, error_ratio(got, want_all[name], allowed))


def _gradients(record: Record) -> dict[str, Tensor | None]:
    """Gradients by the name of the parameter or input; None where none arrived."""
    exercise = session().exercise
    named = {name: record.grads.get(name) for name in exercise.parameters or {}}
    return named | dict(zip(exercise.inputs, record.input_grads, strict=False))


def _difference(name: str, got: Tensor | None, want: Tensor | None, allowed: float) -> Difference | None:
    if got is None or want is None:
        if got is want:
            return None
        said = f"no gradient reaches `{name}`" if got is None else f"`{name}` has a gradient and should be frozen"
        return Difference((said,))
    exercise = session().exercise
    axes = ((exercise.parameters or {}) | exercise.inputs)[name]
    difference = tensor_difference(got, want, axes, allowed)
    return difference and Difference((f"the gradient of `{name}` is wrong", *difference.lines), difference.ratio)


def _alike(record: Record, other: Record, right: Record, allowed: float) -> Alike:
    """How far a misconception is from the learner in output and gradients together."""
    far = same_if(distance(record.output, other.output) <= allowed * 10)
    theirs, rights = _gradients(other), _gradients(right)
    for name, got in _gradients(record).items():
        if got is None or theirs[name] is None or rights[name] is None:
            far = max(far, same_if((got is None) == (theirs[name] is None)))
        else:
            far = max(far, same_output(got, theirs[name], rights[name], allowed))
    return far
