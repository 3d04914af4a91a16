"""The course's kinds of exercise: each works with a language model, which is made on the learner's side."""

import dataclasses
import functools
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from judge.running.kinds.function import JaxArrays
from judge.running.kinds.kind import OWN_OPTIONS, Call, CannotDrive, Code, Kind, Observed, called
from judge.running.kinds.modules import TAKES, Component, are_settings_and_weights
from judge.running.on_demand import Module
from judge.running.parameters import load_weights
from judge.running.records import Question, Record, Weights
from judge.running.values import copied, same
from utils.config import Config
from utils.gpt.model import GPT, Attention, TableModel
from utils.gpt.trees import gpt_params

OF_THE_MODEL = {"training", "in_eval", "asked_again"}  # options of `with_gpt` that are not the function's own


class WithModel(Kind):
    """The question's arguments are the table that the model's logits are read off (see `TableModel`), n_ctx, inputs."""

    name = "with_model"
    call = "{}(model, {})"
    library = "torch"
    n_settings = 2
    is_function = True
    model_after = "model_after"

    def drive(self, f: Callable, table: Tensor, n_ctx: int, *inputs: Any, **options: Any) -> Observed:
        """Call f(model, *inputs, **settings)."""
        return called(functools.partial(f, TableModel(table, n_ctx)), *inputs, **options)


class WithGPT(Kind):
    """The question's arguments are a Config, the weights of a GPT-2 (see `GPT`), and the inputs."""

    name = "with_gpt"
    call = "{}(model, {})"
    library = "torch"
    n_settings = 2
    is_function = True
    work = "work_of"
    model_after = "model_after"

    def drive(
        self,
        f: Callable,
        cfg: Config,
        weights: dict[str, Tensor],
        *inputs: Any,
        training: bool = True,
        in_eval: float = 1.0,
        asked_again: float = 1.0,
        **options: Any,
    ) -> Observed:
        """Call f(model, *inputs, **settings); with a cotangent, the gradients of the weights are reported.

        The model is handed over in training mode, or after `eval()`. In that mode its logits are `in_eval` times as
        large: so an answer shows in which mode it was computed, as it does of a model with dropout. From its second
        call on they are `asked_again` times as large, which shows whether an answer was made of more calls than one.
        """
        model = gpt_with(cfg, weights).train(training)
        if in_eval != 1:
            model.register_forward_hook(functools.partial(_times_in_eval, in_eval))
        if asked_again != 1:
            model.register_forward_hook(_TimesAskedAgain(asked_again))
        parameters = dict(model.named_parameters())
        trained = {name: parameters[name] for name in weights}
        return called(functools.partial(f, model), *inputs, trained=trained, **options)

    def weights(self, question: Question) -> dict[str, Tensor]:
        return question.args[1]

    def calls(self, question: Question) -> list[Call]:
        options = {name: value for name, value in question.options.items() if name not in OF_THE_MODEL}
        return super().calls(dataclasses.replace(question, options=options))

    def misgiven(self, arguments: tuple) -> str | None:
        return None if are_settings_and_weights(arguments) else TAKES


class WithAttention(Kind):
    """The question's arguments are a Config, the weights of one attention layer (see `Attention`), and the inputs."""

    name = "with_attention"
    call = "{}(attn, {})"
    library = "torch"
    n_settings = 2
    is_function = True

    def drive(self, f: Callable, cfg: Config, weights: dict[str, Tensor], *inputs: Any, **options: Any) -> Observed:
        """Call f(attn, *inputs, **settings)."""
        attn = Attention(dataclasses.replace(cfg))
        load_weights(attn, weights)
        return called(functools.partial(f, attn), *inputs, **options)

    def misgiven(self, arguments: tuple) -> str | None:
        return None if are_settings_and_weights(arguments) else TAKES


OF_A_CACHE = "project", "attend"  # the methods that a layer with a cache has


class WithCache(Component):
    """A component that has `project` and `attend` too, so that a cache can keep what it projects.

    `project(x, positions)` makes queries, keys and values, [batch pos ...]; `attend(q, k, v)` writes at the positions
    of the queries, which are the last of the keys'.
    """

    name = "with_cache"

    def drive(
        self,
        make: Code,
        cfg: Any,
        weights: Weights | None,
        *inputs: Any,
        cuts: Sequence[int] = (),
        skip: int = 0,
        shapes: bool = False,
        **options: Any,
    ) -> Observed:
        """As a component, whose forward is called; with `cuts` the input is cut before these positions.

        Then, as in chapter 8, each part is projected at its own positions and attends to all keys and values so far,
        which are kept; the output is what is written at all positions. Between two parts `skip` positions are left
        out, as where a cache has dropped them. With `shapes` it is the shapes of what `project` gives.
        """
        if cuts or shapes:
            use = _shapes_of if shapes else functools.partial(_part_by_part, cuts, skip)
            make = functools.partial(_used_by, use, make)
        return super().drive(make, cfg, weights, *inputs, **options)


def _used_by(use: Callable, make: Code, cfg: Any) -> Any:
    """The module, whose call is `use` of it."""
    module = make(cfg)
    if not isinstance(module, Module):
        return module
    missing = [name for name in OF_A_CACHE if not hasattr(module, name)]
    if missing:
        raise CannotDrive(
            f"It has no method `{missing[0]}`, which writing with a cache calls: keep the methods of the stub."
        )
    module.forward = functools.partial(use, module)
    return module


