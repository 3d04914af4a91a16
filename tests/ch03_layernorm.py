"""Chapter 3: what LayerNorm must do."""

from dataclasses import replace

import torch

from judge.checking import (
    Exercise,
    WorkedExample,
    check_agrees,
    check_alone,
    check_form,
    check_gradients,
    check_parameters,
    check_value,
    line,
    random_tensor,
    random_weights,
)
from utils.config import Config
from utils.gpt import SMALL
from utils.reference import reference

layer_norm = Exercise(
    inputs={"residual": "batch pos d_model"},
    output="batch pos d_model",
    parameters={"w": "d_model", "b": "d_model"},
    initial={"w": 1.0, "b": 0.0},
    example=WorkedExample(
        "the chapter's vector 0, 2, 2, 8, with `w` = 1 and `b` = 0",
        (Config(d_model=4), {"w": torch.ones(4), "b": torch.zeros(4)}, torch.tensor([[[0.0, 2.0, 2.0, 8.0]]])),
        {"mean": lambda out: float(out.mean()), "variance": lambda out: float(out.var(unbiased=False))},
    ),
)


@layer_norm.test
def test_layer_norm(LayerNorm):
    """LayerNorm against the reference solution and against every LayerNorm of the reference model."""
    cfg = SMALL
    check_parameters(LayerNorm, cfg)
    weights = random_weights(cfg)
    check_form(LayerNorm, cfg, lambda batch, pos: random_tensor(batch, pos, cfg.d_model, scale=2.0))
    residual = random_tensor(3, 5, cfg.d_model, scale=2.0) + random_tensor(3, 5, 1)
    with line("normalises each vector alone: no position sees another, no sentence sees another"):
        check_alone(LayerNorm, cfg, weights, residual, axis="batch")
        check_alone(LayerNorm, cfg, weights, residual, axis="pos")
    with line("agrees with the reference solution on random weights"):
        for batch, pos in [(3, 5), (1, 1), (2, cfg.n_ctx), (8, 2)]:
            check_agrees(LayerNorm, cfg, random_weights(cfg), random_tensor(batch, pos, cfg.d_model, scale=4.0) + 1)
        for other in (replace(cfg, d_model=11), replace(cfg, d_model=768, n_ctx=8)):
            vectors = random_tensor(2, other.n_ctx, other.d_model, scale=4.0)
            check_agrees(LayerNorm, other, random_weights(other), vectors)
        check_agrees(LayerNorm, cfg, weights, residual, training=False)
    with line("takes eps from `cfg.layer_norm_eps`"):
        for eps in (0.1, 1e-3, 2.0):
            check_agrees(LayerNorm, replace(cfg, layer_norm_eps=eps), weights, residual)
        check_agrees(LayerNorm, replace(cfg, layer_norm_eps=1e-7), weights, residual * 1e-3)
    with line("agrees with the reference model in every layer"):
        for residual_there, want, weights_there in recorded_layer_norms():
            check_value(LayerNorm, reference().cfg, weights_there, residual_there, want=want, tolerance=2e-5)
    with line("handles vectors of very large and very small norm"):
        for scale in (3e3, 1e-3, 1e-4):
            check_agrees(LayerNorm, cfg, weights, residual * scale)
    with line("keeps its digits where the mean is far from 0"):
        check_agrees(LayerNorm, cfg, weights, residual + 1000, tolerance=1e-3)
    with line("passes gradients back to `w`, `b` and `residual`"):
        check_gradients(LayerNorm, cfg, weights, residual)
        check_gradients(LayerNorm, cfg, weights, random_tensor(6, cfg.n_ctx, cfg.d_model))


def recorded_layer_norms():
    """Input, output and weights of every LayerNorm that TransformerLens recorded in the reference model."""
    model = reference()
    inputs = {"ln_final": f"blocks.{model.cfg.n_layers - 1}.hook_resid_post"}
    for layer in range(model.cfg.n_layers):
        inputs[f"blocks.{layer}.ln1"] = f"blocks.{layer}.hook_resid_pre"
        inputs[f"blocks.{layer}.ln2"] = f"blocks.{layer}.hook_resid_mid"
    for name, residual in inputs.items():
        weights = {part: model.weights[f"{name}.{part}"] for part in ("w", "b")}
        yield model.activations[residual], model.activations[f"{name}.hook_out"], weights
