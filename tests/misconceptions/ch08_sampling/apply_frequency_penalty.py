"""How apply_frequency_penalty goes wrong, and right answers that look different."""

from collections import Counter

import torch
import torch.nn.functional as F

from tests.ch08_sampling import apply_frequency_penalty


@apply_frequency_penalty.correct
def scatter_add(input_ids, logits, freq_penalty):
    return logits.scatter_add(0, input_ids, torch.full(input_ids.shape, -freq_penalty))


@apply_frequency_penalty.correct
def one_hot_sum(input_ids, logits, freq_penalty):
    return logits - freq_penalty * F.one_hot(input_ids, logits.shape[-1]).sum(0)


@apply_frequency_penalty.correct
def token_by_token(input_ids, logits, freq_penalty):
    lower = logits.clone()
    for token in input_ids:
        lower[token] -= freq_penalty
    return lower


@apply_frequency_penalty.correct
def pythons_counter(input_ids, logits, freq_penalty):
    counts = Counter(input_ids.tolist())
    return logits - torch.tensor([freq_penalty * counts[token] for token in range(len(logits))])


@apply_frequency_penalty.correct
def accumulated(input_ids, logits, freq_penalty):
    return logits.index_put((input_ids,), torch.tensor(-freq_penalty), accumulate=True)


@apply_frequency_penalty.correct
def unique_counts(input_ids, logits, freq_penalty):
    lower = logits.clone()
    tokens, counts = input_ids.unique(return_counts=True)
    lower[tokens] -= freq_penalty * counts
    return lower


apply_frequency_penalty.misconception(
    "the same tensor where nothing changes",
    "Return a new tensor every time: subtract 0 too, or return `logits.clone()`.",
    "logits - freq_penalty * counts → logits if freq_penalty == 0 else logits - freq_penalty * counts",
)


@apply_frequency_penalty.misconception(
    "a penalty for being there, however often",
    "That is the presence penalty. Count: a token that came three times loses three penalties. "
    "(An index that repeats is written to once; `index_add` and `bincount` count it each time.)",
)
def presence(input_ids, logits, freq_penalty):
    lower = logits.clone()
    lower[input_ids] -= freq_penalty
    return lower


apply_frequency_penalty.also("a penalty for being there, however often", "* counts → * counts.clamp(max=1)")


@apply_frequency_penalty.misconception(
    "the repetition penalty of CTRL",
    "CTRL divides logits above 0 and multiplies those below by its penalty, once for each token. Here subtract the "
    "penalty times the count.",
)
def repetition_penalty(input_ids, logits, freq_penalty):
    seen = logits[input_ids]
    changed = torch.where(seen < 0, seen * (1 + freq_penalty), seen / (1 + freq_penalty))
    return logits.scatter(0, input_ids, changed)


@apply_frequency_penalty.also("the repetition penalty of CTRL")
def repetition_penalty_as_it_is(input_ids, logits, freq_penalty):
    seen = logits[input_ids]
    return logits.scatter(0, input_ids, torch.where(seen < 0, seen * freq_penalty, seen / freq_penalty))


@apply_frequency_penalty.also("the repetition penalty of CTRL")
def repetition_penalty_for_each_time(input_ids, logits, freq_penalty):
    changed = logits.clone()
    for token in input_ids:
        factor = 1 + freq_penalty
        changed[token] = changed[token] / factor if changed[token] > 0 else changed[token] * factor
    return changed


@apply_frequency_penalty.misconception(
    "dividing the logits", "A logit below 0 would rise if it were divided: subtract the penalty times the count."
)
def divided(input_ids, logits, freq_penalty):
    return logits / (1 + freq_penalty * torch.bincount(input_ids, minlength=len(logits)))


@apply_frequency_penalty.misconception(
    "a penalty that grows with the logit", "Every count takes off the same, `freq_penalty`, whatever the logit is."
)
def multiplied_off(input_ids, logits, freq_penalty):
    return logits * (1 - freq_penalty * torch.bincount(input_ids, minlength=len(logits)))


apply_frequency_penalty.misconception(
    "logits multiplied by the penalty",
    "Subtract it for each count: a product moves logits below 0 the other way.",
    "logits - freq_penalty * counts → logits * freq_penalty**counts",
    "logits - freq_penalty * counts → torch.where(counts > 0, logits * freq_penalty, logits)",
)
apply_frequency_penalty.misconception(
    "the penalty added", "A positive penalty makes repetition less likely: subtract it.", "logits - → logits +"
)


@apply_frequency_penalty.misconception(
    "a penalty on positions",
    "The first logits are those of the tokens 0, 1, 2, not of the first words of the text: index by the tokens in "
    "`input_ids`.",
)
def on_positions(input_ids, logits, freq_penalty):
    lower = logits.clone()
    lower[: len(input_ids)] -= freq_penalty
    return lower


@apply_frequency_penalty.misconception(
    "counts at the wrong tokens",
    "Each token pays for its own count, taken off at its own place: `new[tokens] -= freq_penalty * counts`, "
    "in the same order.",
)
def counts_from_the_first_token_on(input_ids, logits, freq_penalty):
    lower, counts = logits.clone(), input_ids.unique(return_counts=True)[1]
    lower[: len(counts)] -= freq_penalty * counts
    return lower


@apply_frequency_penalty.misconception(
    "the tokens' numbers taken for counts", "`input_ids` says which tokens came: count how often each of them did."
)
def ids_as_counts(input_ids, logits, freq_penalty):
    lower = logits.clone()
    lower[: len(input_ids)] -= freq_penalty * input_ids[: len(logits)]
    return lower


