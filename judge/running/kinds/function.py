"""A function of its inputs alone."""

import inspect
from typing import Any

from torch import nn

from judge.running.calling import OWN_OPTIONS, Code, Observed, called
from judge.running.kinds.kind import Kind
from judge.running.records import Question


class Function(Kind):
    """The question's arguments are the inputs; its other options are keyword arguments of the function's own."""

    name = "function"
    call = "{}({})"
    is_function = True

    def drive(self, f: Code, *inputs: Any, **options: Any) -> Observed:
        """Call f on the inputs, as `called` says."""
        return called(f, *inputs, **options)

    def keywords(self, question: Question) -> list[str]:
        return sorted(question.options.keys() - OWN_OPTIONS)

    def unfit(self, solution: Any) -> str | None:
        if not isinstance(solution, type):
            return None
        if issubclass(solution, nn.Module):
            return "is an nn.Module, so parameters= is needed; write {} if it has none."
        return "is a class, but no nn.Module: name its driver, such as drive='methods'."

    def parameters_of(self, solution: Any) -> list[str] | None:
        return list(inspect.signature(solution).parameters)
