"""What warm-up, clipping, decay, dropout and the start do to training, with three seeds each, and a head that appears.

Chapter 9 shows what this writes into utils/experiments/recorded.json. All of it takes about 20 minutes of one core:

    python benchmarks/training_experiments.py            # all of them
    python benchmarks/training_experiments.py settings   # or overfitting, or induction
"""
# A model is any nn.Module here, and pyright takes what such a module holds for Tensor | Module.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportGeneralTypeIssues=false

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from solutions.ch07_transformer import Transformer
from solutions.ch09_training import TrainArgs, get_batch, lm_loss, muon_and_adamw, scale_outputs, train, with_dropout
from utils.characters import Characters, shakespeare, split
from utils.config import Config
from utils.experiments import RECORDED
from utils.experiments.induction import head_scores, periodic, second_half

SEEDS = (0, 1, 2)
Run = list[dict[str, float]]  # a history
Rows = Iterator[tuple[str, Callable[[int], Run]]]  # the name of a row, and what makes a run of a seed
CFG = Config(d_model=64, d_vocab=65, n_ctx=32, d_head=16, d_mlp=256, n_heads=4, n_layers=4)
ARGS = TrainArgs(steps=400, batch_size=12, lr=3e-3, warmup=40, eval_every=50, eval_batches=20)
N_RESIDUAL = 2 * CFG.n_layers  # sublayers that write into the stream


def same(model: nn.Module) -> nn.Module:
    """The model as it was drawn."""
    return model


@dataclass(frozen=True)
class Setting:
    """What one row changes: of the run, and of the model before it."""

    name: str
    args: dict[str, Any] = field(default_factory=dict)
    start: Callable[[nn.Module], nn.Module] = same
    n_layers: int = CFG.n_layers


SETTINGS = [
    Setting("base"),
    Setting("no warm-up", {"warmup": 0}),
    Setting("lr 1e-2", {"lr": 1e-2}),
    Setting("lr 1e-2, no warm-up", {"lr": 1e-2, "warmup": 0}),
    Setting("lr 1e-3", {"lr": 1e-3}),
    Setting("no clipping", {"clip": math.inf}),
    Setting("lr 1e-2, no clipping", {"lr": 1e-2, "clip": math.inf}),
    Setting("lr 1e-2, no warm-up, no clipping", {"lr": 1e-2, "warmup": 0, "clip": math.inf}),
    Setting("constant learning rate", {"lr_end": 1.0}),
    Setting("no weight decay", {"weight_decay": 0.0}),
    Setting("weight decay 1", {"weight_decay": 1.0}),
    Setting("outputs by 1/√N", start=lambda model: scale_outputs(model, N_RESIDUAL**-0.5)),
    Setting("outputs start at 0", start=lambda model: scale_outputs(model, 0.0)),
    Setting("12 layers", n_layers=12),
    Setting("12 layers, outputs by 1/√N", start=lambda model: scale_outputs(model, 24**-0.5), n_layers=12),
    Setting("12 layers, outputs start at 0", start=lambda model: scale_outputs(model, 0.0), n_layers=12),
]


def settings(data: Tensor, held_out: Tensor) -> Rows:
    """What each setting's runs end at."""
    for setting in SETTINGS:
        yield (
            setting.name,
            lambda seed, setting=setting: train(
                setting.start(fresh(replace(CFG, n_layers=setting.n_layers), seed)),
                data,
                replace(ARGS, seed=seed, held_out=held_out, **setting.args),
            ),
        )


FEW = 20_000  # characters
LONG = replace(ARGS, steps=1200, eval_every=100, optimisers=muon_and_adamw)


def overfitting(data: Tensor, held_out: Tensor) -> Rows:
    """A short text with and without dropout; the whole text as the control."""
    for name, text, p in (
        ("20,000 characters", data[:FEW], 0.0),
        ("20,000 characters, dropout 0.2", data[:FEW], 0.2),
        ("the whole text", data, 0.0),
    ):
        yield (
            name,
            lambda seed, text=text, p=p: watched(
                with_dropout(fresh(CFG, seed), p), text, replace(LONG, seed=seed, held_out=held_out)
            ),
        )


def watched(model: nn.Module, text: Tensor, args: TrainArgs) -> list[dict[str, float]]:
    """A run's history, with the loss on the text that it trains on measured as the held-out one is, without dropout."""
    seen: list[float] = []

    def measure(_entry: dict[str, float]) -> None:
        seen.append(mean_loss(model, text, args))

    history = train(model, text, replace(args, report=measure))
    return [{**entry, "loss": loss} for entry, loss in zip(history, seen, strict=True)]


@torch.no_grad()
def mean_loss(model: nn.Module, text: Tensor, args: TrainArgs) -> float:
    """The mean of `eval_batches` batches, always the same ones, in eval mode."""
    was_training = model.training
    model.eval()
    dice = torch.Generator().manual_seed(7)
    batches = [get_batch(text, model.cfg.n_ctx, args.batch_size, dice) for _ in range(args.eval_batches)]
    losses = [float(lm_loss(model, batch)) for batch in batches]
    model.train(was_training)
    return sum(losses) / len(losses)


