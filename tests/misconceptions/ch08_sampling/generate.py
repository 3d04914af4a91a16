"""How generate goes wrong, and right answers that look different."""

import functools

import torch
import torch.nn.functional as F

from tests.ch08_sampling import writing


def multinomial(weights):
    return int(torch.multinomial(weights, 1))


def by_noise(weights):
    """A draw with the same probabilities, but another draw: the largest of noisy logarithms."""
    return int((weights.log() - torch.empty_like(weights).exponential_().log()).argmax())


def picked(text, logits, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0.0, draw=multinomial):
    """The next token, as `sample_next_token` chooses it."""
    if top_k and top_p:
        raise ValueError("top_k and top_p exclude each other")
    logits = logits - freq_penalty * F.one_hot(text, len(logits)).sum(0)
    if temperature == 0:
        return int(logits.argmax())
    probabilities = (logits / temperature).softmax(-1)
    if not top_k and not top_p:
        return draw(probabilities)
    ranked, where = probabilities.sort(descending=True)
    return int(where[draw(ranked[: top_k or int((ranked.cumsum(-1) - ranked < top_p).sum())])])


picked_by_noise = functools.partial(picked, draw=by_noise)


SETTINGS = ("temperature", "top_k", "top_p", "freq_penalty")


def all_but(setting, sampling):
    return {name: value for name, value in sampling.items() if name != setting}


def temperature_alone(sampling):
    return {"temperature": sampling.get("temperature", 1.0)}


def swapped_cuts(sampling):
    return sampling | {"top_k": int(sampling.get("top_p", 0)), "top_p": sampling.get("top_k", 0)}


def by_the_temperature_before(text, logits, temperature=1.0, **sampling):
    return picked(text, logits / (temperature or 1.0), temperature=temperature, **sampling)


def penalised_before(text, logits, freq_penalty=0.0, **sampling):
    return picked(text, logits, freq_penalty=2 * freq_penalty, **sampling)


def less_a_penalty(text, logits, **sampling):
    """What `apply_frequency_penalty` makes of logits with an axis too many: an error, or as many axes."""
    return logits - torch.bincount(text, minlength=len(logits))


OTHER_SEEDS = (42, 1, 123, 1234, 1337)  # that people write where they do not write 0


@writing.correct
def recursive(model, tokens, max_new_tokens, eos=None, **sampling):
    if max_new_tokens == 0:
        return tokens.clone()
    window = tokens[max(0, len(tokens) - model.cfg.n_ctx) :]
    new = picked(tokens, model(window.unsqueeze(0)).detach()[0][-1], **sampling)
    longer = torch.hstack([tokens, torch.as_tensor(new)])
    return longer if new == eos else recursive(model, longer, max_new_tokens - 1, eos, **sampling)


@writing.correct
def written_into_a_buffer(model, tokens, max_new_tokens, eos=None, temperature=1.0, top_k=0, top_p=0.0, freq_penalty=0):
    text, length = torch.zeros(len(tokens) + max_new_tokens, dtype=torch.long), len(tokens)
    text[:length] = tokens
    while length < len(text):
        logits = model(text[None, max(0, length - model.cfg.n_ctx) : length]).data[0, -1]
        text[length] = picked_by_noise(text[:length], logits, temperature, top_k, top_p, freq_penalty)
        length += 1
        if int(text[length - 1]) == eos:
            break
    return text[:length]


@writing.correct
@torch.inference_mode()
def a_list_of_ints(model, tokens, max_new_tokens, eos=None, **sampling):
    text = tokens.tolist()
    for _ in range(max_new_tokens):
        (logits,) = model(torch.tensor([text[-model.cfg.n_ctx :]]))
        text.append(picked_by_noise(torch.tensor(text), logits[-1], **sampling))
        if text[-1] == eos:
            break
    return torch.tensor(text)


@writing.correct
def a_batch_of_one(model, tokens, max_new_tokens, eos=None, **sampling):
    texts, ended = tokens[None], False
    while texts.shape[1] < len(tokens) + max_new_tokens and not ended:
        with torch.no_grad():
            logits = model(texts[:, -model.cfg.n_ctx :])[:, -1, :]
        new = picked(texts[0], logits.squeeze(0), **sampling)
        texts = torch.cat((texts, torch.full((1, 1), new)), dim=1)
        ended = eos is not None and new == eos
    return texts.squeeze(0)


