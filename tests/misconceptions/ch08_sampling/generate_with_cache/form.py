"""How generate_with_cache goes wrong: the settings, and what is returned."""

import functools

import torch

from tests.ch08_sampling import cached
from tests.misconceptions.ch08_sampling.generate import (
    OTHER_SEEDS,
    SETTINGS,
    all_but,
    by_the_temperature_before,
    penalised_before,
    picked,
    temperature_alone,
)
from tests.misconceptions.ch08_sampling.generate_with_cache.reading import Reading, also_slip, slip, writes_by


@cached.misconception(
    "seeding inside `generate_with_cache`",
    "Leave seeding to the caller: a call draws torch's next random numbers, and sets none back. One seed makes all "
    "texts the same.",
)
def seeding_with_a_cache(model, tokens, max_new_tokens, seed=0, **sampling):
    torch.default_generator.manual_seed(seed)  # as `torch.manual_seed`, which is slow: it notes who asked
    return writes_by(Reading)(model, tokens, max_new_tokens, **sampling)


for other in OTHER_SEEDS:
    cached.also("seeding inside `generate_with_cache`")(functools.partial(seeding_with_a_cache, seed=other))


slip(
    "settings that are not handed on",
    "Pass all of them to the function that chooses: `sample_next_token(..., **sampling)`.",
    handed=lambda sampling: {},
)(Reading)
for setting in SETTINGS:
    also_slip("settings that are not handed on", handed=functools.partial(all_but, setting))(Reading)
also_slip("settings that are not handed on", handed=temperature_alone)(Reading)
slip(
    "all settings in one argument",
    "`sampling` alone is one argument, a dict: `**sampling` hands on each setting by its name.",
    choose=lambda text, logits, **sampling: picked(text, logits, sampling),
)(Reading)
slip(
    "the temperature twice",
    "`sample_next_token` divides by it already: hand on the logits as the model gives them.",
    choose=by_the_temperature_before,
)(Reading)
slip(
    "the penalty twice",
    "`sample_next_token` takes it off already: hand on the logits without it.",
    choose=penalised_before,
)(Reading)
slip(
    "the penalty on the tokens of this step alone",
    "The model reads the new token alone, but `sample_next_token` gets the whole text.",
    counted=lambda text, n_prompt: text if len(text) == n_prompt else text[-1:],
)(Reading)
slip(
    "the penalty on the new tokens alone",
    "`sample_next_token` gets the whole text, the prompt included.",
    counted=lambda text, n_prompt: text[n_prompt:],
)(Reading)
slip(
    "the penalty on the prompt alone",
    "`sample_next_token` gets the text as it is by now, with the new tokens.",
    counted=lambda text, n_prompt: text[:n_prompt],
)(Reading)
slip(
    "handing on probabilities where logits are expected",
    "`sample_next_token` takes the logits as the model gives them, and does the softmax itself.",
    choose=lambda text, logits, **sampling: picked(text, logits.softmax(-1), **sampling),
)(Reading)
slip(
    "the new tokens alone", "Return the whole text, the prompt included.", answer=lambda text, n_prompt: text[n_prompt:]
)(Reading)
also_slip("the new tokens alone", answer=lambda text, n_prompt: text[n_prompt - len(text) :])(Reading)
slip(
    "a batch axis that stays",
    "The model reads [batch pos], the answer is [all_pos]: take its only row, `[0]`.",
    answer=lambda text, n_prompt: text[None],
)(Reading)
slip(
    "one token more than `max_new_tokens`",
    "The loop runs `max_new_tokens` times: `for _ in range(max_new_tokens)`.",
    written=lambda new: new + 1,
)(Reading)
slip(
    "one token fewer than `max_new_tokens`",
    "The loop runs `max_new_tokens` times, and adds a token each time: `for _ in range(max_new_tokens)`.",
    written=lambda new: new - 1,
)(Reading)
slip(
    "a token even where `max_new_tokens` is 0",
    "With 0 nothing is added: ask how many are left before writing one.",
    written=lambda new: max(1, new),
)(Reading)
slip(
    "the likeliest token whatever the settings are",
    "Let `sample_next_token(tokens, logits, **sampling)` choose.",
    choose=lambda text, logits, **sampling: int(logits.argmax()),
)(Reading)


