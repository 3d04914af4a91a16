"""Chapter 2: what Embed and PosEmbed must do."""

from dataclasses import replace

import torch

from judge.checking import (
    Exercise,
    check_agrees,
    check_alone,
    check_form,
    check_gradients,
    check_parameters,
    check_value,
    line,
    random_tokens,
    random_weights,
)
from utils.gpt import SMALL
from utils.reference import reference

embed = Exercise(inputs={"tokens": "batch pos"}, output="batch pos d_model", parameters={"W_E": "d_vocab d_model"})
pos_embed = Exercise(inputs={"tokens": "batch pos"}, output="batch pos d_model", parameters={"W_pos": "n_ctx d_model"})


@embed.test
def test_embed(Embed):
    """Embed against the reference solution and against the reference model's embedding."""
    cfg = SMALL
    check_parameters(Embed, cfg)
    weights, tokens = random_weights(cfg), random_tokens(cfg, 3, 5)
    check_form(Embed, cfg, lambda batch, pos: random_tokens(cfg, batch, pos))
    with line("looks up each token alone: its position and its neighbours change nothing"):
        check_alone(Embed, cfg, weights, tokens, axis="batch")
        check_alone(Embed, cfg, weights, tokens, axis="pos")
    with line("agrees with the reference solution on every token of the vocabulary"):
        everything = torch.arange(27).view(3, cfg.n_ctx) % cfg.d_vocab
        for some in (everything, everything.flip(1), tokens, random_tokens(cfg, 8, 2), tokens[:1, :1]):
            check_agrees(Embed, cfg, random_weights(cfg), some)
        for other in (replace(cfg, d_model=11, d_vocab=300), replace(cfg, d_model=3, d_vocab=50257)):
            check_agrees(Embed, other, random_weights(other), random_tokens(other, 2, 7))
    with line("agrees with the reference model's `hook_embed`"):
        model = reference()
        weights_there = {"W_E": model.weights["embed.W_E"]}
        check_value(Embed, model.cfg, weights_there, model.tokens, want=model.activations["hook_embed"], tolerance=1e-5)
    with line("passes gradients back to `W_E`, added up where a token comes twice"):
        check_gradients(Embed, cfg, weights, everything)
        check_gradients(Embed, cfg, weights, tokens)


@pos_embed.test
def test_pos_embed(PosEmbed):
    """PosEmbed against the reference solution and against the reference model's positional embedding."""
    cfg = SMALL
    check_parameters(PosEmbed, cfg)
    weights, tokens = random_weights(cfg), random_tokens(cfg, 3, 5)
    check_form(PosEmbed, cfg, lambda batch, pos: random_tokens(cfg, batch, pos))
    with line("gives every sentence of the batch the same positions"):
        check_alone(PosEmbed, cfg, weights, tokens, axis="batch")
    with line("agrees with the reference solution for texts of every length up to `n_ctx`"):
        for batch, pos in [*((2, pos) for pos in range(1, cfg.n_ctx + 1)), (1, 1), (8, 2), (4, 4)]:
            check_agrees(PosEmbed, cfg, random_weights(cfg), random_tokens(cfg, batch, pos))
        for other in (replace(cfg, d_model=11, n_ctx=40), replace(cfg, d_model=3, n_ctx=1024)):
            check_agrees(PosEmbed, other, random_weights(other), random_tokens(other, 2, other.n_ctx))
    with line("agrees with the reference model's `hook_pos_embed`"):
        model = reference()
        want = model.activations["hook_pos_embed"].expand(*model.tokens.shape, -1)
        check_value(
            PosEmbed, model.cfg, {"W_pos": model.weights["pos_embed.W_pos"]}, model.tokens, want=want, tolerance=1e-5
        )
    with line("passes gradients back to `W_pos`, added up over the batch"):
        check_gradients(PosEmbed, cfg, weights, tokens)
        check_gradients(PosEmbed, cfg, weights, random_tokens(cfg, 2, cfg.n_ctx))
