"""Wrong answers to chapter 8's exercises as learners write them, one whole cell each, titled with what went wrong.

Under a title, `# right:` names a misconception that is a true cause; benchmarks/diagnosis.py counts any other as misled.
"""
# fmt: off
# ruff: noqa

# %% generate: the first n_ctx tokens, not the last
# right: cropping to the first tokens
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[:n_ctx]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: no window at all
# right: a text that is never cropped
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: the window is one short
# right: a window of one token less than `n_ctx`
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        logits = model(tokens[None, -(model.cfg.n_ctx - 1) :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: the text itself is cropped, its beginning is lost
# right: cutting the text itself
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        if len(tokens) > n_ctx:
            tokens = tokens[-n_ctx:]
        window = tokens
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: the sampler gets the window, the penalty counts only that
# right: the penalty on the cropped text
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(window, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: the penalty counts only the new tokens
# right: the penalty on the new tokens alone
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    n_given = len(tokens)
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens[n_given:], last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: the penalty counts only the given text
# right: the penalty on the prompt alone
@torch.no_grad()
def generate(
    model: nn.Module, tokens: Int[Tensor, " pos"], max_new_tokens: int, eos: int | None = None, **sampling: float | int
) -> Int[Tensor, " all_pos"]:
    ids = tokens.tolist()
    for _ in range(max_new_tokens):
        context = torch.tensor([ids[-model.cfg.n_ctx:]])
        scores = model(context)[0, -1]
        choice = sample_next_token(tokens, scores, **sampling)
        ids.append(choice)
        if choice == eos:
            break
    return torch.tensor(ids)

# %% generate: the logits of the first position
# right: the logits of the first position
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, 0, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: the last position but one
# right: the logits of the last position but one
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -2]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: eos is not kept
# right: leaving `eos` out
@torch.no_grad()
def generate(
    model: nn.Module, tokens: Int[Tensor, " pos"], max_new_tokens: int, eos: int | None = None, **sampling: float | int
) -> Int[Tensor, " all_pos"]:
    ids = tokens.tolist()
    for _ in range(max_new_tokens):
        context = torch.tensor([ids[-model.cfg.n_ctx:]])
        scores = model(context)[0, -1]
        choice = sample_next_token(torch.tensor(ids), scores, **sampling)
        if choice == eos:
            break
        ids.append(choice)
    return torch.tensor(ids)

# %% generate: eos is ignored
# right: going on after `eos`
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
    return tokens

# %% generate: filled up with eos to the full length
# right: a text that is filled up after `eos`
@torch.no_grad()
def generate(
    model: nn.Module, tokens: Int[Tensor, " pos"], max_new_tokens: int, eos: int | None = None, **sampling: float | int
) -> Int[Tensor, " all_pos"]:
    ids = tokens.tolist()
    for _ in range(max_new_tokens):
        context = torch.tensor([ids[-model.cfg.n_ctx:]])
        scores = model(context)[0, -1]
        choice = sample_next_token(torch.tensor(ids), scores, **sampling)
        ids.append(choice)
        if choice == eos:
            ids += [eos] * (max_new_tokens - (len(ids) - len(tokens)))
            break
    return torch.tensor(ids)

# %% generate: only the new tokens
# right: the new tokens alone
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    start = tokens.shape[0]
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens[start:]

# %% generate: settings are not handed on
# right: settings that are not handed on
@torch.no_grad()
def generate(
    model: nn.Module, tokens: Int[Tensor, " pos"], max_new_tokens: int, eos: int | None = None, **sampling: float | int
) -> Int[Tensor, " all_pos"]:
    ids = tokens.tolist()
    for _ in range(max_new_tokens):
        context = torch.tensor([ids[-model.cfg.n_ctx:]])
        scores = model(context)[0, -1]
        choice = sample_next_token(torch.tensor(ids), scores)
        ids.append(choice)
        if choice == eos:
            break
    return torch.tensor(ids)

# %% generate: one token too many
# right: a token more than `max_new_tokens`
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens + 1):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: one token too few
# right: a token less than `max_new_tokens`
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(1, max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: eos 0 counts as none
# right: taking an `eos` of 0 for none
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos and next_id == eos:
            break
    return tokens

# %% generate: a seed of its own
# right: seeding inside `generate`
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    torch.manual_seed(0)
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: seeds anew at each step
# right: seeding inside `generate`
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        torch.manual_seed(step)
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: probabilities go to the sampler
# right: handing on probabilities where logits are expected
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :].softmax(-1)
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: a list comes back
# right: a list of tokens
@torch.no_grad()
def generate(
    model: nn.Module, tokens: Int[Tensor, " pos"], max_new_tokens: int, eos: int | None = None, **sampling: float | int
) -> Int[Tensor, " all_pos"]:
    ids = tokens.tolist()
    for _ in range(max_new_tokens):
        context = torch.tensor([ids[-model.cfg.n_ctx:]])
        scores = model(context)[0, -1]
        choice = sample_next_token(torch.tensor(ids), scores, **sampling)
        ids.append(choice)
        if choice == eos:
            break
    return ids

# %% generate: a batch axis stays
# right: a batch axis that stays
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens[None]

# %% generate: stops where eos is anywhere in the text
# right: an `eos` of the prompt that ends the text
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and eos in tokens:
            break
    return tokens

# %% generate: stops where the given text holds eos: while loop
# right: an `eos` of the prompt that ends the text
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    text = tokens
    while len(text) < len(tokens) + max_new_tokens and (eos is None or text[-1] != eos):
        logits = model(text[-model.cfg.n_ctx :].reshape(1, -1))[0, -1]
        text = torch.cat([text, torch.tensor([sample_next_token(text, logits, **sampling)])])
    return text

# %% generate: max_new_tokens is taken for the whole length
# right: `max_new_tokens` as the length of the whole text
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    while len(tokens) < max_new_tokens:
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: always one token at least
# right: a token even where `max_new_tokens` is 0
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    written = 0
    while True:
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        written += 1
        if new == eos or written >= max_new_tokens:
            return tokens

# %% generate: only the last token goes to the model
# right: reading the new token alone
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-1:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: the model is asked once
# right: asking the model once for the whole text
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
    for _ in range(max_new_tokens):
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: floats come back
# right: tokens as floats
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n = len(tokens)
    text = torch.zeros(n + max_new_tokens)
    text[:n] = tokens
    for at in range(n, n + max_new_tokens):
        so_far = text[:at].long()
        logits = model(so_far[None, -model.cfg.n_ctx :])[0, -1]
        text[at] = new = sample_next_token(so_far, logits, **sampling)
        if new == eos:
            return text[: at + 1]
    return text

# %% generate: preallocated, zeros left behind eos
# right: a text that is filled up after `eos`
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n = len(tokens)
    text = torch.zeros(n + max_new_tokens, dtype=torch.long)
    text[:n] = tokens
    for at in range(n, n + max_new_tokens):
        logits = model(text[None, max(0, at - model.cfg.n_ctx) : at])[0, -1]
        text[at] = new = sample_next_token(text[:at], logits, **sampling)
        if new == eos:
            break
    return text

# %% generate: the new token is put in front
# right: the new token in front of the text
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([torch.tensor([new]), tokens])
        if new == eos:
            break
    return tokens

# %% generate: always greedy
# right: the likeliest token whatever the settings are
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = int(last.argmax())
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: settings by position, in the order they came
# right: settings that are handed on without their names
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, *sampling.values())
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: only temperature is handed on
# right: settings that are not handed on
@torch.no_grad()
def generate(
    model: nn.Module, tokens: Int[Tensor, " pos"], max_new_tokens: int, eos: int | None = None, **sampling: float | int
) -> Int[Tensor, " all_pos"]:
    ids = tokens.tolist()
    for _ in range(max_new_tokens):
        context = torch.tensor([ids[-model.cfg.n_ctx:]])
        scores = model(context)[0, -1]
        choice = sample_next_token(torch.tensor(ids), scores, temperature=sampling.get('temperature', 1.0))
        ids.append(choice)
        if choice == eos:
            break
    return torch.tensor(ids)

