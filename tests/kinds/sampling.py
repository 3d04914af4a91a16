"""A function that draws at random: how often each token comes is judged by an exact bound."""

import math
import random

import torch

from utils.checking import Exercise, check_agrees, check_draws, check_inputs_unchanged, line, random_tensor

SPREAD = (2.0, 1.0, 0.0, -1.0, -1.5, -2.0, -2.5, -3.0, -3.5, -4.0, -4.5, -5.0)


def sample_top_k(logits, k):
    """The reference solution."""
    best, where = logits.topk(k)
    return int(where[torch.multinomial(best.softmax(-1), 1)])


exercise = Exercise(inputs={"logits": "d_vocab", "k": ""}, solution="tests.kinds.sampling")


def best_probabilities(logits, k):
    best, where = logits.topk(k)
    return torch.zeros(len(logits)).scatter(0, where, best.softmax(-1))


@exercise.test
def test_sample_top_k(sample_top_k):
    order = random_tensor(len(SPREAD)).argsort()
    logits = torch.tensor(SPREAD)[order]
    with line("with k = 1 takes the best"):
        check_agrees(sample_top_k, logits, 1)
    with line("draws from the k best as often as the softmax over them says"):
        check_draws(sample_top_k, logits, 4, want=best_probabilities(logits, 4))
        check_draws(sample_top_k, logits, 12, want=logits.softmax(-1))
    with line("leaves `logits` as they were"):
        check_inputs_unchanged(sample_top_k, logits, 4)


def drawn(probabilities):
    return int(torch.multinomial(probabilities, 1))


def kept(logits, k):
    return torch.where(logits >= logits.topk(k).values[-1], logits, -math.inf)


@exercise.correct
def inverse_of_the_cumulative_sum(logits, k):
    ranked, where = logits.sort(descending=True)
    below = ranked[:k].softmax(-1).cumsum(-1)
    return int(where[min(int(torch.searchsorted(below, torch.rand(()), right=True)), k - 1)])


@exercise.correct
def gumbel_noise(logits, k):
    return (kept(logits, k) - torch.empty_like(logits).exponential_().log()).argmax().item()


@exercise.correct
def pythons_random(logits, k):
    return random.choices(range(len(logits)), kept(logits, k).exp().tolist())[0]


@exercise.misconception("the rank instead of the token", "Look the drawn rank up in `topk`'s indices.")
def rank(logits, k):
    return drawn(logits.topk(k).values.softmax(-1))


@exercise.misconception("k equal chances", "Draw with the softmax of the k best scores.")
def uniform(logits, k):
    return int(logits.topk(k).indices[torch.randint(k, ())])


@exercise.misconception("one token too many", "`topk(k)` has k of them: compare with its last value.")
def one_too_many(logits, k):
    return drawn(kept(logits, min(k + 1, len(logits))).softmax(-1)) if k > 1 else int(logits.argmax())


@exercise.misconception("drawing from all tokens", "Only the k best may come.")
def all_tokens(logits, k):
    return drawn(logits.softmax(-1)) if k > 1 else int(logits.argmax())


@exercise.misconception("always the best token", "That is greedy: draw among the k best.")
def greedy(logits, k):
    return int(logits.argmax())


@exercise.misconception("a temperature of 1.25", "The scores are used as they are: divide by nothing.")
def warm(logits, k):
    return drawn((kept(logits, k) / 1.25).softmax(-1))


@exercise.misconception("softmax taken twice", "The probabilities are drawn from as they are.")
def twice(logits, k):
    best, where = logits.topk(k)
    return int(where[drawn(best.softmax(-1).softmax(-1))])


@exercise.misconception("zero for the scores that are left out", "exp(0) is 1: use minus infinity.")
def zeros(logits, k):
    return drawn(torch.where(kept(logits, k).isinf(), 0.0, logits).softmax(-1)) if k > 1 else int(logits.argmax())


@exercise.misconception("a tensor for an int", "Answer an int: `int(...)` or `.item()`.")
def a_tensor(logits, k):
    return torch.multinomial(kept(logits, k).softmax(-1), 1)[0]


@exercise.misconception("masking in place", "`masked_fill_` changes the caller's logits: leave out the underscore.")
def in_place(logits, k):
    return drawn(logits.masked_fill_(kept(logits, k).isinf(), -math.inf).softmax(-1))


def top_k_by_the_cumulative_sum(temperature=1.0, more=0):
    """Somebody else's way of making two of the mistakes above: other draws, the same distribution."""

    def sample(logits, k):
        k = min(k + more, len(logits)) if k > 1 else 1
        return inverse_of_the_cumulative_sum(logits / temperature, k)

    return sample


OTHER_WAYS = {
    "a temperature of 1.25": top_k_by_the_cumulative_sum(temperature=1.25),
    "one token too many": top_k_by_the_cumulative_sum(more=1),
}
