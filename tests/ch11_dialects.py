"""Chapter 11: what GPT-2 must do in NumPy, as fused attention in PyTorch, and in JAX."""

import functools
import math
import sys
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from judge.checking import (
    Exercise,
    WorkedExample,
    check_agrees,
    check_alone,
    check_causal,
    check_form,
    check_gradients,
    check_inputs_unchanged,
    check_repeatable,
    check_shape,
    check_value,
    line,
    random_tensor,
    random_tokens,
)
from judge.checking.asking import ask_own
from judge.checking.checks.parameters import check_names_and_shapes
from judge.checking.oracle import solution_of
from judge.running.records import Array, Question, Record
from judge.running.values import mapped
from utils.config import Config
from utils.dialects import dict_tree, fused_attention, named_tree
from utils.gpt import SMALL
from utils.reference import reference

# GPT-2 has d_head = d_model / n_heads, and these trees know no other; no two sizes are equal
SIZES = Config(d_model=15, d_vocab=19, n_ctx=13, d_head=5, d_mlp=22, n_heads=3, n_layers=2)
WIDE = replace(SIZES, d_model=12, d_head=6, n_heads=2, d_mlp=31, n_layers=3, d_vocab=14)
FAR = 300  # positions, more than the reference model's n_ctx: a window of 256 shows
ATTENTION = ("W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O")


class Fused(nn.Module):
    """What `CausalSelfAttention` is given: its two layers, which a misconception's `forward` calls."""

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        inner = cfg.n_heads * cfg.d_head
        self.c_attn = nn.Linear(cfg.d_model, 3 * inner)
        self.c_proj = nn.Linear(inner, cfg.d_model)


def in_float32(answer: Any) -> Any:
    """An array of float64 as one of float32: NumPy computes in float64 where nobody says otherwise."""
    is_double = isinstance(answer, Array) and answer.tensor.dtype == torch.float64
    return Array(answer.tensor.float(), answer.of) if is_double else answer


def by_numpy(component: Any, question: Question) -> Record:
    """What code of the course's own in JAX answers: by NumPy where it is written in both, for NumPy compiles nothing.

    Where NumPy raises, JAX is asked itself: to it no index is too large.
    """
    beside = in_numpy(component)
    if beside and question.drive == jax_gpt.drive:
        record = ask_own(beside, as_asked_in_numpy(question))
        if not record.error:
            return replace(record, outputs=[Array(answer.tensor.float(), "JAX") for answer in record.outputs])
    return ask_own(component, question)


def in_numpy(component: Any) -> Any:
    """For the solution in JAX that in NumPy, for a misconception the same change of that; None where there is none."""
    if component is getattr(sys.modules.get(jax_gpt.solution), jax_gpt.symbol, None):
        return solution_of(numpy_gpt)
    make = getattr(component, "in_numpy", None)
    return make and make()


@functools.lru_cache(maxsize=256)
def as_asked_in_numpy(question: Question) -> Question:
    """The same question to a function in NumPy."""
    options = {name: value for name, value in question.options.items() if name != "jitted"}
    if "before" in options:
        options["before"] = [_arguments_in_numpy(*earlier) for earlier in options["before"]]
    return Question(numpy_gpt.drive, _arguments_in_numpy(*question.args), options, question.seed)


def _arguments_in_numpy(tokens: Tensor, tree: dict[str, Any], n_heads: int) -> tuple[Any, ...]:
    """The arguments with picoGPT's tree in the place of that of `GPTParams`, in float64: what is due is not rounded."""
    tree = mapped(tree, torch.Tensor.double)
    blocks = [
        {
            "ln_1": _scale_and_shift(block["ln_1_params"]),
            "attn": _two_layers(block["mha_params"], "c_attn c_proj"),
            "ln_2": _scale_and_shift(block["ln_2_params"]),
            "mlp": _two_layers(block["ffn_params"], "c_fc c_proj"),
        }
        for block in tree["blocks"]
    ]
    ends = {"wte": tree["W_e"], "wpe": tree["W_p"], "ln_f": _scale_and_shift(tree["ln_f"])}
    return tokens, ends | {"blocks": blocks}, n_heads


