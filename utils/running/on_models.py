"""The drivers of what works with a language model, which is made here, on the learner's side."""

import dataclasses
import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from utils.config import Config
from utils.running.calling import Observed, function
from utils.running.gpt import GPT
from utils.running.models import TableModel
from utils.running.parameters import load_weights
from utils.running.values import copied, same


def with_model(f: Callable, table: Tensor, n_ctx: int, *inputs: Any, **options: Any) -> Observed:
    """Call f(model, *inputs, **settings), where the model's logits are read off a table (see `TableModel`)."""
    return function(functools.partial(f, TableModel(table, n_ctx)), *inputs, **options)


def with_gpt(f: Callable, cfg: Config, weights: dict[str, Tensor], *inputs: Any, **options: Any) -> Observed:
    """Call f(model, *inputs, **settings), where the model is a GPT-2 with these weights (see `GPT`)."""
    return function(functools.partial(f, _gpt(cfg, weights)), *inputs, **options)


def work_of(f: Callable, cfg: Config, weights: dict[str, Tensor], *inputs: Any, **settings: Any) -> Observed:
    """As `with_gpt`, but the output is the work: the floating-point operations in the call's products of matrices."""
    from torch.utils.flop_counter import FlopCounterMode, sdpa_flop_count  # here, since only this driver needs it

    def product(one: list[int], other: list[int], *_: Any, **__: Any) -> int:
        return 2 * torch.Size(one).numel()  # of a matrix, or a vector, and a vector

    def attention(query: list[int], key: list[int], value: list[int], *_: Any, **__: Any) -> int:
        return sdpa_flop_count(query, key, value)

    aten = torch.ops.aten
    also = {aten.mv: product, aten.dot: product, aten._scaled_dot_product_flash_attention_for_cpu: attention}
    model = _gpt(cfg, weights).requires_grad_(False)  # else the counter follows gradients, which nobody asks for
    with FlopCounterMode(display=False, custom_mapping=also) as counted:
        seen = function(functools.partial(f, model), *inputs, **settings)
    return dataclasses.replace(seen, outputs=[float(counted.get_total_flops())])


def model_after(f: Callable, made_of: Tensor | Config, more: Any, *inputs: Any, **settings: Any) -> Observed:
    """As `with_model` or `with_gpt`, but the output is what the call left of the model, which it got after `eval()`.

    That is whether it is in training mode, the names of those of its values that are not what they were, whether
    weights can't be trained any more, and whether gradients are switched off for what comes next.
    """
    model = (TableModel(made_of, more) if isinstance(made_of, Tensor) else _gpt(made_of, more)).eval()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    trained = [weight for weight in model.parameters() if weight.requires_grad]
    seen = function(functools.partial(f, model), *inputs, **settings)
    after = model.state_dict()
    changed = [name for name, value in before.items() if name not in after or not same(after[name], value)]
    left = {
        "changed": changed,
        "training": any(module.training for module in model.modules()),
        "frozen": not all(weight.requires_grad for weight in trained),
        "without_gradients": not torch.is_grad_enabled(),
    }
    return dataclasses.replace(seen, outputs=[left])


def training(train: Callable, table: Tensor, n_ctx: int, data: Tensor, args: dict[str, Any]) -> Observed:
    """Call train(model, data, args) on a `TableModel`; the output holds what it returns and the trained table."""
    model = TableModel(table, n_ctx)
    returned = train(model, data.clone(), SimpleNamespace(**copied(args)))
    return Observed([{"returned": returned, "table": model.table.detach()}])


def _gpt(cfg: Config, weights: dict[str, Tensor]) -> GPT:
    model = GPT(dataclasses.replace(cfg))
    load_weights(model, weights)
    return model