# %% generate: eos by `is`
# right: comparing `eos` by `is`
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new is eos:
            break
    return tokens

# %% generate: the window is 256, whatever the model
# right: a text that is never cropped
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = 256
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: the window is cropped once, before the loop
# right: a text that is never cropped
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    context = tokens[-model.cfg.n_ctx :]
    for _ in range(max_new_tokens):
        logits = model(context[None])[0, -1]
        new = torch.tensor([sample_next_token(tokens, logits, **sampling)])
        tokens = torch.cat([tokens, new])
        context = torch.cat([context, new])
        if new == eos:
            break
    return tokens

# %% generate: stops when the window is full
# right: a text that ends with the window
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        if len(tokens) >= model.cfg.n_ctx:
            break
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: no batch axis
# right: a model that is asked without a batch axis
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window)
        last = logits[-1]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: batch axis at the end
# right: the logits of the first position
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(1))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: no break, return None at the end
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            return tokens

# %% generate: return inside the loop
# right: a loop that ends after one token
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
        return tokens

# %% generate: the caller's tensor grows
# right: growing the caller's tensor
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens.data = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: the new token is not an axis: cat of a 0-d
# right: a new token without an axis
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor(new)])
        if new == eos:
            break
    return tokens

# %% generate: the window is the model's d_vocab
# right: a text that is never cropped
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.d_vocab
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: eos is compared with the token before
# right: a token more after `eos`
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for step in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if tokens[-2] == eos:
            break
    return tokens

