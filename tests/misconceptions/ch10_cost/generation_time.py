"""How generation_time goes wrong, and right answers that look different."""

from solutions.ch10_cost import count_parameters, forward_flops, generation_time, kv_cache_bytes
from tests.ch10_cost import RETURN_IN_THE_LOOP, timing

PASSES = "range(prompt, prompt + new)"
WEIGHTS = "4 * count_parameters(cfg)"
CACHED = "cache and seq > prompt"
LONGER = "max(flops / flops_per_s, moved / bytes_per_s)"
KEPT = "moved += kv_cache_bytes(cfg, seq, bytes_per_value=4)"

timing.equivalent("seq > prompt → seq != prompt", "`seq` starts at `prompt` and only grows.")


def position_flops(cfg, keys):
    """The work of one position whose queries meet so many keys."""
    width = cfg.n_heads * cfg.d_head
    block = 4 * cfg.d_model * width + 2 * cfg.d_model * cfg.d_mlp + 2 * keys * width
    return 2 * (cfg.n_layers * block + cfg.d_model * cfg.d_vocab)


@timing.correct
def in_two_parts(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    weights = 4 * count_parameters(cfg)

    def passes():
        for step in range(new):
            n = prompt + step
            if not cache or step == 0:
                yield forward_flops(cfg, n), weights
            else:
                yield position_flops(cfg, n), weights + kv_cache_bytes(cfg, n, 1, 4)

    return sum(max(flops / flops_per_s, moved / bytes_per_s) for flops, moved in passes())


@timing.correct
def prompt_first(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    def longer(flops, moved):
        return flops / flops_per_s if flops / flops_per_s > moved / bytes_per_s else moved / bytes_per_s

    weights = count_parameters(cfg) * 4
    if not cache:
        return sum(longer(forward_flops(cfg, prompt + t), weights) for t in range(new))
    total = longer(forward_flops(cfg, prompt), weights)
    for t in range(1, new):
        keys = prompt + t
        total += longer(forward_flops(cfg, keys) / keys, weights + 2 * kv_cache_bytes(cfg, keys))
    return total


@timing.correct
def in_milliseconds_within(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    milliseconds = 0.0
    n_tokens = prompt
    while n_tokens < prompt + new:
        reads_all = n_tokens == prompt or not cache
        work = forward_flops(cfg, n_tokens) if reads_all else position_flops(cfg, n_tokens)
        traffic = 4.0 * count_parameters(cfg, tied=True)
        if not reads_all:
            traffic += 4.0 * 2 * cfg.n_layers * n_tokens * cfg.n_heads * cfg.d_head
        milliseconds += 1000 * max(work / flops_per_s, traffic / bytes_per_s)
        n_tokens += 1
    return milliseconds / 1000


# Wrong answers.


timing.misconception(
    "the sum of the two times",
    "Computing and moving go on at the same time, so a pass takes the *longer* of the two: `max`.",
)(timing.changed(LONGER, "flops / flops_per_s + moved / bytes_per_s"))
timing.misconception(
    "the shorter of the two times", "Whoever is done first has to wait: a pass takes the longer time."
)(timing.changed(LONGER, "min(flops / flops_per_s, moved / bytes_per_s)"))
timing.misconception(
    "only the time for computing", "A pass also moves its bytes. Where that takes longer, it sets the time: `max`."
)(timing.changed(LONGER, "flops / flops_per_s"))
timing.misconception(
    "only the time for moving", "A pass also computes. Where that takes longer, it sets the time: `max`."
)(timing.changed(LONGER, "moved / bytes_per_s"))


@timing.misconception(
    "the longer of two sums",
    "Each pass waits for whichever takes longer *in that pass*: the prompt may be bound by computing, and each later "
    "token by moving. Add up the longer times, pass by pass.",
)
def longer_of_sums(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    flops = moved = 0.0
    for seq in range(prompt, prompt + new):
        one_token = cache and seq > prompt
        flops += forward_flops(cfg, seq) / seq if one_token else forward_flops(cfg, seq)
        moved += 4 * count_parameters(cfg) + (kv_cache_bytes(cfg, seq, 1, 4) if one_token else 0)
    return max(flops / flops_per_s, moved / bytes_per_s)


timing.misconception(
    "ignoring the cache", "With `cache=True` every pass but the first reads one token: a `seq`-th of the whole pass."
)(timing.changed(CACHED, "False"))
timing.misconception(
    "a cache that saves no computing",
    "With a cache each later pass computes one position, and no longer the whole text: a `seq`-th of "
    "`forward_flops(cfg, seq)`.",
)(timing.changed("flops /= seq", "flops /= 1"))
timing.misconception(
    "a cache always", "With `cache=False` every pass reads all tokens so far, and there is no cache to move."
)(timing.changed(CACHED, "seq > prompt"))
timing.misconception(
    "a cache that is moved where there is none",
    "With `cache=False` keys and values are computed anew in each pass, and none are kept: it moves the parameters "
    "alone.",
)(
    timing.changed(
        LONGER,
        "max(flops / flops_per_s, (moved + (not cache and seq > prompt) * kv_cache_bytes(cfg, seq, 1, 4))"
        " / bytes_per_s)",
    )
)
timing.misconception("`cache` the wrong way round", "It is with `cache=True` that a later pass reads one token alone.")(
    timing.changed(CACHED, "not cache and seq > prompt")
)
timing.also("`cache` the wrong way round")(timing.changed(CACHED, "not cache"))
timing.misconception(
    "a first pass over one token",
    "The cache is empty at first: the first pass has to read the whole prompt, and moves no cache.",
)(timing.changed(CACHED, "cache"))


@timing.misconception(
    "a cache that is moved in the first pass too",
    "The first pass is the same with a cache as without: there is none to move yet.",
)
def cache_moved_from_the_start(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    seconds = 0.0
    for seq in range(prompt, prompt + new):
        flops, moved = forward_flops(cfg, seq), 4 * count_parameters(cfg)
        if cache:
            flops /= seq if seq > prompt else 1
            moved += kv_cache_bytes(cfg, seq, bytes_per_value=4)
        seconds += max(flops / flops_per_s, moved / bytes_per_s)
    return seconds


timing.misconception(
    "one pass too many",
    "The pass over the prompt already gives the first new token: `new` tokens take `new` passes, not one more.",
)(timing.changed(PASSES, "range(prompt, prompt + new + 1)"))
timing.misconception(
    "a last token that costs nothing",
    "Each of the `new` tokens takes a pass, the last one too. `range(prompt, prompt + new)` has `new` numbers: its end "
    "is left out already.",
)(timing.changed(PASSES, "range(prompt, prompt + new - 1)"))
timing.misconception(
    "a first token that costs nothing",
    "The first new token takes a pass over the prompt, which is the first of `new` passes: begin with `prompt` tokens.",
)(timing.changed(PASSES, "range(prompt + 1, prompt + new)"))
timing.misconception(
    "passes up to `new` tokens",
    "The first pass reads `prompt` tokens, each later one has one more, and there are `new` passes: "
    "`range(prompt, prompt + new)`, which doesn't end at `new`.",
    f"{PASSES} → range(prompt, new)",
)
timing.misconception(
    "a pass for each token of the prompt",
    "The first pass reads all of the prompt at once, each later one has one token more, and there are `new` passes: "
    "`range(prompt, prompt + new)`.",
    f"{PASSES} → range(prompt)",
    f"{PASSES} → range(1, prompt + 1)",
    f"{PASSES} → range(1, prompt + new)",
)


@timing.misconception(
    "a second pass over `prompt` tokens",
    "The first pass reads the prompt, and the second has one token more, `prompt + 1`: no other pass has `prompt` "
    "tokens. In all there are `new` of them.",
)
def prompt_twice(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    seconds = max(forward_flops(cfg, prompt) / flops_per_s, 4 * count_parameters(cfg) / bytes_per_s)
    for seq in range(prompt, prompt + new):
        flops, moved = forward_flops(cfg, seq), 4 * count_parameters(cfg)
        if cache:
            flops /= seq
            moved += kv_cache_bytes(cfg, seq, bytes_per_value=4)
        seconds += max(flops / flops_per_s, moved / bytes_per_s)
    return seconds


timing.misconception(
    "a text without its prompt",
    "The prompt is read too: the first pass has `prompt` tokens and each later one has one more, "
    "`range(prompt, prompt + new)`.",
    f"{PASSES} → range(new)",
    (f"{PASSES} → range(new)", f"{CACHED} → cache and seq > 0"),
    f"{PASSES} → range(1, new + 1)",
    (f"{PASSES} → range(1, new + 1)", f"{CACHED} → cache and seq > 1"),
)


@timing.misconception(
    "each pass one token longer than it is",
    "The first pass reads the prompt alone, `prompt` tokens; the token that it gives is read by the next one.",
)
def one_token_longer(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    return in_two_parts(cfg, prompt + 1, new, flops_per_s, bytes_per_s, cache)


timing.misconception(
    "a cache that is never read",
    "The new token's queries meet all keys so far, and the values are blended: the cache is moved in each pass. Add "
    "`kv_cache_bytes`.",
)(timing.changed(KEPT, "pass"))
timing.misconception(
    "a cache of 16-bit numbers",
    "Every number here takes 4 bytes (float32), but `kv_cache_bytes` takes 2 unless told otherwise: "
    "`kv_cache_bytes(cfg, seq, bytes_per_value=4)`.",
)(timing.changed(KEPT, "moved += kv_cache_bytes(cfg, seq)"))
timing.misconception(
    "a cache twice as large as it is",
    "`kv_cache_bytes` takes `batch` before `bytes_per_value`, so a third value without a name is the number of texts. "
    "Pass the 4 by name: `kv_cache_bytes(cfg, seq, bytes_per_value=4)`.",
    said_of=r"kv_cache_bytes\([^()=,]+,[^()=,]+, ?4\)",
    otherwise="`kv_cache_bytes(cfg, seq, bytes_per_value=4)` is all of it, keys and values, in bytes.",
)(timing.changed(KEPT, "moved += kv_cache_bytes(cfg, seq, 4)"))
timing.misconception(
    "a cache 4 times as large as it is",
    "`kv_cache_bytes` gives bytes already. Only the parameters, which are counted, are to be multiplied by 4.",
    f"{KEPT} → moved += 4 * kv_cache_bytes(cfg, seq, bytes_per_value=4)",
)
timing.misconception(
    "a cache without the token that is being read",
    "The new token's own key and value are used too: the cache has `seq` tokens, all that were read so far.",
)(timing.changed(KEPT, "moved += kv_cache_bytes(cfg, seq - 1, bytes_per_value=4)"))
timing.misconception(
    "a cache of the prompt alone", "Each new token adds its key and value: the cache grows from pass to pass."
)(timing.changed(KEPT, "moved += kv_cache_bytes(cfg, prompt, bytes_per_value=4)"))
timing.misconception(
    "the cache in place of the parameters", "Each pass moves both: all parameters, and the cache on top."
)(timing.changed(KEPT, "moved = kv_cache_bytes(cfg, seq, bytes_per_value=4)"))
timing.misconception(
    "keys and values of the new token alone",
    "The new token's queries meet all keys so far, and the values are blended: keys and values of all `seq` tokens "
    "are moved in each pass.",
)(timing.changed(KEPT, "moved += kv_cache_bytes(cfg, 1, bytes_per_value=4)"))


@timing.misconception(
    "every pass as long as the prompt",
    "Each new token makes the text longer: the passes see `prompt` tokens, then one more each time.",
)
def as_long_as_the_prompt(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    seconds = 0.0
    for later in range(new):
        flops, moved = forward_flops(cfg, prompt), 4 * count_parameters(cfg)
        if cache and later:
            flops /= prompt
            moved += kv_cache_bytes(cfg, prompt, bytes_per_value=4)
        seconds += max(flops / flops_per_s, moved / bytes_per_s)
    return seconds


timing.misconception("parameters, not bytes", "Each parameter takes 4 bytes: 4 * count_parameters(cfg).")(
    timing.changed(WEIGHTS, "count_parameters(cfg)")
)
timing.misconception("parameters of 2 bytes", "Every number here takes 4 bytes (float32): 4 * count_parameters(cfg).")(
    timing.changed(WEIGHTS, "2 * count_parameters(cfg)")
)
timing.misconception(
    "untied parameters", "The table of `Embed` is the unembedding too: `count_parameters(cfg)`, with `tied` as it is."
)(timing.changed(WEIGHTS, "4 * count_parameters(cfg, False)"))
timing.misconception(
    "parameters that are moved for each token",
    "That is what a pass over many tokens is good for: the parameters are moved *once*, however many tokens it reads.",
)(timing.changed(WEIGHTS, "4 * count_parameters(cfg) * seq"))
timing.also("parameters that are moved for each token")(
    timing.changed(LONGER, "max(flops / flops_per_s, moved * (1 if cache and seq > prompt else seq) / bytes_per_s)")
)


@timing.misconception(
    "parameters that are moved once for all",
    "They are too many to stay near the processor: each pass moves all of them again.",
)
def moved_once(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    seconds = 0.0
    for seq in range(prompt, prompt + new):
        flops, moved = forward_flops(cfg, seq), 4 * count_parameters(cfg) * (seq == prompt)
        if cache and seq > prompt:
            flops /= seq
            moved += kv_cache_bytes(cfg, seq, bytes_per_value=4)
        seconds += max(flops / flops_per_s, moved / bytes_per_s)
    return seconds


timing.misconception(
    "scores with one key",
    "`forward_flops(cfg, 1)` is the work for a text of one token. The new token's queries meet all `seq` keys so far: "
    "`forward_flops(cfg, seq) / seq`.",
)(timing.changed("flops /= seq", "flops = forward_flops(cfg, 1)"))
timing.misconception(
    "scores of all tokens with all tokens",
    "Only the new token's queries are computed, with `seq` keys: one row of the table, not all of it.",
)(
    timing.changed(
        "flops /= seq", "flops = forward_flops(cfg, 1) + 4 * cfg.n_layers * seq * seq * cfg.n_heads * cfg.d_head"
    )
)
timing.misconception(
    "what a token adds to a whole pass",
    "The difference of two whole passes is more than one token's work, because in it the earlier tokens' queries meet "
    "the new key too. One position of a pass over `seq` tokens costs `forward_flops(cfg, seq) / seq`.",
)(timing.changed("flops /= seq", "flops -= forward_flops(cfg, seq - 1)"))


@timing.misconception(
    "one pass for all",
    "A token can only be computed once the one before it is known: `new` tokens take `new` passes, one after another.",
)
def one_pass(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    return max(forward_flops(cfg, prompt + new) / flops_per_s, 4 * count_parameters(cfg) / bytes_per_s)


@timing.misconception(
    "every pass as long as the first",
    "Without a cache each pass reads one token more than the last: prompt + t tokens.",
)
def always_the_prompt(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    if cache:
        return in_two_parts(cfg, prompt, new, flops_per_s, bytes_per_s, cache)
    return new * max(forward_flops(cfg, prompt) / flops_per_s, 4 * count_parameters(cfg) / bytes_per_s)


timing.misconception("the time for one token", "All `new` tokens are to be timed: add up their passes.")(
    timing.changed("return seconds", "return seconds / new")
)


@timing.misconception(
    "a `return` inside the loop",
    "It ends the loop after the first pass: add up the times in the loop, and put the `return` below it, as far to the "
    "left as `for`.",
    said_of=RETURN_IN_THE_LOOP,
    otherwise="This is the time of the first pass alone. Add up the times of all `new` passes.",
)
def first_pass_alone(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    for seq in range(prompt, prompt + new):
        flops, moved = forward_flops(cfg, seq), 4 * count_parameters(cfg)
        if cache and seq > prompt:
            flops /= seq
            moved += kv_cache_bytes(cfg, seq, bytes_per_value=4)
        return max(flops / flops_per_s, moved / bytes_per_s)


timing.misconception("the time of the last pass", "Every pass counts: add up the times of all `new` of them.")(
    timing.changed("seconds += ", "seconds = ")
)
timing.misconception(
    "multiplying by the speed",
    "A speed is so many operations, or so many bytes, *per second*: divide both by their speeds to get seconds.",
    f"{LONGER} → max(flops * flops_per_s, moved * bytes_per_s)",
    f"{LONGER} → max(flops * flops_per_s, moved / bytes_per_s)",
    f"{LONGER} → max(flops / flops_per_s, moved * bytes_per_s)",
)
timing.misconception(
    "the larger count in place of the longer time",
    "Operations and bytes can't be compared: divide each by its speed first, and take the longer of the two times.",
    f"{LONGER} → flops / flops_per_s if flops > moved else moved / bytes_per_s",
)
timing.misconception(
    "the speed divided by the work",
    "Seconds are operations divided by operations per second, and bytes divided by bytes per second: the work stands "
    "above, the speed below.",
    f"{LONGER} → max(flops_per_s / flops, bytes_per_s / moved)",
)
timing.misconception(
    "the two speeds swapped",
    "`flops_per_s` is how fast the machine computes and `bytes_per_s` how fast it moves: divide the operations by the "
    "first, and the bytes by the second.",
)(timing.changed(LONGER, "max(flops / bytes_per_s, moved / flops_per_s)"))
timing.misconception(
    "another unit than seconds", "The speeds are per second, so the quotients are seconds already: return their sum."
)(timing.changed("return seconds", "return seconds * 1000"))
for factor in ("1e6", "1e9", "1 / 60"):
    timing.also("another unit than seconds")(timing.changed("return seconds", f"return seconds * {factor}"))
timing.misconception(
    "whole seconds",
    "The decimals are lost, as by `int(...)`, `round(...)` or `//`, and a pass may take microseconds. Divide with `/`, "
    "and return the sum as it is.",
    "return seconds → return int(seconds)",
    "return seconds → return float(int(seconds))",
    "return seconds → return float(round(seconds))",
    f"{LONGER} → int({LONGER})",
    f"{LONGER} → round({LONGER})",
    f"{LONGER} → float(int({LONGER}))",
    f"{LONGER} → max(flops // flops_per_s, moved // bytes_per_s)",
)
timing.misconception(
    "a rounded time",
    "A pass may take microseconds, and rounding to a few decimals loses them: return the number as it is, and round "
    "only where you print it.",
    said_of=r"\bround\(|\.\d+f",  # beside a second, what is added to microseconds is as little as rounding
)(timing.changed("return seconds", "return round(seconds, 2)"))
for digits in (1, 3, 4, 5, 6):
    timing.also("a rounded time")(timing.changed("return seconds", f"return round(seconds, {digits})"))
for digits in (2, 3, 4, 6):
    timing.also("a rounded time")(timing.changed(LONGER, f"round({LONGER}, {digits})"))
timing.misconception(
    "`new` times one pass",
    "The passes differ: without a cache each reads one token more than the last, and with one each later pass reads "
    "the newest token alone. Time each of them, and add up.",
)(lambda cfg, prompt, new, *rest: new * generation_time(cfg, prompt, 1, *rest))


@timing.also("`new` times one pass")
def as_long_as_the_last(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    return new * generation_time(cfg, prompt + new - 1, 1, flops_per_s, bytes_per_s)


@timing.also("`new` times one pass")
def as_long_as_one_over_all(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    return new * generation_time(cfg, prompt + new, 1, flops_per_s, bytes_per_s)


timing.misconception(
    "a whole pass divided by the prompt",
    "The pass is one over `seq` tokens, all that there are so far, so one position is a `seq`-th of it.",
)(timing.changed("flops /= seq", "flops /= prompt"))


@timing.misconception("no more than n_ctx tokens", "Every token so far counts, even where there are more than `n_ctx`.")
def cut_off_at_n_ctx(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    seconds = 0.0
    for n in range(prompt, prompt + new):
        seq = min(n, cfg.n_ctx)
        flops, moved = forward_flops(cfg, seq), 4 * count_parameters(cfg)
        if cache and n > prompt:
            flops /= seq
            moved += kv_cache_bytes(cfg, seq, bytes_per_value=4)
        seconds += max(flops / flops_per_s, moved / bytes_per_s)
    return seconds


KNOWN = {}


@timing.misconception(
    "a time remembered from another call",
    "What you keep from one call to the next depends on all inputs: put each of them into the key, or keep nothing.",
)
def remembered(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    time = generation_time(cfg, prompt, new, flops_per_s, bytes_per_s, cache)
    return KNOWN.setdefault((cfg, prompt, new, cache, flops_per_s), time)


ANSWERS = {}


@timing.correct
def remembered_by_all(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    given = (cfg, prompt, new, flops_per_s, bytes_per_s, cache)
    if given not in ANSWERS:
        ANSWERS[given] = generation_time(*given)
    return ANSWERS[given]
