"""Train the reference model again, export it, measure it: `python -m training --corpus FOLDER_OR_TEXT_FILE`."""

import argparse
import platform
from dataclasses import replace
from pathlib import Path

from tokenizers import Tokenizer

from training.card import Corpus, best_head, write_card
from training.data import encode_file
from training.evaluate import evaluate
from training.export import export, save_record
from training.loop import read_checkpoint
from training.recipe import Recipe
from training.runs import REFERENCE, find_corpus, run
from utils.reference.folders import BUNDLED


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
            run(REFERENCE, corpus, options.run, recipe)
        publish(corpus, options.run, options.out, options.machine)
    except (ValueError, FileNotFoundError) as error:
        raise SystemExit(f"python -m training: {error}") from None


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