def _scale_and_shift(params: dict[str, Tensor]) -> dict[str, Tensor]:
    return {"g": params["gamma"], "b": params["beta"]}


def _two_layers(params: dict[str, Tensor], names: str) -> dict[str, Any]:
    """The first layer's matrix and bias and then the second's, by these names."""
    w, b, other_w, other_b = params.values()
    return dict(zip(names.split(), ({"w": w, "b": b}, {"w": other_w, "b": other_b}), strict=True))


numpy_gpt = Exercise(
    inputs={"input_ids": "pos", "params": "", "n_heads": ""},
    output="pos d_vocab",
    free_axes="d_vocab",
    library="numpy",
    float64_too=True,
    view=in_float32,
)
fused = Exercise(
    inputs={"x": "batch pos d_model"},
    output="batch pos d_model",
    parameters={
        "c_attn.weight": "3*n_heads*d_head d_model",
        "c_attn.bias": "3*n_heads*d_head",
        "c_proj.weight": "d_model n_heads*d_head",
        "c_proj.bias": "d_model",
    },
    given=Fused,
    example=WorkedExample(
        "the chapter's two positions and two heads, whose values are 1, 10 and then 3, 30",
        (
            Config(d_model=2, n_heads=2, d_head=1),
            {
                "c_attn.weight": torch.cat([torch.zeros(4, 2), torch.eye(2)]),
                "c_attn.bias": torch.zeros(6),
                "c_proj.weight": torch.eye(2),
                "c_proj.bias": torch.zeros(2),
            },
            torch.tensor([[[1.0, 10.0], [3.0, 30.0]]]),
        ),
    ),
)
jax_gpt = Exercise(
    inputs={"input_ids": "pos", "params": "", "n_heads": ""},
    output="pos d_vocab",
    free_axes="d_vocab",
    drive="jax_gpt",
    library="jax",
    asks_own=by_numpy,
)


@numpy_gpt.test
def test_gpt2_numpy(gpt2_numpy):
    """The whole model, its parts one by one: the tree of parameters says which of them write anything."""
    ask_part_by_part(gpt2_numpy, dict_tree)
    ask_at_other_sizes(gpt2_numpy, dict_tree)
    with line("agrees with the reference model"):
        model = reference()
        tree = dict_tree(model.weights, model.cfg)
        for row in range(len(model.tokens)):
            want = model.activations["unembed.hook_out"][row]
            check_value(gpt2_numpy, model.tokens[row], tree, model.cfg.n_heads, want=want, tolerance=2e-4)
    ask_what_is_left(gpt2_numpy, dict_tree)