def _projected(module: Any, x: Tensor, positions: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """What `project` gives, which has to be three tensors."""
    made = module.project(x, positions)
    if isinstance(made, tuple | list) and len(made) == 3 and all(isinstance(one, Tensor) for one in made):
        return made[0], made[1], made[2]
    raise CannotDrive("`project` has to give three tensors: the queries, the keys and the values.")


def _part_by_part(cuts: Sequence[int], skip: int, module: Any, x: Tensor) -> Tensor:
    """What is written at all positions, where the cache grows by one part after the other."""
    written, start = [], 0
    keys = values = None
    for part in x.tensor_split(list(cuts), dim=1):
        positions = torch.arange(start, start + part.shape[1])
        q, k, v = _projected(module, part, positions)
        keys = k if keys is None else torch.cat([keys, k], dim=1)
        values = v if values is None else torch.cat([values, v], dim=1)
        written.append(module.attend(q, keys, values))
        start += part.shape[1] + skip
    return torch.cat(written, dim=1)


def _shapes_of(module: Any, x: Tensor) -> dict[str, list[int]]:
    """The shapes of what is projected, which tell how many numbers a cache keeps."""
    q, k, v = _projected(module, x, torch.arange(x.shape[1]))
    return {"queries": list(q.shape), "keys": list(k.shape), "values": list(v.shape)}


class Training(Kind):
    """The question's arguments are the table of a `TableModel`, n_ctx, the data, and what `args` holds."""

    name = "training"
    call = "{}(model, data, args)"
    library = "torch"
    has_inputs = False
    names_inputs = False

    def drive(self, train: Callable, table: Tensor, n_ctx: int, data: Tensor, args: dict[str, Any]) -> Observed:
        """Call train(model, data, args); the output holds what it returns and the trained table."""
        model = TableModel(table, n_ctx)
        returned = train(model, data.clone(), SimpleNamespace(**copied(args)))
        return Observed([{"returned": returned, "table": model.table.detach()}])


class TrainStep(Kind):
    """The question's arguments are the table of a `TableModel`, n_ctx, the batches, and a learning rate."""

    name = "train_step"
    call = "{}(model, optimiser, batch)"
    library = "torch"
    has_inputs = False
    names_inputs = False

    def drive(self, train_step: Callable, table: Tensor, n_ctx: int, batches: list[Tensor], lr: float) -> Observed:
        """Call train_step(model, optimiser, batch) on each batch in turn, with one optimiser, plain gradient descent.

        The output holds what each call returns, and the table after it.
        """
        model = TableModel(table, n_ctx)
        optimiser = torch.optim.SGD(model.parameters(), lr)
        steps = []
        for batch in batches:
            returned = train_step(model, optimiser, batch.clone())
            steps.append({"returned": copied(returned), "table": model.table.detach().clone()})
        return Observed([steps])


def _times_in_eval(in_eval: float, model: GPT, _: Any, logits: Tensor) -> Tensor:
    return logits if model.training else in_eval * logits


class _TimesAskedAgain:
    """A hook that makes the logits of every call but the first so many times as large."""

    def __init__(self, times: float):
        self.times, self.next = times, 1.0

    def __call__(self, model: GPT, _: Any, logits: Tensor) -> Tensor:
        factor, self.next = self.next, self.times
        return factor * logits


def gpt_with(cfg: Config, weights: dict[str, Tensor]) -> GPT:
    """A GPT-2 with these weights."""
    model = GPT(dataclasses.replace(cfg))
    load_weights(model, weights)
    return model


N_HEADS = 2  # the place of the number of heads among the inputs: a shape depends on it, so it is no traced number
PLAIN, COMPILED = "{}({})", "jax.jit({}, static_argnums=2)({})"
# What is compiled for a question runs once or twice: to optimise it takes ten times as long as to run it.
UNOPTIMISED = {"xla_backend_optimization_level": 0}


class JaxGPT(JaxArrays):
    """The question's arguments are the tokens, the parameters as dicts of tensors (see `gpt_params`), and n_heads."""

    name = "jax_gpt"
    call = PLAIN

    def drive(self, f: Code, *inputs: Any, jitted: bool = False, **options: Any) -> Observed:
        """Call f(input_ids, params, n_heads), compiled by `jax.jit` where the question says so."""
        import jax  # which a course of other libraries need not have

        whole = jax.jit(f, static_argnums=N_HEADS, compiler_options=UNOPTIMISED) if jitted else f
        return super().drive(whole, *inputs, **options)

    def arrays(self, nest: Any) -> Any:
        """JAX arrays, and NamedTuples for the dicts: nobody can change these in place."""
        tokens, tree, n_heads = super().arrays(nest)
        return [tokens, gpt_params(tree), n_heads]

    def calls(self, question: Question) -> list[Call]:
        options = {name: value for name, value in question.options.items() if name not in {*OWN_OPTIONS, "jitted"}}
        return [Call(COMPILED if question.options.get("jitted") else PLAIN, self.handed(question), options)]


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
        after = model.state_dict()
        left = {
            "changed": [name for name, value in before.items() if name not in after or not same(after[name], value)],
            "mode": any(module.training != training for module in model.modules()),
            "frozen": not all(weight.requires_grad for weight in trained),
        }
        return dataclasses.replace(seen, outputs=[left])

    def misfit(self, record: Record, question: Question) -> str | None:
        return None if _says_what_was_left(record.output) else "its output does not say what was left of the model"


def _says_what_was_left(output: Any) -> bool:
    if type(output) is not dict or output.keys() != LEFT:
        return False
    names = output["changed"]
    others = [value for key, value in output.items() if key != "changed"]
    are_names = type(names) is list and all(type(name) is str for name in names)
    return are_names and all(type(one) is bool for one in others)


OF_MODELS = (
    *(WithModel(), WithGPT(), WithAttention(), WithCache(), WorkOf(), ModelAfter(), Training(), TrainStep()),
    JaxGPT(),
)