# %% generate: the mean of all positions' logits
# right: the mean over all positions
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0].mean(0)
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% generate: settings changed: temperature default 0
# right: a temperature of 0 where none was given
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    sampling.setdefault('temperature', 0)
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens[-n_ctx:]
        logits = model(window.unsqueeze(0))
        last = logits[0, -1, :]
        next_id = sample_next_token(tokens, last, **sampling)
        tokens = torch.cat((tokens, torch.tensor([next_id])))
        if eos is not None and next_id == eos:
            break
    return tokens

# %% beam_search: each beam keeps its own best token only
# right: one continuation of each beam
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = 1
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: after the first step each beam goes on by its best alone
# right: one continuation of each beam
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for step in range(max_new_tokens):
        longer = []
        for score, text in beams:
            log_probs = model(text[None, -model.cfg.n_ctx :])[0, -1].log_softmax(-1)
            best, ids = log_probs.topk(min(num_beams, len(log_probs)) if step == 0 else 1)
            for more, token in zip(best, ids):
                longer.append((score + float(more), torch.cat([text, token[None]])))
        beams = sorted(longer, key=lambda beam: beam[0], reverse=True)[:num_beams]
    return beams

# %% beam_search: probabilities are added up
# right: summed probabilities
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: probabilities multiplied, the score is one
# right: probabilities for scores
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(1.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score * log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: raw logits are added up
# right: summed logits
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1]
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: the mean per token
# right: the mean of the log-probabilities
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return [(score / max_new_tokens, text) for score, text in beams]

# %% beam_search: worst first
# right: the worst text first
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams[::-1]

# %% beam_search: the worst are kept
# right: keeping the worst texts
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0])
        beams = candidates[:num_beams]
    return beams

# %% beam_search: the score of the last token only
# right: the log-probability of the last token alone
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: only the best comes back
# right: the best text alone
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams[0]

# %% beam_search: only the best, in a list
# right: the best text alone
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)][:1]

# %% beam_search: text and score swapped
# right: texts before scores
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return [(text, score) for score, text in beams]

# %% beam_search: texts without scores
# right: texts without their scores
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return [text for _, text in beams]

# %% beam_search: scores are tensors
# right: scores as tensors
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(score, text) for score, text in zip(scores, texts)]

