"""The model card: what the exported model is, how it was made, and what it measured; card_template.md, filled in."""

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from string import Template

import torch
from jaxtyping import Float
from torch import Tensor

from training.evaluate import REPEATED_SEQUENCES, REPEATED_TOKENS, SAMPLE_TOKENS, TEMPERATURE, Evaluation
from training.loop import Checkpoint
from training.recipe import Recipe
from utils.course.files import write_text

HERE = Path(__file__).parent
TALES = HERE / "corpus.md"


@dataclass(frozen=True)
class Corpus:
    """The text that is trained on, and the text that is held out; `name` is that of the file or folder given."""

    name: str
    train: Path
    valid: Path
    train_tokens: int = 0


def write_card(out: Path, run: Checkpoint, corpus: Corpus, figures: Evaluation, machine: str) -> None:
    """Write `out/README.md`, the card of the model in `out`."""
    template = Template((HERE / "card_template.md").read_text(encoding="utf-8"))
    values = _of_the_run(run, corpus, machine) | of_the_corpus(corpus) | _of_the_figures(figures)
    others = sorted(file for file in out.iterdir() if file.name != "README.md")
    files = table(("file", "bytes"), [(f"`{file.name}`", f"{file.stat().st_size:,}") for file in others])
    text = template.substitute(values, folder=from_root(out), files=files)
    write_text(out / "README.md", text.replace("\n\n\n", "\n\n"))


def best_head(scores: Float[Tensor, "layer head_index"]) -> str:
    """Name the head with the highest score, and say the score."""
    layer, head = divmod(int(scores.argmax()), scores.shape[1])
    return f"layer {layer}, head {head}: {scores[layer, head]:.2f}"


def table(header: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in (header, *rows)]
    return "\n".join([lines[0], "| --- " * len(list(header)) + "|", *lines[1:]])


def table_of_heads(*scores: Float[Tensor, "layer head_index"]) -> str:
    """A Markdown table with a row for each layer; a cell has the head's scores, one after another."""
    each = torch.stack(scores, dim=-1).tolist()  # [layer head_index score]
    rows = [
        (layer, *(", ".join(f"{score:.2f}" for score in head) for head in heads)) for layer, heads in enumerate(each)
    ]
    return table(("layer", *(f"head {head}" for head in range(len(each[0])))), rows)


def quoted(texts: Iterable[str]) -> str:
    """Texts as Markdown's quotations, a line between each two."""
    return "\n\n---\n\n".join("> " + text.replace("\n", "\n> ") for text in texts)


def sha256(file: Path) -> str:
    """The checksum of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _of_the_run(run: Checkpoint, corpus: Corpus, machine: str) -> dict[str, object]:
    cfg, recipe = run.cfg, run.recipe
    trained = [weight.numel() for name, weight in run.weights.items() if not name.startswith("unembed.")]
    seen = run.step * recipe.batch_size * cfg.n_ctx
    done = run.step == recipe.all_steps
    given = {"--steps": (recipe.steps, Recipe.steps), "--phrase-steps": (recipe.phrase_steps, Recipe.phrase_steps)}
    flags = "".join(f" {flag} {steps}" for flag, (steps, default) in given.items() if steps != default)
    return {
        "unfinished": "" if done else f"**Unfinished: step {run.step} of {recipe.all_steps}.**\n",
        "millions": f"{sum(trained) / 1e6:.1f}",
        "sizes": table(("size", "value"), asdict(cfg).items()),
        "n_ctx": cfg.n_ctx,
        "command": f"python -m training --corpus PATH{flags}",
        "steps": f"{run.step:,}",
        "millions_seen": f"{seen / 1e6:.1f}",
        "epochs": f"{seen / corpus.train_tokens:.1f}",
        "minutes": f"{run.seconds / 60:.0f}",
        "machine": machine,
        "repeat_share": f"{recipe.repeat_share:.0%}",
        "phrase_steps": f"{recipe.phrase_steps:,}",
        "phrase_share": f"{recipe.phrase_share:.0%}",
        "settings": table(("setting", "value"), asdict(recipe).items()),
    }


def of_the_corpus(corpus: Corpus) -> dict[str, object]:
    """What a card says of the text: `data`, `texts` and `train_tokens`."""
    is_tales = sha256(corpus.train) in TALES.read_text(encoding="utf-8")
    texts = [(file.name, f"{file.stat().st_size:,}", f"`{sha256(file)}`") for file in (corpus.train, corpus.valid)]
    tales = (
        "73 children's books in the public domain in the United States, first published before 1928, from Project\n"
        "Gutenberg. `training/corpus.md` in the course lists them with their numbers and says how\n"
        "they were cleaned and split, so that the corpus can be made again."
    )
    return {
        "data": tales if is_tales else f"The text `{corpus.name}`.",
        "texts": table(("file", "bytes", "sha256"), texts),
        "train_tokens": f"{corpus.train_tokens:,}",
    }


def _of_the_figures(figures: Evaluation) -> dict[str, object]:
    previous, induction = figures.previous_token, figures.induction
    return {
        "bits_per_byte": f"{figures.bits_per_byte:.3f}",
        "valid_tokens": f"{figures.valid_tokens:,}",
        "valid_bytes": f"{figures.valid_bytes:,}",
        "sequences": REPEATED_SEQUENCES,
        "random_tokens": REPEATED_TOKENS,
        "previous_token": best_head(previous),
        "induction": best_head(induction),
        "heads": table_of_heads(previous, induction),
        "temperature": TEMPERATURE,
        "sample_tokens": SAMPLE_TOKENS,
        "samples": quoted(figures.samples),
    }


def from_root(out: Path) -> str:
    """A folder by its path from the course's root, where it lies in the course."""
    root = HERE.parent
    return out.resolve().relative_to(root).as_posix() if out.resolve().is_relative_to(root) else out.name
