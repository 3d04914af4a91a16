"""Wrong answers to chapter 8's `generate`, whole or as edits: benchmarks/answers.py says how."""

# %% base: right, with `window`
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
    return tokens

# %% base: right, with a docstring
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """Autoregressive loop."""
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% base: right, in short
@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens

# %% base: right, with a list
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
    return torch.tensor(ids)

# %% generate: the first n_ctx tokens, not the last
# right: cropping to the first tokens
# like: right, with `window`
~ -n_ctx: → :n_ctx

# %% generate: no window at all
# right: a text that is never cropped
# like: right, with `window`
~ [-n_ctx:] →

# %% generate: the window is one short
# right: a window that is shorter than `n_ctx`
# like: right, with a docstring
~ _ in → step in
~ model.cfg.n_ctx → (model.cfg.n_ctx - 1)

# %% generate: the text itself is cropped, its beginning is lost
# right: cutting the text itself
# like: right, with `window`
-        window = tokens[-n_ctx:]
+        if len(tokens) > n_ctx:
+            tokens = tokens[-n_ctx:]
+        window = tokens

# %% generate: the sampler gets the window, the penalty counts only that
# right: the penalty on the cropped text
# like: right, with `window`
~ tokens, last → window, last

# %% generate: the penalty counts only the new tokens
# right: the penalty on the new tokens alone
# like: right, with `window`
     n_ctx = model.cfg.n_ctx
+    n_given = len(tokens)
~ , last → [n_given:], last

# %% generate: the penalty counts only the given text
# right: the penalty on the prompt alone
# like: right, with a list
~ torch.tensor(ids), scores → tokens, scores

# %% generate: the logits of the first position
# right: the logits of the first position
# like: right, with `window`
~ , -1 → , 0

# %% generate: the last position but one
# right: the logits of the last position but one
# like: right, with a docstring
~ _ in → step in
~ , -1 → , -2

# %% generate: eos is not kept
# right: leaving `eos` out
# like: right, with a list
-        ids.append(choice)
         if choice == eos:
             break
+        ids.append(choice)

# %% generate: eos is ignored
# right: going on after `eos`
# like: right, with `window`
-        if eos is not None and next_id == eos:
-            break

# %% generate: filled up with eos to the full length
# right: a text that is filled up after `eos`
# like: right, with a list
         if choice == eos:
+            ids += [eos] * (max_new_tokens - (len(ids) - len(tokens)))

# %% generate: only the new tokens
# right: the new tokens alone
# like: right, with `window`
     n_ctx = model.cfg.n_ctx
+    start = tokens.shape[0]
~ return tokens → return tokens[start:]

# %% generate: settings are not handed on
# right: settings that are not handed on
# like: right, with a list
~ scores, **sampling → scores

# %% generate: one token too many
# right: one token more than `max_new_tokens`
# like: right, with a docstring
~ _ in range(max_new_tokens) → step in range(max_new_tokens + 1)

# %% generate: one token too few
# right: one token fewer than `max_new_tokens`
# like: right, with a docstring
~ _ in range(max_new_tokens) → step in range(1, max_new_tokens)

# %% generate: eos 0 counts as none
# right: taking an `eos` of 0 for none
# like: right, with `window`
~ is not None and → and

# %% generate: a seed of its own
# right: seeding inside `generate`
# like: right, with `window`
 def generate(model, tokens, max_new_tokens, eos=None, **sampling):
+    torch.manual_seed(0)

# %% generate: seeds anew at each step
# right: seeding inside `generate`
# like: right, with a docstring
-    for _ in range(max_new_tokens):
+    for step in range(max_new_tokens):
+        torch.manual_seed(step)

# %% generate: probabilities go to the sampler
# right: handing on probabilities where logits are expected
# like: right, with `window`
~ [0, -1, :] → [0, -1, :].softmax(-1)

# %% generate: a list comes back
# right: a list of tokens
# like: right, with a list
~ return torch.tensor(ids) → return ids

# %% generate: a batch axis stays
# right: a batch axis that stays
# like: right, with `window`
~ return tokens → return tokens[None]

# %% generate: stops where eos is anywhere in the text
# right: an `eos` of the prompt that ends the text
# like: right, with `window`
~ next_id == eos → eos in tokens

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
# like: right, in short
~ for _ in range(max_new_tokens) → while len(tokens) < max_new_tokens

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
# like: right, with `window`
~ n_ctx: → 1:

# %% generate: the model is asked once
# right: every token chosen by what follows the prompt
# like: right, with a docstring
~ """Autoregressive loop.""" → logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
-        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]

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
# like: right, with a docstring
~ _ in → step in
~ tokens, torch.tensor([new]) → torch.tensor([new]), tokens

# %% generate: always greedy
# right: the likeliest token whatever the settings are
# like: right, with `window`
~ sample_next_token(tokens, last, **sampling) → int(last.argmax())

# %% generate: settings by position, in the order they came
# right: settings that are handed on without their names
# like: right, with a docstring
~ _ in → step in
~ logits, **sampling → logits, *sampling.values()

