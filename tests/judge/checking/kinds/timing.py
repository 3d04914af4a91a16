"""A function of a Config that answers a float, for which the tolerance is relative."""

from dataclasses import replace

from judge.checking import Exercise, check_agrees, line
from utils.config import Config
from utils.gpt import SMALL


def weights_read(cfg):
    return cfg.n_layers * (4 * cfg.n_heads * cfg.d_head + 2 * cfg.d_mlp) * cfg.d_model + cfg.d_vocab * cfg.d_model


def generation_time(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    """The reference solution: each step waits for arithmetic or for memory, whichever is slower."""
    seconds = 0.0
    for step in range(new):
        tokens = 1 if cache and step else prompt + step
        seconds += max(2 * weights_read(cfg) * tokens / flops_per_s, 2 * weights_read(cfg) / bytes_per_s)
    return seconds


exercise = Exercise(
    inputs=dict.fromkeys(("cfg", "prompt", "new", "flops_per_s", "bytes_per_s", "cache"), ""),
    solution="tests.judge.checking.kinds.timing",
)


@exercise.test
def test_generation_time(generation_time):
    with line("agrees with the reference solution on GPT-2 small"):
        check_agrees(generation_time, Config(), 100, 50, 1e14, 2e12)
    with line("takes the slower of arithmetic and memory"):
        check_agrees(generation_time, SMALL, 3, 4, 1e3, 1e9)
        check_agrees(generation_time, replace(SMALL, n_layers=5), 3, 4, 1e9, 1e3)
    with line("without a cache reads the whole text in each step"):
        check_agrees(generation_time, SMALL, 3, 4, 1e3, 1e9, cache=False)
    with line("takes no time for no token"):
        check_agrees(generation_time, SMALL, 3, 0, 1e3, 1e9)


@exercise.correct
def in_closed_form(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    if new == 0:
        return 0.0
    numbers = float(weights_read(cfg))
    memory, one = 2 * numbers / bytes_per_s, 2 * numbers / flops_per_s
    if cache:
        return max(prompt * one, memory) + (new - 1) * max(one, memory)
    return sum(max((prompt + step) * one, memory) for step in range(new))


@exercise.correct
def in_nanoseconds(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    total = 0.0
    lengths = [prompt] + [1] * (new - 1) if cache else [*range(prompt, prompt + new)]
    for length in lengths[:new]:
        total += 1e9 * weights_read(cfg) * max(length * 2 / flops_per_s, 2 / bytes_per_s)
    return total / 1e9


def timing(waits=max, cached=None, factor=1.0):
    """The function with one part of it replaced."""

    def generation_time(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
        seconds, cache = 0.0, cache if cached is None else cached
        for step in range(new):
            tokens = 1 if cache and step else prompt + step
            seconds += waits(2 * weights_read(cfg) * tokens / flops_per_s, 2 * weights_read(cfg) / bytes_per_s)
        return seconds * factor

    return generation_time


exercise.misconception("adding the two waits", "They overlap: take the larger.")(timing(lambda one, other: one + other))
exercise.misconception("arithmetic alone", "Memory is what a small batch waits for.")(timing(lambda one, other: one))
exercise.misconception("memory alone", "The prompt waits for arithmetic.")(timing(lambda one, other: other))
exercise.misconception("a cache that is always there", "Use `cache`.")(timing(cached=True))
exercise.misconception("a cache that is never there", "With a cache a step reads one token.")(timing(cached=False))
exercise.misconception("milliseconds", "Answer seconds.")(timing(factor=1e3))


@exercise.misconception("whole seconds", "Keep the fraction: no int, no round.")
def whole(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    return int(generation_time(cfg, prompt, new, flops_per_s, bytes_per_s, cache))
