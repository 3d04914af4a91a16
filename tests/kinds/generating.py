"""A function of a model, with keywords that are handed on, and a ValueError that is due."""

import torch

from utils.checking import Exercise, check_agrees, check_inputs_unchanged, check_raises, line, random_tensor


def next_token(logits, temperature=1.0, top_k=0, top_p=0.0):
    if top_k and top_p:
        raise ValueError("top_k and top_p exclude each other")
    if temperature == 0:
        return int(logits.argmax())
    best, where = (logits / temperature).topk(top_k or len(logits))
    return int(where[torch.multinomial(best.softmax(-1), 1)])


@torch.no_grad()
def generate(model, tokens, max_new_tokens, eos=None, **sampling):
    """The reference solution."""
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = next_token(logits, **sampling)
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens


exercise = Exercise(
    inputs={"tokens": "pos", "max_new_tokens": ""},
    output="all_pos",
    free_axes="all_pos",
    drive="with_model",
    solution="tests.kinds.generating",
)


@exercise.test
def test_generate(generate):
    table = random_tensor(11, 11) - 3 * torch.eye(11)  # so that no token follows itself for long
    tokens = random_tensor(11).argsort()[:3]
    with line("follows the model"):
        check_agrees(generate, table, 20, tokens, 6, temperature=0)
        check_agrees(generate, table, 20, tokens, 0, temperature=0)
    with line("crops to the last `n_ctx` tokens"):
        check_agrees(generate, table, 5, tokens, 12, temperature=0)
    with line("stops after `eos`, and keeps it"):
        for eos in range(11):
            check_agrees(generate, table, 20, tokens, 8, eos=eos, temperature=0)
    with line("hands the settings on"):
        check_agrees(generate, table, 20, tokens, 8, top_k=1)
        check_raises(generate, table, 20, tokens, 3, top_k=2, top_p=0.5, error="ValueError", naming="top_p")
    with line("leaves `tokens` as they were"):
        check_inputs_unchanged(generate, table, 20, tokens, 3, temperature=0)


@exercise.correct
def recursive(model, tokens, max_new_tokens, eos=None, **sampling):
    if max_new_tokens == 0:
        return tokens.clone()
    window = tokens[max(0, len(tokens) - model.cfg.n_ctx) :]
    new = next_token(model(window.unsqueeze(0)).detach()[0][-1], **sampling)
    longer = torch.hstack([tokens, torch.as_tensor(new)])
    return longer if new == eos else recursive(model, longer, max_new_tokens - 1, eos, **sampling)


@exercise.correct
def written_into_a_buffer(model, tokens, max_new_tokens, eos=None, temperature=1.0, top_k=0, top_p=0.0):
    if top_k > 0 and top_p > 0:
        raise ValueError("choose one of top_k and top_p")
    text, length = torch.zeros(len(tokens) + max_new_tokens, dtype=torch.long), len(tokens)
    text[:length] = tokens
    while length < len(text):
        logits = model(text[None, max(0, length - model.cfg.n_ctx) : length]).data[0, -1]
        cold = temperature == 0 or top_k == 1
        text[length] = logits.argmax() if cold else next_token(logits, temperature, top_k, top_p)
        length += 1
        if int(text[length - 1]) == eos:
            break
    return text[:length]


def generating(crop=lambda tokens, n_ctx: tokens[-n_ctx:], keeps_eos=True, stops=True, new_only=False, hands_on=True):
    """`generate` with one part of it replaced."""

    @torch.no_grad()
    def generate(model, tokens, max_new_tokens, eos=None, temperature=1.0, **sampling):
        start = len(tokens)
        for _ in range(max_new_tokens):
            logits = model(crop(tokens, model.cfg.n_ctx)[None])[0, -1]
            new = next_token(logits, temperature, **(sampling if hands_on else {}))
            if new == eos and stops and not keeps_eos:
                break
            tokens = torch.cat([tokens, torch.tensor([new])])
            if new == eos and stops:
                break
        return tokens[start:] if new_only else tokens

    return generate


exercise.misconception("a text that is never cropped", "The model reads `n_ctx` tokens at most.")(
    generating(lambda tokens, n_ctx: tokens)
)
exercise.misconception("cropping to the first tokens", "Keep the last ones: `tokens[-n_ctx:]`.")(
    generating(lambda tokens, n_ctx: tokens[:n_ctx])
)
exercise.misconception("leaving `eos` out", "The token that ends the text belongs to it.")(generating(keeps_eos=False))
exercise.misconception("going on after `eos`", "Leave the loop once `eos` was chosen.")(generating(stops=False))
exercise.misconception("the new tokens alone", "Answer the whole text, the prompt included.")(generating(new_only=True))
exercise.misconception("settings that are not handed on", "Pass `**sampling` to the function that chooses.")(
    generating(hands_on=False)
)


@exercise.misconception("growing the caller's tensor", "`resize_` changes the caller's tokens: use torch.cat.")
def growing(model, tokens, max_new_tokens, eos=None, **sampling):
    longer = generate(model, tokens, max_new_tokens, eos, **sampling)
    return tokens.resize_(len(longer)).copy_(longer)
