"""Chapter 7: what TransformerBlock and Transformer must do."""

from dataclasses import replace

import torch

from judge.checking import (
    Exercise,
    WorkedExample,
    check_agrees,
    check_alone,
    check_causal,
    check_form,
    check_gradients,
    check_parameters,
    check_value,
    line,
    random_tensor,
    random_tokens,
    random_weights,
)
from utils.config import Config
from utils.gpt import SMALL
from utils.reference import reference

NORM = {"w": "d_model", "b": "d_model"}
HEADS = {
    **dict.fromkeys(("W_Q", "W_K", "W_V"), "n_heads d_model d_head"),
    "W_O": "n_heads d_head d_model",
    **dict.fromkeys(("b_Q", "b_K", "b_V"), "n_heads d_head"),
    "b_O": "d_model",
}
MLP = {"W_in": "d_model d_mlp", "b_in": "d_mlp", "W_out": "d_mlp d_model", "b_out": "d_model"}
BLOCK = {
    f"{part}.{name}": axes
    for part, own in {"ln1": NORM, "attn": HEADS, "ln2": NORM, "mlp": MLP}.items()
    for name, axes in own.items()
}
ATTENTION_WRITES, MLP_WRITES = ("attn.W_O", "attn.b_O"), ("mlp.W_out", "mlp.b_out")


def starts(axes: dict[str, str]) -> dict[str, float]:
    """What the parameters that are not drawn at random start with: LayerNorm's weights with 1, biases with 0."""
    own = {name: name.rpartition(".")[2] for name in axes}
    return {name: 1.0 if last == "w" else 0.0 for name, last in own.items() if last[0] != "W"}


def right_spreads(name: str, cfg: Config) -> list[float]:
    """`init_range`; what writes into the stream may start smaller, as in Radford et al. 2019, section 2.3."""
    shrunk = [cfg.n_layers**-0.5, (2 * cfg.n_layers) ** -0.5] if name.endswith(("attn.W_O", "mlp.W_out")) else []
    return [cfg.init_range * factor for factor in (1.0, *shrunk)]


def all_parameters(cfg: Config) -> dict[str, str]:
    """The axes of every parameter of a whole Transformer."""
    names = {"embed.W_E": "d_vocab d_model", "pos_embed.W_pos": "n_ctx d_model"}
    for layer in range(cfg.n_layers):
        names |= {f"blocks.{layer}.{name}": axes for name, axes in BLOCK.items()}
    names |= {f"ln_final.{name}": axes for name, axes in NORM.items()}
    return names | {"unembed.W_U": "d_model d_vocab", "unembed.b_U": "d_vocab"}


# The block.

block = Exercise(
    inputs={"resid_pre": "batch pos d_model"},
    output="batch pos d_model",
    parameters=BLOCK,
    initial=starts(BLOCK),
    spreads=right_spreads,
    example=WorkedExample(
        "the chapter's vector 1, 3, in a block whose attention writes 2, 0 and whose MLP writes 0, 1",
        (
            Config(d_model=2, n_heads=1, d_head=1, d_mlp=1, n_layers=1),
            {
                name: torch.zeros([2 if axis == "d_model" else 1 for axis in axes.split()])
                for name, axes in BLOCK.items()
            }
            | {"attn.b_O": torch.tensor([2.0, 0.0]), "mlp.b_out": torch.tensor([0.0, 1.0])},
            torch.tensor([[[1.0, 3.0]]]),
        ),
    ),
)


@block.test
def test_transformer_block(TransformerBlock):
    """TransformerBlock against the reference solution, sublayer by sublayer, and the reference model's blocks."""
    cfg = SMALL
    check_parameters(TransformerBlock, cfg)
    check_form(TransformerBlock, cfg, lambda batch, pos: random_tensor(batch, pos, cfg.d_model))
    resid, weights = random_tensor(3, 5, cfg.d_model) + random_tensor(3, 5, 1), random_weights(cfg, 0.7)
    no_attention, no_mlp = silenced(weights, *ATTENTION_WRITES), silenced(weights, *MLP_WRITES)
    with line("with sublayers that write their biases alone (`W_O`, `W_out` at 0) it gives `resid_pre + b_O + b_out`"):
        check_agrees(TransformerBlock, cfg, silenced(weights, "attn.W_O", "mlp.W_out"), resid)
    with line("with the MLP silent it adds what attention makes of `ln1(resid_pre)`"):
        check_agrees(TransformerBlock, cfg, no_mlp, resid, tolerance=2e-5)
    with line("with attention silent it adds what the MLP makes of `ln2(resid_pre)`"):
        check_agrees(TransformerBlock, cfg, no_attention, resid, tolerance=2e-5)
    with line("with both, the MLP reads the stream after attention has written"):
        check_agrees(TransformerBlock, cfg, weights, resid, tolerance=2e-5)
    with line("answers the same after `eval()`, which switches dropout off"):
        check_agrees(TransformerBlock, cfg, weights, resid, tolerance=2e-5, training=False)
    with line("agrees with the reference solution at other sizes and settings"):
        for other in (replace(cfg, d_model=11, n_heads=2, d_head=6), replace(cfg, layer_norm_eps=0.1)):
            for batch, pos in ((1, 1), (2, cfg.n_ctx), (6, 2)):
                vectors = random_tensor(batch, pos, other.d_model)
                check_agrees(TransformerBlock, other, random_weights(other, 0.7), vectors, tolerance=2e-5)
    with line("agrees with the reference model in every block"):
        for resid_there, want, weights_there in recorded_blocks():
            check_value(TransformerBlock, reference().cfg, weights_there, resid_there, want=want, tolerance=5e-5)
    with line("handles vectors of very large and very small norm"):
        for scale in (1e3, 1e-3):
            check_agrees(TransformerBlock, cfg, weights, resid * scale, tolerance=5e-5)
    with line("no position sees a later one, no sentence sees another"):
        check_causal(TransformerBlock, cfg, weights, resid)
        check_alone(TransformerBlock, cfg, weights, resid, axis="batch")
    with line("passes gradients back to `resid_pre` and to the parameters of all four parts"):
        check_gradients(TransformerBlock, cfg, weights, resid, tolerance=3e-4)


