"""Chapter 6: what Unembed and cross_entropy_loss must do."""

import math
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import nn

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
    random_tokens,
    random_weights,
)
from utils.config import Config
from utils.gpt import SMALL
from utils.reference import reference

BY_HAND_W_U = torch.tensor([[-1.0, 0.0, 1.0, 0.0], [0.5, 0.5, -0.5, 1.0]])
BY_HAND_LOGITS = math.log(2) * torch.tensor(
    [[[0.0, 2.0, 0.0, 1.0], [0.0, 0.0, 1.0, 2.0], [0.0, 2.0, 0.0, 1.0], [0.0, 1.0, 0.0, 2.0]]]
)
BY_HAND_TOKENS = torch.tensor([[0, 1, 2, 0]])


class GivenUnembed(nn.Module):
    """What the chapter gives of Unembed: its table, and a bias that stays 0."""

    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.W_U = nn.Parameter(torch.empty(cfg.d_model, cfg.d_vocab))
        self.b_U = nn.Parameter(torch.zeros(cfg.d_vocab), requires_grad=False)
        nn.init.normal_(self.W_U, std=cfg.init_range)


unembed = Exercise(
    inputs={"normalized_resid_final": "batch pos d_model"},
    output="batch pos d_vocab",
    parameters={"W_U": "d_model d_vocab", "b_U": "d_vocab"},
    initial={"b_U": 0.0},
    given=GivenUnembed,
    example=WorkedExample(
        "the chapter's vector 1, 2 and its `W_U`, with `b_U` = 0",
        (Config(d_model=2, d_vocab=4), {"W_U": BY_HAND_W_U, "b_U": torch.zeros(4)}, torch.tensor([[[1.0, 2.0]]])),
        {"sum of the logits": lambda out: float(out.sum())},
    ),
)
cross_entropy = Exercise(
    inputs={"logits": "batch pos d_vocab", "tokens": "batch pos"},
    output="",
    example=WorkedExample(
        'the chapter\'s "the fox saw the", whose three next tokens got 1/2, 1/4 and 1/8',
        (BY_HAND_LOGITS, BY_HAND_TOKENS),
        {"the same in bits": lambda out: float(out) / math.log(2)},
    ),
)


@unembed.test
def test_unembed(Unembed):
    """Unembed against the reference solution and against the reference model's logits."""
    cfg = SMALL
    check_parameters(Unembed, cfg)
    check_form(Unembed, cfg, lambda batch, pos: random_tensor(batch, pos, cfg.d_model))
    weights, resid = random_weights(cfg), random_tensor(3, 5, cfg.d_model)
    with line("scores each vector alone: no position sees another, no sentence sees another"):
        check_alone(Unembed, cfg, weights, resid, axis="batch")
        check_alone(Unembed, cfg, weights, resid, axis="pos")
    with line("agrees with the reference solution on random weights"):
        for batch, pos in [(3, 5), (1, 1), (2, cfg.n_ctx), (8, 2)]:
            check_agrees(Unembed, cfg, random_weights(cfg), random_tensor(batch, pos, cfg.d_model))
        sizes = ({"d_vocab": 300}, {"d_model": 11, "d_vocab": 5}, {"d_vocab": 8}, {"d_model": 1}, {"n_ctx": 5})
        for other in (replace(cfg, **size) for size in sizes):
            check_agrees(Unembed, other, random_weights(other), random_tensor(2, 5, other.d_model))
        check_agrees(Unembed, cfg, weights | {"b_U": 10 * weights["b_U"]}, resid + 1)
    with line("agrees with the reference model's logits"):
        model = reference()
        there = {part: model.weights[f"unembed.{part}"] for part in ("W_U", "b_U")}
        read, want = model.activations["ln_final.hook_out"], model.activations["unembed.hook_out"]
        check_value(Unembed, model.cfg, there, read, want=want, tolerance=2e-5)
    with line("handles vectors of very large and very small norm"):
        for scale in (1e3, 1e-3):
            check_agrees(Unembed, cfg, {**weights, "b_U": weights["b_U"] * scale}, resid * scale)
        check_agrees(
            Unembed, cfg, {name: 1e-3 * value for name, value in weights.items()}, resid * 1e-2, tolerance=1e-8
        )
    with line("passes gradients back to `W_U` and `normalized_resid_final`; `b_U` is frozen"):
        check_gradients(Unembed, cfg, weights, resid)
        check_gradients(Unembed, cfg, weights, random_tensor(6, cfg.n_ctx, cfg.d_model))


