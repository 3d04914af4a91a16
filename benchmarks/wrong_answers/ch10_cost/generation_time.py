"""Wrong answers to chapter 10's `generation_time`, whole or as edits: benchmarks/answers.py says how."""

# %% generation_time: max over the totals
# right: the longer of two sums
def generation_time(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    weights = 4 * count_parameters(cfg)
    flops = forward_flops(cfg, prompt)
    moved = weights
    for t in range(1, new):
        n = prompt + t
        moved += weights
        if cache:
            flops += forward_flops(cfg, n) / n
            moved += kv_cache_bytes(cfg, n, 1, 4)
        else:
            flops += forward_flops(cfg, n)
    return max(flops / flops_per_s, moved / bytes_per_s)

# %% generation_time: the cache in kv_cache_bytes's default of 2 bytes
# right: a cache of 16-bit numbers
def generation_time(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    total = 0.0
    for i in range(new):
        n = prompt + i
        mem = count_parameters(cfg) * 4
        work = forward_flops(cfg, n)
        if cache and i > 0:
            work = work / n
            mem = mem + kv_cache_bytes(cfg, n)
        total += max(work / flops_per_s, mem / bytes_per_s)
    return total

# %% generation_time: a cached token as a text of one token
# right: scores with one key
def generation_time(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    params = 4 * count_parameters(cfg)
    def roof(flops, nbytes):
        return max(flops / flops_per_s, nbytes / bytes_per_s)
    if not cache:
        return sum(roof(forward_flops(cfg, prompt + i), params) for i in range(new))
    time = roof(forward_flops(cfg, prompt), params)
    for i in range(1, new):
        time += roof(forward_flops(cfg, 1), params + kv_cache_bytes(cfg, prompt + i, 1, 4))
    return time

# %% generation_time: compute plus memory
# right: the sum of the two times
def generation_time(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    weights = 4 * count_parameters(cfg)
    seconds = 0
    for n in range(prompt, prompt + new):
        if n == prompt or not cache:
            seconds += forward_flops(cfg, n) / flops_per_s + weights / bytes_per_s
        else:
            kv = kv_cache_bytes(cfg, n, bytes_per_value=4)
            seconds += forward_flops(cfg, n) / n / flops_per_s + (weights + kv) / bytes_per_s
    return seconds

# %% generation_time: the prompt's pass gives no token
# right: one pass too many
def generation_time(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    weights = 4 * count_parameters(cfg)
    seconds = max(forward_flops(cfg, prompt) / flops_per_s, weights / bytes_per_s)
    for t in range(1, new + 1):
        n = prompt + t
        if cache:
            flops, moved = forward_flops(cfg, n) / n, weights + kv_cache_bytes(cfg, n, 1, 4)
        else:
            flops, moved = forward_flops(cfg, n), weights
        seconds += max(flops / flops_per_s, moved / bytes_per_s)
    return seconds

# %% generation_time: the cache is never moved
# right: a cache that is never read
def generation_time(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    memory = count_parameters(cfg) * 4 / bytes_per_s
    times = []
    for step in range(new):
        length = prompt + step
        compute = forward_flops(cfg, length) / flops_per_s
        if cache and step != 0:
            compute /= length
        times.append(max(compute, memory))
    return sum(times)

# %% generation_time: weights in numbers, not bytes
# right: parameters, not bytes
def generation_time(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    total = 0.0
    for s in range(prompt, prompt + new):
        f = forward_flops(cfg, s)
        b = count_parameters(cfg)
        if cache and s > prompt:
            f = f / s
            b += kv_cache_bytes(cfg, s, 1, 4)
        total += max(f / flops_per_s, b / bytes_per_s)
    return total

# %% generation_time: cached from the first pass on, the prompt is not read
# right: a first pass over one token
def generation_time(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    seconds = 0.0
    for n in range(prompt, prompt + new):
        moved = 4 * count_parameters(cfg)
        if cache:
            flops = forward_flops(cfg, n) / n
            moved += kv_cache_bytes(cfg, n, bytes_per_value=4)
        else:
            flops = forward_flops(cfg, n)
        seconds += max(flops / flops_per_s, moved / bytes_per_s)
    return seconds

# %% generation_time: keys as of before the new token
# right: a cache without the token that is being read
def generation_time(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    weights = 4 * count_parameters(cfg)
    seconds = max(forward_flops(cfg, prompt) / flops_per_s, weights / bytes_per_s)
    for t in range(1, new):
        n = prompt + t
        flops = forward_flops(cfg, n)
        moved = weights
        if cache:
            flops = flops / n
            moved = weights + kv_cache_bytes(cfg, n - 1, 1, 4)
        seconds += max(flops / flops_per_s, moved / bytes_per_s)
    return seconds

# %% generation_time: n and the step are mixed up, one token more in each pass
# right: each pass one token longer than it is
def generation_time(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    seconds = 0.0
    for t in range(1, new + 1):
        n = prompt + t
        first = t == 1
        flops = forward_flops(cfg, n) if first or not cache else forward_flops(cfg, n) / n
        moved = 4 * count_parameters(cfg)
        if cache and not first:
            moved += kv_cache_bytes(cfg, n, 1, 4)
        seconds += max(flops / flops_per_s, moved / bytes_per_s)
    return seconds

# %% generation_time: the cache moved, and the whole text computed
# right: a cache that saves no computing
def generation_time(cfg, prompt, new, flops_per_s, bytes_per_s, cache=True):
    weights = 4 * count_parameters(cfg)
    total = 0.0
    for i in range(new):
        seq = prompt + i
        flops = forward_flops(cfg, seq)
        n_bytes = weights
        if cache and i > 0:
            n_bytes = weights + kv_cache_bytes(cfg, seq, 1, 4)
        total += max(flops / flops_per_s, n_bytes / bytes_per_s)
    return total