def muon_for(model: nn.Module) -> list[Any]:
    """Muon for what is in the blocks, AdamW for the tables."""
    return muon_and_adamw(model, 0.02, 1e-2)


INDUCTION = Config(d_model=64, d_vocab=48, n_ctx=48, d_head=32, d_mlp=256, n_heads=2, n_layers=2)
REPEATS = TrainArgs(steps=600, batch_size=16, lr=1e-2, warmup=50, lr_end=1.0, eval_every=20, optimisers=muon_for)


def induction(_data: Tensor, _held_out: Tensor) -> Rows:
    """Rows of tokens that repeat: two layers of attention, and one as the control."""
    for n_layers, name in ((2, "2 layers"), (1, "1 layer")):
        yield name, lambda seed, n_layers=n_layers: repeating(replace(INDUCTION, n_layers=n_layers), seed)


def repeating(cfg: Config, seed: int) -> Run:
    """A run on such rows: the loss where a token has been there before, and where the heads look."""
    model, seen = attention_alone(fresh(cfg, seed)), []
    probe, periods = periodic(torch.Generator().manual_seed(99), cfg, 64)

    def measure(entry: dict[str, float]) -> None:
        loss = second_half(model, probe)
        seen.append({"step": entry["step"], "loss": loss, **head_scores(model, probe, periods)})

    def draw(generator: torch.Generator) -> Tensor:
        return periodic(generator, cfg, REPEATS.batch_size)[0]

    args = replace(REPEATS, seed=seed, draw=draw, report=measure)
    train(model, probe.flatten(), args)
    return seen


def attention_alone(model: nn.Module) -> nn.Module:
    """The model with MLPs that write nothing, now and later."""
    for block in model.blocks:
        for parameter in block.mlp.parameters():
            parameter.requires_grad_(False).zero_()
    return model


def fresh(cfg: Config, seed: int) -> nn.Module:
    """A Transformer with weights drawn from a seed."""
    torch.manual_seed(seed)
    return Transformer(cfg)


def curves(runs: list[Run]) -> dict[str, Any]:
    """The runs by what was measured: the steps once, and of all else a list for each seed, to four digits."""
    named: dict[str, Any] = {"step": [entry["step"] for entry in runs[0]]}
    for name in runs[0][0].keys() - {"step"}:
        named[name] = [[float(f"{entry[name]:.4g}") for entry in run] for run in runs]
    return dict(sorted(named.items()))


def told(name: str, runs: list[Run]) -> None:
    """A row of the table, printed as soon as it is there."""
    measured = "held_out" if "held_out" in runs[0][-1] else "loss"
    ends = [run[-1][measured] for run in runs]
    print(f"{name:32}", *(f"{end:7.3f}" for end in ends), f"  mean {sum(ends) / len(ends):.3f}", flush=True)


EXPERIMENTS = {
    "settings": (settings, CFG, ARGS),
    "overfitting": (overfitting, CFG, LONG),
    "induction": (induction, INDUCTION, REPEATS),
}


def main() -> None:
    """Run the experiments that are named, and write each row, as soon as it is there, beside what stands there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="EXPERIMENT", help=f"{', '.join(EXPERIMENTS)}; all if left out")
    parser.add_argument(
        "--missing", action="store_true", help="keep the rows that are there, as after a run was killed"
    )
    parser.add_argument("--out", type=Path, default=RECORDED)
    options = parser.parse_args()
    unknown = set(options.names) - EXPERIMENTS.keys()
    if unknown:
        parser.error(f"no experiment is called {', '.join(unknown)}")
    torch.set_num_threads(1)
    text = shakespeare()
    texts = split(Characters(text).encode(text))
    for name in options.names or EXPERIMENTS:
        experiment, cfg, args = EXPERIMENTS[name]
        kept = json.loads(options.out.read_text(encoding="utf-8")) if options.out.is_file() else {}
        rows = kept[name]["rows"] if options.missing and name in kept else {}
        kept[name] = {
            "command": f"python benchmarks/training_experiments.py {name}",
            "torch": torch.__version__,
            "model": asdict(cfg),
            "optimiser": getattr(args.optimisers, "__name__", "AdamW"),
            "run": {key: value for key, value in vars(args).items() if isinstance(value, int | float)},
            "rows": rows,
        }
        for row, run in experiment(*texts):
            if row in rows:
                continue
            started = time.process_time()
            runs = [run(seed) for seed in SEEDS]
            told(row, runs)
            rows[row] = {"processor_seconds": round(time.process_time() - started), **curves(runs)}
            kept[name]["rows"] = {row: rows[row] for row, _ in experiment(*texts) if row in rows}
            options.out.write_text(json.dumps(kept, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