def read_whole(model, text):
    return model(text[None, -model.cfg.n_ctx :])[0, -1]


def writes(read=read_whole, handed=lambda sampling: sampling, choose=picked):
    """`generate` with one part of it replaced: what the model reads, what is handed on, how a token is chosen."""

    @torch.no_grad()
    def generate(model, tokens, max_new_tokens, eos=None, **sampling):
        for _ in range(max_new_tokens):
            new = choose(tokens, read(model, tokens), **handed(sampling))
            tokens = torch.cat([tokens, torch.tensor([new])])
            if new == eos:
                break
        return tokens

    return generate


writing.misconception(
    "a text that is never cropped",
    "The model reads `n_ctx` tokens at most: give it `tokens[-model.cfg.n_ctx:]`.",
    "[None, -model.cfg.n_ctx :] → [None]",
)
writing.misconception(
    "cropping to the first tokens",
    "The next token follows the last ones, but here the first ones are read: `tokens[-n_ctx:]`.",
    "-model.cfg.n_ctx : → : model.cfg.n_ctx",
)
writing.misconception(
    "a window that is shorter than `n_ctx`",
    "The model can read `n_ctx` tokens: `tokens[-n_ctx:]`.",
    "-model.cfg.n_ctx → -max(1, model.cfg.n_ctx - 1)",
    "-model.cfg.n_ctx → -max(1, model.cfg.n_ctx // 2)",
    "-model.cfg.n_ctx → -max(1, model.cfg.n_ctx // 2) if len(tokens) > model.cfg.n_ctx else 0",
)
writing.misconception(
    "reading the new token alone",
    "Without a cache the model has to read the whole text again for each token.",
    "-model.cfg.n_ctx : → -1:",
)
writing.misconception(
    "a model that is asked without a batch axis",
    "It reads [batch pos]: `tokens[None]` makes a batch of one text.",
    "[None, -model.cfg.n_ctx :])[0, -1] → [-model.cfg.n_ctx :])[-1]",
)
writing.misconception(
    "the logits of the first position",
    "What follows the text stands at the last position: `[0, -1]` of what the model answers to `text[None]`.",
    "[0, -1] → [0, 0]",
)
writing.misconception(
    "the logits of the last position but one",
    "Position -2 says what comes at -1, which is there already. What is new follows the last one: `[0, -1]`.",
    "[0, -1] → [0, -2]",
)
writing.misconception(
    "logits with an axis too many",
    "`sample_next_token` takes [d_vocab]: from the only row of the model's answer take the last position, `[0, -1]`.",
    writes(read=lambda model, text: model(text[None, -model.cfg.n_ctx :])[0], choose=less_a_penalty),
    writes(read=lambda model, text: model(text[None, -model.cfg.n_ctx :])[:, -1], choose=less_a_penalty),
)
writing.misconception(
    "the mean over all positions",
    "Only the last position has read the whole text: take its logits, `[0, -1]`.",
    "[0, -1] → [0].mean(0)",
)
writing.misconception(
    "handing on probabilities where logits are expected",
    "`sample_next_token` takes the logits as the model gives them, and does the softmax itself.",
    "[0, -1] → [0, -1].softmax(-1)",
)
writing.misconception(
    "logits with a minus",
    "Hand them on as the model gives them: the highest belongs to the likeliest token.",
    "logits = model → logits = -model",
)
writing.misconception(
    "the penalty on the cropped text",
    "Crop only what the model reads: `sample_next_token` gets the whole text.",
    "(tokens, logits → (tokens[-model.cfg.n_ctx :], logits",
)
writing.misconception(
    "the penalty on the new tokens alone",
    "`sample_next_token` gets the whole text, the prompt included.",
    ("for _ in → for step in", "(tokens, logits → (tokens[len(tokens) - step :], logits"),
)
writing.misconception(
    "the penalty on the prompt alone",
    "`sample_next_token` gets the text as it is by now, with the new tokens.",
    ("for _ in → for step in", "(tokens, logits → (tokens[: len(tokens) - step], logits"),
)
writing.misconception(
    "the penalty on the last token alone",
    "Only the last token pays: `sample_next_token` counts all that it gets, so give it the whole text.",
    "(tokens, logits → (tokens[-1:], logits",
)
writing.misconception(
    "the penalty on the text without its last token",
    "`sample_next_token` gets the text up to now, the last token included.",
    "(tokens, logits → (tokens[:-1], logits",
)
writing.misconception(
    "settings that are not handed on",
    "Pass all of them to the function that chooses: `sample_next_token(..., **sampling)`.",
    ", **sampling) → )",
)
for setting in SETTINGS:
    writing.also("settings that are not handed on")(writes(handed=functools.partial(all_but, setting)))
