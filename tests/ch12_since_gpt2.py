"""Chapter 12: what the parts of a model of today must do."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

import torch
from torch import Tensor

from judge.checking import (
    Exercise,
    WorkedExample,
    check_agrees,
    check_alone,
    check_causal,
    check_form,
    check_gradients,
    check_inputs_unchanged,
    check_names_and_shapes,
    check_parameters,
    check_repeatable,
    check_shape,
    check_value,
    line,
    random_tensor,
    random_tokens,
    random_weights,
)
from utils.config import MODERN, ModernConfig
from utils.reference.modern import (
    Recorded,
    Turned,
    modern_references,
    recorded_attentions,
    recorded_blocks,
    recorded_mlps,
    recorded_rms_norms,
    recorded_tables,
    recorded_turns,
)

cfg = MODERN
Seen = TypeVar("Seen", Recorded, Turned)
MATRICES = {"W_gate": "d_model d_mlp", "W_in": "d_model d_mlp", "W_out": "d_mlp d_model"}


def heads(cfg: ModernConfig) -> dict[str, str]:
    """The axes of attention's parameters."""
    norms = {"q_norm.w": "d_head", "k_norm.w": "d_head"} if cfg.qk_norm else {}
    inward = {"W_Q": "n_heads d_model d_head", **dict.fromkeys(("W_K", "W_V"), "n_kv_heads d_model d_head")}
    return inward | {"W_O": "n_heads d_head d_model"} | norms


def block_parameters(cfg: ModernConfig) -> dict[str, str]:
    """The axes of a block's parameters."""
    parts = {"ln1": {"w": "d_model"}, "attn": heads(cfg), "ln2": {"w": "d_model"}, "mlp": MATRICES}
    return {f"{part}.{name}": axes for part, own in parts.items() for name, axes in own.items()}


def all_parameters(cfg: ModernConfig) -> dict[str, str]:
    """The axes of every parameter of a whole model."""
    names = {"embed.W_E": "d_vocab d_model"}
    for layer in range(cfg.n_layers):
        names |= {f"blocks.{layer}.{name}": axes for name, axes in block_parameters(cfg).items()}
    return names | {"ln_final.w": "d_model"} | ({} if cfg.tied else {"W_U": "d_model d_vocab"})


def starts(axes: dict[str, str]) -> dict[str, float]:
    """The parameters that start with 1: the scales of RMSNorm."""
    return {name: 1.0 for name in axes if name.rpartition(".")[2] == "w"}


def block_spreads(name: str, cfg: ModernConfig) -> list[float]:
    """`init_range`; what writes into the stream may start smaller, as in Radford et al. 2019, section 2.3."""
    shrunk = [cfg.n_layers**-0.5, (2 * cfg.n_layers) ** -0.5] if name.endswith(("attn.W_O", "mlp.W_out")) else []
    return [cfg.init_range * factor for factor in (1.0, *shrunk)]


FEW_SIZES = ((2, 5), (1, 1))  # batch and positions, of parts that treat every position alike


def of_either_shape(recorded: Iterable[Seen]) -> Iterable[Seen]:
    """One of a model of Llama's shape, and one of Qwen 3's: tests/reference/test_modern.py asks for all."""
    return {seen.cfg.qk_norm: seen for seen in recorded}.values()


# RMSNorm.

rms_norm = Exercise(
    inputs={"residual": "batch pos ... d_model"},
    output="batch pos ... d_model",
    parameters={"w": "d_model"},
    initial={"w": 1.0},
    settings=MODERN,
    example=WorkedExample(
        "the chapter's vector 2, 4, 4, 8, with `w` = 1",
        (replace(MODERN, d_model=4), {"w": torch.ones(4)}, torch.tensor([[[2.0, 4.0, 4.0, 8.0]]])),
        {"mean square": lambda out: float(out.pow(2).mean()), "mean": lambda out: float(out.mean())},
    ),
)
ROUNDED = 4e-3  # float16 keeps three digits, and two ways to one number may end in two last digits
ROUNDED_MORE = 3e-2  # bfloat16 keeps two


