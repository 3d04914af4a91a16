"""The tables of chapter 9 that take too long for its cells, made again: one name on the command line for each.

    python benchmarks/training_tables.py            # all of them, about 5 minutes of one core
    python benchmarks/training_tables.py descent    # or race, bert, restart, frozen, by_heart, no_mask, detached

Where a learning rate is chosen, it is chosen on seed 0 among as many rates for each optimiser, and what is reported
comes from the seeds 1, 2 and 3 with that rate.
"""
# A model is any nn.Module here, and pyright takes what such a module holds for Tensor | Module.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportGeneralTypeIssues=false

import argparse
import math
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

from solutions.ch07_transformer import Transformer
from solutions.ch09_training import AdamW, TrainArgs, get_batch, lm_loss, muon_and_adamw, train
from utils.config import Config
from utils.race.track import nanogpts_track

TRACK = nanogpts_track()
SMALL = Config(d_model=32, d_vocab=65, n_ctx=32, d_head=8, d_mlp=128, n_heads=4, n_layers=2)
TOY = Config(d_model=32, d_vocab=65, n_ctx=32, d_head=16, d_mlp=128, n_heads=2, n_layers=1)
SMALL_RUN: dict[str, Any] = {"batch_size": 12, "lr": 5e-3, "warmup": 10, "held_out": TRACK.held_out}
CHOSEN_ON, REPORTED = 0, (1, 2, 3)
NEVER = 10**9
Optimisers = Callable[[nn.Module], list[Any]]


def fresh(cfg: Config, seed: int) -> nn.Module:
    """A Transformer with weights drawn from a seed."""
    torch.manual_seed(seed)
    return Transformer(cfg)


@torch.no_grad()
def held_out_loss(model: nn.Module, windows: int = 256) -> float:
    """The loss on held-out windows, always the same ones."""
    dice = torch.Generator().manual_seed(9)
    return float(lm_loss(model, get_batch(TRACK.held_out, model.cfg.n_ctx, windows, dice)))


class Rated:
    """One of torch's optimisers whose learning rate is an attribute, as `train` has it."""

    def __init__(self, inner: torch.optim.Optimizer):
        self.inner, self.lr = inner, inner.param_groups[0]["lr"]
        self.step_alone, self.zero_grad = inner.step, inner.zero_grad

    def step(self) -> None:
        for group in self.inner.param_groups:
            group["lr"] = self.lr
        self.step_alone()


def sgd(rate: float, momentum: float = 0.0) -> Optimisers:
    return lambda model: [Rated(torch.optim.SGD(model.parameters(), lr=rate, momentum=momentum))]


def adamw(rate: float) -> Optimisers:
    return lambda model: [AdamW(model.parameters(), rate, (0.9, 0.99), 1e-8, 0.1)]


def muon(rate: float, rest: float) -> Optimisers:
    return lambda model: muon_and_adamw(model, rate, rest)


def chosen(name: str, ways: dict[float, Optimisers], run: Callable[[Optimisers, int], float]) -> None:
    """The rate that is best on seed 0, and what it gives with the other seeds."""
    tried = {rate: run(way, CHOSEN_ON) for rate, way in ways.items()}
    best = min(tried, key=lambda rate: tried[rate] if tried[rate] == tried[rate] else math.inf)
    print(f"{name}, seed {CHOSEN_ON}:", *(f"{rate} {loss:.3f}" for rate, loss in tried.items()), flush=True)
    report(f"{name} at {best}, seeds {REPORTED}", [run(ways[best], seed) for seed in REPORTED])


def report(name: str, losses: Iterable[float]) -> None:
    print(f"{name}:", *(f"{loss:.3f}" for loss in losses), flush=True)


def descent() -> None:
    """100 steps of the small Transformer at a constant rate: plain descent, momentum, AdamW."""

    def run(optimisers: Optimisers, seed: int) -> float:
        model = fresh(SMALL, seed)
        args = TrainArgs(100, 12, 1.0, lr_end=1.0, clip=math.inf, seed=seed, optimisers=optimisers, eval_every=NEVER)
        train(model, TRACK.data, args)
        return held_out_loss(model)

    chosen("plain descent", {rate: sgd(rate) for rate in (0.12, 0.24, 0.48, 0.96)}, run)
    chosen("momentum 0.9", {rate: sgd(rate, 0.9) for rate in (0.03, 0.06, 0.12, 0.24)}, run)
    chosen("AdamW", {rate: adamw(rate) for rate in (0.002, 0.004, 0.008, 0.016)}, run)