def silenced(weights, *names):
    """The weights with these at 0: what a sublayer adds is then nothing."""
    return weights | {name: torch.zeros_like(weights[name]) for name in names}


def recorded_blocks():
    """Input, output and weights of every block that TransformerLens recorded in the reference model."""
    model = reference()
    for layer in range(model.cfg.n_layers):
        at = f"blocks.{layer}."
        weights = {name: model.weights[at + name] for name in BLOCK}
        yield model.activations[at + "hook_resid_pre"], model.activations[at + "hook_resid_post"], weights


# The whole model.

transformer = Exercise(
    inputs={"tokens": "batch pos"},
    output="batch pos d_vocab",
    parameters=all_parameters,
    initial=lambda cfg: starts(all_parameters(cfg)),
    spreads=right_spreads,
)
SCALE = 0.5


@transformer.test
def test_transformer(Transformer):
    """Transformer against the reference solution, from the two tables to the logits, and the reference model."""
    cfg = SMALL
    check_parameters(Transformer, replace(cfg, n_layers=3), only_saved=True)
    check_form(Transformer, cfg, lambda batch, pos: random_tokens(cfg, batch, pos))
    tokens, weights = random_tokens(cfg, 3, 5), random_weights(cfg, SCALE)
    writers = [f"blocks.{layer}.{name}" for layer in range(2) for name in ATTENTION_WRITES + MLP_WRITES]
    silent = silenced(random_weights(cfg), *writers)
    with line("with silent blocks and `W_pos` at 0: unembeds `ln_final` of each token's vector"):
        check_agrees(Transformer, cfg, silenced(silent, "pos_embed.W_pos"), tokens)
    with line("with silent blocks: adds each position's vector to its token's"):
        check_agrees(Transformer, cfg, silent, tokens)
    with line("with blocks that write their biases alone (`W_O`, `W_out` at 0), these are added to the stream"):
        only_biases = silenced(weights, *(name for name in writers if ".W_" in name))
        check_agrees(Transformer, cfg, only_biases, tokens, tolerance=2e-5)
    with line("with one block: agrees with the reference solution"):
        one = replace(cfg, n_layers=1)
        check_agrees(Transformer, one, random_weights(one, SCALE), tokens, tolerance=2e-5)
    with line("with two blocks and with three: each block once, in order, with its own weights"):
        check_agrees(Transformer, cfg, weights, tokens, tolerance=2e-5)
        three = replace(cfg, n_layers=3)
        check_agrees(Transformer, three, random_weights(three, SCALE), tokens, tolerance=2e-5)
    with line("answers the same after `eval()`, which switches dropout off"):
        check_agrees(Transformer, cfg, weights, tokens, tolerance=2e-5, training=False)
    with line("agrees with the reference solution at other sizes and settings"):
        for other in (replace(cfg, d_model=11, n_heads=2, d_head=6, d_vocab=40), replace(cfg, layer_norm_eps=0.1)):
            for batch, pos in ((1, 1), (2, cfg.n_ctx)):
                some = random_tokens(other, batch, pos)
                check_agrees(Transformer, other, random_weights(other, SCALE), some, tolerance=2e-5)
    with line("agrees with the reference model's logits, with its weights under their own names"):
        model = reference()
        want = model.activations["unembed.hook_out"]
        check_value(Transformer, model.cfg, dict(model.weights), model.tokens, want=want, tolerance=1e-4)
    with line("no position sees a later one, no sentence sees another"):
        check_causal(Transformer, cfg, weights, tokens)
        check_alone(Transformer, cfg, weights, tokens, axis="batch")
    with line("passes gradients back to every parameter but `b_U`"):
        check_gradients(Transformer, cfg, weights, tokens, tolerance=1e-3)
