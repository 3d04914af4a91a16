"""Train a small model with chapter 12's parts, and a GPT-2 on the very same batches, for a part of the whole recipe.

    python -m training.modern --corpus FOLDER --fraction 1/4

Both have as many parameters as the bundled GPT-2, and read the same tales in its tokens. Started again after a kill, it
goes on from the last checkpoint. At the end it exports both, measures both in the same way, and writes the card.
"""

import argparse
import platform
import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from tokenizers import Tokenizer

from solutions.ch12_since_gpt2 import ModernTransformer
from training.card import Corpus, best_head
from training.data import encode_file
from training.evaluate import attention_to_the_first, evaluate, measure, passage_tokens
from training.export import boot_modern, export, export_modern, save_modern_record
from training.loop import read_checkpoint
from training.modern_card import Measured, write_modern_card, write_runs
from training.recipe import Recipe
from training.runs import REFERENCE, find_corpus, run
from utils.config import ModernConfig
from utils.reference import BUNDLED, boot
from utils.reference.folders import MODERN

# d_mlp brings it within 200 parameters of the GPT-2. No QK-norm: Llama and SmolLM2 have none, and transformers' Llama
# has no place for it.
SIZES = {
    "gpt2": REFERENCE,
    "modern": ModernConfig(
        **{"d_model": 192, "d_vocab": 4096, "n_ctx": 256, "d_head": 48, "d_mlp": 594, "n_heads": 4, "n_kv_heads": 2},
        **{"n_layers": 6, "rotary_base": 10_000.0},
    ),
}
WHOLE = Recipe()


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m training.modern", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--corpus", type=Path, required=True, help="a folder with train.txt and valid.txt, or a text file")
    add("--fraction", type=Fraction, default=Fraction(1, 4), help="of the bundled model's steps, as 1/4 or 0.25")
    add("--run", type=Path, default=Path("runs/modern"), help="for checkpoints, a folder for each of the two models")
    add("--out", type=Path, default=MODERN, help="where the finished model goes")
    add("--threads", type=int, default=WHOLE.threads, help="of torch; a run goes on with as many as it began with")
    add("--machine", help="for the card: what this runs on")
    add("--export-only", action="store_true", help="export the last checkpoints as they are, without training on")
    options = parser.parse_args()
    machine = options.machine or f"{options.threads} {platform.machine()} cores"
    try:
        corpus, recipe = find_corpus(options.corpus, options.run), shortened(options.fraction, options.threads)
        for name, cfg in SIZES.items():
            if not options.export_only:
                print(f"{name}: {recipe.all_steps} steps", flush=True)
                give_tokenizer(options.run / name)
                run(cfg, corpus, options.run / name, recipe)
        publish(corpus, options.run, options.out, options.fraction, machine)
    except (ValueError, FileNotFoundError) as error:
        raise SystemExit(f"python -m training.modern: {error}") from None


def shortened(fraction: Fraction, threads: int) -> Recipe:
    """The recipe with a part of its steps, and of its warm-up. Raises ValueError where none are left."""
    steps, phrase_steps, warmup = (round(fraction * n) for n in (WHOLE.steps, WHOLE.phrase_steps, WHOLE.warmup))
    if not 0 < fraction <= 1 or not steps:
        raise ValueError(f"--fraction {fraction} leaves {steps} of {WHOLE.steps} steps: give a number up to 1")
    return replace(WHOLE, steps=steps, phrase_steps=phrase_steps, warmup=warmup, threads=threads)


def give_tokenizer(run_dir: Path) -> None:
    """The bundled model's tokenizer for a run that has none, so that it trains none of its own."""
    file = run_dir / "tokenizer.json"
    if not file.exists():
        run_dir.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(BUNDLED / "tokenizer.json", file)


def publish(corpus: Corpus, run_dir: Path, out: Path, fraction: Fraction, machine: str) -> None:
    """From the checkpoints to a finished model in `out`; the GPT-2 beside it goes to `run_dir`."""
    measured = {"gpt2": measured_gpt2(corpus, run_dir), "modern": measured_modern(corpus, run_dir, out)}
    tokenizer = Tokenizer.from_file(str(out / "tokenizer.json"))
    corpus = replace(corpus, train_tokens=len(encode_file(tokenizer, corpus.train)) - 1)
    write_runs(out, measured, fraction)
    write_modern_card(out, measured, corpus, fraction, machine)
    for name, one in measured.items():
        print(f"{name}: {one.figures.bits_per_byte:.4f} bits per byte held out", flush=True)
        print(f"  {one.run.processor_seconds:.0f} processor seconds for {one.run.step} steps")
        print(f"  previous-token head: {best_head(one.figures.previous_token)}")
        print(f"  induction head: {best_head(one.figures.induction)}")
        print(f"  most attention to the first token: {best_head(one.to_the_first.mean(-1))}")


def measured_gpt2(corpus: Corpus, run_dir: Path) -> Measured:
    """Export the GPT-2 beside its checkpoints, and measure what was exported."""
    checkpoint, folder = read_checkpoint(run_dir / "gpt2"), run_dir / "gpt2" / "model"
    tokenizer = Tokenizer.from_file(str(run_dir / "gpt2" / "tokenizer.json"))
    print(f"exporting step {checkpoint.step} of gpt2 to {folder}", flush=True)
    export(checkpoint.cfg, checkpoint.weights, tokenizer, folder)
    tokens = passage_tokens(tokenizer, checkpoint.cfg.n_ctx)
    to_the_first = attention_to_the_first(boot(str(folder)), tokens)
    return Measured(checkpoint, evaluate(folder, corpus.valid), to_the_first, tokens.shape[1])


def measured_modern(corpus: Corpus, run_dir: Path, out: Path) -> Measured:
    """Export the modern model to `out`, record its activations, and measure what was exported."""
    checkpoint = read_checkpoint(run_dir / "modern")
    tokenizer = Tokenizer.from_file(str(run_dir / "modern" / "tokenizer.json"))
    print(f"exporting step {checkpoint.step} of modern to {out}", flush=True)
    export_modern(checkpoint.cfg, checkpoint.weights, tokenizer, out)
    save_modern_record(out)
    for file in out.glob("*.safetensors"):
        file.chmod(0o644)  # safetensors lets only its owner read a file
    model = ModernTransformer(checkpoint.cfg)
    model.load_state_dict({name: weight.half().float() for name, weight in checkpoint.weights.items()})
    bridge, tokens = boot_modern(out), passage_tokens(tokenizer, checkpoint.cfg.n_ctx)
    figures = measure(model, checkpoint.cfg.n_ctx, out, corpus.valid, bridge)
    return Measured(checkpoint, figures, attention_to_the_first(bridge, tokens), tokens.shape[1])


if __name__ == "__main__":
    main()