@fused.test
def test_causal_self_attention(CausalSelfAttention):
    """Fused attention part by part, then against the reference solution and the reference model."""
    cfg = SMALL
    with line("parameters: `c_attn` [3*n_heads*d_head d_model], `c_proj` [d_model n_heads*d_head], each with its bias"):
        check_names_and_shapes(CausalSelfAttention, cfg, only_saved=True)
    heads = attention_weights(cfg, scale=0.6)
    weights, x = fused_attention(heads), random_tensor(2, 5, cfg.d_model)
    check_form(CausalSelfAttention, cfg, lambda batch, pos: random_tensor(batch, pos, cfg.d_model))
    with line("handles each sentence of the batch alone"):
        check_alone(CausalSelfAttention, cfg, weights, x, axis="batch")
    with line("values: one position alone, which sees only itself, gets the last third of `c_attn`"):
        for head in range(cfg.n_heads):
            check_agrees(CausalSelfAttention, cfg, showing(head, weights, cfg), x[:, :1])
    with line("output: all heads side by side through `c_proj`"):
        check_agrees(CausalSelfAttention, cfg, weights, x[:, :1])
    with line("pattern: weights add up to 1 and heads stay apart: where all vectors are the same, so are all answers"):
        check_agrees(CausalSelfAttention, cfg, weights, x[:, :1].expand(-1, 4, -1).contiguous())
    with line("mask: with equal scores, each position gets the mean of the values up to its own"):
        blind = fused_attention(heads | {name: torch.zeros_like(heads[name]) for name in ("W_Q", "W_K", "b_Q", "b_K")})
        for head in range(cfg.n_heads):
            check_agrees(CausalSelfAttention, cfg, showing(head, blind, cfg), x)
        check_agrees(CausalSelfAttention, cfg, blind, x)
    with line("mask: no position sees a later one"):
        check_causal(CausalSelfAttention, cfg, weights, x)
    with line("scores: each query meets each key (at `d_head` = 1, where the scale is 1)"):
        thin = replace(cfg, d_head=1)
        check_agrees(CausalSelfAttention, thin, fused_attention(attention_weights(thin)), x)
    with line("scores at other sizes of `d_head`: summed over it, and divided by its root"):
        for d_head in (2, 6, 16):
            sized = replace(cfg, d_head=d_head)
            check_agrees(CausalSelfAttention, sized, fused_attention(attention_weights(sized, scale=0.5)), x)
    with line("agrees with the reference solution on random weights, at every size"):
        for batch, pos in ((3, 5), (1, 1), (2, cfg.n_ctx), (3, 3), (1, 4)):
            other = fused_attention(attention_weights(cfg, scale=0.6))
            check_agrees(CausalSelfAttention, cfg, other, random_tensor(batch, pos, cfg.d_model))
        for sized in (replace(cfg, n_heads=1), replace(cfg, n_heads=4, d_head=2), replace(cfg, d_model=5, d_head=7)):
            other = fused_attention(attention_weights(sized, scale=0.6))
            check_agrees(CausalSelfAttention, sized, other, random_tensor(2, 6, sized.d_model))
    with line(f"reads every key up to its own, however far back: at {FAR} positions"):
        long = fused_attention(attention_weights(cfg, scale=0.6))
        check_agrees(CausalSelfAttention, replace(cfg, n_ctx=FAR), long, random_tensor(1, FAR, cfg.d_model))
    with line("agrees with it after `eval()` too: what a position may see is the same when nobody trains"):
        check_agrees(CausalSelfAttention, cfg, weights, x, training=False)
    with line("agrees with the reference model in every layer"):
        model = reference()
        for layer in range(model.cfg.n_layers):
            there = fused_attention(model.weights, f"blocks.{layer}.attn")
            seen, want = (model.activations[f"blocks.{layer}.{hook}"] for hook in ("attn.hook_in", "hook_attn_out"))
            check_value(CausalSelfAttention, model.cfg, there, seen, want=want, tolerance=1e-4)
    with line("stays exact where scores are large"):
        for factor in (30.0, -30.0):
            steep = fused_attention(heads | {"W_Q": factor * heads["W_Q"]})
            check_agrees(CausalSelfAttention, cfg, steep, x, tolerance=1e-3)
    with line("passes gradients back to every parameter and to `x`"):
        check_gradients(CausalSelfAttention, cfg, fused_attention(attention_weights(cfg, scale=0.4)), x)


@jax_gpt.test
def test_gpt2_jax(gpt2_jax):
    """As in NumPy; besides, JAX must be able to compile it, with all numbers unknown till it runs.

    JAX compiles each operation anew for each size: one text is asked of the function as it is, those of other sizes of
    the function compiled as a whole, which takes a fraction of the time.
    """
    ask_part_by_part(gpt2_jax, named_tree)
    with line("can be compiled: `jax.jit(gpt2_jax, static_argnums=2)` gives the same"):
        cfg, weights = SIZES, gpt_weights(SIZES)
        check_agrees(gpt2_jax, ids(cfg, 5), named_tree(weights, cfg), cfg.n_heads, jitted=True)
    ask_at_other_sizes(gpt2_jax, named_tree, jitted=True)
    with line("agrees with the reference model"):
        model = reference()
        tree = named_tree(model.weights, model.cfg)
        want = model.activations["unembed.hook_out"][0]
        check_value(gpt2_jax, model.tokens[0], tree, model.cfg.n_heads, want=want, tolerance=2e-4, jitted=True)
    ask_what_is_left(gpt2_jax, named_tree)


