"""One figure of each function of utils.plotting, as a chapter would draw it, for the tests that ask all of them."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import Any

import plotly.graph_objects as go
import torch

import utils.plotting

WORDS = ["<|endoftext|>", " met", " a", "<b>", " a", "\n"]
SIX = torch.tensor([0.5, -1.25, 0.0, 3.0, 0.125, -0.333])
SHARES = torch.tensor([0.5, 0.25, 0.125, 0.0625, 0.05, 0.0125])
TABLE = torch.linspace(-1.2, 3.3, 24).reshape(4, 6)
PATTERN = torch.linspace(0, 1, 144).reshape(4, 6, 6)
READ = [b"<|endoftext|>", b"Once", b" upon"]
BEST = [[(b"Once", 0.57), (b"<b>", 0.1)], [(b" a", 0.9), (b" upon", 0.05)], [(b" a", 0.93), (b" the", 0.001)]]
NAMES = ["embed", "0_attn", "0_mlp", "1_attn"]
TWO = {"before": SHARES, "after & 'then'": SHARES.flip(0)}
# What each is called with: by the module and the name of the function.
ARGUMENTS: dict[str, tuple[tuple, dict[str, Any]]] = {
    "attention.patterns": ((PATTERN, WORDS, "Four heads"), {}),
    "basic.heatmap": ((TABLE, NAMES, WORDS, "A table"), {"show_values": True, "row_title": "part"}),
    "basic.bars": (({"before": SIX[:4], "after": SIX[2:]}, "Steps"), {}),
    "basic.lines": (
        ({"first": TABLE[:1], "the others": TABLE[1:]}, NAMES, list("abcdef"), "Lines"),
        {"y_title": "norm", "x_title": "read by", "ends": ["a", "", "", "<z>"]},
    ),
    "basic.path": (
        (torch.stack([SIX, SHARES], dim=1), list("012345"), "A path"),
        {"x_title": "x", "y_title": "y", "color_title": "position", "labelled": [0, 5]},
    ),
    "choosing.cut_off": ((SHARES, SIX.softmax(dim=-1), WORDS, "The lab"), {"kept": 4}),
    "embeddings.nearest": (
        (SHARES, WORDS, torch.tensor([True, False, True, False, False, False]), "Most like"),
        {"level": 0.24, "level_name": "two random tokens"},
    ),
    "logits.token_bars": ((TWO, WORDS, "Bars"), {"y_title": "probability"}),
    "logits.lens": ((PATTERN[0, :4], [WORDS] * 4, NAMES, WORDS, "Guesses"), {}),
    "neurons.curves": ((SIX.cumsum(0).abs() + 1, {"f": SIX, "g": SHARES}, "Curves"), {"y_title": "y"}),
    "neurons.ranking": ((WORDS, SHARES, "A ranking"), {"x_title": "post"}),
    "neurons.coloured_text": ((WORDS, SIX, "A text"), {"columns": 4}),
    "predictions.next_tokens": ((SHARES, WORDS, "Next"), {}),
    "ranked.ranked": (
        (dict(zip(NAMES, SHARES.tolist(), strict=False)), "In order"),
        {"x_title": "nats", "level": 0.3, "level_name": "chance"},
    ),
    "training.loss_curves": (
        ({"batch": [([10, 20], [3.5, 2.25])], "held out": [([10, 20], [3.6, 2.5]), ([10], [3.7])]}, "A run"),
        {"steps": 40, "level": 3.0, "level_name": "chance"},
    ),
    "training.descents": (
        (
            {
                "plain": torch.tensor([[1.0, 1.0], [-0.5, 0.9]]),
                "momentum & more": torch.tensor([[1.0, 1.0], [0.2, 0.3]]),
            },
            [torch.tensor([[0.1, 0.0], [0.0, 1.0]]), torch.tensor([[-0.1, 0.0], [0.0, 1.0]])],
            "A valley",
        ),
        {"x_title": "across", "y_title": "along"},
    ),
    "training.seeds": (
        ({"base": [2.31, 2.32, 2.33], "<other>": [2.4, 2.5, 2.45]}, "Seeds"),
        {"level": 2.32, "level_name": "base"},
    ),
    "sampling.side_by_side": ((TWO, WORDS, "Two settings"), {}),
    "sampling.reach": ((TWO, "Reach"), {"k": 2, "p": 0.9}),
    "sampling.reshaped": ((TWO, WORDS, "The lab"), {"text": "Once upon a <time>\nthere was" * 4}),
    "stream.writes_by_position": ((TABLE, NAMES, WORDS, "Who writes"), {}),
    "stream.grouped_bars": ((TWO, WORDS, "Without one"), {"y_title": "nats", "level": 0.3, "level_name": "chance"}),
    "tokens.cut_text": (({"cut": READ, "again": [*READ, b"\xc3", b"<b>"]}, "A text"), {}),
    "tokens.expected_next": ((READ, BEST, "What comes"), {}),
}


@cache
def functions() -> dict[str, Callable[..., go.Figure]]:
    """Every function of utils.plotting that makes a figure from what a chapter has."""
    found = {}
    for module in pkgutil.iter_modules(utils.plotting.__path__):
        loaded = importlib.import_module(f"utils.plotting.{module.name}")
        for name, function in inspect.getmembers(loaded, inspect.isfunction):
            own = function.__module__ == loaded.__name__ and not name.startswith("_") and name != "finish"
            if own and inspect.signature(function, eval_str=True).return_annotation is go.Figure:
                found[f"{module.name}.{name}"] = function
    return found


def figure_of(name: str) -> go.Figure:
    """Drawn anew."""
    arguments, options = ARGUMENTS[name]
    return functions()[name](*arguments, **options)
