"""Wrong answers to chapter 9's `cosine_lr`, whole or as edits: benchmarks/answers.py says how."""

# %% cosine_lr: nanoGPT's own line, one step later
# right: a warm-up that never arrives
def cosine_lr(step, warmup, total, lr_max, lr_min):
    if step < warmup:
        return lr_max * (step + 1) / (warmup + 1)
    if step > total:
        return lr_min
    decay_ratio = (step - warmup) / (total - warmup)
    coeff = 0.5 * (1.0 + math.cos(math.pi * decay_ratio))
    return lr_min + coeff * (lr_max - lr_min)

# %% cosine_lr: step over warmup
# right: a warm-up that begins at 0
def cosine_lr(step, warmup, total, lr_max, lr_min):
    if step < warmup:
        return lr_max * step / warmup
    progress = min(1.0, (step - warmup) / (total - warmup))
    return lr_min + (lr_max - lr_min) * 0.5 * (1 + math.cos(progress * math.pi))

# %% cosine_lr: progress over all steps
# right: a curve that counts the warm-up's steps
def cosine_lr(step, warmup, total, lr_max, lr_min):
    if step < warmup:
        return lr_max * (step + 1) / warmup
    elif step < total:
        return lr_min + (lr_max - lr_min) * (1 + math.cos(math.pi * step / total)) / 2
    else:
        return lr_min

# %% cosine_lr: two pi
# right: a whole period in place of half of one
def cosine_lr(step, warmup, total, lr_max, lr_min):
    if step < warmup:
        return (step + 1) * lr_max / warmup
    if step >= total:
        return lr_min
    x = (step - warmup) / (total - warmup)
    return lr_min + 0.5 * (lr_max - lr_min) * (1 + math.cos(2 * math.pi * x))

# %% cosine_lr: no end
# right: a learning rate that rises again after `total`
def cosine_lr(step, warmup, total, lr_max, lr_min):
    if step < warmup:
        return lr_max / warmup * (step + 1)
    t = (step - warmup) / (total - warmup)
    return lr_min + (lr_max - lr_min) * (math.cos(math.pi * t) + 1) / 2

# %% cosine_lr: the smaller of the line and the curve, with warmup 0
# right: a division by a warm-up of 0
def cosine_lr(step, warmup, total, lr_max, lr_min):
    line = lr_max * (step + 1) / warmup
    progress = min(max(step - warmup, 0) / (total - warmup), 1)
    curve = lr_min + 0.5 * (lr_max - lr_min) * (1 + math.cos(math.pi * progress))
    return min(line, curve)

# %% cosine_lr: the curve's height is lr_max
# right: `lr_min` added on top
def cosine_lr(step, warmup, total, lr_max, lr_min):
    if step < warmup:
        return lr_max * (step + 1) / warmup
    if step >= total:
        return lr_min
    done = (step - warmup) / (total - warmup)
    return lr_min + lr_max * 0.5 * (1 + math.cos(math.pi * done))

# %% cosine_lr: the curve is never below lr_min
# right: a curve that ends at 0 and is held at `lr_min`
def cosine_lr(step, warmup, total, lr_max, lr_min):
    if step < warmup:
        return lr_max * (step + 1) / warmup
    progress = min(1.0, (step - warmup) / (total - warmup))
    return max(lr_min, lr_max * 0.5 * (1 + math.cos(math.pi * progress)))

# %% cosine_lr: no return for the warm-up
def cosine_lr(step, warmup, total, lr_max, lr_min):
    if step < warmup:
        lr = lr_max * (step + 1) / warmup
    if step >= total:
        lr = lr_min
    progress = (step - warmup) / (total - warmup)
    lr = lr_min + 0.5 * (lr_max - lr_min) * (1 + math.cos(math.pi * progress))
    return lr

# %% cosine_lr: torch.cos of a plain number
def cosine_lr(step, warmup, total, lr_max, lr_min):
    if step < warmup:
        return lr_max * (step + 1) / warmup
    if step >= total:
        return lr_min
    progress = (step - warmup) / (total - warmup)
    return lr_min + 0.5 * (lr_max - lr_min) * (1 + torch.cos(math.pi * progress))

# %% cosine_lr: HuggingFace's multiplier
# right: a factor in place of the learning rate
def cosine_lr(step, warmup, total, lr_max, lr_min):
    num_cycles = 0.5
    if step < warmup:
        return float(step) / float(max(1, warmup))
    progress = float(step - warmup) / float(max(1, total - warmup))
    return max(0.0, 0.5 * (1.0 + math.cos(math.pi * float(num_cycles) * 2.0 * progress)))

# %% cosine_lr: no half, and no end
def cosine_lr(step, warmup, total, lr_max, lr_min):
    if step < warmup:
        return lr_max * (step + 1) / warmup
    decay_ratio = (step - warmup) / (total - warmup)
    coeff = (1.0 + math.cos(math.pi * decay_ratio))
    return lr_min + coeff * (lr_max - lr_min)