def ask_part_by_part(gpt, tree_of):
    """The lines about one text of five tokens that both functions have in common; `tree_of` makes their weights."""
    cfg, weights = SIZES, gpt_weights(SIZES)
    one, params = replace(cfg, n_layers=1), tree_of(weights, cfg)
    with line("turns [pos] into [pos d_vocab]"):
        check_shape(gpt, ids(cfg, 5), params, cfg.n_heads)
    quiet = silenced(weights, "attn.W_O", "attn.b_O")
    mute = silenced(quiet, "mlp.W_out", "mlp.b_out")  # and not without blocks: who stacks them needs one
    with line(
        "of a block that writes nothing: a row of each table, added, the final LayerNorm, then the table of tokens"
    ):
        for _ in range(2):
            check_agrees(gpt, ids(cfg, 5), tree_of(mute, one), cfg.n_heads)
    with line("LayerNorm: eps is 1e-5, added to the variance"):
        faint = {name: 4e-3 * weights[name] for name in ("embed.W_E", "pos_embed.W_pos")}
        check_agrees(gpt, ids(cfg, 5), tree_of(mute | faint, one), cfg.n_heads)
    silent = silenced(weights, "mlp.W_out", "mlp.b_out")
    with line("attention: with equal scores, each position gets the mean of the values up to its own"):
        blind = silenced(silent, "attn.W_Q", "attn.W_K", "attn.b_Q", "attn.b_K")
        check_agrees(gpt, ids(cfg, 5), tree_of(blind, one), cfg.n_heads)
    with line("attention: no position sees a later one"):
        check_causal(gpt, ids(cfg, 5), tree_of(silent, one), cfg.n_heads)
    with line("attention: each query meets each key, scaled by the root of d_head, head by head"):
        check_agrees(gpt, ids(cfg, 5), tree_of(silent, one), cfg.n_heads)
    with line("MLP: one block whose attention writes nothing"):
        check_agrees(gpt, ids(cfg, 5), tree_of(quiet, one), cfg.n_heads)
    with line("MLP: GPT-2's tanh form of GELU"):
        at = "blocks.0.mlp"
        low = {f"{at}.W_in": 0.1 * weights[f"{at}.W_in"], f"{at}.b_in": torch.full((cfg.d_mlp,), -2.6)}
        loud = {f"{at}.W_out": 60 * weights[f"{at}.W_out"]}
        # what a library's tanh rounds is made sixty times as large too
        check_agrees(gpt, ids(cfg, 5), tree_of(quiet | low | loud, one), cfg.n_heads, tolerance=3e-5)
    with line("agrees with the reference solution on random weights, whole"):
        check_agrees(gpt, ids(cfg, 5), params, cfg.n_heads)
        check_agrees(gpt, ids(cfg, 5), tree_of(weights | faint, one), cfg.n_heads)  # eps in a block too
    with line("stays exact where scores are large"):
        steep = {name: 25 * weight for name, weight in silent.items() if name.endswith("attn.W_Q")}
        check_agrees(gpt, ids(cfg, 5), tree_of(silent | steep, one), cfg.n_heads, tolerance=1e-3)


def ask_at_other_sizes(gpt, tree_of, **settings):
    """The line about texts and models of other sizes."""
    cfg = replace(SIZES, n_ctx=FAR)
    params = tree_of(gpt_weights(cfg), cfg)
    with line(f"agrees with it at other sizes: one token, n_ctx = {FAR} tokens, one head, three blocks"):
        check_agrees(gpt, ids(cfg, 1), params, cfg.n_heads, **settings)
        check_agrees(gpt, ids(cfg, cfg.n_ctx), params, cfg.n_heads, **settings)
        check_agrees(gpt, ids(cfg, 5), params, 1, **settings)
        check_agrees(gpt, ids(WIDE, 7), tree_of(gpt_weights(WIDE), WIDE), WIDE.n_heads, **settings)