@rms_norm.test
def test_rms_norm(RMSNorm):
    """RMSNorm against the reference solution, with three axes and more, and in half precision."""
    check_parameters(RMSNorm, cfg)
    weights = random_weights(cfg)
    check_form(RMSNorm, cfg, lambda batch, pos: random_tensor(batch, pos, cfg.d_model, scale=2.0), sizes=FEW_SIZES)
    residual = random_tensor(3, 5, cfg.d_model, scale=2.0) + random_tensor(3, 5, 1)
    with line("normalises each vector alone: no position sees another, no sentence sees another"):
        check_alone(RMSNorm, cfg, weights, residual[:2, :2], axis="batch")
        check_alone(RMSNorm, cfg, weights, residual[:2, :2], axis="pos")
    with line("agrees with the reference solution on random weights"):
        for other in (cfg, replace(cfg, d_model=576)):
            check_agrees(RMSNorm, other, random_weights(other), random_tensor(3, 5, other.d_model, scale=4.0) + 1)
    with line("takes eps from `cfg.rms_norm_eps`"):
        for eps in (0.1, 2.0):
            check_agrees(RMSNorm, replace(cfg, rms_norm_eps=eps), weights, residual)
    with line("handles vectors of very large and very small norm"):
        for scale in (3e3, 1e-3, 1e-4):
            check_agrees(RMSNorm, cfg, weights, residual * scale)
    with line("takes the vectors of heads too, [batch pos head_index d_head]"):
        of_a_head = replace(cfg, d_model=cfg.d_head)
        check_agrees(RMSNorm, of_a_head, random_weights(of_a_head), random_tensor(2, 5, cfg.n_heads, cfg.d_head))
        check_agrees(RMSNorm, cfg, weights, random_tensor(2, 3, 2, 4, cfg.d_model))
    with line("computes in float32 where half precision comes in: float16 can't hold the squares"):
        check_agrees(RMSNorm, cfg, {"w": weights["w"].half()}, (residual * 200).half(), tolerance=ROUNDED)
    with line("brings the normalised vector back to its dtype, and only then multiplies by `w`"):
        check_agrees(RMSNorm, cfg, weights, residual.half(), tolerance=ROUNDED)
        check_agrees(RMSNorm, cfg, weights, residual.bfloat16(), tolerance=ROUNDED_MORE)
    with line("passes gradients back to `w` and `residual`"):
        check_gradients(RMSNorm, cfg, weights, residual)
    with line("agrees with what TransformerLens recorded in models of Llama's and Qwen 3's shape"):
        for seen in of_either_shape(recorded_rms_norms()):
            check_value(RMSNorm, seen.cfg, seen.weights, seen.given, want=seen.gave)


# rotary_tables.


def as_a_tuple(answer: Any) -> Any:
    """A list of the two tables is as good: whoever takes them unpacks them."""
    return tuple(answer) if type(answer) is list else answer


rotary_tables = Exercise(
    inputs={"n_ctx": "", "d_head": "", "base": ""},
    output="pos pair",
    free_axes="pos pair",
    library="torch",
    places=(("the first table, the cosines", "the second table, the sines"),),
    view=as_a_tuple,
)


def above(base: float) -> float:
    """A larger base, mostly by less than a third, that the test's seed decides: no table of answers knows it."""
    return base * (1 + float(random_tensor().abs()) / 6)


@rotary_tables.test
def test_rotary_tables(rotary_tables):
    """One position, one pair, then more of both: each line asks one thing that the lines before it leave open."""
    with line("two tables with a row for each position and a number for each pair: cosines, then sines"):
        check_agrees(rotary_tables, 1, 6, 100.0)
    with line("the first pair turns by 1 radian a position, whatever the base"):
        check_agrees(rotary_tables, 9, 2, 100.0)
    with line("each further pair turns more slowly, by `base ** (-2 / d_head)`"):
        check_agrees(rotary_tables, 9, 4, 100.0)
        check_agrees(rotary_tables, 9, 6, 100.0)
    with line("takes the base from `base`"):
        for base in (above(7.0), above(8_000.0), 500_000.0):
            check_agrees(rotary_tables, 9, 6, base)
    with line("whatever the sizes are"):
        for n_ctx, d_head in ((4, 8), (8, 8), (3, 16), (2, 64)):
            check_agrees(rotary_tables, n_ctx, d_head, 100.0)
    with line("keeps its digits at far positions, up to 699"):  # which bfloat16 and float16 do not
        check_agrees(rotary_tables, 700, 6, 10_000.0, tolerance=1e-3)
    with line("answers the same twice, whatever it was asked before"):
        check_repeatable(rotary_tables, 9, 6, 100.0, before=[(9, 6, 7.0), (9, 4, 100.0), (5, 6, 100.0)])
    with line("agrees with the tables that TransformerLens recorded in models of Llama's and Qwen 3's shape"):
        for model in modern_references():
            pos = model.tokens.shape[1]
            check_value(rotary_tables, pos, model.cfg.d_head, model.cfg.rotary_base, want=recorded_tables(model))