def race() -> None:
    """300 steps with warm-up, clipping and the cosine: momentum, AdamW, Muon."""

    def run(optimisers: Optimisers, seed: int) -> float:
        model = fresh(SMALL, seed)
        args = TrainArgs(300, 12, 1.0, warmup=30, seed=seed, optimisers=optimisers, eval_every=NEVER)
        train(model, TRACK.data, args)
        return held_out_loss(model, 512)

    chosen("AdamW", {rate: adamw(rate) for rate in (0.005, 0.01, 0.02, 0.04)}, run)
    for rest in (0.003, 0.02):  # the default, and what is best for AdamW alone
        chosen(f"Muon, the rest at {rest}", {rate: muon(rate, rest) for rate in (0.01, 0.02, 0.04, 0.08)}, run)
    chosen("momentum 0.9", {rate: sgd(rate, 0.9) for rate in (0.06, 0.12, 0.24, 0.48)}, run)


class Uncorrected(AdamW):
    """AdamW without the bias correction, as BERT's."""

    @torch.no_grad()
    def step(self) -> None:
        beta1, beta2 = self.betas
        for parameter, mean, square in zip(self.params, self.means, self.squares, strict=True):
            if parameter.grad is None:
                continue
            mean.mul_(beta1).add_((1 - beta1) * parameter.grad)
            square.mul_(beta2).add_((1 - beta2) * parameter.grad**2)
            update = mean / (square.sqrt() + self.eps) + self.weight_decay * parameter
            parameter.sub_(self.lr * update)


def bert() -> None:
    """100 steps at a constant rate with BERT's Adam, with and without the correction, at two rates."""
    for rate in (1e-3, 4e-3):
        for kind, name in ((AdamW, "with the correction"), (Uncorrected, "without it")):
            losses = []
            for seed in range(4):
                model = fresh(SMALL, seed)
                settings: dict[str, Any] = {"lr_end": 1.0, "clip": math.inf, "seed": seed, "eval_every": NEVER}

                def optimisers(model: nn.Module, kind: type[AdamW] = kind, rate: float = rate) -> list[Any]:
                    return [kind(model.parameters(), rate, (0.9, 0.999), 1e-6, 0.01)]

                train(model, TRACK.data, TrainArgs(100, 12, rate, optimisers=optimisers, **settings))
                losses.append(held_out_loss(model))
            report(f"rate {rate}, {name}", losses)


def restart() -> None:
    """200 steps, stopped at 100: gone on with an optimiser that begins anew, against the run that was not stopped."""
    for seed in range(4):
        ends = {}
        for anew in (False, True):
            model, seen = fresh(SMALL, seed), {}

            def measure(entry: dict[str, Any], model: nn.Module = model, seen: dict[int, float] = seen) -> None:
                if entry["step"] in (101, 105, 110, 200):
                    seen[entry["step"]] = held_out_loss(model)

            optimisers = forgetting if anew else adamw(5e-3)
            args = TrainArgs(200, 12, 5e-3, warmup=10, seed=seed, eval_every=1, report=measure, optimisers=optimisers)
            train(model, TRACK.data, args)
            ends[anew] = model, seen
        whole, stopped = ends[False], ends[True]
        apart = max(
            (one - other).abs().max().item()
            for one, other in zip(whole[0].parameters(), stopped[0].parameters(), strict=True)
        )
        lost = {step: stopped[1][step] - whole[1][step] for step in whole[1]}
        print(f"seed {seed}: furthest weight {apart:.3f}", *(f"step {step} {by:+.3f}" for step, by in lost.items()))


class Forgetting(AdamW):
    """Before its 101st step it forgets both averages and its count of steps."""

    def step(self) -> None:
        if max(self.steps) == 100 and not getattr(self, "has_forgotten", False):
            self.has_forgotten = True
            for average in (*self.means, *self.squares):
                average.zero_()
            self.steps = [0] * len(self.steps)
        super().step()