# %% beam_search: the first n_ctx
# right: cropping to the first tokens
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[: model.cfg.n_ctx].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: no window
# right: a text that is never cropped
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts)[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: more beams than tokens
# right: asking for more tokens than there are
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            top_log_probs, top_ids = torch.topk(log_probs, num_beams)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: batched: more beams than candidates
# right: asking for more tokens than there are
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(num_beams)
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: the given text counts in the score
# right: the prompt's log-probability in the score
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    given = model(tokens[None, -model.cfg.n_ctx :])[0, :-1].log_softmax(-1)
    beams = [(float(given.gather(1, tokens[-model.cfg.n_ctx :][1:, None]).sum()), tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: as many copies at the start as beams
# right: starting with copies of the prompt
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)] * num_beams
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: batched: copies at the start
# right: starting with copies of the prompt
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens.repeat(num_beams, 1)
    scores = torch.zeros(num_beams)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: only the new tokens
# right: the new tokens alone
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return [(score, text[len(tokens):]) for score, text in beams]

# %% beam_search: one step too few
# right: a token less than `max_new_tokens`
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens - 1):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: one step too many
# right: a token more than `max_new_tokens`
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens + 1):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: logarithm to base 2
# right: logarithms to another base
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log2(torch.softmax(logits, dim=-1))
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: log_softmax over the positions
# right: `log_softmax` over the positions
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0]
            log_probs = torch.log_softmax(logits, dim=0)[-1]
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: log_softmax over the beams
# right: `log_softmax` over the beams
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=0)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: the first position
# right: the logits of the first position
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, 0]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: the last but one
# right: the logits of the last position but one
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -2].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: draws in place of topk
# right: drawing tokens
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_ids = torch.multinomial(log_probs.exp(), k)
            top_log_probs = log_probs[top_ids]
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: costs, not scores
# right: costs for scores
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return [(-score, text) for score, text in beams]

# %% beam_search: negated, and the smallest kept: positive scores
# right: costs for scores
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score - log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0])
        beams = candidates[:num_beams]
    return beams

# %% beam_search: cut down only at the end
# right: no pruning before the end
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        beams = candidates
    beams.sort(key=lambda pair: pair[0], reverse=True)
    return beams[:num_beams]

# %% beam_search: never cut down
# right: no pruning before the end
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates
    return beams

# %% beam_search: one beam more
# right: a beam more than `num_beams`
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[: num_beams + 1]
    return beams

# %% beam_search: one beam less
# right: a beam less than `num_beams`
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[: max(1, num_beams - 1)]
    return beams

# %% beam_search: rounded scores
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return [(round(score, 2), text) for score, text in beams]

# %% beam_search: probabilities come back
# right: probabilities for scores
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score.exp()), text) for score, text in zip(scores, texts)]

# %% beam_search: texts keep a batch axis
# right: a batch axis that stays
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return [(score, text[None]) for score, text in beams]

# %% beam_search: texts are lists
# right: texts as lists
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text.tolist()) for score, text in zip(scores, texts)]

# %% beam_search: softmax before log_softmax
# right: `softmax` before `log_softmax`
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits.softmax(-1), dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: one beam for each last token
# right: one text for each last token
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams, ends = [], set()
        for pair in candidates:
            if int(pair[1][-1]) not in ends:
                ends.add(int(pair[1][-1]))
                beams.append(pair)
        beams = beams[:num_beams]
    return beams

# %% beam_search: parent and token swapped
# right: tokens behind the texts of other beams
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places % len(texts), places // len(texts)
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: divides by num_beams instead of d_vocab
# right: tokens behind the texts of other beams
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = (places // num_beams).clamp(max=len(texts) - 1), places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: texts are not those of the parents
# right: tokens behind the texts of other beams
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts.expand(len(new), -1) if len(texts) == 1 else texts[: len(new)], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: scores are not the parents' (added by row order)
# right: a score added to that of another beam
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        more, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        scores = (scores if len(scores) == len(new) else scores.expand(len(new))) + log_probs.flatten()[places]
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return [(float(score), text) for score, text in zip(scores, texts)]

# %% beam_search: the score of a beam starts at 1
# right: scores that start at 1
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(1.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: exhaustive per step but without the old score in the ranking
# right: ranking by the last token's log-probability
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])]), log_prob))
        candidates.sort(key=lambda pair: pair[2], reverse=True)
        beams = [(score, text) for score, text, _ in candidates[:num_beams]]
    return beams

# %% beam_search: greedy after all: beam 0 only is continued
# right: going on with the best beam alone
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams[:1]:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: pairs are lists
# right: lists for pairs
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return [[score, text] for score, text in beams]

# %% beam_search: a tuple of two lists
# right: two lists
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    return scores.tolist(), list(texts)

