"""Whether a record can be the answer to its question: a far side may forge it, so no check reads it before."""

from typing import Any

from torch import Tensor

from utils.running.fields import content_of, misfit
from utils.running.kinds import Kind, kind_of
from utils.running.records import Question, Record

_SEEN = ("outputs", "inputs_after", "grads", "input_grads", "parameters")  # an error comes without any of these


def validated(record: Any, question: Question) -> Record:
    """The record, if its counts, names, types and shapes are those of an answer to the question.

    Raises ValueError saying what does not fit.
    """
    if type(record) is not Record:
        raise ValueError(f"the answer is a {type(record).__name__}, not a Record")
    wrong = misfit(Record, content_of(record)) or _unasked(record, question, kind_of(question))
    if wrong:
        raise ValueError(f"the answer does not fit its question: {wrong}")
    return record


def _unasked(record: Record, question: Question, kind: Kind) -> str | None:
    """What in a record of the right types was not asked for, or is missing."""
    if record.error:
        return next((f"{name} beside an error" for name in _SEEN if getattr(record, name)), None)
    n_outputs = kind.n_outputs(question)
    if len(record.outputs) != n_outputs:
        return f"it has {len(record.outputs)} of {n_outputs} outputs"
    misfit_of_its_kind = kind.misfit(record, question)
    if misfit_of_its_kind:
        return misfit_of_its_kind
    inputs = kind.inputs(question)
    if len(record.inputs_after) != len(inputs):
        return f"it has {len(record.inputs_after)} of {len(inputs)} inputs_after"
    weights = kind.weights(question)
    return _wrong_gradients(record, question, inputs, weights) or _wrong_parameters(record, kind, inputs, weights)


def _wrong_gradients(
    record: Record, question: Question, inputs: tuple, weights: dict[str, Tensor] | None
) -> str | None:
    asked = question.options.get("cotangent") is not None
    if len(record.input_grads) != len(inputs) * asked:
        return f"it has {len(record.input_grads)} of {len(inputs) * asked} input_grads"
    for index, (gradient, value) in enumerate(zip(record.input_grads, inputs, strict=False)):
        if gradient is not None and not (_alike(gradient, value) and gradient.dtype == value.dtype):
            return f"input_grads[{index}] is {_form(gradient)}, the input is {_form(value)}"
    trained = (weights or {}) if asked else {}
    return _other_names("grads", record.grads, trained) or _other_shapes("grads", record.grads, trained)


def _wrong_parameters(record: Record, kind: Kind, inputs: tuple, weights: dict[str, Tensor] | None) -> str | None:
    """Parameters come from a component that keeps its initial ones, or that is only made, and then all have a place."""
    if weights is None:
        return None
    if inputs and record.parameters:
        return "parameters, which were not asked for"
    known = {name: value for name, value in record.parameters.items() if name in weights}
    unknown = sorted(name for name in record.parameters if name not in weights and not kind.may_have_more(name))
    if unknown:
        return f"parameters has {', '.join(unknown)[:200]}, which the question has not"
    return _other_shapes("parameters", {**known}, weights)


def _other_names(field: str, got: dict[str, Any], weights: dict[str, Tensor]) -> str | None:
    if got.keys() == weights.keys():
        return None
    missing, unknown = ", ".join(sorted(weights.keys() - got.keys())), ", ".join(sorted(got.keys() - weights.keys()))
    return f"{field} lacks {missing or 'nothing'} and has {unknown[:200] or 'nothing'} too many"


def _other_shapes(field: str, got: dict[str, Tensor | None], weights: dict[str, Tensor]) -> str | None:
    wrong = (name for name, value in got.items() if value is not None and not _alike(value, weights[name]))
    return next(
        (f"{field}[{name!r}] is {_form(got[name])}, the weight is {_form(weights[name])}" for name in wrong), None
    )


def _alike(got: Tensor, value: Any) -> bool:
    return isinstance(value, Tensor) and got.shape == value.shape


def _form(value: Any) -> str:
    if not isinstance(value, Tensor):
        return f"of type {type(value).__name__}"
    return f"a tensor {list(value.shape)} of {str(value.dtype).removeprefix('torch.')}"
