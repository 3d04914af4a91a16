"""Two functions of the learner's own that must agree: text made with a cache and without."""

import torch

from utils.checking import Exercise, check_agrees, check_equal_to, line, random_tensor


@torch.no_grad()
def generate(model, tokens, max_new_tokens):
    """What the learner wrote before: greedy, without a cache."""
    for _ in range(max_new_tokens):
        tokens = torch.cat([tokens, model(tokens[None])[0, -1].argmax()[None]])
    return tokens


@torch.no_grad()
def generate_with_cache(model, tokens, max_new_tokens):
    """The reference solution: a table model's logits are the sum of the rows so far, so the sum is the cache."""
    total = model.table[tokens].sum(0)
    for _ in range(max_new_tokens):
        new = total.argmax()
        tokens, total = torch.cat([tokens, new[None]]), total + model.table[new]
    return tokens


exercise = Exercise(
    inputs={"tokens": "pos", "max_new_tokens": ""},
    output="all_pos",
    free_axes="all_pos",
    drive="with_model",
    solution="tests.kinds.cached",
)


@exercise.test
def test_generate_with_cache(generate_with_cache, generate=None):
    table = random_tensor(11, 11) - 3 * torch.eye(11)  # so that no token follows itself for long
    tokens = random_tensor(11).argsort()[:3]
    with line("goes on as the model says"):
        check_agrees(generate_with_cache, table, 30, tokens, 8)
        check_agrees(generate_with_cache, table, 30, tokens, 0)
    with line("equals your own `generate`, token for token"):
        check_equal_to(generate_with_cache, generate, table, 30, tokens, 20)
        check_equal_to(generate_with_cache, generate, table, 30, tokens[:1], 20)


@exercise.correct
@torch.no_grad()
def sums_in_a_list(model, tokens, max_new_tokens):
    text, logits = tokens.tolist(), [0.0] * len(model.table)
    read = 0
    while len(text) < len(tokens) + max_new_tokens:
        for token in text[read:]:
            logits = [one + other for one, other in zip(logits, model.table[token].tolist(), strict=True)]
        read = len(text)
        text.append(logits.index(max(logits)))
    return torch.tensor(text)


@exercise.correct
def by_counting(model, tokens, max_new_tokens):
    counts = torch.bincount(tokens, minlength=len(model.table)).float()
    for _ in range(max_new_tokens):
        new = (counts @ model.table.detach()).argmax(keepdim=True)
        counts[new] += 1
        tokens = torch.hstack((tokens, new))
    return tokens


@exercise.misconception("a cache of the last token alone", "Keep the sum over the whole text.")
@torch.no_grad()
def last_alone(model, tokens, max_new_tokens):
    for _ in range(max_new_tokens):
        tokens = torch.cat([tokens, model.table[tokens[-1]].argmax()[None]])
    return tokens


@exercise.misconception("a cache that is never added to", "Add the new token's row after each step.")
@torch.no_grad()
def frozen(model, tokens, max_new_tokens):
    new = model.table[tokens].sum(0).argmax()
    return torch.cat([tokens, new.expand(max_new_tokens)])


@exercise.misconception("a cache without the prompt", "Read the prompt into the cache first.")
@torch.no_grad()
def no_prompt(model, tokens, max_new_tokens):
    total = model.table[tokens[-1]]
    for _ in range(max_new_tokens):
        tokens = torch.cat([tokens, total.argmax()[None]])
        total = total + model.table[tokens[-1]]
    return tokens


@exercise.misconception("adding each new row twice", "A token adds its row once.")
@torch.no_grad()
def twice(model, tokens, max_new_tokens):
    total = model.table[tokens].sum(0)
    for _ in range(max_new_tokens):
        tokens = torch.cat([tokens, total.argmax()[None]])
        total = total + 2 * model.table[tokens[-1]]
    return tokens