# apply_rotary.

apply_rotary = Exercise(
    inputs={"x": "batch pos head_index d_head", "tables": "...", "positions": "pos"},
    output="batch pos head_index d_head",
)


def tables_of(n_ctx: int, d_head: int) -> tuple[Tensor, Tensor]:
    """A cosine and a sine for each position and pair, of angles drawn at random: no base and no order explains them."""
    angles = random_tensor(n_ctx, d_head // 2, scale=3.0)
    return torch.cos(angles), torch.sin(angles)


def to_turn(*sizes: int, first: int = 0, n_ctx: int = 13) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor]:
    """Vectors [batch pos head_index d_head], tables, and the positions from `first` on."""
    _, pos, _, d_head = sizes
    return random_tensor(*sizes), tables_of(n_ctx, d_head), torch.arange(first, first + pos)


@apply_rotary.test
def test_apply_rotary(apply_rotary):
    """One position and one pair alone, then which row of the tables, which axis, and other sizes."""
    with line("keeps the shape [batch pos head_index d_head]"):
        for sizes in ((2, 5, 4, 6), (1, 1, 1, 8)):
            check_shape(apply_rotary, *to_turn(*sizes))
    with line("turns a pair: two numbers, at one position"):
        check_agrees(apply_rotary, *to_turn(1, 1, 1, 2, n_ctx=1))
        check_agrees(apply_rotary, *to_turn(3, 1, 1, 2, n_ctx=1))
    with line("a pair is a number of the first half of d_head and its fellow of the second half"):
        for d_head in (4, 6):
            check_agrees(apply_rotary, *to_turn(2, 1, 3, d_head, n_ctx=1))
    with line("each position turns by the angles of its own row, in every head and every text alike"):
        check_agrees(apply_rotary, *to_turn(2, 5, 4, 6))
        # Two axes of one size: what is laid along the wrong one has the right shape.
        for sizes in ((2, 4, 4, 6), (4, 4, 2, 6), (3, 3, 3, 6), (2, 5, 1, 6)):
            check_agrees(apply_rotary, *to_turn(*sizes))
    with line("`positions` says which rows: from another position on, with gaps, in any order, twice the same"):
        check_agrees(apply_rotary, *to_turn(2, 5, 4, 6, first=8))
        check_agrees(apply_rotary, *to_turn(2, 1, 4, 6, first=7))
        x, tables, _ = to_turn(2, 5, 4, 6)
        for positions in ([1, 2, 5, 9, 12], [4, 3, 2, 1, 0], [6, 0, 11, 2, 3], [2, 2, 7, 7, 7]):
            check_agrees(apply_rotary, x, tables, torch.tensor(positions))
    with line("agrees with the reference solution at other sizes"):
        for sizes in ((1, 6, 2, 64), (5, 2, 9, 12)):
            check_agrees(apply_rotary, *to_turn(*sizes))
        check_agrees(apply_rotary, *to_turn(2, 5, 4, 6, n_ctx=5))
    with line("leaves `x` and the tables as they were, and answers the same twice"):
        given = to_turn(2, 5, 4, 6)
        check_inputs_unchanged(apply_rotary, *given)
        check_repeatable(apply_rotary, *given, before=[to_turn(2, 5, 4, 6, first=4), to_turn(2, 3, 4, 6)])
    with line("passes gradients back to `x`"):
        check_gradients(apply_rotary, *to_turn(2, 5, 4, 6, first=2))
    with line("agrees with the queries and keys that TransformerLens recorded before and after they are turned"):
        turns = list(recorded_turns())  # queries and keys in turn
        for seen in (*of_either_shape(turns[::2]), *of_either_shape(turns[1::2])):
            positions = torch.arange(seen.given.shape[1])
            check_value(apply_rotary, seen.given, seen.tables, positions, want=seen.gave)


