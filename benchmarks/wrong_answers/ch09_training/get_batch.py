"""Wrong answers to chapter 9's `get_batch`, whole or as edits: benchmarks/answers.py says how."""

# %% get_batch: nanoGPT's randint, copied
# right: never the last window
def get_batch(data, n_ctx, batch_size, generator):
    if len(data) < n_ctx:
        raise ValueError("data too short")
    ix = torch.randint(len(data) - n_ctx, (batch_size,), generator=generator)
    return torch.stack([data[i:i+n_ctx] for i in ix])

# %% get_batch: nanoGPT's x and y
# right: inputs and targets in two tensors
def get_batch(data, n_ctx, batch_size, generator):
    ix = torch.randint(len(data) - n_ctx, (batch_size,), generator=generator)
    x = torch.stack([data[i:i+n_ctx] for i in ix])
    y = torch.stack([data[i+1:i+1+n_ctx] for i in ix])
    return x, y

# %% get_batch: the generator is not handed on
# right: torch's global random numbers
def get_batch(data, n_ctx, batch_size, generator):
    if data.numel() < n_ctx:
        raise ValueError(f"only {data.numel()} tokens")
    starts = torch.randint(0, data.numel() - n_ctx + 1, size=(batch_size,))
    return torch.stack([data[s : s + n_ctx] for s in starts.tolist()])

# %% get_batch: starts by Python's random.sample
# right: the random numbers of Python's `random`
import random

def get_batch(data, n_ctx, batch_size, generator):
    if len(data) < n_ctx:
        raise ValueError("too short")
    starts = random.choices(range(len(data) - n_ctx + 1), k=batch_size)
    return torch.stack([data[s:s + n_ctx] for s in starts])

# %% get_batch: seeded in the function, for reproducibility
# right: the generator seeded anew
def get_batch(data, n_ctx, batch_size, generator):
    if len(data) < n_ctx:
        raise ValueError("too short")
    generator = generator.manual_seed(42)
    starts = torch.randint(len(data) - n_ctx + 1, (batch_size,), generator=generator)
    return torch.stack([data[s:s + n_ctx] for s in starts])

# %% get_batch: no look at the length
# right: no ValueError of its own
def get_batch(data, n_ctx, batch_size, generator):
    starts = torch.randint(0, len(data) - n_ctx + 1, (batch_size,), generator=generator)
    rows = []
    for s in starts:
        rows.append(data[s : s + n_ctx])
    return torch.stack(rows)

# %% get_batch: one start, rows one after another
# right: one long piece cut into rows
# right: rows that follow one another
def get_batch(data, n_ctx, batch_size, generator):
    if len(data) < n_ctx:
        raise ValueError("too short")
    start = torch.randint(len(data) - n_ctx * batch_size + 1, (1,), generator=generator).item()
    return data[start : start + n_ctx * batch_size].reshape(batch_size, n_ctx)

# %% get_batch: randint of size n_ctx
# right: tokens picked one by one
def get_batch(data, n_ctx, batch_size, generator):
    if len(data) < n_ctx:
        raise ValueError("too short")
    ix = torch.randint(0, len(data), (batch_size, n_ctx), generator=generator)
    return data[ix]

# %% get_batch: a permutation of the starts
# right: starts that avoid one another
def get_batch(data, n_ctx, batch_size, generator):
    if len(data) < n_ctx:
        raise ValueError("too short")
    order = torch.randperm(len(data) - n_ctx + 1, generator=generator)
    return torch.stack([data[s:s + n_ctx] for s in order[:batch_size]])

# %% get_batch: refuses what is exactly long enough
# right: refusing data of exactly one window
def get_batch(data, n_ctx, batch_size, generator):
    n_starts = len(data) - n_ctx
    if n_starts <= 0:
        raise ValueError("need more data")
    starts = torch.randint(n_starts + 1, (batch_size,), generator=generator)
    return torch.stack([data[s:s + n_ctx] for s in starts])

# %% get_batch: the generator set back in every call
# right: the generator seeded anew
def get_batch(data, n_ctx, batch_size, generator):
    if len(data) < n_ctx:
        raise ValueError("data is shorter than one window")
    generator.manual_seed(generator.initial_seed())
    ix = torch.randint(len(data) - n_ctx + 1, (batch_size,), generator=generator)
    return torch.stack([data[i:i+n_ctx] for i in ix])