@apply_frequency_penalty.misconception(
    "a penalty on the last token alone", "Every token of `input_ids` counts, not only the last one."
)
def last_token_alone(input_ids, logits, freq_penalty):
    lower = logits.clone()
    lower[input_ids[-1]] -= freq_penalty
    return lower


apply_frequency_penalty.misconception(
    "a penalty on every token of the vocabulary",
    "The same number off every logit changes no probability: each token pays for its own count, and 0 where it never "
    "came.",
    " * counts → ",
    "* counts → * len(input_ids)",
)
apply_frequency_penalty.misconception(
    "equal neighbours counted once",
    "`unique_consecutive` merges neighbours. A token counts each time that it stands in `input_ids`.",
    ("bincount(input_ids → bincount(input_ids.unique_consecutive()", "* counts → * counts.clamp(max=2)"),
)


@apply_frequency_penalty.misconception(
    "shares in the place of counts",
    "Each time that a token came counts in full, however long the text is: the penalty times the count, not times "
    "its share.",
)
def shares(input_ids, logits, freq_penalty):
    return logits - freq_penalty * torch.bincount(input_ids, minlength=len(logits)) / len(input_ids)


apply_frequency_penalty.misconception(
    "a penalty divided by the count",
    "The more often a token came, the more it loses: multiply by the count.",
    "* counts → / counts.clamp(min=1)",
    "* counts → * (counts > 0) / counts.clamp(min=1)",
)
apply_frequency_penalty.misconception(
    "a power of the penalty",
    "Multiply the penalty by the count: a power of it is another number, and 1 for tokens that never came.",
    "* counts → **counts",
)
apply_frequency_penalty.misconception(
    "a penalty on the tokens that never came",
    "Tokens that never came keep their logits; those in `input_ids` pay.",
    "* counts → * (counts == 0)",
)
apply_frequency_penalty.misconception(
    "the length of the text in the place of the count",
    "Each token pays for its own count, not for all tokens.",
    "* counts → * len(input_ids) * (counts > 0)",
)
apply_frequency_penalty.misconception(
    "a first time that costs nothing",
    "A token pays from its first time on: its whole count, not one less.",
    "* counts → * (counts - 1).clamp(min=0)",
)
apply_frequency_penalty.misconception(
    "a first token that does not count",
    "Every token of `input_ids` pays, even the one at the beginning, `<|endoftext|>` or not.",
    "bincount(input_ids → bincount(input_ids[1:]",
)
apply_frequency_penalty.misconception(
    "a last token that does not count",
    "Every token of `input_ids` pays, even the one at the end.",
    "bincount(input_ids → bincount(input_ids[:-1]",
)
apply_frequency_penalty.misconception(
    "a penalty below 0 passed over",
    "A penalty below 0 rewards repetition: subtract it as any other, and the logits rise.",
    "- freq_penalty → - max(freq_penalty, 0.0)",
)
apply_frequency_penalty.misconception(
    "logits replaced by the penalty",
    "The logits of the tokens that came are gone: take the penalty off them, and do not put it in their place.",
    "logits - freq_penalty * counts → torch.where(counts > 0, counts * freq_penalty, logits)",
    "logits - freq_penalty * counts → torch.where(counts > 0, -counts * freq_penalty, logits)",
)
apply_frequency_penalty.misconception(
    "tokens that may not come again",
    "A penalty forbids nothing. Take `freq_penalty` off for each time that the token came.",
    "logits - freq_penalty * counts → logits.index_fill(0, input_ids, -torch.inf)",
    "logits - freq_penalty * counts → logits.index_fill(0, input_ids, -1e9)",
)
apply_frequency_penalty.misconception(
    "the first two arguments in each other's place",
    "The tokens come first: `(input_ids, logits, ...)`.",
    lambda logits, input_ids, freq_penalty: logits - freq_penalty * torch.bincount(input_ids, minlength=len(logits)),
)
apply_frequency_penalty.misconception(
    "the penalties alone", "Subtract them from the logits, and return the logits.", "logits - → ", "logits - → -"
)


@apply_frequency_penalty.misconception(
    "counts that end at the largest token",
    "Each logit needs a count, even beyond the largest token in `input_ids`. `bincount` takes "
    "`minlength=len(logits)`, and `one_hot` takes `len(logits)` as its second argument.",
)
def no_minlength(input_ids, logits, freq_penalty):
    return logits - freq_penalty * torch.bincount(input_ids)


apply_frequency_penalty.also(
    "counts that end at the largest token",
    lambda input_ids, logits, freq_penalty: logits - freq_penalty * F.one_hot(input_ids).sum(0),
)
apply_frequency_penalty.misconception(
    "probabilities with a penalty",
    "The penalty comes off the logits, before any softmax.",
    "logits - → logits.softmax(-1) -",
)


@apply_frequency_penalty.misconception(
    "a penalty taken off in place",
    "The caller's logits have other numbers now: work on `logits.clone()`, or subtract into a new tensor.",
)
def penalty_in_place(input_ids, logits, freq_penalty):
    for token in input_ids:
        logits[token] -= freq_penalty
    return logits


@apply_frequency_penalty.misconception(
    "the square of the count taken off",
    "Take the penalty off once for each time that the token came. A loop over `input_ids` meets the token as often: "
    "in it take `freq_penalty` off without a count, or go through `set(input_ids.tolist())`.",
)
def counted_at_each_time(input_ids, logits, freq_penalty):
    lower = logits.clone()
    for token in input_ids:
        lower[token] -= freq_penalty * (input_ids == token).sum()
    return lower


@apply_frequency_penalty.correct
def a_copy_without_a_penalty(input_ids, logits, freq_penalty):
    if freq_penalty == 0:
        return logits.clone()
    return logits - freq_penalty * torch.bincount(input_ids, minlength=len(logits))