# SwiGLU.

swiglu = Exercise(
    inputs={"normalized_resid_mid": "batch pos d_model"},
    output="batch pos d_model",
    parameters=MATRICES,
    settings=MODERN,
    example=WorkedExample(
        "the chapter's neuron, which reads 2 and 3",
        (
            replace(MODERN, d_model=2, d_mlp=1),
            {
                "W_gate": torch.tensor([[1.0], [0.0]]),
                "W_in": torch.tensor([[0.0], [1.0]]),
                "W_out": torch.tensor([[1.0, 10.0]]),
            },
            torch.tensor([[[2.0, 3.0]]]),
        ),
    ),
)


@swiglu.test
def test_swiglu(SwiGLU):
    """SwiGLU against the reference solution."""
    check_parameters(SwiGLU, cfg)
    weights, vectors = random_weights(cfg), random_tensor(3, 5, cfg.d_model)
    check_form(SwiGLU, cfg, lambda batch, pos: random_tensor(batch, pos, cfg.d_model), sizes=FEW_SIZES)
    with line("reads each position alone: no position sees another, no sentence sees another"):
        check_alone(SwiGLU, cfg, weights, vectors[:2, :2], axis="batch")
        check_alone(SwiGLU, cfg, weights, vectors[:2, :2], axis="pos")
    with line("multiplies the gate by what `W_in` reads, and comes back with `W_out`"):
        check_agrees(SwiGLU, cfg, weights, vectors)
        check_agrees(SwiGLU, cfg, weights, vectors[:1, :1])
        for shut in ("W_gate", "W_in"):
            check_agrees(SwiGLU, cfg, weights | {shut: weights[shut] * 1e-2}, vectors)
    with line("agrees with the reference solution at other sizes"):
        for other in (replace(cfg, d_model=6, d_mlp=40), replace(cfg, d_mlp=10)):
            check_agrees(SwiGLU, other, random_weights(other), random_tensor(8, 2, other.d_model))
        check_agrees(SwiGLU, cfg, weights, vectors, training=False)
    with line("handles vectors of very large and very small norm"):
        for scale in (1e2, 1e-2):
            check_agrees(SwiGLU, cfg, weights, vectors * scale)
    with line("passes gradients back to the three matrices and `normalized_resid_mid`"):
        check_gradients(SwiGLU, cfg, weights, vectors)
    with line("agrees with what TransformerLens recorded in models of Llama's and Qwen 3's shape"):
        for seen in of_either_shape(recorded_mlps()):
            check_value(SwiGLU, seen.cfg, seen.weights, seen.given, want=seen.gave)


# GroupedQueryAttention.

grouped_query_attention = Exercise(
    inputs={"normalized_resid_pre": "batch pos d_model"},
    output="batch pos d_model",
    parameters=heads,
    initial=lambda cfg: starts(heads(cfg)),
    settings=MODERN,
    drive="with_cache",
)
NORMED = replace(MODERN, qk_norm=True, rms_norm_eps=0.3)  # an eps that shows
LEVEL = replace(MODERN, rotary_base=1e30)  # where one pair of the two turns, and the other all but stands still
FAR_BACK = 200  # positions: a window of 128 shows


