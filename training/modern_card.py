"""The card of the modern model, a GPT-2 of the same batches beside it; and both runs as numbers, in runs.json."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from string import Template
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from training.card import Corpus, best_head, from_root, of_the_corpus, quoted, table, table_of_heads
from training.evaluate import REPEATED_SEQUENCES, REPEATED_TOKENS, SAMPLE_TOKENS, TEMPERATURE, Evaluation, alike
from training.loop import Checkpoint
from training.recipe import Recipe
from utils.course.files import write_text
from utils.passages import OverPassages

HERE = Path(__file__).parent
NAMES = {"modern": "this model", "gpt2": "the GPT-2"}
STRETCH = 25  # steps whose mean loss runs.json has
PARTS = 10  # of a run, whose mean losses the card has


@dataclass(frozen=True)
class Measured:
    """A run, what its exported model can do, and how much its heads attend to the first token of each passage."""

    run: Checkpoint
    figures: Evaluation
    to_the_first: Float[Tensor, "layer head_index passage"]
    pos: int  # tokens of a passage

    @property
    def parameters(self) -> int:
        """How many an optimiser has moved; the unembedding is the embedding."""
        return sum(weight.numel() for name, weight in self.run.weights.items() if not name.startswith("unembed."))

    @property
    def loss(self) -> float:
        """Nats a token on the held-out text."""
        return self.figures.bits_per_byte * math.log(2) * self.figures.valid_bytes / self.figures.valid_tokens


def write_runs(out: Path, measured: Mapping[str, Measured], fraction: Fraction) -> None:
    """Write `out/runs.json`: of both runs what was measured, and the mean loss of every 25 steps."""
    command = _command(fraction, measured["modern"].run.recipe.threads)
    found: dict[str, Any] = {"command": command, "torch": torch.__version__, "stretch": STRETCH}
    for name, one in measured.items():
        found[name] = {
            "parameters": one.parameters,
            "steps": one.run.step,
            "processor_seconds": round(one.run.processor_seconds, 1),
            "seconds": round(one.run.seconds, 1),
            "bits_per_byte": round(one.figures.bits_per_byte, 5),
            "loss": round(one.loss, 5),
            "losses": [round(mean, 4) for mean in _means(one.run.losses, STRETCH)],
            "previous_token": _rounded(one.figures.previous_token),
            "induction": _rounded(one.figures.induction),
            "to_the_first": _rounded(one.to_the_first.mean(-1)),
        }
    write_text(out / "runs.json", json.dumps(found, indent=1) + "\n")


def write_modern_card(
    out: Path, measured: Mapping[str, Measured], corpus: Corpus, fraction: Fraction, machine: str
) -> None:
    """Write `out/README.md`, the card of the modern model in `out`."""
    template = Template((HERE / "modern_card_template.md").read_text(encoding="utf-8"))
    values = _of_the_runs(measured, fraction, machine) | of_the_corpus(corpus) | _of_the_figures(measured)
    others = sorted(file for file in out.iterdir() if file.is_file() and file.name not in ("README.md", "__init__.py"))
    files = table(("file", "bytes"), [(f"`{file.name}`", f"{file.stat().st_size:,}") for file in others])
    text = template.substitute(values, folder=from_root(out), files=files)
    write_text(out / "README.md", text.replace("\n\n\n", "\n\n"))


def _of_the_runs(measured: Mapping[str, Measured], fraction: Fraction, machine: str) -> dict[str, object]:
    run = measured["modern"].run
    recipe = run.recipe
    left = [
        f"{NAMES[name]} has done step {one.run.step}"
        for name, one in measured.items()
        if one.run.step < recipe.all_steps
    ]
    rows = {
        "parameters": lambda one: f"{one.parameters:,}",
        "steps": lambda one: f"{one.run.step:,}",
        "tokens read": lambda one: f"{one.run.step * recipe.batch_size * one.run.cfg.n_ctx / 1e6:.1f} million",
        "processor seconds": lambda one: f"{one.run.processor_seconds:,.0f}",
        "bits per byte, held out": lambda one: f"**{one.figures.bits_per_byte:.3f}**",
        "nats a token, held out": lambda one: f"{one.loss:.3f}",
        "best previous-token head": lambda one: best_head(one.figures.previous_token),
        "best induction head": lambda one: best_head(one.figures.induction),
        "attention to the first token, mean of all heads": lambda one: _with_error(one.to_the_first.mean((0, 1))),
        "the head that gives it most": lambda one: best_head(one.to_the_first.mean(-1)),
    }
    parts = {name: _means(one.run.losses, math.ceil(len(one.run.losses) / PARTS)) for name, one in measured.items()}
    losses = [
        (f"{index + 1}", *(f"{parts[name][index]:.3f}" for name in NAMES))
        for index in range(min(map(len, parts.values())))
    ]
    return {
        "unfinished": f"**Unfinished: of {recipe.all_steps} steps {' and '.join(left)}.**\n" if left else "",
        "share": "all" if fraction == 1 else fraction,
        "millions": f"{measured['modern'].parameters / 1e6:.1f}",
        "sizes": table(("size", "value"), asdict(run.cfg).items()),
        "command": _command(fraction, recipe.threads),
        "machine": machine,
        "side_by_side": table(
            ("", *NAMES.values()), [(of, *(say(measured[name]) for name in NAMES)) for of, say in rows.items()]
        ),
        "losses": table(("tenth of the steps", *NAMES.values()), losses),
        "phrase_steps": f"{recipe.phrase_steps:,}",
        "settings": table(("setting", "value"), asdict(recipe).items()),
        "n_ctx": run.cfg.n_ctx,
    }


def _of_the_figures(measured: Mapping[str, Measured]) -> dict[str, object]:
    modern, gpt2 = measured["modern"], measured["gpt2"]
    return {
        "valid_tokens": f"{modern.figures.valid_tokens:,}",
        "valid_bytes": f"{modern.figures.valid_bytes:,}",
        "sequences": REPEATED_SEQUENCES,
        "random_tokens": REPEATED_TOKENS,
        "heads": table_of_heads(modern.figures.previous_token, modern.figures.induction),
        "heads_gpt2": table_of_heads(gpt2.figures.previous_token, gpt2.figures.induction),
        "passages": modern.to_the_first.shape[-1],
        "pos": modern.pos,
        "alike": f"{alike(modern.pos):.2f}",
        "to_the_first": table_of_heads(modern.to_the_first.mean(-1)),
        "to_the_first_gpt2": table_of_heads(gpt2.to_the_first.mean(-1)),
        "temperature": TEMPERATURE,
        "sample_tokens": SAMPLE_TOKENS,
        "samples": quoted(modern.figures.samples),
    }


def _with_error(of_a_passage: Float[Tensor, " passage"]) -> str:
    over = OverPassages(of_a_passage)
    return f"{over.mean:.3f} ± {over.error:.3f}"


def _command(fraction: Fraction, threads: int) -> str:
    given = f" --threads {threads}" if threads != Recipe().threads else ""
    return f"python -m training.modern --corpus PATH --fraction {fraction}{given}"


def _means(losses: list[float], stretch: int) -> list[float]:
    return [sum(some) / len(some) for some in (losses[at : at + stretch] for at in range(0, len(losses), stretch))]


def _rounded(scores: Float[Tensor, "layer head_index"]) -> list[list[float]]:
    return [[round(score, 4) for score in heads] for heads in scores.tolist()]
