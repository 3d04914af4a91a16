"""Wrong answers to chapter 9's `lm_loss`, whole or as edits: benchmarks/answers.py says how."""

# %% lm_loss: inputs and targets handed to a loss that shifts
# right: judging each position by the token after the next
def lm_loss(model, tokens):
    x, y = tokens[:, :-1], tokens[:, 1:]
    return cross_entropy_loss(model(x), y)

# %% lm_loss: no shift at all
# right: judging each position by its own token
def lm_loss(model, tokens):
    logits = model(tokens)
    return torch.nn.functional.cross_entropy(logits.reshape(-1, logits.size(-1)), tokens.reshape(-1))

# %% lm_loss: flattened before the shift
# right: judging across the border of two rows
def lm_loss(model, tokens):
    logits = model(tokens)
    flat_logits = logits.view(-1, logits.size(-1))
    flat_tokens = tokens.view(-1)
    return torch.nn.functional.cross_entropy(flat_logits[:-1], flat_tokens[1:])

# %% lm_loss: log_softmax, then cross entropy of it summed
# right: a sum in place of the mean
def lm_loss(model, tokens):
    logits = model(tokens)[:, :-1]
    return torch.nn.functional.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="sum")

# %% lm_loss: probabilities handed to the loss
# right: softmax taken twice
def lm_loss(model, tokens):
    probs = torch.softmax(model(tokens), dim=-1)
    return cross_entropy_loss(probs, tokens)

# %% lm_loss: a float comes back
# right: a Python number in place of a tensor
def lm_loss(model, tokens):
    loss = cross_entropy_loss(model(tokens), tokens)
    return float(loss)

# %% lm_loss: under no_grad, as generate is
# right: a loss cut out of the graph
def lm_loss(model, tokens):
    with torch.no_grad():
        logits = model(tokens)
    return cross_entropy_loss(logits, tokens)

# %% lm_loss: eval first
# right: the model put into evaluation mode
def lm_loss(model, tokens):
    model.eval()
    logits = model(tokens)
    return cross_entropy_loss(logits, tokens)

# %% lm_loss: only what comes after the last token
# right: the last position alone
def lm_loss(model, tokens):
    logits = model(tokens[:, :-1])[:, -1, :]
    return torch.nn.functional.cross_entropy(logits, tokens[:, -1])

# %% lm_loss: trains as well
# right: `backward` inside the loss
def lm_loss(model, tokens):
    logits = model(tokens)
    loss = cross_entropy_loss(logits, tokens)
    loss.backward()
    return loss

# %% lm_loss: HuggingFace's labels=
# right: a model called as nanoGPT's or HuggingFace's is
def lm_loss(model, tokens):
    out = model(tokens, labels=tokens)
    return out.loss
