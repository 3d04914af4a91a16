"""How fast a story is made: the package my_gpt's loops, and HuggingFace's `generate`, beside each other.

Greedy, 200 tokens from the same prompt, one thread, one after another in rounds, all in one run. Every way must make
the same tokens, but for the loop of --bits 8, whose weights are rounded. Printed are milliseconds a token (the median
round), how many times as fast as HuggingFace that is, and which share it reaches of the limit that the memory sets: the
processor time of adding up as many numbers as a token needs weights, in float32, over its own. (From 16 or 8 bits, less
is read, and the share may be above 1.) For the bundled model the rise of the loss by rounding to 8 bits follows, over
the two sets of held-out passages, each token read by itself as in a story.
The package is written anew into a temporary folder, with the reference solutions as its parts.

    python benchmarks/generation.py [--rounds 5] [--only bundled|small]

bundled   the reference model of the course: every weight fits in 16 bits, which the fast loop makes use of; beside it
          stands the same loop with 32 bits, as it is for other models
small     random weights in the shape of GPT-2 small, saved as HuggingFace saves them and read back (needs 3 GB of
          memory); `generate` without a cache is left out there: it takes minutes
"""

import argparse
import gc
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from utils.course import throwaway_state
from utils.own_gpt.loading import BUNDLED, loaded, module
from utils.own_gpt.writing import write_package
from utils.passages import OverPassages, over_passages

N_TOKENS = 200
PEER = "HuggingFace generate"
LIMIT = "reading the weights"
ROUNDED = "the fast loop, 8 bits"
ALLOWED = 1e-4  # between logits, of the largest
Way = Callable[[], list[int]]


def huggingface(folder: Path) -> nn.Module:
    """The model as `transformers` reads it, in float32."""
    from transformers.models.gpt2 import GPT2LMHeadModel

    return GPT2LMHeadModel.from_pretrained(folder, dtype=torch.float32).eval()


def random_gpt2_small(folder: Path) -> None:
    """A checkpoint of GPT-2 small's shape, made as `transformers` makes a fresh one, with the course's tokenizer."""
    from transformers.models.gpt2 import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    GPT2LMHeadModel(GPT2Config()).save_pretrained(folder)
    (folder / "tokenizer.json").write_bytes((BUNDLED / "tokenizer.json").read_bytes())


def ways(folder: Path, with_plain_generate: bool) -> tuple[dict[str, Way], float]:
    """Each way to make the tokens, and how far the fast loop's logits are from the plain code's."""
    gpt, theirs, fast = module("course.telling").load(folder), huggingface(folder), module("course.fast").FastGPT2
    start = torch.tensor([gpt.tokenizer.end, *gpt.tokenizer.encode("Once upon a time there was")])
    loops = {"the fast loop": fast(gpt.model)}
    if loops["the fast loop"].from_16_bits:
        loops["the fast loop, 32 bits"] = fast(gpt.model, bits=32)
    loops[ROUNDED] = fast(gpt.model, bits=8)

    def by_loop(loop: Any) -> list[int]:
        loop.n_read = 0
        return list(loop.tokens(start, N_TOKENS))

    def by_huggingface() -> list[int]:
        settings = {"do_sample": False, "max_new_tokens": N_TOKENS, "min_new_tokens": N_TOKENS, "pad_token_id": 0}
        mask = torch.ones_like(start[None])
        return theirs.generate(start[None], attention_mask=mask, **settings)[0, len(start) :].tolist()  # type: ignore

    def by_parts(name: str) -> list[int]:
        return getattr(module(f"parts.{name}"), name)(gpt.model, start, N_TOKENS, temperature=0)[len(start) :].tolist()

    found: dict[str, Way] = {name: (lambda loop=loop: by_loop(loop)) for name, loop in loops.items()}
    found |= {PEER: by_huggingface, "generate_with_cache": lambda: by_parts("generate_with_cache")}
    if with_plain_generate:
        found["generate"] = lambda: by_parts("generate")
    looked_up = gpt.model.embed.W_E, gpt.model.pos_embed.W_pos
    found[LIMIT] = reading(sum(map(torch.numel, gpt.model.parameters())) - sum(map(torch.numel, looked_up)))
    return found, difference(gpt.model, loops["the fast loop"], start)


