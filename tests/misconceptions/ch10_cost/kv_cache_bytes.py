"""How kv_cache_bytes goes wrong, and right answers that look different."""

from dataclasses import replace
from math import prod

from solutions.ch10_cost import kv_cache_bytes
from tests.ch10_cost import RETURN_IN_THE_LOOP, caching
from utils.config import Config

PER_TOKEN = "2 * cfg.n_layers * cfg.n_heads * cfg.d_head"
ALL = "batch * seq * numbers_per_token * bytes_per_value"


@caching.correct
def from_the_shape(cfg, seq, batch=1, bytes_per_value=2):
    shape = (cfg.n_layers, 2, batch, seq, cfg.n_heads, cfg.d_head)
    return prod(shape) * bytes_per_value


@caching.correct
def layer_by_layer(cfg, seq, batch=1, bytes_per_value=2):
    total = 0
    for _layer in range(cfg.n_layers):
        keys = batch * seq * cfg.n_heads * cfg.d_head
        values = batch * seq * cfg.n_heads * cfg.d_head
        total += (keys + values) * bytes_per_value
    return total


@caching.correct
def through_bits(cfg, seq, batch=1, bytes_per_value=2):
    bits = 8 * bytes_per_value * 2 * seq * cfg.d_head * cfg.n_heads * cfg.n_layers
    return batch * (bits // 8)


# Wrong answers.


caching.misconception("keys alone", "Keys *and* values are kept: twice as much.")(
    caching.changed(PER_TOKEN, "cfg.n_layers * cfg.n_heads * cfg.d_head")
)
caching.misconception(
    "queries too", "A query is used once, when its token is new. Only keys and values are kept: 2, not 3."
)(caching.changed(PER_TOKEN, "3 * cfg.n_layers * cfg.n_heads * cfg.d_head"))


@caching.misconception(
    "a `return` inside the loop",
    "It ends the loop in its first round: put the `return` below the loop, as far to the left as `for`.",
    said_of=RETURN_IN_THE_LOOP,
)
def returned_after_a_layer(cfg, seq, batch=1, bytes_per_value=2):
    total = 0
    for _layer in range(cfg.n_layers):
        total += 2 * batch * seq * cfg.n_heads * cfg.d_head * bytes_per_value
        return total


@caching.also("a `return` inside the loop")
def returned_after_a_head(cfg, seq, batch=1, bytes_per_value=2):
    total = 0
    for _layer in range(cfg.n_layers):
        for _head in range(cfg.n_heads):
            total += 2 * batch * seq * cfg.d_head * bytes_per_value
            return total


@caching.also("a `return` inside the loop")
def returned_after_the_heads_of_a_layer(cfg, seq, batch=1, bytes_per_value=2):
    total = 0
    for _head in range(cfg.n_heads):
        total += 2 * batch * seq * cfg.n_layers * cfg.d_head * bytes_per_value
        return total


caching.misconception("one layer", "Every block keeps its own keys and values: n_layers times as much.")(
    caching.changed(PER_TOKEN, "2 * cfg.n_heads * cfg.d_head")
)
caching.misconception("one head", "Every head keeps its own keys and values: n_heads times as much.")(
    caching.changed(PER_TOKEN, "2 * cfg.n_layers * cfg.d_head")
)
caching.misconception(
    "d_model for n_heads * d_head",
    "The cache keeps the heads' vectors, n_heads of d_head numbers each, and n_heads · d_head need not be d_model.",
)(caching.changed(PER_TOKEN, "2 * cfg.n_layers * cfg.d_model"))
caching.misconception("d_model for each head", "A head's key has d_head numbers, not d_model.")(
    caching.changed(PER_TOKEN, "2 * cfg.n_layers * cfg.n_heads * cfg.d_model")
)
caching.misconception(
    "d_model / n_heads for `d_head`",
    "In GPT-2 both are equal, but they need not be: a head is as wide as the Config says, `cfg.d_head`.",
)(caching.changed(PER_TOKEN, "2 * cfg.n_layers * cfg.n_heads * (cfg.d_model // cfg.n_heads)"))
caching.misconception(
    "ignoring `batch`",
    "Each text has keys and values of its own: `batch` times.",
    not_of=r"\brange\(batch\)",
    otherwise="These are the bytes of one text: each of the `batch` texts has keys and values of its own.",
)(caching.changed(ALL, "seq * numbers_per_token * bytes_per_value"))
caching.misconception("numbers, not bytes", "Each number takes `bytes_per_value` bytes: multiply by that.")(
    caching.changed(ALL, "batch * seq * numbers_per_token")
)
caching.misconception("always 2 bytes", "2 is only the default of `bytes_per_value`: multiply by the argument.")(
    caching.changed(ALL, "batch * seq * numbers_per_token * 2")
)
caching.misconception(
    "always 4 bytes", "`bytes_per_value` says how many bytes a number takes: multiply by the argument."
)(caching.changed(ALL, "batch * seq * numbers_per_token * 4"))
caching.misconception(
    "8 times too many",
    "Bits are 8 times as many as bytes, and bytes are asked for: `bytes_per_value` says how many a number takes.",
)(caching.changed(ALL, "8 * batch * seq * numbers_per_token * bytes_per_value"))
caching.misconception(
    "n_ctx tokens, however long the text is",
    "The cache keeps keys and values of the `seq` tokens that were read, not of n_ctx.",
)(lambda cfg, seq, batch=1, bytes_per_value=2: kv_cache_bytes(cfg, cfg.n_ctx, batch, bytes_per_value))
caching.also("n_ctx tokens, however long the text is")(
    lambda cfg, seq, batch=1, bytes_per_value=2: kv_cache_bytes(cfg, max(seq, cfg.n_ctx), batch, bytes_per_value)
)
caching.misconception(
    "no brackets around keys and values",
    "`*` comes before `+`, so each factor counts for the keys or for the values alone: put brackets around the sum.",
    f"{ALL} → batch * seq * numbers_per_token // 2 + numbers_per_token // 2 * bytes_per_value",
    f"{ALL} → batch * seq * numbers_per_token // 2 + cfg.n_heads * cfg.d_head * bytes_per_value",
    f"{ALL} → cfg.n_heads * cfg.d_head + cfg.n_heads * cfg.d_head * batch * seq * cfg.n_layers * bytes_per_value",
)
caching.misconception(
    "the square of `seq`",
    "The table of scores has seq · seq numbers, but it is not kept. A token adds one key and one value to each head.",
)(caching.changed(ALL, "batch * seq * seq * numbers_per_token * bytes_per_value"))
caching.misconception(
    "the caches of all passes added up",
    "A pass adds its token's keys and values to those that are there. Count what is kept at the end: `seq` tokens.",
)(caching.changed(ALL, "batch * (seq * (seq + 1) // 2) * numbers_per_token * bytes_per_value"))
caching.misconception(
    "a float for a count",
    "Bytes are whole numbers, but a float comes out. `/`, and numbers such as `1e6` and `2.0`, make floats: keep to "
    "whole numbers.",
)(lambda cfg, seq, batch=1, bytes_per_value=2: float(kv_cache_bytes(cfg, seq, batch, bytes_per_value)))


def in_units(of):
    """The cache in units of so many bytes, with `/`, and with `//`."""

    def exactly(cfg, seq, batch=1, bytes_per_value=2):
        return kv_cache_bytes(cfg, seq, batch, bytes_per_value) / of

    def in_whole_ones(cfg, seq, batch=1, bytes_per_value=2):
        return kv_cache_bytes(cfg, seq, batch, bytes_per_value) // of

    return exactly, in_whole_ones


caching.misconception(
    "mebibytes", "Bytes are asked for, but these are mebibytes, 1024² times fewer.", in_units(2**20)[0]
)
caching.misconception(
    "kibibytes",
    "Bytes are asked for, but these are kibibytes, 1024 times fewer: leave the division out.",
    *in_units(1024),
)
caching.misconception(
    "kilobytes",
    "Bytes are asked for, but these are kilobytes, 1000 times fewer: leave the division out.",
    *in_units(1000),
)
caching.misconception(
    "megabytes",
    "Bytes are asked for, but these are megabytes, 10⁶ times fewer: leave the division out.",
    in_units(10**6)[0],
)
caching.misconception(
    "gigabytes",
    "Bytes are asked for, but these are gigabytes: leave the division out.",
    in_units(10**9)[0],
    in_units(2**30)[0],
)
caching.misconception(
    "one token too many", "Only tokens that were read have a key and a value: `seq` of each, not one more."
)(caching.changed(ALL, "batch * (seq + 1) * numbers_per_token * bytes_per_value"))
SCORES = ("cfg.n_layers * cfg.n_heads * seq**2", "cfg.n_heads * seq**2")
OF_ALL = ("", " * batch", " * bytes_per_value", " * batch * bytes_per_value")
caching.misconception(
    "scores that are kept",
    "The scores, seq · seq numbers for each head, are used and thrown away. Only keys and values are kept.",
    *(f"{ALL} → {ALL} + {scores}{times}" for scores in SCORES for times in OF_ALL),
)


def of_gpt2_small(*names):
    """A cache that takes these sizes from GPT-2 small."""
    sizes = {name: getattr(Config(), name) for name in names}
    return lambda cfg, seq, batch=1, bytes_per_value=2: kv_cache_bytes(
        replace(cfg, **sizes), seq, batch, bytes_per_value
    )


caching.misconception(
    "a size of GPT-2 small, whatever `cfg` says",
    "Read every size from the argument, as `cfg.n_heads`. (`Config.n_heads` and `Config()` have the sizes of GPT-2 "
    "small.)",
    of_gpt2_small("n_layers", "n_heads", "d_head"),
    *map(of_gpt2_small, ("n_layers", "n_heads", "d_head")),
    of_gpt2_small("n_heads", "d_head"),
)
caching.misconception(
    "no more than n_ctx tokens", "Every one of the `seq` tokens counts, even where there are more than `n_ctx`."
)(caching.changed(ALL, "batch * min(seq, cfg.n_ctx) * numbers_per_token * bytes_per_value"))
caching.misconception("the number as a text", "A text comes out: return the number itself.")(
    lambda cfg, seq, batch=1, bytes_per_value=2: str(kv_cache_bytes(cfg, seq, batch, bytes_per_value))
)
caching.also("the number as a text")(
    lambda cfg, seq, batch=1, bytes_per_value=2: f"{kv_cache_bytes(cfg, seq, batch, bytes_per_value)} bytes"
)
caching.misconception(
    "the newest token left out",
    "All of the `seq` tokens that were read have keys and values, the newest too: `seq` of each, not one less.",
)(caching.changed(ALL, "batch * (seq - 1) * numbers_per_token * bytes_per_value"))


KNOWN = {}


@caching.misconception(
    "bytes remembered from another call",
    "What you keep from one call to the next depends on all inputs: put each of them into the key, or keep nothing.",
)
def remembered(cfg, seq, batch=1, bytes_per_value=2):
    return KNOWN.setdefault((cfg, seq, batch), kv_cache_bytes(cfg, seq, batch, bytes_per_value))


ANSWERS = {}


@caching.correct
def remembered_by_all(cfg, seq, batch=1, bytes_per_value=2):
    return ANSWERS.setdefault((cfg, seq, batch, bytes_per_value), kv_cache_bytes(cfg, seq, batch, bytes_per_value))