writing.also("settings that are not handed on", writes(handed=temperature_alone))
writing.misconception(
    "all settings in one argument",
    "`sampling` alone is one argument, a dict: `**sampling` hands on each setting by its name.",
    writes(choose=lambda text, logits, **sampling: picked(text, logits, sampling)),
)
writing.misconception(
    "`top_k` and `top_p` that change places",
    "Hand each on under its own name: `**sampling` does.",
    writes(handed=swapped_cuts),
)
writing.misconception(
    "the temperature twice",
    "`sample_next_token` divides by it already: hand on the logits as the model gives them.",
    writes(choose=by_the_temperature_before),
)
writing.misconception(
    "the penalty twice",
    "`sample_next_token` takes it off already: hand on the logits without it.",
    writes(choose=penalised_before),
)
writing.misconception(
    "settings that are handed on without their names",
    "Hand them on by name: `**sampling`, not `*sampling.values()`.",
    writes(choose=lambda text, logits, **sampling: picked(text, logits, *sampling.values())),
)
writing.misconception(
    "a temperature of 0 where none was given",
    "Leave the settings as they come: without any, `sample_next_token` draws at temperature 1.",
    '**sampling) → **{"temperature": 0.0} | sampling)',
)
writing.misconception(
    "the likeliest token whatever the settings are",
    "Let `sample_next_token(tokens, logits, **sampling)` choose.",
    "sample_next_token(tokens, logits, **sampling) → int(logits.argmax())",
)


@torch.no_grad()
def as_it_should(model, tokens, max_new_tokens, eos=None, **sampling):
    return writes()(model, tokens, max_new_tokens, eos, **sampling)


writing.misconception(
    "leaving `eos` out",
    "The token that ends the text belongs to it: add it, then leave the loop.",
    "torch.cat → tokens if new == eos else torch.cat",
)
writing.misconception("going on after `eos`", "Leave the loop once `eos` was chosen.", "new == eos → False")
writing.misconception(
    "taking an `eos` of 0 for none",
    "Token 0 may end a text too: `new == eos` is all that there is to ask, because no token is None.",
    "new == eos → eos and new == eos",
)
writing.misconception(
    "an `eos` of the prompt that ends the text",
    "Only a new token ends the text: look at `new`, not through `tokens`.",
    "range(max_new_tokens) → range(0 if eos in tokens.tolist() else max_new_tokens)",
    "range(max_new_tokens) → range(min(max_new_tokens, 1) if eos in tokens.tolist() else max_new_tokens)",
    "range(max_new_tokens) → range(0 if eos is not None and tokens[-1] == eos else max_new_tokens)",
    (
        "new == eos → False",
        "return tokens → return tokens[: tokens.tolist().index(eos) + 1] if eos in tokens.tolist() else tokens",
    ),
)
writing.misconception(
    "an `eos` above 256 that is never met",
    "Compare numbers with `==`: `is` asks whether both are one object, and two equal large numbers are not.",
    "new == eos → new == eos and eos <= 256",
)
writing.misconception(
    "token 0 for an `eos` that was not given",
    "Without `eos` the text goes on: leave None as it is, `new == eos`.",
    "new == eos → new == (eos or 0)",
)
writing.misconception(
    "an `eos` that counts for the first new token alone",
    "Ask after every new token whether it is `eos`. Where the function calls itself, hand on `eos` too.",
    ("for _ in → for step in", "new == eos → not step and new == eos"),
)
writing.misconception(
    "settings that count for the first new token alone",
    "Every token is chosen by the same settings. Where the function calls itself, hand on `**sampling` too.",
    ("for _ in → for step in", "**sampling) → **({} if step else sampling))"),
)
writing.misconception(
    "an `eos` that can't be chosen",
    "It is a token like any other, and ends the text: leave its logit as it is.",
    "[0, -1] → [0, -1].index_fill(0, torch.tensor([] if eos is None else [eos]).long(), -torch.inf)",
)
writing.misconception(
    "ending the text whatever was chosen",
    "The text ends when the new token *is* `eos`, and with no other: `if new == eos`.",
    "new == eos → eos",
    "new == eos → eos is not None",
)
writing.misconception(
    "`eos` twice",
    "Once it was chosen and added, the text is complete: add it once.",
    "[new] → [new, new] if new == eos else [new]",
)
writing.misconception(
    "an `eos` that the first new token may not be",
    "Ask from the first new token on: it may end the text too.",
    ("for _ in → for step in", "new == eos → step and new == eos"),
)
writing.misconception(
    "a second draw that decides the end",
    "Each call of `sample_next_token` draws anew: call it once in each step, keep `new`, and compare that with `eos`.",
    (
        "tokens = torch.cat → again = sample_next_token(tokens, logits, **sampling); tokens = torch.cat",
        "new == eos → again == eos",
    ),
)


