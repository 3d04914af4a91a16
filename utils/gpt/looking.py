"""Kinds that look at what a call does besides its answer: how much it computes, and what it leaves of its model."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from torch import Tensor

from judge.running.calling import Observed, called
from judge.running.kinds.kind import Kind
from judge.running.records import Question, Record
from judge.running.values import same
from utils.config import Config
from utils.gpt.kinds import gpt_with
from utils.gpt.model import TableModel

LEFT = {"changed", "mode", "frozen"}


class WorkOf(Kind):
    """As `with_gpt`, but the output is the floating-point operations in the call's products of matrices."""

    name = "work_of"
    call = "{}(model, {})"
    library = "torch"
    n_settings = 2
    is_value = False

    def drive(self, f: Callable, cfg: Config, weights: dict[str, Tensor], *inputs: Any, **settings: Any) -> Observed:
        """Call f(model, *inputs, **settings), and count."""
        from judge.running.operations import CountedOperations  # here, since only this kind needs it

        # else the counter follows gradients, which nobody asks for
        model = gpt_with(cfg, weights).requires_grad_(False)
        with CountedOperations() as counted:
            seen = called(functools.partial(f, model), *inputs, **settings)
        return dataclasses.replace(seen, outputs=[float(counted.total)])

    def varies(self, question: Question) -> bool:
        """There are many ways to compute the same."""
        return True

    def misfit(self, record: Record, question: Question) -> str | None:
        is_amount = type(record.output) is float and record.output >= 0
        return None if is_amount else "its output is no number of operations"


class ModelAfter(Kind):
    """As `with_model` or `with_gpt`, but the output is what the call left of the model."""

    name = "model_after"
    call = "{}(model, {})"
    library = "torch"
    n_settings = 2
    is_value = False

    def drive(
        self, f: Callable, made_of: Tensor | Config, more: Any, *inputs: Any, training: bool = False, **settings: Any
    ) -> Observed:
        """Call f(model, *inputs, **settings), and look at the model, which it got after `eval()`, or in training mode.

        The output says whether any part of it is in another mode than before, the names of those of its values that are
        not what they were, and whether weights can't be trained any more.
        """
        model = TableModel(made_of, more) if isinstance(made_of, Tensor) else gpt_with(made_of, more)
        model.train(training)
        before = {name: value.clone() for name, value in model.state_dict().items()}
        trained = [weight for weight in model.parameters() if weight.requires_grad]
        seen = called(functools.partial(f, model), *inputs, **settings)
        left = {
            "changed": _changed(before, model.state_dict()),
            "mode": any(module.training != training for module in model.modules()),
            "frozen": not all(weight.requires_grad for weight in trained),
        }
        return dataclasses.replace(seen, outputs=[left])

    def misfit(self, record: Record, question: Question) -> str | None:
        return None if _says_what_was_left(record.output) else "its output does not say what was left of the model"


def _changed(before: dict[str, Tensor], after: dict[str, Tensor]) -> list[str]:
    return [name for name, value in before.items() if name not in after or not same(after[name], value)]


def _says_what_was_left(output: Any) -> bool:
    if type(output) is not dict or output.keys() != LEFT:
        return False
    names = output["changed"]
    others = [value for key, value in output.items() if key != "changed"]
    are_names = type(names) is list and all(type(name) is str for name in names)
    return are_names and all(type(one) is bool for one in others)