@cached.misconception(
    "`max_new_tokens` as the length of the whole text",
    "`max_new_tokens` tokens are added to the prompt, however long that is.",
)
def whole_length_with_a_cache(model, tokens, max_new_tokens, **sampling):
    return writes_by(Reading)(model, tokens, max(0, max_new_tokens - len(tokens)), **sampling)


@cached.misconception(
    "tokens as floats",
    "Tokens are whole numbers, but these are floats: `torch.tensor([new])` makes int64, `torch.Tensor([new])` does "
    "not.",
)
def as_floats_with_a_cache(model, tokens, max_new_tokens, **sampling):
    text = writes_by(Reading)(model, tokens, max_new_tokens, **sampling)
    return text.float() if max_new_tokens else text


@cached.also("tokens as floats")
@torch.no_grad()
def joined_by_floats_with_a_cache(model, tokens, max_new_tokens, **sampling):
    read = Reading(model)
    for _ in range(max_new_tokens):
        new = picked(tokens, read.logits(tokens), **sampling)
        tokens = torch.cat([tokens, torch.Tensor([new])])
    return tokens


@cached.misconception(
    "one token, however many are asked for",
    "The text has one new token: go on until there are `max_new_tokens`. (A `return` within a loop ends it with the "
    "first.)",
)
def returned_in_the_loop_of_the_cache(model, tokens, max_new_tokens, **sampling):
    return writes_by(Reading)(model, tokens, 1, **sampling) if max_new_tokens else None


@cached.misconception(
    "a new token that is not kept",
    "The text that comes out has not grown: keep what `torch.cat` gives, `tokens = torch.cat(...)`, because it "
    "changes none of its tensors.",
)
def nothing_added_with_a_cache(model, tokens, max_new_tokens, **sampling):
    read = Reading(model)
    for _ in range(max_new_tokens):
        picked(tokens, read.logits(tokens), **sampling)  # an error in the second step: nothing is left to read
    return tokens


@cached.misconception("the new token in front of the text", "It comes last: `torch.cat([tokens, new])`.")
@torch.no_grad()
def in_front_with_a_cache(model, tokens, max_new_tokens, **sampling):
    read = Reading(model)
    for _ in range(max_new_tokens):
        new = picked(tokens, read.logits(tokens), **sampling)
        tokens = torch.cat([torch.tensor([new]), tokens])
    return tokens


slip(
    "a list of tokens", "Return a tensor: `torch.cat` the new token to `tokens`.", answer=lambda text, _: text.tolist()
)(Reading)


NEVER_READ = "What it holds has no positions."
ALONE = "The stream was made in this step, and nothing else holds it."
IN_THE_END = "Of one text the last position is taken in the end; what else is computed changes nothing."
for other in ("ones", "randn", "rand"):
    cached.equivalent(
        f"torch.zeros(1, 0, cfg.n_heads, cfg.d_head) → torch.{other}(1, 0, cfg.n_heads, cfg.d_head)", NEVER_READ
    )
cached.equivalent("resid = resid + written → resid += written; resid = resid", ALONE)
cached.equivalent(
    "resid = resid + block.mlp(block.ln2(resid)) → resid += block.mlp(block.ln2(resid)); resid = resid", ALONE
)
for other in ("resid", "resid[-1:]", "resid[:]", "resid[:, :]", "resid[-1:, :]"):
    cached.equivalent(f"resid[:, -1:] → {other}", IN_THE_END)
for other in ("-1 → 0", "-1 → -2", "-1 → -3", "0 → -1"):
    cached.equivalent(other, IN_THE_END)
cached.equivalent(
    "model.unembed(model.ln_final(resid[:, -1:]))[0, -1] → model.unembed(model.ln_final(resid[:, -1:]))[-1, 0]",
    IN_THE_END,
)
