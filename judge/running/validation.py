"""Whether a record can be the answer to its question: a far side may forge it, so no check reads it before."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from judge.running.kinds import Kind, kind_of
from judge.running.on_demand import Tensor
from judge.running.plain import MAX_NAME
from judge.running.records import Arguments, Question, Record, Weights, content_of, misfit

SEEN = ("outputs", "inputs_after", "grads", "input_grads", "parameters")  # an error comes without any of these


def validated(record: Any, question: Question) -> Record:
    """The record, if its counts, names, types and shapes are those of an answer to the question.

    Raises ValueError saying what does not fit.
    """
    if type(record) is not Record:
        raise ValueError(f"the answer is a {type(record).__name__}, not a Record")
    wrong = misfit(Record, content_of(record))
    wrong = wrong or _unasked(record, question)
    if wrong:
        raise ValueError(f"the answer does not fit its question: {wrong}")
    return record


def _unasked(record: Record, question: Question) -> str | None:
    """What in a record of the right types was not asked for, or is missing."""
    if record.error:
        return _beside_an_error(record)
    kind = kind_of(question)
    outputs = _wrong_count("outputs", record.outputs, kind.n_outputs(question))
    if outputs:
        return outputs
    inputs = kind.inputs(question)
    weights = kind.weights(question)
    return (
        kind.misfit(record, question)
        or _wrong_count("inputs_after", record.inputs_after, len(inputs))
        or _wrong_gradients(record, question, inputs, weights or {})
        or _wrong_parameters(record, kind, inputs, weights)
    )


def _beside_an_error(record: Record) -> str | None:
    there = [name for name in SEEN if getattr(record, name)]
    return f"{there[0]} beside an error" if there else None


def _wrong_count(name: str, values: Sequence[Any], due: int) -> str | None:
    if len(values) == due:
        return None
    return f"it has {len(values)} of {due} {name}"


def _wrong_gradients(record: Record, question: Question, inputs: Arguments, weights: Weights) -> str | None:
    if question.options.get("cotangent") is None:
        inputs, weights = (), {}
    return (
        _wrong_count("input_grads", record.input_grads, len(inputs))
        or _wrong_input_grads(record, inputs)
        or _other_names(record.grads, weights)
        or _other_shapes("grads", record.grads, weights)
    )


def _wrong_input_grads(record: Record, inputs: Arguments) -> str | None:
    for index, gradient in enumerate(record.input_grads):
        value = inputs[index]
        if gradient is None or _is_gradient_of(gradient, value):
            continue
        return f"input_grads[{index}] is {_form(gradient)}, the input is {_form(value)}"
    return None


def _wrong_parameters(record: Record, kind: Kind, inputs: Arguments, weights: Weights | None) -> str | None:
    """Parameters come from a component that keeps its initial ones, or that is only made, and then all have a place."""
    if weights is None:
        return None
    if inputs and record.parameters:
        return "parameters, which were not asked for"
    others = record.parameters.keys() - weights.keys()
    unknown = [name for name in others if not kind.may_have_more(name)]
    if unknown:
        return f"parameters has {_listed(unknown)}, which the question has not"
    known = {name: record.parameters[name] for name in record.parameters.keys() - others}
    return _other_shapes("parameters", known, weights)


def _other_names(gradients: Mapping[str, Any], weights: Weights) -> str | None:
    missing = weights.keys() - gradients.keys()
    unknown = gradients.keys() - weights.keys()
    if not missing and not unknown:
        return None
    return f"grads lacks {_listed(missing)} and has {_listed(unknown)} too many"


def _other_shapes(field: str, got: Mapping[str, Tensor | None], weights: Weights) -> str | None:
    for name, value in got.items():
        if value is None or value.shape == weights[name].shape:
            continue
        return f"{field}[{name!r}] is {_form(value)}, the weight is {_form(weights[name])}"
    return None


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))[:MAX_NAME] or "nothing"


def _is_gradient_of(gradient: Tensor, value: Any) -> bool:
    if not isinstance(value, Tensor):
        return False
    return gradient.shape == value.shape and gradient.dtype == value.dtype


def _form(value: Any) -> str:
    if not isinstance(value, Tensor):
        return f"of type {type(value).__name__}"
    dtype = str(value.dtype).removeprefix("torch.")
    return f"a tensor {list(value.shape)} of {dtype}"