@grouped_query_attention.test
def test_grouped_query_attention(GroupedQueryAttention):
    """GroupedQueryAttention part by part, then against the reference solution, at once and with a cache."""
    check_parameters(GroupedQueryAttention, cfg)
    with line("has `q_norm.w` and `k_norm.w` too where `cfg.qk_norm` says so"):
        check_names_and_shapes(GroupedQueryAttention, NORMED)
    weights, resid = random_weights(cfg, scale=0.6), random_tensor(2, 5, cfg.d_model)
    check_form(GroupedQueryAttention, cfg, lambda batch, pos: random_tensor(batch, pos, cfg.d_model))
    with line("`project` makes `n_heads` queries, but only `n_kv_heads` keys and values, at each position"):
        for other in (cfg, replace(cfg, n_kv_heads=1)):
            check_agrees(GroupedQueryAttention, other, random_weights(other), resid, shapes=True)
    with line("handles each sentence of the batch alone"):
        check_alone(GroupedQueryAttention, cfg, weights, resid, axis="batch")
    with line("values: one position alone gets from each head the `v` of the head's group"):
        for head in range(cfg.n_heads):
            check_agrees(GroupedQueryAttention, cfg, showing(head, weights, cfg), resid[:, :1])
    with line("output: each head goes through its own `W_O`, and all heads are added up"):
        check_agrees(GroupedQueryAttention, cfg, weights, resid[:, :1])
    with line("mask: with equal scores, each position gets the mean of the values up to its own"):
        blind = weights | {"W_Q": torch.zeros_like(weights["W_Q"])}
        for head in (0, cfg.n_heads - 1):
            check_agrees(GroupedQueryAttention, cfg, showing(head, blind, cfg), resid)
        check_agrees(GroupedQueryAttention, cfg, blind, resid)
    with line("mask: no position sees a later one"):
        check_causal(GroupedQueryAttention, cfg, weights, resid)
    with line("scores: each query meets its group's keys, scaled (in dimensions that do not turn)"):
        check_agrees(GroupedQueryAttention, LEVEL, unturned(weights), resid)
    with line("turn: queries and keys turn with their position, by the tables of `cfg.rotary_base`"):
        for other in (cfg, replace(cfg, rotary_base=7.0)):
            check_agrees(GroupedQueryAttention, other, weights, random_tensor(2, cfg.n_ctx, cfg.d_model))
    with line("scale: every score is divided by the root of `d_head`, whatever that is"):
        for d_head in (2, 6, 16):
            sized = replace(cfg, d_head=d_head, d_model=30)
            check_agrees(GroupedQueryAttention, sized, random_weights(sized, scale=0.3), random_tensor(2, 5, 30))
    with line("groups: of two heads, of one head, of all heads, of four"):
        for n_heads, n_kv_heads in ((6, 3), (6, 6), (6, 1), (8, 2)):
            other = replace(cfg, n_heads=n_heads, n_kv_heads=n_kv_heads)
            check_agrees(GroupedQueryAttention, other, random_weights(other, scale=0.6), resid)
    with line("norm: where `cfg.qk_norm` says so, each head's query and key is normalised before it is turned"):
        for other in (NORMED, replace(NORMED, d_head=6, rms_norm_eps=1e-5)):
            check_agrees(GroupedQueryAttention, other, random_weights(other), resid)
    with line("with a cache: new queries at their own positions read all keys up to their own"):
        for cuts in ((4,), (1, 2, 3, 4), (2, 3), (1,)):
            check_agrees(GroupedQueryAttention, cfg, weights, resid, cuts=cuts)
        check_agrees(GroupedQueryAttention, NORMED, random_weights(NORMED), resid, cuts=(2, 3))
    with line("with a cache that has dropped positions in between: those that are kept stand where they stood"):
        check_agrees(GroupedQueryAttention, cfg, weights, resid, cuts=(2, 3), skip=2)
    with line(f"reads every key up to its own, however far back: at {FAR_BACK} positions"):
        long = replace(cfg, n_ctx=FAR_BACK)
        check_agrees(GroupedQueryAttention, long, random_weights(long, scale=0.6), random_tensor(1, FAR_BACK, 10))
    with line("gives the same after `eval()`"):
        check_agrees(GroupedQueryAttention, cfg, weights, resid, training=False)
    with line("stays exact where scores are large"):
        for factor in (30, -30):
            large = weights | {"W_Q": factor * weights["W_Q"]}
            check_agrees(GroupedQueryAttention, cfg, large, resid, tolerance=1e-3)
    with line("passes gradients back to every parameter and to `normalized_resid_pre`"):
        check_gradients(GroupedQueryAttention, cfg, random_weights(cfg, scale=0.4), resid)
        check_gradients(GroupedQueryAttention, NORMED, random_weights(NORMED, scale=0.4), resid, cuts=(2, 3))
    with line("agrees with what TransformerLens recorded in models of Llama's shape, and with QK-norm of Qwen 3's"):
        for seen in (*recorded_attentions(qk_norm=False), *recorded_attentions(qk_norm=True)):
            check_value(GroupedQueryAttention, seen.cfg, seen.weights, seen.given, want=seen.gave)