# %% beam_search: a text ends once token 0 was chosen
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        candidates = []
        for score, text in beams:
            if len(text) > len(tokens) and text[-1] == 0:
                candidates.append((score, text))
                continue
            logits = model(text[-model.cfg.n_ctx :].unsqueeze(0))[0, -1]
            log_probs = torch.log_softmax(logits, dim=-1)
            k = min(num_beams, log_probs.shape[-1])
            top_log_probs, top_ids = torch.topk(log_probs, k)
            for log_prob, token_id in zip(top_log_probs.tolist(), top_ids.tolist()):
                candidates.append((score + log_prob, torch.cat([text, torch.tensor([token_id])])))
        candidates.sort(key=lambda pair: pair[0], reverse=True)
        beams = candidates[:num_beams]
    return beams

# %% beam_search: the last beam is repeated where there are too few
@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """All beams at once."""
    n_ctx = model.cfg.n_ctx
    texts = tokens[None]
    scores = torch.zeros(1)
    for _ in range(max_new_tokens):
        log_probs = model(texts[:, -n_ctx:])[:, -1].log_softmax(dim=-1)
        d_vocab = log_probs.shape[-1]
        total = (scores[:, None] + log_probs).flatten()
        scores, places = total.topk(min(num_beams, len(total)))
        parents, new = places // d_vocab, places % d_vocab
        texts = torch.cat([texts[parents], new[:, None]], dim=1)
    found = [(float(score), text) for score, text in zip(scores, texts)]
    return found + [found[-1]] * (num_beams - len(found))

# %% generate_with_cache: row 0 of W_pos for each new token
# right: positions that start at 0 again
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed(new_tokens[None])
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: positions one too far
# right: positions one too far
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens), caches)
    return tokens

# %% generate_with_cache: positions one too early
# right: the position of the token before
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 2, caches)
    return tokens

# %% generate_with_cache: no positions for new tokens
# right: leaving the positions out
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        if seen == 0:
            x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: positions counted by step only
# right: positions that count the new tokens alone
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], step + 1, caches)
    return tokens

