"""Where a Transformer first parts ways with the reference model: what each part reads and gives, in order."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from utils.reference import Reference, reference

ALLOWED = 2e-5  # of the largest number expected: what sums in another order may differ by
OF_A_BLOCK = (  # each part of a block, what it reads and what it gives, by TransformerLens's names
    ("ln1", "hook_resid_pre", "ln1.hook_out"),
    ("attn", "ln1.hook_out", "hook_attn_out"),
    ("ln2", "hook_resid_mid", "ln2.hook_out"),
    ("mlp", "ln2.hook_out", "hook_mlp_out"),
)
WIDTH = 24
ITSELF = "What it reads is right, so the mistake is inside it."
LAST_SUM = "Its parts are right, so the mistake is in its last sum."
BEFORE = "All before it is right, so the mistake is in the line that calls it, or in a sum before that line."


@dataclass(frozen=True)
class Stage:
    """What one part reads or gives: the largest difference from the reference model, and how much is allowed.

    `difference` is None where the part was never called, infinite where the shape is another.
    """

    part: str  # "blocks.0.ln1"
    verb: str  # "reads" or "gives"
    calls: int
    difference: float | None
    allowed: float

    @property
    def differs(self) -> bool:
        """Whether it is another value than the reference model's."""
        return self.difference is not None and not self.difference <= self.allowed

    def __str__(self) -> str:
        name = f"{self.part} {self.verb}".ljust(WIDTH)
        return f"{name}{self._how()}{_times(self.calls)}"

    def _how(self) -> str:
        if self.difference is None:
            return "never called"
        if not self.differs:
            return "agrees"
        if self.difference == float("inf"):
            return "has another shape"
        return f"differs by up to {self.difference:.2g}"


def _times(calls: int) -> str:
    return f" (called {calls} times)" if calls > 1 else ""


@dataclass(frozen=True)
class Comparison:
    """Every stage from the embedding to the logits, in the order in which the reference model computes them."""

    stages: list[Stage]

    @property
    def first(self) -> Stage | None:
        """The first stage that differs; None where all agree."""
        return next((stage for stage in self.stages if stage.differs), None)

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        """What agrees, one line for each block; the block of the first difference in full; what that says."""
        for name, group in _grouped(self.stages).items():
            if self.first in group:
                before = group[: group.index(self.first)]
                yield from map(str, before)
                yield f"{self.first}   <- the first that differs"
                yield from self._conclusion(self.first)
                return
            uncalled = [stage for stage in group if stage.difference is None]
            yield from map(str, uncalled)
            if len(uncalled) < len(group):
                calls = max(stage.calls for stage in group)
                yield f"{name.ljust(WIDTH)}agrees{_times(calls)}"
        yield "All agree, from the embedding to the logits."

    def _conclusion(self, first: Stage) -> Iterator[str]:
        later = self.stages[self.stages.index(first) + 1 :]
        if later:
            differing = sum(stage.differs for stage in later)
            yield f"Of {len(later)} stages after it, {differing} differ too."
        if first.verb == "reads":
            yield BEFORE
        else:
            yield LAST_SUM if _kind(first.part) == "block" else ITSELF


def first_difference(model: nn.Module) -> Comparison:
    """Run a Transformer on the tokens that the reference model read, and compare what each part reads and gives.

    The model has the parts that the course's Transformer has, under their names, and the reference model's weights.
    """
    right, seen = reference(), dict[str, list[tuple[Tensor, Tensor]]]()

    def listening(name: str) -> Callable[..., None]:
        def listen(_: nn.Module, inputs: tuple, output: Tensor) -> None:  # copies: `+=` may change the tensors later
            seen.setdefault(name, []).append((inputs[0].detach().clone(), output.detach().clone()))

        return listen

    handles = [part.register_forward_hook(listening(name)) for name, part in model.named_modules()]
    try:
        with torch.no_grad():
            model(right.tokens)
    finally:
        for handle in handles:
            handle.remove()
    return Comparison([_stage(*names, seen, right) for names in _stages(right.cfg.n_layers)])


def _stages(n_layers: int) -> Iterator[tuple[str, str, str]]:
    """Each part, whether it reads or gives, and the activation that this should be."""
    yield "embed", "gives", "hook_embed"
    yield "pos_embed", "gives", "hook_pos_embed"
    for layer in range(n_layers):
        at = f"blocks.{layer}"
        yield at, "reads", f"{at}.hook_resid_pre"
        for part, read, given in OF_A_BLOCK:
            yield f"{at}.{part}", "reads", f"{at}.{read}"
            yield f"{at}.{part}", "gives", f"{at}.{given}"
        yield at, "gives", f"{at}.hook_resid_post"
    yield "ln_final", "reads", "ln_final.hook_in"
    yield "ln_final", "gives", "ln_final.hook_out"
    yield "unembed", "reads", "ln_final.hook_out"
    yield "unembed", "gives", "unembed.hook_out"


def _stage(part: str, verb: str, hook: str, seen: dict[str, list[tuple[Tensor, Tensor]]], right: Reference) -> Stage:
    calls, want = seen.get(part, []), right.activations[hook]
    allowed = ALLOWED * max(1.0, float(want.abs().max()))
    difference = None
    if calls:
        read, given = calls[0]
        difference = _difference(read if verb == "reads" else given, want)
    return Stage(part, verb, len(calls), difference, allowed)


def _difference(got: Tensor, want: Tensor) -> float:
    try:  # a position's vector may have a batch axis or not
        return float((got - want).abs().max())
    except (RuntimeError, TypeError):
        return float("inf")


def _grouped(stages: list[Stage]) -> dict[str, list[Stage]]:
    """The stages of each block together, those outside the blocks by their part."""
    groups = dict[str, list[Stage]]()
    for stage in stages:
        block = ".".join(stage.part.split(".")[:2])
        groups.setdefault(block, []).append(stage)
    return groups


@contextmanager
def mistaken(model: nn.Module, /, **forwards: Callable[[Any, Tensor], Tensor]) -> Iterator[None]:
    """Within the block, every part of these kinds answers `forwards[kind](part, x)`, and not what its class says.

    The kinds: model, block, ln (all LayerNorms), and embed, pos_embed, attn, mlp, unembed.
    """
    changed: list[nn.Module] = []
    for name, part in model.named_modules():
        forward = forwards.get(_kind(name))
        if forward:
            part.forward = partial(forward, part)
            changed.append(part)
    try:
        yield
    finally:
        for part in changed:
            del part.forward


def _kind(name: str) -> str:
    """Which of these a part is, by its name in the model."""
    last = name.rpartition(".")[2]
    if last.isdigit():
        return "block"
    if last.startswith("ln"):
        return "ln"
    return last or "model"
