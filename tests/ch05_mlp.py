"""Chapter 5: what gelu_new and MLP must do."""

from dataclasses import replace

import torch

from judge.checking import (
    Exercise,
    WorkedExample,
    check_agrees,
    check_alone,
    check_form,
    check_gradients,
    check_inputs_unchanged,
    check_parameters,
    check_repeatable,
    check_shape,
    check_value,
    line,
    random_tensor,
    random_weights,
)
from utils.config import Config
from utils.gpt import SMALL
from utils.reference import reference

EXACT = 1.6e-6  # the exact GELU is 300 times as far from the tanh form, constants of four digits 3 times

gelu = Exercise(
    inputs={"x": "..."},
    output="...",
    example=WorkedExample("the chapter's numbers −2, −1, 0, 1 and 2", (torch.arange(-2.0, 3.0),)),
)
mlp = Exercise(
    inputs={"normalized_resid_mid": "batch pos d_model"},
    output="batch pos d_model",
    parameters={"W_in": "d_model d_mlp", "b_in": "d_mlp", "W_out": "d_mlp d_model", "b_out": "d_model"},
    initial={"b_in": 0.0, "b_out": 0.0},
    example=WorkedExample(
        "the chapter's two neurons, which read 3 and 1",
        (
            Config(d_model=2, d_mlp=2),
            {
                "W_in": torch.tensor([[1.0, 0.0], [0.0, 2.0]]),
                "b_in": torch.tensor([-2.0, -3.0]),
                "W_out": torch.tensor([[0.0, 10.0], [10.0, 0.0]]),
                "b_out": torch.tensor([0.5, 0.0]),
            },
            torch.tensor([[[3.0, 1.0]]]),
        ),
    ),
)


@gelu.test
def test_gelu_new(gelu_new):
    """gelu_new against the reference solution, closely enough to tell the tanh form from the exact one."""
    with line("keeps the shape, whatever it is"):
        for shape in ((5,), (), (2, 3), (2, 3, 4), (1, 1, 1), (3, 2, 4, 5)):
            check_shape(gelu_new, random_tensor(*shape))
    with line("passes large numbers on and stops very negative ones"):
        check_agrees(gelu_new, torch.tensor([8.0, 10.0, 12.0, 50.0, 0.0, -8.0, -10.0, -12.0, -50.0]))
    with line("agrees with the reference solution on ordinary numbers"):
        for shape in ((100,), (3, 5, 17), (2, 1, 3, 40)):
            check_agrees(gelu_new, random_tensor(*shape) * 2)
    with line("is GPT-2's tanh form to the sixth digit"):
        check_agrees(gelu_new, torch.linspace(-4, 1, 401), tolerance=EXACT)
        check_agrees(gelu_new, random_tensor(4, 50) - 2, tolerance=EXACT)
    with line("agrees with the reference model in every layer"):
        model = reference()
        for layer in range(model.cfg.n_layers):
            pre, post = (model.activations[f"blocks.{layer}.mlp.hook_{part}"] for part in ("pre", "post"))
            check_value(gelu_new, pre, want=post, tolerance=1e-5)
    with line("stays finite at very large numbers"):
        check_agrees(gelu_new, random_tensor(3, 7) * 1e3)
        check_agrees(gelu_new, torch.tensor([[1e4, -1e4], [3e3, -3e3]]))
    with line("leaves `x` as it was, and answers the same twice"):
        check_inputs_unchanged(gelu_new, random_tensor(3, 4))
        check_inputs_unchanged(gelu_new, random_tensor(2, 5, 6))
        check_repeatable(gelu_new, random_tensor(3, 4))
    with line("passes gradients back to `x`"):
        check_gradients(gelu_new, random_tensor(4, 30))
        check_gradients(gelu_new, random_tensor(2, 5, 6) * 3)


@mlp.test
def test_mlp(MLP):
    """MLP against the reference solution, part by part, and against every MLP of the reference model."""
    cfg, name = SMALL, "normalized_resid_mid"
    check_parameters(MLP, cfg)
    weights, vectors = random_weights(cfg), random_tensor(3, 5, cfg.d_model)
    check_form(MLP, cfg, lambda batch, pos: random_tensor(batch, pos, cfg.d_model))
    with line("reads each position alone: no position sees another, no sentence sees another"):
        check_alone(MLP, cfg, weights, vectors, axis="batch")
        check_alone(MLP, cfg, weights, vectors, axis="pos")
    with line("widens with `W_in` and `b_in`, comes back with `W_out` and `b_out` (GELU lets every neuron pass)"):
        passing = weights | {"b_in": weights["b_in"] + 60}
        check_agrees(MLP, cfg, passing, vectors)
        check_agrees(MLP, cfg, passing, vectors[:1, :1])
    with line("applies GELU between the two, once, to what comes out of `W_in` and `b_in`"):
        check_agrees(MLP, cfg, weights, vectors)
        check_agrees(MLP, cfg, weights | {"b_out": torch.zeros(cfg.d_model)}, vectors)
        check_agrees(MLP, cfg, weights | {"b_in": torch.zeros(cfg.d_mlp)}, vectors)
    with line("uses GPT-2's tanh form of GELU"):
        faint = {"W_in": weights["W_in"] * 0.1, "b_in": torch.full((cfg.d_mlp,), -2.6)}
        check_agrees(MLP, cfg, weights | faint, vectors)
        check_agrees(MLP, cfg, weights | faint | {"b_out": torch.zeros(cfg.d_model)}, vectors)
    with line("agrees with the reference solution at other sizes"):
        for batch, pos in [(3, 5), (1, 1), (2, cfg.n_ctx), (8, 2)]:
            check_agrees(MLP, cfg, random_weights(cfg), random_tensor(batch, pos, cfg.d_model))
        for other in (replace(cfg, d_model=11, d_mlp=5), replace(cfg, d_model=6, d_mlp=40), replace(cfg, d_mlp=8)):
            check_agrees(MLP, other, random_weights(other), random_tensor(2, 7, other.d_model))
    with line("agrees with the reference model in every layer"):
        for read, want, weights_there in recorded_mlps():
            check_value(MLP, reference().cfg, weights_there, read, want=want, tolerance=1e-4)
    with line("handles vectors of very large and very small norm"):
        for scale in (1e3, 1e-3):
            check_agrees(MLP, cfg, weights, vectors * scale)
    with line(f"passes gradients back to the weights, the biases and `{name}`"):
        check_gradients(MLP, cfg, weights, vectors)
        check_gradients(MLP, cfg, weights, random_tensor(6, cfg.n_ctx, cfg.d_model))


def recorded_mlps():
    """Input, output and weights of every MLP that TransformerLens recorded in the reference model."""
    model = reference()
    for layer in range(model.cfg.n_layers):
        weights = {part: model.weights[f"blocks.{layer}.mlp.{part}"] for part in ("W_in", "b_in", "W_out", "b_out")}
        read, wrote = (model.activations[f"blocks.{layer}.{hook}"] for hook in ("mlp.hook_in", "hook_mlp_out"))
        yield read, wrote, weights
