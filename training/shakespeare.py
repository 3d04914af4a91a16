"""Train on a text by chapter 9's `train`, in one process or in several that share each batch.

    python -m training.shakespeare --steps 2000
    torchrun --nproc-per-node 2 -m training.shakespeare --steps 2000

Several processes see together the batches that one would see, and average their gradients: the run is the same, up to
rounding.
"""
# A model is any nn.Module here, and pyright takes what such a module holds for Tensor | Module.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false

import argparse
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel

from solutions.ch07_transformer import Transformer
from solutions.ch09_training import TrainArgs, get_batch, muon_and_adamw, train, with_dropout
from utils.characters import Characters, read_text, shakespeare, split
from utils.config import Config
from utils.runs import save_run

History = list[dict[str, float]]


@dataclass(frozen=True)
class Together:
    """This process among those that train one model, and the device that it works on."""

    rank: int
    world: int
    device: torch.device

    @property
    def leads(self) -> bool:
        """The one that prints, and keeps the run."""
        return self.rank == 0

    def share(self, batch: Int[Tensor, "batch pos"]) -> Int[Tensor, "part pos"]:
        """The rows of a batch that are this process's."""
        return batch[self.rank :: self.world].to(self.device)

    def mean(self, number: float) -> float:
        """The mean over the processes."""
        if self.world == 1:
            return number
        total = torch.tensor(number, dtype=torch.float64 if self.device.type == "cpu" else torch.float32).to(
            self.device
        )
        distributed.all_reduce(total)
        return float(total) / self.world


def join() -> Together:
    """Meet the others that `torchrun` has started; without it, this process is alone."""
    rank, world, local = (int(os.environ.get(name, default)) for name, default in _FROM_TORCHRUN.items())
    has_gpu = torch.cuda.is_available()
    device = torch.device("cuda", local) if has_gpu else torch.device("cpu")
    if world > 1:
        distributed.init_process_group("nccl" if has_gpu else "gloo")
    return Together(rank, world, device)


_FROM_TORCHRUN = {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0"}


class Averaged(nn.Module):
    """A model whose gradients are the mean over all processes, with the `cfg` that `train` reads."""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.cfg = model.cfg
        self.parallel = DistributedDataParallel(model)

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_vocab"]:
        return self.parallel(tokens)


def train_together(model: nn.Module, data: Int[Tensor, " n_tokens"], args: TrainArgs, together: Together) -> History:
    """`train`, each process on its rows of each batch; the history's losses are those of whole batches.

    Raises ValueError where a batch can't be shared evenly, or where several would have to write one checkpoint.
    """
    if args.batch_size % together.world:
        raise ValueError(f"a batch of {args.batch_size} windows can't be shared evenly by {together.world} processes")
    if args.checkpoint is not None and together.world > 1:
        raise ValueError("a run of several processes keeps no checkpoint: train in one process, or without")
    model = model.to(together.device)

    def draw(generator: torch.Generator) -> Int[Tensor, "batch pos"]:
        return together.share(get_batch(data, model.cfg.n_ctx, args.batch_size, generator))

    held_out = None if args.held_out is None else args.held_out.to(together.device)
    report = args.report if together.leads else None
    args = replace(args, draw=draw, held_out=held_out, report=report)
    history = train(Averaged(model) if together.world > 1 else model, data, args)
    return [entry | {"loss": together.mean(entry["loss"])} for entry in history]


def main() -> None:
    options = _options()
    together = join()
    torch.manual_seed(options.seed)  # the same first weights everywhere
    text = shakespeare() if options.text is None else read_text(options.text)
    characters = Characters(text)
    data, held_out = split(characters.encode(text))
    model = Transformer(_sizes(options, characters.d_vocab))
    torch.manual_seed(options.seed + together.rank)  # other numbers are dropped in each
    if options.dropout:
        with_dropout(model, options.dropout)
    started = time.perf_counter()
    history = train_together(model, data, _args(options, held_out, started), together)
    if together.leads:
        folder = save_run(options.out, model.eval(), characters.known, history, **vars(options))
        print(f"kept in {folder}: python -m my_gpt --model {folder}")
    if together.world > 1:
        distributed.destroy_process_group()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m training.shakespeare", description=__doc__)
    add: Any = parser.add_argument
    add("--text", type=Path, help="a text file of your own, in place of tiny Shakespeare")
    add("--out", type=Path, default=Path("runs/shakespeare"), help="where the run is kept")
    add("--layers", type=int, default=4)
    add("--heads", type=int, default=4)
    add("--d-model", type=int, default=128)
    add("--n-ctx", type=int, default=64)
    add("--batch-size", type=int, default=12, help="windows in a step, of all processes together")
    add("--steps", type=int, default=2000)
    add("--optimiser", choices=("muon", "adamw"), default="muon")
    add("--lr", type=float, help="of AdamW, or of Muon; by default what suits the CPU setting")
    add("--warmup", type=int, default=100)
    add("--dropout", type=float, default=0.0)
    add("--seed", type=int, default=0)
    return parser.parse_args()


def _sizes(options: argparse.Namespace, d_vocab: int) -> Config:
    d_model, n_heads = options.d_model, options.heads
    if d_model % n_heads:
        raise SystemExit(f"--d-model {d_model} is not a multiple of --heads {n_heads}")
    sizes = {"d_head": d_model // n_heads, "d_mlp": 4 * d_model, "n_heads": n_heads, "n_layers": options.layers}
    return Config(d_model=d_model, d_vocab=d_vocab, n_ctx=options.n_ctx, **sizes)


def _args(options: argparse.Namespace, held_out: Tensor, started: float) -> TrainArgs:
    seen = options.batch_size * options.n_ctx

    def report(entry: dict[str, float]) -> None:
        seconds = time.perf_counter() - started
        losses = f"loss {entry['loss']:.3f}  held out {entry['held_out']:.3f}"
        pace = f"{seconds:6.0f} s  {entry['step'] * seen / seconds:,.0f} tokens per second"
        print(f"step {entry['step']:5} of {options.steps}  {losses}  {pace}", flush=True)

    return TrainArgs(
        steps=options.steps,
        batch_size=options.batch_size,
        lr=options.lr or 1e-3,
        warmup=options.warmup,
        held_out=held_out,
        eval_every=max(1, options.steps // 20),
        seed=options.seed,
        report=report,
        optimisers=_optimisers(options),
    )


def _optimisers(options: argparse.Namespace) -> Any:
    if options.optimiser == "adamw":
        return None
    rates = {} if options.lr is None else {"lr_muon": options.lr}
    return lambda model: muon_and_adamw(model, **rates)


if __name__ == "__main__":
    main()