def forgetting(model: nn.Module) -> list[Any]:
    return [Forgetting(model.parameters(), 5e-3, (0.9, 0.99), 1e-8, 0.1)]


def frozen() -> None:
    """100 steps of the small Transformer with a frozen W_U, drawn in several widths."""
    for spread in (None, 0.02, 0.2, 0.6):
        losses = []
        for seed in range(3):
            model = fresh(SMALL, seed)
            if spread is not None:
                table = model.get_parameter("unembed.W_U").requires_grad_(False)
                table.mul_(spread / 0.02)
            train(model, TRACK.data, TrainArgs(100, seed=seed, eval_every=NEVER, **SMALL_RUN))
            losses.append(held_out_loss(model))
        report("trained" if spread is None else f"frozen at {spread}", losses)


def by_heart() -> None:
    """One batch, 400 steps, `zero_grad` forgotten, at several rates."""
    for rate in (1e-2, 1e-3, 3e-4):
        for seed in range(3):
            model = fresh(TOY, seed)
            batch = get_batch(TRACK.data, 32, 4, torch.Generator().manual_seed(seed))
            optimiser = torch.optim.AdamW(model.parameters(), lr=rate)
            losses = []
            for _ in range(401):
                loss = lm_loss(model, batch)
                loss.backward()
                optimiser.step()
                losses.append(loss.item())
            report(f"rate {rate}, seed {seed}, after 0, 100, 200, 400 steps", losses[::100][:3] + losses[-1:])


def no_mask() -> None:
    """The toy trained without any mask, and asked with none and with the right one."""
    for seed in range(3):
        model = fresh(TOY, seed)
        masks = [block.attn for block in model.blocks]
        dice = torch.Generator().manual_seed(seed)
        optimiser = torch.optim.AdamW(model.parameters(), lr=5e-3)
        shown = []
        for block, attention in zip(model.blocks, masks, strict=True):
            block.attn = Unmasked(attention)
        for done in range(1, 601):
            optimiser.zero_grad()
            lm_loss(model, get_batch(TRACK.data, 32, 8, dice)).backward()
            optimiser.step()
            if done in (150, 300, 600):
                open_loss = held_out_loss(model, 64)
                for block in model.blocks:
                    block.attn.masked = True
                shown += [open_loss, held_out_loss(model, 64)]
                for block in model.blocks:
                    block.attn.masked = False
        report(f"seed {seed}: after 150, 300, 600 steps, each without and with the mask", shown)


class Unmasked(nn.Module):
    """Attention's own weights with no mask, or with the right one."""

    def __init__(self, own: nn.Module):
        super().__init__()
        self.own, self.masked = own, False

    def forward(self, read: Tensor) -> Tensor:
        own = dict(self.own.named_parameters())
        q, k, v = (
            torch.einsum("bpm,hmd->bhpd", read, own[f"W_{letter}"]) + own[f"b_{letter}"][:, None] for letter in "QKV"
        )
        z = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=self.masked)
        return torch.einsum("bhpd,hdm->bpm", z, own["W_O"]) + own["b_O"]


def detached() -> None:
    """800 steps of the small Transformer with attention cut off from the gradients, and without that mistake."""
    for cut in (False, True):
        losses = []
        for seed in range(3):
            model = fresh(SMALL, seed)
            if cut:
                for block in model.blocks:
                    block.attn.register_forward_hook(lambda part, given, answer: answer.detach())
            train(model, TRACK.data, TrainArgs(800, seed=seed, eval_every=NEVER, **SMALL_RUN))
            losses.append(held_out_loss(model))
        report("attention detached" if cut else "no mistake", losses)


TABLES = {one.__name__: one for one in (frozen, by_heart, restart, no_mask, detached, descent, bert, race)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="TABLE", help=f"{', '.join(TABLES)}; all if left out")
    names = parser.parse_args().names
    if unknown := set(names) - TABLES.keys():
        parser.error(f"no table is called {', '.join(unknown)}")
    torch.set_num_threads(1)
    for name in names or TABLES:
        print(f"{name}: {TABLES[name].__doc__}")
        TABLES[name]()


if __name__ == "__main__":
    main()