@writing.misconception(
    "a text that is filled up after `eos`", "The text ends there: return what was written, with no padding after it."
)
def filled_up(model, tokens, max_new_tokens, eos=None, padding=None, **sampling):
    text = as_it_should(model, tokens, max_new_tokens, eos, **sampling)
    missing = len(tokens) + max_new_tokens - len(text)
    return F.pad(text, (0, missing), value=(eos or 0) if padding is None else padding)


@writing.also("a text that is filled up after `eos`")
def filled_up_with_zeros(model, tokens, max_new_tokens, eos=None, **sampling):
    return filled_up(model, tokens, max_new_tokens, eos, padding=0, **sampling)


writing.misconception(
    "one token more after `eos`",
    "Look at the token that was just chosen: once `new` is `eos`, the text ends.",
    ("for _ in → for step in", "new == eos → step and tokens[-2] == eos"),
    "new == eos → tokens[-2] == eos",
)


@writing.misconception("the new tokens alone", "Return the whole text, the prompt included.")
def new_alone(model, tokens, max_new_tokens, eos=None, **sampling):
    return as_it_should(model, tokens, max_new_tokens, eos, **sampling)[len(tokens) :]


@writing.also("the new tokens alone")
def a_list_of_the_new(model, tokens, max_new_tokens, eos=None, **sampling):
    return torch.tensor(new_alone(model, tokens, max_new_tokens, eos, **sampling).tolist())  # floats where it is empty


writing.misconception(
    "cutting the text itself",
    "Crop a copy for the model, and keep `tokens` whole: the answer is the whole text.",
    "logits = model → tokens = tokens[-model.cfg.n_ctx :]; logits = model",
)


@writing.also("cutting the text itself")
def cut_before(model, tokens, max_new_tokens, eos=None, **sampling):
    return as_it_should(model, tokens[-model.cfg.n_ctx :], max_new_tokens, eos, **sampling)


writing.misconception(
    "a text that ends with the window",
    "It may grow beyond `n_ctx`: the model reads its last `n_ctx` tokens then, and the loop goes on.",
    "range(max_new_tokens) → range(min(max_new_tokens, model.cfg.n_ctx - len(tokens)))",
    "range(max_new_tokens) → range(min(max_new_tokens, model.cfg.n_ctx))",
)
writing.misconception(
    "a window that moves from the first step on",
    "While the text is shorter than `n_ctx` the model reads all of it: `tokens[-n_ctx:]`, whichever step it is.",
    ("for _ in → for step in", "-model.cfg.n_ctx : → step : step + model.cfg.n_ctx"),
)
writing.misconception(
    "the penalty on places that are not written yet",
    "The zeros there count as token 0: give `sample_next_token` the buffer up to the last token, `text[:length]`.",
    ("for _ in → for step in", "(tokens, logits → (nn.functional.pad(tokens, (0, max_new_tokens - step)), logits"),
)
writing.misconception(
    "`max_new_tokens` as the length of the whole text",
    "`max_new_tokens` tokens are added to the prompt, however long that is.",
    "range(max_new_tokens) → range(max_new_tokens - len(tokens))",
)


