"""Wrong answers to chapter 8's `generate` as learners write them, one whole cell each, titled with what went wrong.

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
# right: a window that is shorter than `n_ctx`
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
# right: every token chosen by what follows the prompt
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
# right: an `eos` above 256 that is never met
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
# right: one token, however many are asked for
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

# %% generate: eos is added once more
# right: `eos` twice
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx:])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            tokens = torch.cat([tokens, torch.tensor([eos])])
            break
    return tokens

# %% generate: no eos counts as token 0
# right: token 0 for an `eos` that was not given
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    eos = eos or 0
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx:])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: eos is made impossible
# right: an `eos` that can't be chosen
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx:])[0, -1].clone()
        if eos is not None:
            logits[eos] = -torch.inf
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
    return tokens

# %% generate: eos does not count as the first new token
# right: an `eos` that the first new token may not be
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    for step in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx:])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if step > 0 and new == eos:
            break
    return tokens

# %% generate: a second draw decides about the end
# right: a second draw that decides the end
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx:])[0, -1]
        tokens = torch.cat([tokens, torch.tensor([sample_next_token(tokens, logits, **sampling)])])
        if sample_next_token(tokens, logits, **sampling) == eos:
            break
    return tokens

# %% generate: divides by the temperature before the sampler does
# right: the temperature twice
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    t = sampling.get("temperature", 1.0)
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx:])[0, -1]
        if t > 0:
            logits = logits / t
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: freq_penalty is not handed on
# right: settings that are not handed on
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx:])[0, -1]
        new = sample_next_token(tokens, logits, temperature, top_k, top_p)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: top_k and top_p swapped
# right: `top_k` and `top_p` that change places
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0):
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx:])[0, -1]
        new = sample_next_token(tokens, logits, temperature, top_p, top_k, freq_penalty)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: the penalty counts the buffer's zeros
# right: the penalty on places that are not written yet
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n = len(tokens)
    text = torch.zeros(n + max_new_tokens, dtype=torch.long)
    text[:n] = tokens
    for at in range(n, n + max_new_tokens):
        logits = model(text[None, max(0, at - model.cfg.n_ctx):at])[0, -1]
        text[at] = sample_next_token(text, logits, **sampling)
        if text[at] == eos:
            return text[: at + 1]
    return text

# %% generate: half the window once it is full
# right: a window that is shorter than `n_ctx`
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    n_ctx = model.cfg.n_ctx
    for _ in range(max_new_tokens):
        window = tokens if len(tokens) <= n_ctx else tokens[-(n_ctx // 2):]
        logits = model(window.unsqueeze(0))[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if eos is not None and new == eos:
            break
    return tokens

# %% generate: the model stays in training mode
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    model.train()
    with torch.no_grad():
        for _ in range(max_new_tokens):
            logits = model(tokens[None, -model.cfg.n_ctx:])[0, -1]
            new = sample_next_token(tokens, logits, **sampling)
            tokens = torch.cat([tokens, torch.tensor([new])])
            if new == eos:
                break
    return tokens

# %% generate: a repeated token ends the text
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx:])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        stop = new == eos or new == int(tokens[-1])
        tokens = torch.cat([tokens, torch.tensor([new])])
        if stop:
            break
    return tokens

# %% generate: the window moves on at each step
# right: a window that moves from the first step on
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    for step in range(max_new_tokens):
        logits = model(tokens[None, step : step + model.cfg.n_ctx])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: ends at any token where eos is given
# right: an end whatever was chosen
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if eos:
            break
    return tokens

# %% generate: the batch axis of the logits stays
# right: logits with an axis too many
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[:, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% generate: a helper is called with the settings that its def lacks
def next_token(model, toks):
    logits = model(toks[None, -model.cfg.n_ctx:])
    return sample_next_token(toks, logits[0, -1], **sampling)

@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    for _ in range(max_new_tokens):
        t = next_token(model, tokens, sampling)
        tokens = torch.cat([tokens, torch.tensor([t])])
        if t == eos:
            break
    return tokens

# %% generate: asks for .logits, as in HuggingFace's models
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    for _ in range(max_new_tokens):
        out = model(tokens[None, -model.cfg.n_ctx:])
        new = sample_next_token(tokens, out.logits[0, -1], **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos: break
    return tokens

# %% generate: the window by model.config
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.config.block_size:])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos: break
    return tokens


# %% generate: the first n_ctx tokens for the window + only the new tokens come out
@torch.no_grad()
def generate(
    model: nn.Module,
    tokens: Int[Tensor, " pos"],
    max_new_tokens: int,
    eos: int | None = None,
    **sampling: float | int,
) -> Int[Tensor, " all_pos"]:
    written = []
    text = tokens.clone()
    while len(written) < max_new_tokens:
        batch = text[: model.cfg.n_ctx].unsqueeze(0)
        next_token = sample_next_token(text, model(batch)[0, -1], **sampling)
        written.append(next_token)
        text = torch.cat([text, torch.tensor([next_token])])
        if eos is not None and next_token == eos:
            break
    return torch.tensor(written, dtype=tokens.dtype)


# %% generate: the first n_ctx tokens for the window + an eos of 0 taken for none
# right: taking an `eos` of 0 for none
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    for _ in range(max_new_tokens):
        read = tokens[: model.cfg.n_ctx]
        logits = model(read[None])[0, -1]
        token = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([token])])
        if eos and token == eos:
            break
    return tokens