# %% generate_with_cache: the new keys replace the old ones
# right: keys and values of the new position alone
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        pass
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: the cache is never updated after the prefill
# right: keeping the prompt and nothing after it
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache.setdefault("k", k)
    cache.setdefault("v", v)
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: one cache for all layers: [{}] * n
# right: one cache for all layers
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{}] * len(model.blocks)
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: keys and values swapped in the cache
# right: keys and values that change places
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (v, k)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: no mask
# right: no mask among the tokens of the prompt
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: a square mask: diagonal 0
# right: a mask that is aligned with the first key
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril() == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: mask off by one: a query does not see itself
# right: a mask that hides a token from itself
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new - 1) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: mask off by one: sees the next
# right: a mask that lets a token see the next one
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new + 1) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: mask after the softmax
# right: a mask after the softmax
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.softmax(-1).masked_fill(mask, 0)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: no scale
# right: scores that are not divided by the root of `d_head`
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2)
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: no b_V
# right: leaving out the biases of the keys and values
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V)
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: no b_Q
# right: leaving out the bias of the queries
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q)
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: no ln1
# right: attention that reads the stream without its LayerNorm
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, x, *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: no ln2
# right: an MLP that reads the stream without its LayerNorm
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(x)
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: no final LayerNorm
# right: leaving `ln_final` out
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(x)[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: no residual around attention
# right: leaving the stream out round attention
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: no residual around the MLP
# right: leaving the stream out round the MLP
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: attention and MLP side by side
# right: running attention and the MLP side by side
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: ln1 in the place of ln2
# right: `ln1` where `ln2` belongs
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln1(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: post-norm
# right: LayerNorm after each part
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, x, *cache[i])
            cache[i] = (k, v)
            x = block.ln1(x + attn_out)
            x = block.ln2(x + block.mlp(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: x = ln1(x): the stream is overwritten
# right: a stream that `ln1` has overwritten
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            x = block.ln1(x)
            attn_out, k, v = attend_with_cache(block.attn, x, *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: no cache: the whole text every time
# right: feeding the whole text again
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    for _ in range(max_new_tokens):
        logits = model(tokens[None])[0, -1]
        tokens = torch.cat([tokens, torch.tensor([sample_next_token(tokens, logits, **sampling)])])
    return tokens

# %% generate_with_cache: the whole text again, on top of the cache
# right: reading the whole text again beside its cache
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[: len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: the cache lives on between calls
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


CACHES = {}


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = CACHES.setdefault(len(model.blocks), [{} for _ in model.blocks])
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: settings are not handed on
# right: settings that are not handed on
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: the sampler gets the unread tokens only
# right: the penalty on the tokens of this step alone
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(new_tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: the sampler gets the given text only
# right: the penalty on the prompt alone
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    prompt = tokens
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(prompt, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: one token too many
# right: a token more than `max_new_tokens`
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens + 1):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: one token too few
# right: a token less than `max_new_tokens`
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens - 1):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: only the new tokens come back
# right: the new tokens alone
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens[-max_new_tokens:]

# %% generate_with_cache: the last token of the text is read twice
# right: reading the last token once more
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens) - 1
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: the first position's logits
# right: the logits of the first position that is read
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, 0]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: only the last token of the given text is read
# right: a prompt of which only the last token is read
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = len(tokens) - 1
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: unembedding by W_E's transpose
# right: unembedding by `W_E`
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.ln_final(resid) @ model.embed.W_E.T


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: the last block is left out
# right: leaving out the last block
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks[:-1], caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: keys from the stream, not from ln1
# right: attention that reads the stream without its LayerNorm
def cached_attention(attn, x, raw, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", raw, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), resid, cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: preallocated to n_ctx, the empty places are read too
# right: reading places of the cache that are still empty
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    keys = torch.zeros(len(model.blocks), cfg.n_ctx, cfg.n_heads, cfg.d_head)
    values = torch.zeros_like(keys)
    n_read = 0
    for _ in range(max_new_tokens):
        resid = model.embed.W_E[tokens[n_read:]] + model.pos_embed.W_pos[n_read : len(tokens)]
        for layer, block in enumerate(model.blocks):
            x = block.ln1(resid[None])[0]
            attn = block.attn
            q = torch.einsum("pm,hmd->phd", x, attn.W_Q) + attn.b_Q
            keys[layer, n_read : len(tokens)] = torch.einsum("pm,hmd->phd", x, attn.W_K) + attn.b_K
            values[layer, n_read : len(tokens)] = torch.einsum("pm,hmd->phd", x, attn.W_V) + attn.b_V
            scores = torch.einsum("qhd,khd->hqk", q, keys[layer]) / cfg.d_head**0.5
            if len(x) > 1:
                scores = scores.masked_fill(torch.ones(len(x), cfg.n_ctx).triu(1).bool(), -torch.inf)
            z = torch.einsum("hqk,khd->qhd", scores.softmax(-1), values[layer])
            resid = resid + torch.einsum("qhd,hdm->qm", z, attn.W_O) + attn.b_O
            resid = resid + block.mlp(block.ln2(resid[None]))[0]
        n_read = len(tokens)
        logits = model.unembed(model.ln_final(resid[None]))[0, -1]
        tokens = torch.cat([tokens, torch.tensor([sample_next_token(tokens, logits, **sampling)])])
    return tokens

# %% generate_with_cache: always greedy
# right: the likeliest token whatever the settings are
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = int(logits.argmax())
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: a seed of its own
# right: seeding inside `generate_with_cache`
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    torch.manual_seed(42)
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: probabilities to the sampler
# right: handing on probabilities where logits are expected
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1].softmax(-1)
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: cat along the heads
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=1)
        v = torch.cat([cache["v"], v], dim=1)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: softmax over the queries
# right: softmax over the queries
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-2)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: no prompt handled with zero tokens: writes one with max 0
# right: a token even where `max_new_tokens` is 0
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max(1, max_new_tokens)):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: batch axis stays
# right: a batch axis that stays
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens[None]

