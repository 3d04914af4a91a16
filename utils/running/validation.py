"""Whether a record can be the answer to its question: a far side may forge it, so no check reads it before."""

from typing import Any

from torch import Tensor

from utils.running.fields import content_of, misfit
from utils.running.records import Question, Record

_SEEN = ("outputs", "inputs_after", "grads", "input_grads", "parameters")  # an error comes without any of these


def validated(record: Any, question: Question, n_inputs: int | None) -> Record:
    """The record, if its counts, names, types and shapes are those of an answer to the question.

    `n_inputs` is the number of the question's last arguments that the learner's code is called on, None where the
    driver reports no inputs. Raises ValueError saying what does not fit.
    """
    if type(record) is not Record:
        raise ValueError(f"the answer is a {type(record).__name__}, not a Record")
    if wrong := misfit(Record, content_of(record)) or _unasked(record, question, n_inputs):
        raise ValueError(f"the answer does not fit its question: {wrong}")
    return record


def _unasked(record: Record, question: Question, n_inputs: int | None) -> str | None:
    """What in a record of the right types was not asked for, or is missing."""
    if record.error:
        return next((f"{name} beside an error" for name in _SEEN if getattr(record, name)), None)
    outputs = question.options.get("times", 1) if n_inputs is not None else 1
    if len(record.outputs) != outputs:
        return f"it has {len(record.outputs)} of {outputs} outputs"
    if question.drive == "work_of" and not (type(record.output) is float and record.output >= 0):
        return "its output is no number of operations"
    if question.drive == "model_after" and not _says_what_was_left(record.output):
        return "its output does not say what was left of the model"
    inputs = question.args[len(question.args) - (n_inputs or 0) :]
    if len(record.inputs_after) != len(inputs):
        return f"it has {len(record.inputs_after)} of {len(inputs)} inputs_after"
    return _wrong_gradients(record, question, inputs) or _wrong_parameters(record, question, inputs)


def _says_what_was_left(output: Any) -> bool:
    if type(output) is not dict or output.keys() != {"changed", "training", "frozen", "without_gradients"}:
        return False
    names, others = output["changed"], [value for key, value in output.items() if key != "changed"]
    return type(names) is list and all(type(name) is str for name in names) and all(type(one) is bool for one in others)


def _wrong_gradients(record: Record, question: Question, inputs: tuple) -> str | None:
    asked = question.options.get("cotangent") is not None
    if len(record.input_grads) != len(inputs) * asked:
        return f"it has {len(record.input_grads)} of {len(inputs) * asked} input_grads"
    for index, (gradient, value) in enumerate(zip(record.input_grads, inputs, strict=True) if asked else ()):
        if gradient is not None and not (_alike(gradient, value) and gradient.dtype == value.dtype):
            return f"input_grads[{index}] is {_form(gradient)}, the input is {_form(value)}"
    weights = (_weights(question) or {}) if asked else {}
    return _other_names("grads", record.grads, weights) or _other_shapes("grads", record.grads, weights)


def _wrong_parameters(record: Record, question: Question, inputs: tuple) -> str | None:
    """Parameters come from a component that keeps its initial ones, or that is only made, and then all have a place."""
    weights = _weights(question)
    if weights is None:
        return None
    if inputs and record.parameters:
        return "parameters, which were not asked for"
    known = {name: value for name, value in record.parameters.items() if name in weights}
    unknown = ", ".join(sorted(record.parameters.keys() - known.keys()))
    if unknown and question.drive != "stream":  # a stream may have parameters of its own, though it should not
        return f"parameters has {unknown[:200]}, which the question has not"
    return _other_shapes("parameters", {**known}, weights)


def _weights(question: Question) -> dict[str, Tensor] | None:
    """The weights that a question hands over, by the names of the parameters; None if initial ones are kept."""
    if question.drive == "component":
        return question.args[1]
    if question.drive == "stream":
        return {f"layers.{index}.weight": matrix for index, matrix in enumerate(question.args[0])}
    return {}


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
