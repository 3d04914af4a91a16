"""The check that gradients flow back as they do in the reference solution."""

from typing import Any

from torch import Tensor

from utils.checking.checks.outputs import same_output
from utils.checking.diagnosis.explaining import Distance, mismatch
from utils.checking.measuring import absolute_tolerance, distance, error_over_tolerance, largest
from utils.checking.randomness import random_tensor
from utils.checking.session import session
from utils.checking.tensors import number_difference
from utils.checking.trial import Trial, check, trial_of
from utils.checking.wording import Difference
from utils.running.records import Record

NOTHING = 1e-5  # of the largest gradient of all: one as small as this says that the parameter changes no output
CUT = (
    "Something cuts the graph: detach(), .data, .item(), torch.no_grad(), requires_grad=False "
    "or a copy made with torch.tensor."
)
PARTLY_CUT = (
    "The values are right, so something on the way is left out of the gradient: look for detach(), .data, .item(), "
    "torch.no_grad() or a copy made with torch.tensor."
)


@check
def check_gradients(
    component: Any, *arguments: Any, tolerance: float = 1e-4, cotangent: Tensor | None = None, **options: Any
) -> None:
    """The gradients of every parameter and every float input are the reference solution's, for a random cotangent.

    A parameter that changes no output, such as `b_K`, may be left out.
    """
    plain = trial_of(arguments, options)
    if cotangent is None:
        cotangent = random_tensor(*(size for _, size in plain.output_sizes))
    trial = plain.also(cotangent=cotangent)
    record, right = trial.run(component), trial.right()
    wanted = _gradients(right, trial)
    nothing = NOTHING * largest(wanted)
    for name, got in _gradients(record, trial).items():
        difference = _difference(name, got, wanted[name], tolerance, nothing, trial)
        if difference:
            raise mismatch(
                component,
                trial.question,
                record,
                difference,
                lambda other: _apart(record, other, right, trial, tolerance),
                advice=CUT if got is None else _partly_cut(record, right, tolerance),
            )
        if got is not None and wanted[name] is not None:
            error = distance(got, wanted[name])
            session().close_call(error_over_tolerance(error, absolute_tolerance(tolerance, wanted[name])))


def _partly_cut(record: Record, right: Record, tolerance: float) -> str | None:
    """What a wrong gradient says where the values are right."""
    got, want = session().view(record.output), session().exercise.view(right.output)
    return PARTLY_CUT if distance(got, want) <= absolute_tolerance(tolerance, want) else None


def _gradients(record: Record, trial: Trial) -> dict[str, Tensor | None]:
    """Gradients by the name of the parameter or input; None where none arrived."""
    named: dict[str, Tensor | None] = {name: record.grads.get(name) for name in _parameter_axes(trial)}
    return named | dict(zip(session().exercise.inputs, record.input_grads, strict=False))


def _parameter_axes(trial: Trial) -> dict[str, str]:
    return session().exercise.axes(trial.made_of)


def _difference(
    name: str, got: Tensor | None, want: Tensor | None, tolerance: float, nothing: float, trial: Trial
) -> Difference | None:
    if want is None:
        return None if got is None or largest(got) <= nothing else _line(f"`{name}` should be frozen")
    if got is None:
        return None if largest(want) <= nothing else _line(f"no gradient reaches `{name}`")
    if got.shape != want.shape:
        return _line(f"the gradient of `{name}` has shape {list(got.shape)}, expected {list(want.shape)}")
    axes = (_parameter_axes(trial) | session().exercise.inputs)[name].split()
    difference = number_difference(got, want, axes, tolerance)
    return difference and difference.under(f"the gradient of `{name}` is wrong")


def _line(text: str) -> Difference:
    return Difference((text,))


def _apart(record: Record, other: Record, right: Record, trial: Trial, tolerance: float) -> Distance:
    """How far a misconception is from the learner in output and gradients together."""
    view = session().exercise.view
    answer = view(record.output)
    same = distance(answer, view(other.output)) <= absolute_tolerance(tolerance * 10, answer)
    far = 0.0 if same else float("inf")
    theirs, rights = _gradients(other, trial), _gradients(right, trial)
    for name, got in _gradients(record, trial).items():
        if got is None or theirs[name] is None or rights[name] is None:
            far = max(far, 0.0 if (got is None) == (theirs[name] is None) else float("inf"))
        else:
            far = max(far, same_output(got, theirs[name], tolerance, rights[name]))
    return far