def reading(n_weights: int) -> Way:
    """Adds up so many numbers in float32 once for each token, and makes none."""
    weights = torch.ones(n_weights)

    def read() -> list[int]:
        for _ in range(N_TOKENS):
            weights.sum()
        return []

    return read


@torch.no_grad()
def difference(model: nn.Module, loop: Any, start: Tensor) -> float:
    """The largest difference of any logit over a text that grows token by token, over what is a large logit."""
    loop.n_read = 0
    text = torch.cat([start, torch.tensor(list(loop.tokens(start, 60)))])
    right = model(text[None])[0]
    loop.n_read = 0
    apart = [(loop.logits(text[:upto]) - right[upto - 1]).abs().max() for upto in range(1, len(text) + 1)]
    return float(torch.stack(apart).max() / right.abs().max().clamp(min=1))


def rise_by_rounding() -> OverPassages:
    """How much higher the loss of the bundled model is with weights in 8 bits than in 32, in nats a token."""
    model, fast = module("course.telling").load(BUNDLED).model, module("course.fast").FastGPT2
    rounded, exact = (over_passages(partial(loss, fast(model, bits))) for bits in (8, 32))
    return rounded - exact


def loss(loop: Any, tokens: Tensor) -> Tensor:
    """The loop's mean loss on a text [1 pos] that grows token by token."""
    (text,) = tokens
    loop.n_read = 0
    logits = [loop.logits(text[:upto]) for upto in range(1, len(text))]
    return cross_entropy(torch.stack(logits), text[1:])


def measure(some: dict[str, Way], rounds: int) -> dict[str, list[SimpleNamespace]]:
    """In each round every way once, in turn; the first round, in which caches fill, is not counted."""
    times: dict[str, list[SimpleNamespace]] = {name: [] for name in some}
    right = None
    for number in range(rounds + 1):
        for name, way in some.items():
            gc.collect()
            wall, cpu = time.perf_counter(), time.process_time()
            made = way()
            spent = SimpleNamespace(wall=time.perf_counter() - wall, cpu=time.process_time() - cpu)
            right = right or made
            if made != right and name not in (LIMIT, ROUNDED):
                first = next(index for index, (one, other) in enumerate(zip(made, right, strict=True)) if one != other)
                raise SystemExit(f"{name} makes another token at {first}: {made[first]}, not {right[first]}")
            if number:
                times[name].append(spent)
    return times


def report(title: str, times: dict[str, list[SimpleNamespace]], apart: float) -> None:
    """The table of one model."""
    same = "the same by every way but 8 bits"
    print(f"\n{title}: {N_TOKENS} tokens, {same}; the fast loop's logits within {apart:.1g} of the largest")
    faster = f"{'times HuggingFace':>20}{'by processor time':>20}"
    print(f"{'':26}{'ms a token':>12}{'processor':>12}{faster}{'share of the limit':>20}")

    def medians(name: str) -> tuple[float, float]:
        return tuple(statistics.median(getattr(one, kind) for one in times[name]) for kind in ("wall", "cpu"))  # type: ignore

    peer_wall, peer_cpu = medians(PEER)
    _, limit = medians(LIMIT)
    for name in times:
        wall, cpu = medians(name)
        each = 1000 / N_TOKENS
        faster = f"{peer_wall / wall:20.2f}{peer_cpu / cpu:20.2f}"
        print(f"{name:26}{wall * each:12.2f}{cpu * each:12.2f}{faster}{limit / cpu:20.2f}")


def main() -> None:
    """Measure both models, or the one that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=["bundled", "small"])
    wanted = parser.parse_args()
    torch.set_num_threads(1)
    print(f"torch {torch.__version__}, load of this machine before: {os.getloadavg()[0]:.1f}")
    with throwaway_state() as state, tempfile.TemporaryDirectory() as scratch, torch.no_grad():
        write_package()
        with loaded(state / "my_gpt"):
            for name in ("bundled", "small"):
                if wanted.only in (None, name):
                    folder = BUNDLED if name == "bundled" else Path(scratch)
                    if name == "small":
                        random_gpt2_small(folder)
                    some, apart = ways(folder, with_plain_generate=name == "bundled")
                    if apart > ALLOWED:
                        raise SystemExit(f"the fast loop's logits differ by {apart:.1g} of the largest")
                    report(name, measure(some, wanted.rounds), apart)
                    if name == "bundled":
                        print(f"8 bits raise the loss by {rise_by_rounding()}")
    print(f"load after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
