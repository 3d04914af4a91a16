"""How kv_cache_bytes goes wrong, and right answers that look different."""

from math import prod

from solutions.ch10_cost import kv_cache_bytes
from tests.ch10_cost import caching

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
caching.misconception("ignoring `batch`", "Each text has keys and values of its own: `batch` times.")(
    caching.changed(ALL, "seq * numbers_per_token * bytes_per_value")
)
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
caching.misconception(
    "the square of `seq`",
    "The table of scores has seq · seq numbers, but it is not kept. A token adds one key and one value to each head.",
)(caching.changed(ALL, "batch * seq * seq * numbers_per_token * bytes_per_value"))
caching.misconception(
    "the caches of all passes added up",
    "A pass adds its token's keys and values to those that are there. Count what is kept at the end: `seq` tokens.",
)(caching.changed(ALL, "batch * (seq * (seq + 1) // 2) * numbers_per_token * bytes_per_value"))
caching.misconception(
    "a float for a count", "Bytes are whole numbers, but a float comes out, as `/` makes it: keep to whole numbers."
)(lambda cfg, seq, batch=1, bytes_per_value=2: float(kv_cache_bytes(cfg, seq, batch, bytes_per_value)))
caching.misconception("mebibytes", "Bytes are asked for, but these are mebibytes, 1024² times fewer.")(
    lambda cfg, seq, batch=1, bytes_per_value=2: kv_cache_bytes(cfg, seq, batch, bytes_per_value) / 2**20
)
caching.misconception(
    "no more than n_ctx tokens", "Every one of the `seq` tokens counts, even where there are more than `n_ctx`."
)(caching.changed(ALL, "batch * min(seq, cfg.n_ctx) * numbers_per_token * bytes_per_value"))
caching.misconception("the number as a text", "A text comes out: return the number itself.")(
    lambda cfg, seq, batch=1, bytes_per_value=2: str(kv_cache_bytes(cfg, seq, batch, bytes_per_value))
)
caching.misconception(
    "the newest token left out",
    "All of the `seq` tokens that were read have keys and values, the newest too: `seq` of each, not one less.",
)(caching.changed(ALL, "batch * (seq - 1) * numbers_per_token * bytes_per_value"))