# %% generate: only temperature is handed on
# right: settings that are not handed on
# like: right, with a list
~ scores, **sampling → scores, temperature=sampling.get('temperature', 1.0)

# %% generate: eos by `is`
# right: an `eos` above 256 that is never met
# like: right, with a docstring
~ _ in → step in
~ == eos → is eos

# %% generate: the window is 256, whatever the model
# right: a text that is never cropped
# like: right, with `window`
~ model.cfg.n_ctx → 256

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
# like: right, with a docstring
-    for _ in range(max_new_tokens):
+    for step in range(max_new_tokens):
+        if len(tokens) >= model.cfg.n_ctx:
+            break

# %% generate: no batch axis
# right: a model that is asked without a batch axis
# like: right, with `window`
~ .unsqueeze(0) →
~ 0, -1, : → -1

# %% generate: batch axis at the end
# right: the logits of the first position
# like: right, with `window`
~ (0) → (1)

# %% generate: no break, return None at the end
# like: right, with a docstring
~ _ in → step in
-            break
-    return tokens
+            return tokens

# %% generate: return inside the loop
# right: one token, however many are asked for
# like: right, with a docstring
~ _ in → step in
-    return tokens
+        return tokens

# %% generate: the caller's tensor grows
# right: growing the caller's tensor
# like: right, with `window`
~ tokens = → tokens.data =

# %% generate: the new token is not an axis: cat of a 0-d
# right: a new token without an axis
# like: right, with a docstring
~ _ in → step in
~ [new] → new

# %% generate: the window is the model's d_vocab
# right: a text that is never cropped
# like: right, with `window`
~ .n_ctx → .d_vocab

# %% generate: eos is compared with the token before
# right: one token more after `eos`
# like: right, with a docstring
~ _ in → step in
~ new == → tokens[-2] ==

# %% generate: the mean of all positions' logits
# right: the mean over all positions
# like: right, with `window`
~ [0, -1, :] → [0].mean(0)

# %% generate: settings changed: temperature default 0
# right: a temperature of 0 where none was given
# like: right, with `window`
 def generate(model, tokens, max_new_tokens, eos=None, **sampling):
+    sampling.setdefault('temperature', 0)

# %% generate: state: the settings of the call before
# like: right, with a docstring
-    for _ in range(max_new_tokens):
+    generate.last = {**getattr(generate, 'last', {}), **sampling}
+    sampling = generate.last
+    for step in range(max_new_tokens):

# %% generate: eos is added once more
# right: `eos` twice
# like: right, in short
~ n_ctx : → n_ctx:
         if new == eos:
+            tokens = torch.cat([tokens, torch.tensor([eos])])

# %% generate: no eos counts as token 0
# right: token 0 for an `eos` that was not given
# like: right, with a docstring
~ """Autoregressive loop.""" → eos = eos or 0
~ n_ctx : → n_ctx:

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
# like: right, in short
~ _ in → step in
~ n_ctx : → n_ctx:
~ new == → step > 0 and new ==

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
# like: right, with a docstring
~ """Autoregressive loop.""" → t = sampling.get("temperature", 1.0)
-        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
+        logits = model(tokens[None, -model.cfg.n_ctx:])[0, -1]
+        if t > 0:
+            logits = logits / t

# %% generate: freq_penalty is not handed on
# right: settings that are not handed on
# like: right, in short
~ None, **sampling → None, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0
~ n_ctx : → n_ctx:
~ logits, **sampling → logits, temperature, top_k, top_p

# %% generate: top_k and top_p swapped
# right: `top_k` and `top_p` that change places
# like: right, in short
~ None, **sampling → None, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0
~ n_ctx : → n_ctx:
~ logits, **sampling → logits, temperature, top_p, top_k, freq_penalty

# %% generate: the penalty counts the buffer's zeros
# right: the penalty on places that are not written yet
# like: preallocated, zeros left behind eos
~ (0, at - model.cfg.n_ctx) : at → (0, at - model.cfg.n_ctx):at
~ new = sample_next_token(text[:at], logits, **sampling) → sample_next_token(text, logits, **sampling)
~ new == → text[at] ==
~ break → return text[: at + 1]

# %% generate: half the window once it is full
# right: a window that is shorter than `n_ctx`
# like: right, with a docstring
~ """Autoregressive loop.""" → n_ctx = model.cfg.n_ctx
-        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
+        window = tokens if len(tokens) <= n_ctx else tokens[-(n_ctx // 2):]
+        logits = model(window.unsqueeze(0))[0, -1]
~ new == → eos is not None and new ==

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
# like: right, in short
~ n_ctx : → n_ctx:
         new = sample_next_token(tokens, logits, **sampling)
+        stop = new == eos or new == int(tokens[-1])
~ new == eos → stop

# %% generate: the window moves on at each step
# right: a window that moves from the first step on
# like: right, in short
~ _ in → step in
~ -model.cfg.n_ctx : → step : step + model.cfg.n_ctx

# %% generate: ends at any token where eos is given
# right: ending the text whatever was chosen
# like: right, in short
~ new == eos → eos

# %% generate: the batch axis of the logits stays
# right: logits with an axis too many
# like: right, in short
~ 0, - → :, -

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
