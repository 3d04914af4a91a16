"""A function of a Config that answers an int."""

from dataclasses import replace

from judge.checking import Exercise, check_agrees, line
from utils.config import Config
from utils.gpt import SMALL


def block_parameters(cfg):
    attention = 4 * cfg.n_heads * cfg.d_head * cfg.d_model + 3 * cfg.n_heads * cfg.d_head + cfg.d_model
    return attention + 2 * cfg.d_model * cfg.d_mlp + cfg.d_mlp + cfg.d_model + 4 * cfg.d_model


def count_parameters(cfg, tied=True):
    """The reference solution: how many numbers a GPT-2 of these sizes learns."""
    tables = (cfg.d_vocab * (1 if tied else 2) + cfg.n_ctx) * cfg.d_model
    return tables + cfg.n_layers * block_parameters(cfg) + 2 * cfg.d_model


def parts(cfg, tied=True):
    """The parts that a count may lack."""
    return {
        "a table of the vocabulary (d_vocab · d_model)": cfg.d_vocab * cfg.d_model,
        "the position table (n_ctx · d_model)": cfg.n_ctx * cfg.d_model,
        "all blocks": cfg.n_layers * block_parameters(cfg),
    }


exercise = Exercise(inputs={"cfg": "", "tied": ""}, solution="tests.judge.checking.kinds.counting", amounts=parts)


@exercise.test
def test_count_parameters(count_parameters):
    with line("GPT-2 small has 124,439,808"):
        check_agrees(count_parameters, Config())
    with line("follows every size of the Config"):
        for other in (SMALL, replace(SMALL, n_layers=0), replace(SMALL, d_head=5), replace(SMALL, d_mlp=3)):
            check_agrees(count_parameters, other)
    with line("counts the unembedding where it is not tied"):
        check_agrees(count_parameters, SMALL, False)
        check_agrees(count_parameters, SMALL, tied=False)


@exercise.correct
def from_shapes(cfg, tied=True):
    d_model, d_in = cfg.d_model, cfg.n_heads * cfg.d_head
    block = [(d_model,)] * 4 + [(d_model, d_in), (d_in,)] * 3 + [(d_in, d_model), (d_model,)]
    block += [(d_model, cfg.d_mlp), (cfg.d_mlp,), (cfg.d_mlp, d_model), (d_model,)]
    shapes = [(cfg.d_vocab, d_model), (cfg.n_ctx, d_model), *block * cfg.n_layers, (d_model,), (d_model,)]
    shapes += [] if tied else [(d_model, cfg.d_vocab)]
    return sum(shape[0] * (shape[1] if len(shape) > 1 else 1) for shape in shapes)


@exercise.correct
def layer_by_layer(cfg, tied=True):
    total = cfg.d_model * (cfg.d_vocab + cfg.n_ctx + 2)
    for _ in range(cfg.n_layers):
        for _head in range(cfg.n_heads):
            total += 3 * (cfg.d_model + 1) * cfg.d_head + cfg.d_head * cfg.d_model
        total += cfg.d_model + (cfg.d_model + 1) * cfg.d_mlp + (cfg.d_mlp + 1) * cfg.d_model
        total += 2 * 2 * cfg.d_model
    return total if tied else total + cfg.d_vocab * cfg.d_model


@exercise.misconception("a count without the biases", "Every projection has a bias.")
def without_biases(cfg, tied=True):
    biases = 3 * cfg.n_heads * cfg.d_head + cfg.d_model + cfg.d_mlp + cfg.d_model
    return count_parameters(cfg, tied) - cfg.n_layers * biases


@exercise.misconception("taking n_heads * d_head for d_model", "They may differ: use `n_heads * d_head`.")
def square_heads(cfg, tied=True):
    return count_parameters(replace(cfg, n_heads=1, d_head=cfg.d_model), tied)


@exercise.misconception("counting the unembedding always", "Tied, it is the embedding's table once more.")
def always_untied(cfg, tied=True):
    return count_parameters(cfg, False)


@exercise.misconception("ignoring `tied`", "Add the unembedding's table where `tied` is False.")
def always_tied(cfg, tied=True):
    return count_parameters(cfg)


@exercise.misconception("a count without positions", "`W_pos` is learned too.")
def without_positions(cfg, tied=True):
    return count_parameters(cfg, tied) - cfg.n_ctx * cfg.d_model


@exercise.misconception("a float for a count", "A count is an int: use `//`, or no division at all.")
def a_float(cfg, tied=True):
    return float(count_parameters(cfg, tied))
