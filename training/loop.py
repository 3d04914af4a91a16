"""The training loop of the reference model, with checkpoints from which a run resumes exactly."""

import time
from collections.abc import Generator
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from solutions.ch07_transformer import Transformer
from solutions.ch09_training import cosine_lr, lm_loss
from training.data import training_batch
from utils.config import Config


@dataclass(frozen=True)
class TrainArgs:
    """What a run is made of, besides the model's sizes and the text.

    `steps` on the text, then `phrase_steps` with a second, lower cosine; there a `phrase_share` of rows are phrases.
    """

    steps: int = 8000
    phrase_steps: int = 2500
    batch_size: int = 16
    lr_max: float = 2e-3
    phrase_lr_max: float = 1e-3
    lr_min: float = 4e-5
    warmup: int = 200
    weight_decay: float = 0.1
    beta2: float = 0.99
    grad_clip: float = 1.0
    repeat_share: float = 0.05
    phrase_share: float = 0.25
    seed: int = 20
    checkpoint_every: int = 250
    compiled: bool = True
    threads: int = 2

    @property
    def all_steps(self) -> int:
        return self.steps + self.phrase_steps

    def stage(self, step: int) -> tuple[float, float]:
        """The learning rate at `step`, and the share of the rows that are phrases."""
        if step < self.steps:
            return cosine_lr(step, self.warmup, self.steps, self.lr_max, self.lr_min), 0.0
        lr = cosine_lr(step - self.steps, self.warmup, self.phrase_steps, self.phrase_lr_max, self.lr_min)
        return lr, self.phrase_share


@dataclass(frozen=True)
class Progress:
    """One line of the log: the loss in nats, the time since the run began in seconds."""

    step: int
    loss: float
    lr: float
    seconds: float


@dataclass(frozen=True)
class Checkpoint:
    """What a run has come to: the weights by TransformerLens's names, after `step` steps and so many seconds."""

    cfg: Config
    args: TrainArgs
    weights: dict[str, Tensor]
    step: int
    seconds: float


def read_checkpoint(path: Path) -> Checkpoint:
    """Read what `train` saved, without the optimiser."""
    state = torch.load(path, weights_only=True)
    cfg, args = Config(**state["cfg"]), TrainArgs(**state["args"])
    return Checkpoint(cfg, args, state["model"], state["step"], state["seconds"])


class TiedTransformer(nn.Module):
    """The course's Transformer with `W_U` read from `W_E`, as GPT-2 ties them."""

    def __init__(self, cfg: Config):
        super().__init__()
        self.model = Transformer(cfg)
        residual_scale = (2 * cfg.n_layers) ** -0.5  # Radford et al. 2019, section 2.3
        with torch.no_grad():
            for name, parameter in self.model.named_parameters():
                if name.endswith((".attn.W_O", ".mlp.W_out")):
                    parameter.mul_(residual_scale)

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_vocab"]:
        tied = {"unembed.W_U": self.model.embed.W_E.T}
        return torch.func.functional_call(self.model, tied, (tokens,)).float()

    def trained_parameters(self) -> dict[str, nn.Parameter]:
        """Every parameter that the optimiser moves: all but `W_U`, which is `W_E` transposed, and the frozen `b_U`."""
        return {name: p for name, p in self.model.named_parameters() if not name.startswith("unembed.")}


def make_optimizer(tied: TiedTransformer, args: TrainArgs) -> torch.optim.AdamW:
    """AdamW that decays matrices and leaves biases and LayerNorm's `w` alone."""
    is_vector = {name: name.split(".")[-1].startswith(("b", "w")) for name in tied.trained_parameters()}
    decayed = [p for name, p in tied.trained_parameters().items() if not is_vector[name]]
    kept = [p for name, p in tied.trained_parameters().items() if is_vector[name]]
    groups = [{"params": decayed, "weight_decay": args.weight_decay}, {"params": kept, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=args.lr_max, betas=(0.9, args.beta2), fused=True)


def train(
    cfg: Config, data: Int[Tensor, " n_tokens"], args: TrainArgs, checkpoint: Path
) -> Generator[Progress, None, None]:
    """Train to `args.all_steps`, from `checkpoint` when it exists, saving it as the run goes; yield the log.

    Raises ValueError when the checkpoint was made with other sizes or settings.
    """
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    tied = TiedTransformer(cfg)
    optimizer = make_optimizer(tied, args)
    generator = torch.Generator().manual_seed(args.seed)
    first_step, seconds_before = 0, 0.0
    if checkpoint.exists():
        first_step, seconds_before = _restore(checkpoint, cfg, args, tied, optimizer, generator)
    loss_of = torch.compile(lm_loss) if args.compiled else lm_loss
    started = time.perf_counter()
    for step in range(first_step, args.all_steps):
        lr, phrase_share = args.stage(step)
        tokens = training_batch(data, cfg.n_ctx, args.batch_size, args.repeat_share, phrase_share, generator)
        loss = _step(tied, optimizer, loss_of, tokens, lr, args.grad_clip)
        done, seconds = step + 1, seconds_before + time.perf_counter() - started
        if done % args.checkpoint_every == 0 or done == args.all_steps:
            _save(checkpoint, cfg, args, tied, optimizer, generator, done, seconds)
        yield Progress(done, loss, lr, seconds)


def _step(tied, optimizer, loss_of, tokens, lr, grad_clip) -> float:
    for group in optimizer.param_groups:
        group["lr"] = lr
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = loss_of(tied, tokens)
    loss.backward()
    nn.utils.clip_grad_norm_(tied.trained_parameters().values(), grad_clip)
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


def _save(checkpoint, cfg, args, tied, optimizer, generator, step, seconds):
    state = {
        "cfg": asdict(cfg),
        "args": asdict(args),
        "model": tied.model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "generator": generator.get_state(),
        "step": step,
        "seconds": seconds,
    }
    partial = checkpoint.with_suffix(".partial")
    torch.save(state, partial)
    partial.replace(checkpoint)


def _restore(checkpoint, cfg, args, tied, optimizer, generator) -> tuple[int, float]:
    state = torch.load(checkpoint, weights_only=True)
    for what, wanted in (("cfg", asdict(cfg)), ("args", asdict(args))):
        changed = [key for key in wanted if state[what].get(key) != wanted[key]]
        if changed:
            raise ValueError(
                f"{checkpoint} was made with another {', '.join(changed)}: "
                f"{[state[what].get(key) for key in changed]}, now {[wanted[key] for key in changed]}. "
                "Use the same settings to resume, or another --run folder to begin again."
            )
    tied.model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    generator.set_state(state["generator"])
    return state["step"], state["seconds"]