def showing(head: int, weights: dict[str, Tensor], cfg: ModernConfig) -> dict[str, Tensor]:
    """The weights with a `W_O` that copies what this head found into the first d_head dimensions, and nothing else."""
    copies = torch.zeros(cfg.n_heads, cfg.d_head, cfg.d_model)
    copies[head] = torch.eye(cfg.d_head, cfg.d_model)
    return weights | {"W_O": copies}


def unturned(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """The weights with queries and keys that are 0 in the first pair of four dimensions, which turns fastest."""
    still = torch.tensor([0.0, 1.0, 0.0, 1.0])
    return weights | {name: weights[name] * still for name in ("W_Q", "W_K")}


# ModernBlock.

modern_block = Exercise(
    inputs={"resid_pre": "batch pos d_model"},
    output="batch pos d_model",
    parameters=block_parameters,
    initial=lambda cfg: starts(block_parameters(cfg)),
    spreads=block_spreads,
    settings=MODERN,
)


@modern_block.test
def test_modern_block(ModernBlock):
    """ModernBlock against the reference solution, sublayer by sublayer, and what TransformerLens recorded."""
    normed = replace(cfg, qk_norm=True)
    check_parameters(ModernBlock, cfg, only_saved=True)
    check_form(ModernBlock, cfg, lambda batch, pos: random_tensor(batch, pos, cfg.d_model))
    resid, weights = random_tensor(3, 5, cfg.d_model) + random_tensor(3, 5, 1), random_weights(cfg, 0.7)
    with line("with sublayers that write nothing (`W_O`, `W_out` at 0) it gives `resid_pre` back"):
        check_agrees(ModernBlock, cfg, silenced(weights, "attn.W_O", "mlp.W_out"), resid)
    with line("with the MLP silent it adds what attention makes of `ln1(resid_pre)`"):
        check_agrees(ModernBlock, cfg, silenced(weights, "mlp.W_out"), resid, tolerance=2e-5)
    with line("with attention silent it adds what the MLP makes of `ln2(resid_pre)`"):
        check_agrees(ModernBlock, cfg, silenced(weights, "attn.W_O"), resid, tolerance=2e-5)
    with line("with both, the MLP reads the stream after attention has written"):
        check_agrees(ModernBlock, cfg, weights, resid, tolerance=2e-5)
    with line("answers the same after `eval()`, which switches dropout off"):
        check_agrees(ModernBlock, cfg, weights, resid, tolerance=2e-5, training=False)
    with line("has attention's `q_norm` and `k_norm` where `cfg.qk_norm` asks for them"):
        check_names_and_shapes(ModernBlock, normed)
        check_agrees(ModernBlock, normed, random_weights(normed, 0.7), resid, tolerance=2e-5)
    with line("agrees with the reference solution at other sizes and settings"):
        others = (
            replace(cfg, d_model=11, n_heads=3, n_kv_heads=3, d_head=6, rotary_base=3000.0),
            replace(cfg, n_kv_heads=1, rms_norm_eps=0.1),
        )
        for other in others:
            for batch, pos in ((1, 1), (2, cfg.n_ctx)):
                vectors = random_tensor(batch, pos, other.d_model)
                check_agrees(ModernBlock, other, random_weights(other, 0.7), vectors, tolerance=2e-5)
    with line("agrees with what TransformerLens recorded in blocks of Llama's and Qwen 3's shape"):
        for seen in recorded_blocks():
            check_value(ModernBlock, seen.cfg, seen.weights, seen.given, want=seen.gave, tolerance=5e-5)
    with line("handles vectors of very large and very small norm"):
        for scale in (1e3, 1e-3):
            check_agrees(ModernBlock, cfg, weights, resid * scale, tolerance=5e-5)
    with line("no position sees a later one, no sentence sees another"):
        check_causal(ModernBlock, cfg, weights, resid)
        check_alone(ModernBlock, cfg, weights, resid, axis="batch")
    with line("passes gradients back to `resid_pre` and to the parameters of all four parts"):
        check_gradients(ModernBlock, cfg, weights, resid, tolerance=3e-4)


def silenced(weights, *names):
    """The weights with these at 0: what a sublayer adds is then nothing."""
    return weights | {name: torch.zeros_like(weights[name]) for name in names}


# ModernTransformer.

modern_transformer = Exercise(
    inputs={"tokens": "batch pos"},
    output="batch pos d_vocab",
    parameters=all_parameters,
    initial=lambda cfg: starts(all_parameters(cfg)),
    spreads=block_spreads,
    settings=MODERN,
)
SCALE = 0.5


@modern_transformer.test
def test_modern_transformer(ModernTransformer):
    """ModernTransformer against the reference solution, tied and untied, and what TransformerLens recorded."""
    tied, untied = replace(cfg, n_layers=2), replace(cfg, n_layers=2, tied=False)
    check_parameters(ModernTransformer, replace(untied, n_layers=3), only_saved=True)
    with line("has no `W_U` where `cfg.tied` says that the embedding is the unembedding too"):
        check_names_and_shapes(ModernTransformer, tied, only_saved=True)
    check_form(ModernTransformer, untied, lambda batch, pos: random_tokens(untied, batch, pos))
    tokens, weights = random_tokens(untied, 3, 5), random_weights(untied, SCALE)
    of_tied = random_weights(tied, SCALE)
    with line("with silent blocks (`W_O`, `W_out` at 0): unembeds `ln_final` of each token's vector by `W_U`"):
        check_agrees(ModernTransformer, untied, without_blocks(weights), tokens)
    with line("with silent blocks and `cfg.tied`: unembeds it by the table of `embed`, transposed"):
        check_agrees(ModernTransformer, tied, without_blocks(of_tied), tokens)
    with line("with one block: agrees with the reference solution"):
        one = replace(untied, n_layers=1)
        check_agrees(ModernTransformer, one, random_weights(one, SCALE), tokens, tolerance=2e-5)
    with line("with two blocks and with three: each block once, in order, with its own weights"):
        check_agrees(ModernTransformer, untied, weights, tokens, tolerance=2e-5)
        three = replace(untied, n_layers=3)
        check_agrees(ModernTransformer, three, random_weights(three, SCALE), tokens, tolerance=2e-5)
    with line("tied, with two blocks: agrees with the reference solution"):
        check_agrees(ModernTransformer, tied, of_tied, tokens, tolerance=2e-5)
    with line("answers the same after `eval()`, which switches dropout off"):
        check_agrees(ModernTransformer, untied, weights, tokens, tolerance=2e-5, training=False)
    with line("agrees with the reference solution at other sizes and settings"):
        others = (
            replace(untied, d_model=11, n_heads=3, n_kv_heads=3, d_head=6, d_vocab=40, rotary_base=3000.0),
            replace(tied, n_layers=1, n_kv_heads=1, rms_norm_eps=0.1, qk_norm=True),
        )
        for other in others:
            for batch, pos in ((1, 1), (2, cfg.n_ctx)):
                some = random_tokens(other, batch, pos)
                check_agrees(ModernTransformer, other, random_weights(other, SCALE), some, tolerance=2e-5)
    with line("agrees with the logits that TransformerLens recorded of models in Llama's and Qwen 3's shape"):
        for model in modern_references():
            want = model.activations["unembed.hook_out"]
            check_value(ModernTransformer, model.cfg, dict(model.weights), model.tokens, want=want, tolerance=1e-4)
    with line("no position sees a later one, no sentence sees another"):
        check_causal(ModernTransformer, untied, weights, tokens)
        check_alone(ModernTransformer, untied, weights, tokens, axis="batch")
    with line("passes gradients back to every parameter"):
        check_gradients(ModernTransformer, untied, weights, tokens, tolerance=1e-3)
    with line("tied, passes gradients back to the table of `embed` from both ends"):
        check_gradients(ModernTransformer, tied, of_tied, tokens, tolerance=1e-3)


def without_blocks(weights):
    """The weights of a model whose blocks add nothing to the stream."""
    return silenced(weights, *(name for name in weights if name.endswith(("attn.W_O", "mlp.W_out"))))
