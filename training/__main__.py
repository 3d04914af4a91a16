"""Train the reference model again, export it, measure it: `python -m training --corpus FOLDER_OR_TEXT_FILE`."""

import argparse
import math
import platform
from dataclasses import replace
from pathlib import Path

from tokenizers import Tokenizer

from training.card import Corpus, best_head, write_card
from training.data import encode_file, hold_out, train_tokenizer
from training.evaluate import evaluate
from training.export import export, save_record
from training.loop import Progress, read_checkpoint, train
from training.recipe import Recipe
from utils.config import Config
from utils.reference.folders import BUNDLED

REFERENCE = Config(d_model=192, d_vocab=4096, n_ctx=256, d_head=48, d_mlp=768, n_heads=4, n_layers=6)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    add = parser.add_argument
    add("--corpus", type=Path, required=True, help="a folder with train.txt and valid.txt, or a text file")
    add("--run", type=Path, default=Path("runs/reference"), help="for checkpoints; a run resumes from the last one")
    add("--out", type=Path, default=BUNDLED, help="where the finished model goes")
    add("--steps", type=int, default=Recipe.steps, help="on the text, with a few repeated passages")
    add("--phrase-steps", type=int, default=Recipe.phrase_steps, help="after these, with a share of phrases")
    add("--machine", default=f"{Recipe.threads} {platform.machine()} cores", help="for the card: what this runs on")
    add("--export-only", action="store_true", help="export the last checkpoint as it is, without training on")
    options = parser.parse_args()
    recipe = Recipe(steps=options.steps, phrase_steps=options.phrase_steps)
    try:
        corpus = find_corpus(options.corpus, options.run)
        if not options.export_only:
            run(corpus, options.run, recipe)
        publish(corpus, options.run, options.out, options.machine)
    except (ValueError, FileNotFoundError) as error:
        raise SystemExit(f"python -m training: {error}") from None


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


def run(corpus: Corpus, run_dir: Path, recipe: Recipe) -> None:
    """Train to the end, from the last checkpoint in `run_dir` when there is one, and print the log."""
    run_dir.mkdir(parents=True, exist_ok=True)
    tokenizer_file = run_dir / "tokenizer.json"
    if not tokenizer_file.exists():
        train_tokenizer(corpus.train.read_text(encoding="utf-8"), REFERENCE.d_vocab).save(str(tokenizer_file))
    data = encode_file(Tokenizer.from_file(str(tokenizer_file)), corpus.train)
    mean = math.nan

    def report(progress: Progress) -> None:
        nonlocal mean
        mean = progress.loss if math.isnan(mean) else 0.98 * mean + 0.02 * progress.loss
        if progress.step % 50 == 0 or progress.step == recipe.all_steps:
            done = f"step {progress.step:6d} of {recipe.all_steps}"
            print(f"{done}  loss {mean:.3f}  lr {progress.lr:.2e}  {progress.seconds:7.0f} s", flush=True)

    train(REFERENCE, data, recipe, run_dir, report)


def publish(corpus: Corpus, run_dir: Path, out: Path, machine: str) -> None:
    """From the checkpoint in `run_dir` to a finished model in `out`: weights, activations, figures, model card."""
    checkpoint = read_checkpoint(run_dir)
    tokenizer = Tokenizer.from_file(str(run_dir / "tokenizer.json"))
    print(f"exporting step {checkpoint.step} to {out}", flush=True)
    export(checkpoint.cfg, checkpoint.weights, tokenizer, out)
    save_record(out)
    for file in out.glob("*.safetensors"):
        file.chmod(0o644)  # safetensors lets only its owner read a file
    print("measuring on the held-out text", flush=True)
    figures = evaluate(out, corpus.valid)
    corpus = replace(corpus, train_tokens=len(encode_file(tokenizer, corpus.train)) - 1)
    write_card(out, checkpoint, corpus, figures, machine)
    print(f"{figures.bits_per_byte:.4f} bits per byte held out")
    print(f"previous-token head: {best_head(figures.previous_token)}")
    print(f"induction head: {best_head(figures.induction)}")


if __name__ == "__main__":
    main()