def ask_what_is_left(gpt, tree_of):
    """The last line of both."""
    cfg, weights = SIZES, gpt_weights(SIZES)
    params, tokens = tree_of(weights, cfg), ids(cfg, 5)
    with line("leaves `input_ids` and `params` as they were, and answers the same twice"):
        check_inputs_unchanged(gpt, tokens, params, cfg.n_heads)
        others = [(tokens.roll(1), params, cfg.n_heads), (tokens.flip(0), params, cfg.n_heads)]
        check_repeatable(gpt, tokens, params, cfg.n_heads, before=others)


def ids(cfg: Config, pos: int) -> Tensor:
    """Random tokens [pos]."""
    return random_tokens(cfg, 1, pos)[0]


def attention_weights(cfg: Config, scale: float = 1.0) -> dict[str, Tensor]:
    """Random weights of one attention layer, as chapter 4 has them."""
    into, back, heads = (cfg.n_heads, cfg.d_model, cfg.d_head), (cfg.n_heads, cfg.d_head, cfg.d_model), cfg.n_heads
    shapes = [into, into, into, back, *[(heads, cfg.d_head)] * 3, (cfg.d_model,)]
    return {name: random_tensor(*shape, scale=scale) for name, shape in zip(ATTENTION, shapes, strict=True)}


def gpt_weights(cfg: Config) -> dict[str, Tensor]:
    """Random weights of a GPT-2 by TransformerLens's names: LayerNorms, biases and all, so that each plays a part."""
    weights = {
        "embed.W_E": random_tensor(cfg.d_vocab, cfg.d_model),
        "pos_embed.W_pos": random_tensor(cfg.n_ctx, cfg.d_model),
        **norm_weights(cfg, "ln_final"),
    }
    for layer in range(cfg.n_layers):
        at = f"blocks.{layer}"
        scale = 1.0 / math.sqrt(cfg.d_model)
        weights |= {f"{at}.attn.{name}": weight for name, weight in attention_weights(cfg, 2 * scale).items()}
        weights |= norm_weights(cfg, f"{at}.ln1") | norm_weights(cfg, f"{at}.ln2")
        weights |= {
            f"{at}.mlp.W_in": random_tensor(cfg.d_model, cfg.d_mlp, scale=scale),
            f"{at}.mlp.b_in": random_tensor(cfg.d_mlp),
            f"{at}.mlp.W_out": random_tensor(cfg.d_mlp, cfg.d_model, scale=scale),
            f"{at}.mlp.b_out": random_tensor(cfg.d_model),
        }
    return weights


def norm_weights(cfg: Config, at: str) -> dict[str, Tensor]:
    """A LayerNorm whose scale is around 1."""
    return {f"{at}.w": 1.0 + 0.4 * random_tensor(cfg.d_model), f"{at}.b": random_tensor(cfg.d_model, scale=0.5)}


def silenced(weights: dict[str, Tensor], *parts: str) -> dict[str, Tensor]:
    """The weights, with those that end so at 0."""
    return {
        name: torch.zeros_like(weight) if name.endswith(tuple(f".{part}" for part in parts)) else weight
        for name, weight in weights.items()
    }


def showing(head: int, weights: dict[str, Tensor], cfg: Config) -> dict[str, Tensor]:
    """The weights with a `c_proj` that copies what this head found into the first d_head dimensions, nothing else."""
    copies = torch.zeros(cfg.d_model, cfg.n_heads * cfg.d_head)
    copies[: cfg.d_head, head * cfg.d_head : (head + 1) * cfg.d_head] = torch.eye(cfg.d_model, cfg.d_head)[: cfg.d_head]
    return weights | {"c_proj.weight": copies, "c_proj.bias": torch.zeros(cfg.d_model)}
