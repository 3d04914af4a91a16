"""What cards say of answers to chapter 10's exercises, and of which they do not say it."""

import linecache
from dataclasses import replace

import pytest

from solutions.ch10_cost import count_parameters, forward_flops, generation_time, kv_cache_bytes
from tests.ch10_cost import caching, counting, timing, working
from utils.config import Config

GIVEN = {
    "Config": Config,
    "replace": replace,
    "count_parameters": count_parameters,
    "forward_flops": forward_flops,
    "kv_cache_bytes": kv_cache_bytes,
}
ARGUMENTS = {
    counting: "cfg, tied=True",
    working: "cfg, seq, batch=1",
    caching: "cfg, seq, batch=1, bytes_per_value=2",
    timing: "cfg, prompt, new, flops_per_s, bytes_per_s, cache=True",
}
RIGHT = {counting: count_parameters, working: forward_flops, caching: kv_cache_bytes, timing: generation_time}
PASSES = """
    seconds = 0.0
    for seq in range(prompt, prompt + new):
        flops, moved = forward_flops(cfg, seq), 4 * count_parameters(cfg)
        if cache and seq > prompt:
            flops /= seq
            moved += kv_cache_bytes(cfg, seq, bytes_per_value=4)
        seconds += max(flops / flops_per_s, moved / bytes_per_s)
    return seconds
"""
FIRST_PASS = "return max(forward_flops(cfg, prompt) / flops_per_s, 4 * count_parameters(cfg) / bytes_per_s)"
BLOCKS = """
    d_heads, total = cfg.n_heads * cfg.d_head, 0
    for layer in range(cfg.n_layers):
        total += 2 * batch * seq * (4 * cfg.d_model * d_heads + 2 * cfg.d_model * cfg.d_mlp)
        total += 4 * batch * seq * seq * d_heads
    return total + 2 * batch * seq * cfg.d_model * cfg.d_vocab
"""
CACHE = "return 2 * batch * seq * cfg.n_layers * cfg.n_heads * cfg.d_head * bytes_per_value"


def failure_of(exercise, body):
    """The failure of an answer with this body, in a cell."""
    name, symbol = f"<cell {hash(body)}>", exercise.symbol
    cell = f"def {symbol}({ARGUMENTS[exercise]}):\n    {body.strip()}\n"
    linecache.cache[name] = (len(cell), None, cell.splitlines(keepends=True), name)
    names = {**GIVEN, f"right_{symbol}": RIGHT[exercise]}
    exec(compile(cell, name, "exec"), names)
    return exercise.judge(names[symbol]).failure


def changed(body, before, after):
    assert body.count(before) == 1
    return body.replace(before, after)


@pytest.mark.parametrize("digits", [0, 1, 2, 3, 4, 6])
def test_a_rounded_time_does_not_pass(digits):
    said = failure_of(timing, changed(PASSES, "return seconds", f"return round(seconds, {digits})"))
    assert said.misconception == ("a rounded time" if digits else "whole seconds")


def test_the_same_passes_without_rounding():
    assert failure_of(timing, PASSES) is None and failure_of(working, BLOCKS) is None
    assert failure_of(caching, CACHE) is None


def test_what_is_no_rounding_is_not_called_so():
    """A few microseconds more for each pass, which nobody sees on a slow machine."""
    said = failure_of(timing, changed(PASSES, "seconds += max(", "seconds += 5e-5 + max("))
    assert said.misconception is None


TIMES = {
    "int(seconds)": "whole seconds",
    "seconds * 1000": "another unit than seconds",
    "round(seconds * 1000)": None,
    "0.0": None,
    "seconds / 1e12": None,
}


@pytest.mark.parametrize("returned", TIMES)
def test_a_time_in_other_units_or_without_decimals_is_named(returned):
    assert failure_of(timing, changed(PASSES, "return seconds", f"return {returned}")).misconception == TIMES[returned]


def test_a_time_that_is_nothing_or_twice_what_it_should_be_is_told():
    assert failure_of(timing, "return 0.0").advice.startswith("It gives 0 wherever your answer is wrong")
    twice = failure_of(timing, changed(PASSES, "return seconds", "return 2 * seconds"))
    assert twice.advice.startswith("Your answer is twice the right one.")
    assert failure_of(timing, changed(PASSES, "return seconds", "return 1.9 * seconds")).advice is None