@cross_entropy.test
def test_cross_entropy_loss(cross_entropy_loss):
    """cross_entropy_loss against the reference solution, on random logits and on the reference model's."""
    cfg = SMALL
    logits, tokens = random_tensor(3, 5, cfg.d_vocab, scale=2.0), random_tokens(cfg, 3, 5)
    everything = torch.arange(27).view(3, cfg.n_ctx) % cfg.d_vocab
    with line("gives one number: a 0-d float32 tensor"):
        for batch, pos in [(2, 5), (1, 5), (2, 2), (1, 2), (3, cfg.n_ctx)]:
            check_shape(cross_entropy_loss, random_tensor(batch, pos, cfg.d_vocab), random_tokens(cfg, batch, pos))
    with line("leaves `logits` and `tokens` as they were, and answers the same twice"):
        check_inputs_unchanged(cross_entropy_loss, logits, tokens)
        check_inputs_unchanged(cross_entropy_loss, random_tensor(6, 9, cfg.d_vocab), random_tokens(cfg, 6, 9))
        check_repeatable(cross_entropy_loss, logits, tokens, before=[(logits[:1, :3], tokens[:1, :3])])
    with line("judges one prediction, position 0's, by the token at position 1"):
        for target in (7, 0, cfg.d_vocab - 1):
            two = torch.tensor([[3, target]])
            check_agrees(cross_entropy_loss, random_tensor(1, 2, cfg.d_vocab, scale=2.0), two)
    with line("agrees with the reference solution: the mean over every prediction of every sentence"):
        check_agrees(cross_entropy_loss, logits, tokens)
        for some in (everything, everything.flip(1), everything.T.reshape(3, 9)):
            check_agrees(cross_entropy_loss, random_tensor(3, cfg.n_ctx, cfg.d_vocab, scale=2.0), some)
        for batch, pos, d_vocab in [(1, 3, 4), (8, 2, 23), (2, 6, 300), (4, 7, 6), (5, 6, 5), (4, 4, 4)]:
            other = replace(cfg, d_vocab=d_vocab)
            check_agrees(
                cross_entropy_loss, random_tensor(batch, pos, d_vocab, scale=3.0), random_tokens(other, batch, pos)
            )
        ends = torch.tensor([[5, 50256, 7]])  # in GPT-2's own vocabulary, `<|endoftext|>` is judged like any other
        check_agrees(cross_entropy_loss, random_tensor(1, 3, 50257, scale=2.0), ends, tolerance=1e-4)
    with line("agrees with PyTorch on the reference model's logits"):
        model = reference()
        there = model.activations["unembed.hook_out"]
        want = F.cross_entropy(there[:, :-1].flatten(0, 1), model.tokens[:, 1:].flatten())
        check_value(cross_entropy_loss, there, model.tokens, want=want, tolerance=1e-4)  # 4096 roundings, if by hand
    with line("stays finite, and right, at logits up to 10,000"):
        far = random_tensor(2, 5, cfg.d_vocab)
        for shift in (9000, -9000):
            check_agrees(cross_entropy_loss, far + shift, tokens[:2], tolerance=2e-3)
        apart = 300 * torch.arange(10.0).view(2, 5, 1)  # each position on a level of its own
        check_agrees(cross_entropy_loss, far + apart, tokens[:2], tolerance=1e-3)
        for scale in (50.0, 1e3, 2.5e3):
            check_agrees(cross_entropy_loss, random_tensor(3, 5, cfg.d_vocab, scale=scale).clamp(-1e4, 1e4), tokens)
    with line("keeps its digits where the model is all but sure, and right"):
        sure = 12 * F.one_hot(everything.roll(-1, dims=1), cfg.d_vocab).float() + random_tensor(
            3, cfg.n_ctx, cfg.d_vocab
        )
        check_agrees(cross_entropy_loss, sure, everything, tolerance=2e-6)
    with line("passes gradients back to `logits`"):
        check_gradients(cross_entropy_loss, logits, tokens)
        check_gradients(cross_entropy_loss, random_tensor(3, cfg.n_ctx, cfg.d_vocab, scale=3.0), everything)
