"""A function whose answer is a list of pairs of a number and a tensor: beam search."""

import math

import torch

from utils.checking import Exercise, check_agrees, line, random_tensor


def continued(model, tokens):
    """The log-probabilities of the next token."""
    return model(tokens[None, -model.cfg.n_ctx :])[0, -1].log_softmax(-1)


@torch.no_grad()
def beam_search(model, tokens, max_new_tokens, num_beams):
    """The reference solution."""
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        grown = []
        for score, text in beams:
            best, where = continued(model, text).topk(num_beams)
            grown += [(score + float(one), torch.cat([text, new[None]])) for one, new in zip(best, where, strict=True)]
        beams = sorted(grown, key=lambda beam: -beam[0])[:num_beams]
    return beams


exercise = Exercise(
    inputs={"tokens": "pos", "max_new_tokens": "", "num_beams": ""},
    output="all_pos",
    free_axes="all_pos",
    drive="with_model",
    solution="tests.kinds.beams",
)


@exercise.test
def test_beam_search(beam_search):
    table = random_tensor(11, 11) - 3 * torch.eye(11)  # so that no token follows itself for long
    tokens = random_tensor(11).argsort()[:2]
    with line("keeps the best texts, with their summed log-probabilities"):
        check_agrees(beam_search, table, 20, tokens, 5, 3)
        check_agrees(beam_search, table, 20, tokens, 1, 4)
    with line("with one beam is greedy"):
        check_agrees(beam_search, table, 20, tokens, 4, 1)
    with line("crops to the last `n_ctx` tokens"):
        check_agrees(beam_search, table, 3, tokens, 4, 4)


@exercise.correct
@torch.no_grad()
def all_beams_at_once(model, tokens, max_new_tokens, num_beams):
    texts, scores = tokens[None], torch.zeros(1, dtype=torch.double)
    for _ in range(max_new_tokens):
        logits = model(texts[:, -model.cfg.n_ctx :])[:, -1].double()
        total = scores[:, None] + logits - logits.logsumexp(-1, keepdim=True)
        scores, where = total.flatten().topk(num_beams)
        texts = torch.cat([texts[where // total.shape[1]], (where % total.shape[1])[:, None]], dim=1)
    return [(score.item(), text) for score, text in zip(scores, texts, strict=True)]


@exercise.correct
def every_continuation_of_every_beam(model, tokens, max_new_tokens, num_beams):
    beams = {tuple(tokens.tolist()): 0.0}
    for _ in range(max_new_tokens):
        grown = {}
        for text, score in beams.items():
            probabilities = continued(model, torch.tensor(text)).exp().tolist()
            grown |= {(*text, new): score + math.log(chance) for new, chance in enumerate(probabilities)}
        beams = {text: grown[text] for text in sorted(grown, key=grown.get, reverse=True)[:num_beams]}
    return [(score, torch.tensor(text)) for text, score in beams.items()]


def rescored(change):
    """Beam search with its answer changed."""

    def search(model, tokens, max_new_tokens, num_beams):
        return change(beam_search(model, tokens, max_new_tokens, num_beams), max_new_tokens)

    return search


exercise.misconception("the worst text first", "Sort with the highest score first.")(
    rescored(lambda beams, new: beams[::-1])
)
exercise.misconception("the mean of the log-probabilities", "Scores are sums: do not divide by the length.")(
    rescored(lambda beams, new: [(score / new, text) for score, text in beams])
)
exercise.misconception("probabilities for scores", "Scores are log-probabilities: leave `exp` out.")(
    rescored(lambda beams, new: [(math.exp(score), text) for score, text in beams])
)
exercise.misconception("scores as tensors", "A score is a float: `float(...)`.")(
    rescored(lambda beams, new: [(torch.tensor(score), text) for score, text in beams])
)
exercise.misconception("texts before scores", "A beam is (score, tokens).")(
    rescored(lambda beams, new: [(text, score) for score, text in beams])
)
exercise.misconception("the best text alone", "Answer all `num_beams` texts.")(rescored(lambda beams, new: beams[:1]))


@exercise.misconception("summed logits", "Normalise first: `log_softmax`.")
@torch.no_grad()
def summed_logits(model, tokens, max_new_tokens, num_beams):
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        grown = []
        for score, text in beams:
            best, where = model(text[None, -model.cfg.n_ctx :])[0, -1].topk(num_beams)
            grown += [(score + float(one), torch.cat([text, new[None]])) for one, new in zip(best, where, strict=True)]
        beams = sorted(grown, key=lambda beam: -beam[0])[:num_beams]
    return beams