# %% generate_with_cache: calls the model for the given text, caches only new ones
# right: a prompt that never gets into the cache
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = model(tokens[None])
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: the cache keeps the last 8 positions only
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k[:, :, -8:], v[:, :, -8:]
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: keeps the hidden vectors, and computes keys and values of all anew
# right: computing the keys and values of all positions anew
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    kept = [None for _ in model.blocks]
    n_read = 0
    for _ in range(max_new_tokens):
        resid = model.embed.W_E[tokens[None, n_read:]] + model.pos_embed.W_pos[n_read : len(tokens)]
        n_read = len(tokens)
        for layer, block in enumerate(model.blocks):
            normed = block.ln1(resid)
            kept[layer] = normed if kept[layer] is None else torch.cat([kept[layer], normed], dim=1)
            resid = resid + block.attn(kept[layer])[:, -resid.shape[1] :]
            resid = resid + block.mlp(block.ln2(resid))
        logits = model.unembed(model.ln_final(resid))[0, -1]
        tokens = torch.cat([tokens, torch.tensor([sample_next_token(tokens, logits, **sampling)])])
    return tokens

# %% generate_with_cache: adds to W_pos in place: a view of the parameter
# right: adding to the rows of `W_pos` in place
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        x += model.embed.W_E[new_tokens]
        x = x[None]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), *cache[i])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: K and V swapped in the call
# right: keys and values that change places
@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    cfg = model.cfg
    cache = []
    for _ in range(cfg.n_layers):
        cache.append((torch.zeros(1, 0, cfg.n_heads, cfg.d_head), torch.zeros(1, 0, cfg.n_heads, cfg.d_head)))
    seen = 0
    for _ in range(max_new_tokens):
        new_tokens = tokens[seen:]
        x = model.embed.W_E[new_tokens][None]
        x = x + model.pos_embed.W_pos[seen : seen + len(new_tokens)]
        seen += len(new_tokens)
        for i, block in enumerate(model.blocks):
            attn_out, k, v = attend_with_cache(block.attn, block.ln1(x), cache[i][1], cache[i][0])
            cache[i] = (k, v)
            x = x + attn_out
            x = x + block.mlp(block.ln2(x))
        logits = model.unembed(model.ln_final(x))[0, -1]
        next_id = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([next_id])])
    return tokens

# %% generate_with_cache: default argument keeps the cache
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, -1e9).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, caches=[], **sampling):
    while len(caches) < len(model.blocks):
        caches.append({})
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate_with_cache: zero in the mask
# right: a mask that puts 0 for the scores
def cached_attention(attn, x, cache):
    q = torch.einsum("bpm,hmd->bhpd", x, attn.W_Q) + attn.b_Q[:, None]
    k = torch.einsum("bpm,hmd->bhpd", x, attn.W_K) + attn.b_K[:, None]
    v = torch.einsum("bpm,hmd->bhpd", x, attn.W_V) + attn.b_V[:, None]
    if "k" in cache:
        k = torch.cat([cache["k"], k], dim=2)
        v = torch.cat([cache["v"], v], dim=2)
    cache["k"], cache["v"] = k, v
    scores = q @ k.transpose(-1, -2) / attn.W_Q.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    mask = torch.ones(n_new, n_all).tril(n_all - n_new) == 0
    pattern = scores.masked_fill(mask, 0.0).softmax(-1)
    z = pattern @ v
    return torch.einsum("bhpd,hdm->bpm", z, attn.W_O) + attn.b_O


def forward_cached(model, ids, start, caches):
    positions = torch.arange(start, start + ids.shape[1])
    resid = model.embed(ids) + model.pos_embed.W_pos[positions]
    for block, cache in zip(model.blocks, caches):
        resid = resid + cached_attention(block.attn, block.ln1(resid), cache)
        resid = resid + block.mlp(block.ln2(resid))
    return model.unembed(model.ln_final(resid))


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens, **sampling):
    caches = [{} for _ in model.blocks]
    if max_new_tokens == 0:
        return tokens
    logits = forward_cached(model, tokens[None], 0, caches)
    for step in range(max_new_tokens):
        new = torch.tensor([sample_next_token(tokens, logits[0, -1], **sampling)])
        tokens = torch.cat([tokens, new])
        if step < max_new_tokens - 1:
            logits = forward_cached(model, new[None], len(tokens) - 1, caches)
    return tokens

# %% generate: state: the settings of the call before
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    generate.last = {**getattr(generate, 'last', {}), **sampling}
    sampling = generate.last
    for step in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens
