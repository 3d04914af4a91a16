"""A run from a text to its last checkpoint, with its log; and the sizes of the reference model."""

import math
from pathlib import Path

from tokenizers import Tokenizer

from training.card import Corpus
from training.data import encode_file, hold_out, train_tokenizer
from training.loop import Progress, train
from training.recipe import Recipe
from utils.config import Config, ModernConfig

REFERENCE = Config(d_model=192, d_vocab=4096, n_ctx=256, d_head=48, d_mlp=768, n_heads=4, n_layers=6)


def find_corpus(path: Path, run_dir: Path) -> Corpus:
    """The texts to train on and to hold out; a single file's last 5 % are held out, both parts written to `run_dir`.

    Raises FileNotFoundError, naming what is missing.
    """
    if path.is_file():
        run_dir.mkdir(parents=True, exist_ok=True)
        return Corpus(path.name, *hold_out(path, run_dir))
    for name in ("train.txt", "valid.txt"):
        if not (path / name).is_file():
            raise FileNotFoundError(f"--corpus {path}: neither a text file nor a folder with train.txt and valid.txt")
    return Corpus(path.name, path / "train.txt", path / "valid.txt")


def run(cfg: Config | ModernConfig, corpus: Corpus, run_dir: Path, recipe: Recipe) -> None:
    """Train to the end, from the last checkpoint in `run_dir` when there is one, and print the log."""
    run_dir.mkdir(parents=True, exist_ok=True)
    tokenizer_file = run_dir / "tokenizer.json"
    if not tokenizer_file.exists():
        train_tokenizer(corpus.train.read_text(encoding="utf-8"), cfg.d_vocab).save(str(tokenizer_file))
    data = encode_file(Tokenizer.from_file(str(tokenizer_file)), corpus.train)
    mean = math.nan

    def report(progress: Progress) -> None:
        nonlocal mean
        mean = progress.loss if math.isnan(mean) else 0.98 * mean + 0.02 * progress.loss
        if progress.step % 50 == 0 or progress.step == recipe.all_steps:
            done = f"step {progress.step:6d} of {recipe.all_steps}"
            print(f"{done}  loss {mean:.3f}  lr {progress.lr:.2e}  {progress.seconds:7.0f} s", flush=True)

    train(cfg, data, recipe, run_dir, report)
