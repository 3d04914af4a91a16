"""Wrong answers to chapter 9's `dropout`, whole or as edits: benchmarks/answers.py says how."""

# %% dropout: forgot the division
# right: numbers that are not scaled up
def dropout(x, p, training=True, generator=None):
    if not training:
        return x
    mask = torch.rand(x.shape, generator=generator) > p
    return x * mask

# %% dropout: a Bernoulli mask of p
# right: keeping with probability `p`
def dropout(x, p, training=True, generator=None):
    if training and p > 0:
        mask = torch.bernoulli(torch.full(x.shape, p), generator=generator)
        return x * mask / (1.0 - p)
    return x

# %% dropout: nn.functional does it, the generator is not used
# right: the generator left out
def dropout(x, p, training=True, generator=None):
    return nn.functional.dropout(x, p=p, training=training)

# %% dropout: p as in the paper
# right: `p` as the share that is kept
def dropout(x, p, training=True, generator=None):
    if not training or p == 0.0:
        return x
    keep = (torch.rand(x.shape, generator=generator) < p).float()
    return keep * x / p

# %% dropout: training is never looked at
# right: dropping outside training too
def dropout(x, p, training=True, generator=None):
    noise = torch.rand(x.size(), generator=generator)
    out = x.clone()
    out[noise < p] = 0
    return out / (1 - p)

# %% dropout: scaled at test time
# right: multiplying by 1 - p outside training, and nothing in it
def dropout(x, p, training=True, generator=None):
    if training:
        return x.masked_fill(torch.rand(x.shape, generator=generator) < p, 0.0)
    return (1 - p) * x

# %% dropout: a mask for the last axis only
# right: one draw for each place of the last axis
def dropout(x, p, training=True, generator=None):
    if not training:
        return x
    mask = (torch.rand(x.shape[-1:], generator=generator) >= p).float()
    return x * mask / (1 - p)

# %% dropout: in place
# right: writing into `x`
def dropout(x, p, training=True, generator=None):
    if not training or p == 0:
        return x
    drop = torch.rand(x.shape, generator=generator) < p
    x[drop] = 0
    x.mul_(1 / (1 - p))
    return x

# %% dropout: divided by p
# right: dividing by `p`
def dropout(x, p, training=True, generator=None):
    if training and p:
        keep = torch.rand(x.shape, generator=generator).ge(p)
        x = torch.where(keep, x, torch.tensor(0.0)) / p
    return x

# %% dropout: rand_like takes no generator
# right: the generator left out
def dropout(x, p, training=True, generator=None):
    if not training:
        return x
    keep = torch.rand_like(x) >= p
    return x * keep * (1 / (1 - p))

# %% dropout: p kept, and divided by p
# right: `p` as the share that is kept
def dropout(x, p, training=True, generator=None):
    if not training:
        return x
    mask = (torch.rand(x.shape, generator=generator) < p).float()
    return x * mask / p

# %% dropout: zeros written into x under no_grad
# right: writing into `x`
def dropout(x, p, training=True, generator=None):
    if not training:
        return x
    drop = torch.rand(x.shape, generator=generator) < p
    with torch.no_grad():
        x[drop] = 0
    return x / (1 - p)

# %% dropout: divided by the share that was kept
# right: dividing by the share that was kept
def dropout(x, p, training=True, generator=None):
    if not training:
        return x
    kept = (torch.rand(x.shape, generator=generator) >= p).float()
    return x * kept / kept.mean()

# %% dropout: F.dropout alone
# right: the generator left out
def dropout(x, p, training=True, generator=None):
    return nn.functional.dropout(x, p=p, training=training)