RANGES = {
    "range(prompt, prompt + new - 1)": "a last token that costs nothing",
    "range(prompt + 1, prompt + new)": "a first token that costs nothing",
    "range(prompt, prompt + new + 1)": "one pass too many",
    "range(new)": "a text without its prompt",
}


@pytest.mark.parametrize("passes", RANGES)
def test_the_pass_that_is_missing_is_the_one_that_is_named(passes):
    said = failure_of(timing, changed(PASSES, "range(prompt, prompt + new)", passes))
    assert said.misconception == RANGES[passes]


def test_a_return_inside_the_loop_is_named_where_it_is_one():
    within = failure_of(timing, changed(PASSES, "    return seconds", "        return seconds"))
    assert within.misconception == "a `return` inside the loop" and "as far to the left as `for`" in within.advice
    no_loop = failure_of(timing, FIRST_PASS)
    assert (no_loop.misconception, no_loop.advice) == (
        None,
        "This is the time of the first pass alone. Add up the times of all `new` passes.",
    )


def test_of_one_block_the_loop_is_named_where_it_ends_too_soon():
    early = changed(BLOCKS, "    return total +", "        return total +")
    assert failure_of(working, early).misconception == "a `return` inside the loop"
    assert failure_of(working, changed(BLOCKS, "range(cfg.n_layers)", "range(1)")).misconception == "one block"


OF_THE_CACHE = {
    f"{CACHE} / 1024": "kibibytes",
    f"{CACHE} // 1024": "kibibytes",
    f"{CACHE} + cfg.n_heads * seq**2": "scores that are kept",
    CACHE.replace("* seq *", "* (seq + 1) *"): "one token too many",
    CACHE.replace("cfg.n_heads", "Config.n_heads"): "a size of GPT-2 small, whatever `cfg` says",
    CACHE.replace("cfg.n_heads", "12"): "a size of GPT-2 small, whatever `cfg` says",
    CACHE.replace("cfg.n_heads", "11"): None,
    f"{CACHE} / 1000.5": None,
    f"{CACHE} + cfg.n_heads * seq": None,
}


@pytest.mark.parametrize("body", OF_THE_CACHE)
def test_the_mistake_in_a_cache_is_named(body):
    assert failure_of(caching, body).misconception == OF_THE_CACHE[body]


def test_a_unit_is_named_only_where_the_code_divides_by_it():
    """Beside so many FLOPs, millions of millions are as little as nothing."""
    total = "right_forward_flops(cfg, seq, batch)"
    assert failure_of(working, f"return {total} / 1e12").misconception == "another unit than FLOPs"
    for other in ("0", "0.0", "seq / batch", "4.5e-5"):
        assert failure_of(working, f"return {other}").misconception is None


def test_biases_that_are_counted_are_not_said_to_be_missing():
    biases = "cfg.n_layers * (3 * cfg.n_heads * cfg.d_head + 2 * cfg.d_model + cfg.d_mlp)"
    without = f"return right_count_parameters(cfg, tied) - {biases}"
    said = failure_of(counting, without)
    assert said.misconception == "a count without biases" and "LayerNorm" not in said.advice
    said = failure_of(counting, f"{without} - (2 * cfg.n_layers + 1) * cfg.d_model")
    assert said.misconception == "a count without biases, and LayerNorms without their `b`"


def test_a_power_that_is_an_exclusive_or_is_told():
    said = failure_of(caching, CACHE.replace("* seq *", "* (seq ^ 2) *"))
    assert said.misconception is None and said.advice.startswith("`^ 2` is no power in Python")
    squared = failure_of(caching, CACHE.replace("* seq *", "* seq ** 2 *"))
    assert squared.misconception == "the square of `seq`"


def test_a_number_is_said_once_and_in_one_way():
    said = str(failure_of(timing, changed(PASSES, "flops /= seq", "flops /= prompt")).call)
    assert "got" not in said and "expected" not in said