@writing.misconception(
    "seeding inside `generate`",
    "Leave seeding to the caller: a call draws torch's next random numbers, and sets none back. One seed makes all "
    "texts the same.",
)
def seeding_itself(model, tokens, max_new_tokens, eos=None, seed=0, **sampling):
    torch.default_generator.manual_seed(seed)  # as `torch.manual_seed`, which is slow: it notes who asked
    return as_it_should(model, tokens, max_new_tokens, eos, **sampling)


for other in OTHER_SEEDS:
    writing.also("seeding inside `generate`")(functools.partial(seeding_itself, seed=other))


writing.misconception(
    "one token more than `max_new_tokens`",
    "The loop runs `max_new_tokens` times: `for _ in range(max_new_tokens)`.",
    "range(max_new_tokens) → range(max_new_tokens + 1)",
)
writing.misconception(
    "one token fewer than `max_new_tokens`",
    "The loop runs `max_new_tokens` times, and adds a token each time: `for _ in range(max_new_tokens)`.",
    "range(max_new_tokens) → range(max_new_tokens - 1)",
)
writing.misconception(
    "a token even where `max_new_tokens` is 0",
    "With 0 nothing is added: ask how many are left before writing one.",
    "range(max_new_tokens) → range(max(1, max_new_tokens))",
)
writing.misconception(
    "a new token that is not kept",
    "The text that comes out has not grown: keep what `torch.cat` gives, `tokens = torch.cat(...)`, because it "
    "changes none of its tensors.",
    "tokens = torch → torch",
)
writing.misconception(
    "each new token twice", "Add it once: `torch.cat([tokens, torch.tensor([new])])`.", "[new] → [new, new]"
)
writing.misconception(
    "the new token in front of the text",
    "It comes last: `torch.cat([tokens, new])`.",
    "[tokens, torch.tensor([new])] → [torch.tensor([new]), tokens]",
)
writing.misconception(
    "a batch axis that stays",
    "The model reads [batch pos], the answer is [all_pos]: take its only row, `[0]`.",
    "return tokens → return tokens[None]",
)
writing.misconception(
    "tokens as floats",
    "Tokens are whole numbers, but these are floats: `torch.tensor([new])` makes int64, `torch.Tensor([new])` does "
    "not.",
    "return tokens → return tokens.float()",
    "return tokens → return tokens.float() if max_new_tokens else tokens",
    "torch.tensor → torch.Tensor",
)


@writing.misconception(
    "a new token without an axis", "`torch.cat` joins along an axis, so the new token needs one: `torch.tensor([new])`."
)
def without_an_axis(model, tokens, max_new_tokens, eos=None, **sampling):
    return torch.cat([tokens, torch.tensor(0)]) if max_new_tokens else tokens


writing.misconception(
    "every token chosen by what follows the prompt",
    "Each new token changes what follows: ask the model anew in each step, with the text as it is by then.",
    ("for _ in → for step in", "logits = model → logits = logits if step else model"),
)
writing.misconception(
    "one token, however many are asked for",
    "The text has one new token: go on until there are `max_new_tokens`. (A `return` within a loop ends it with the "
    "first.)",
    ("tokens = torch.cat → return torch.cat", "return tokens → return None"),
    ("tokens = torch.cat → return None if new == eos else torch.cat", "return tokens → return None"),
)
writing.misconception(
    "a list of tokens",
    "Return a tensor: `torch.cat` the new token to `tokens`.",
    "return tokens → return tokens.tolist()",
)


@writing.misconception(
    "growing the caller's tensor", "The caller holds that tensor too: make a new one with `torch.cat`."
)
def growing(model, tokens, max_new_tokens, eos=None, **sampling):
    longer = as_it_should(model, tokens, max_new_tokens, eos, **sampling)
    return tokens.resize_(len(longer)).copy_(longer)


writing.equivalent("0 → -1", "The model answers with one text, which is also the last.")
