"""What more threads are worth: a GPT-2's work with one thread and with all cores, alone and beside busy programs.

For models of several widths, the bundled one's and GPT-2 small's among them, with random weights: reading 64 tokens at
once, and telling 12 tokens with a cache. Both ways take turns in rounds, all in one run; then the same once more with a
busy loop beside for each core. Printed are milliseconds (the median round), and how many times as long one thread takes
as all of them: above 1, more threads gain. These figures drew the line in `utils/own_gpt/threads.py`.

    python benchmarks/threads.py [--rounds 5]
"""

import argparse
import multiprocessing
import os
import statistics
import time
from collections.abc import Callable

import torch

from solutions.ch07_transformer import Transformer
from solutions.ch08_sampling import generate_with_cache
from utils.config import Config
from utils.own_gpt.threads import WIDE

LAYERS, VOCABULARY, CONTEXT = 6, 8192, 128
WIDTHS = {192: "the bundled model's", 512: "", 768: "GPT-2 small's", 1024: "GPT-2 medium's"}


def random_model(width: int) -> Transformer:
    """As many layers whatever the width: it is the products that threads share."""
    torch.manual_seed(0)
    cfg = Config(
        d_model=width, d_vocab=VOCABULARY, n_ctx=CONTEXT, d_head=64, d_mlp=4 * width, n_heads=width // 64,
        n_layers=LAYERS,
    )  # fmt: skip
    model = Transformer(cfg)
    for weight in model.parameters():
        torch.nn.init.normal_(weight, std=0.02)
    return model.requires_grad_(False)


def milliseconds(work: Callable[[], object], threads: int) -> float:
    """The time of one call, after a short one in which the threads start."""
    torch.set_num_threads(threads)
    torch.ones(400, 400).mm(torch.ones(400, 400))
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def compared(work: Callable[[], object], all_threads: int, rounds: int) -> tuple[float, float, float]:
    """Milliseconds with one thread and with all, and the median ratio of a round; the first round is not counted."""
    pairs = [(milliseconds(work, 1), milliseconds(work, all_threads)) for _ in range(rounds + 1)][1:]
    one, many = (statistics.median(column) for column in zip(*pairs, strict=True))
    return one, many, statistics.median(alone / together for alone, together in pairs)


def measure(models: dict[int, Transformer], rounds: int, all_threads: int) -> None:
    """A line for each model and kind of work."""
    text = torch.arange(64)
    print(f"{'d_model':>9}  {'work':22}{'one thread':>12}{f'{all_threads} threads':>12}{'ratio':>8}   ms")
    for width, model in models.items():
        for name, work in {
            "reads 64 tokens": lambda model=model: model(text[None]),
            "tells 12 tokens": lambda model=model: generate_with_cache(model, text[:8], 12, temperature=0),
        }.items():
            one, many, ratio = compared(work, all_threads, rounds)
            print(f"{width:>9}  {name:22}{one:12.1f}{many:12.1f}{ratio:8.2f}   {WIDTHS[width]}", flush=True)


def busy() -> None:
    """A program that never waits."""
    while True:
        pass


def main() -> None:
    """Measure alone, then beside busy loops."""
    parser = argparse.ArgumentParser(description="What more threads are worth.")
    parser.add_argument("--rounds", type=int, default=5)
    rounds, all_threads = parser.parse_args().rounds, torch.get_num_threads()
    if all_threads == 1:
        raise SystemExit("torch has one thread here: unset OMP_NUM_THREADS, or measure on a machine with more cores")
    models = {width: random_model(width) for width in WIDTHS}
    print(f"one thread for a model narrower than {WIDE}")
    print("\nas the machine is:")
    measure(models, rounds, all_threads)
    loops = [multiprocessing.Process(target=busy, daemon=True) for _ in range(os.cpu_count() or 1)]
    for loop in loops:
        loop.start()
    try:
        print(f"\nbeside {len(loops)} busy loops:")
        measure(models, rounds, all_threads)
    finally:
        for loop in loops:
            loop.terminate()


if __name__ == "__main__":
    main()
