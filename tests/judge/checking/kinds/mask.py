"""A function with several right answers: a mask may hold any large negative number, and may be set in place."""

import math

import torch
from torch import Tensor

from judge.checking import (
    Exercise,
    check_agrees,
    check_alone,
    check_gradients,
    check_repeatable,
    check_shape,
    line,
    random_tensor,
)

AXES = "batch head_index query_pos key_pos"
HIDDEN = -1e6  # a score below this gets no weight


def hidden_as_infinity(answer):
    """The answer with every score that softmax would turn into 0 as minus infinity."""
    if not isinstance(answer, Tensor) or not answer.is_floating_point():
        return answer
    return torch.where(answer <= HIDDEN, -math.inf, answer)


exercise = Exercise(
    inputs={"attn_scores": AXES}, output=AXES, view=hidden_as_infinity, solution="solutions.ch04_attention"
)


@exercise.test
def test_apply_causal_mask(apply_causal_mask):
    scores = random_tensor(2, 3, 5, 5)
    with line("keeps the shape of the scores"):
        check_shape(apply_causal_mask, scores)
    with line("hides the future and nothing else"):
        for pos in (5, 1, 9):
            check_agrees(apply_causal_mask, random_tensor(2, 3, pos, pos, scale=50.0))
    with line("treats every sentence and every head alike"):
        check_alone(apply_causal_mask, scores, axis="batch")
        check_alone(apply_causal_mask, scores, axis="head_index")
        check_repeatable(apply_causal_mask, scores, before=[(random_tensor(1, 1, 2, 2),)])
    with line("passes gradients back to the scores that stay"):
        check_gradients(apply_causal_mask, scores, cotangent=random_tensor(2, 3, 5, 5).tril())


def future(scores, diagonal=1):
    return torch.ones(scores.shape[-2:]).triu(diagonal).bool()


@exercise.correct
def a_large_negative_number(scores):
    return scores.masked_fill(future(scores), -1e9)


@exercise.correct
def in_place(scores):
    return scores.masked_fill_(future(scores), -math.inf)


@exercise.correct
def the_smallest_float(scores):
    query_pos, key_pos = (torch.arange(size) for size in scores.shape[-2:])
    return torch.where(query_pos[:, None] >= key_pos, scores, torch.finfo(scores.dtype).min)


@exercise.correct
def written_row_by_row(scores):
    for query_pos in range(scores.shape[-2]):
        scores[..., query_pos, query_pos + 1 :] = -1e7
    return scores


@exercise.misconception("hiding the present too", "A token may look at itself: keep the diagonal.")
def strict(scores):
    return scores.masked_fill(future(scores, 0), -math.inf)


@exercise.misconception("leaving one future token in sight", "The first hidden key is the one after the query.")
def one_ahead(scores):
    return scores.masked_fill(future(scores, 2), -math.inf)


@exercise.misconception("hiding the past", "Rows are queries: what lies right of the diagonal is the future.")
def upside_down(scores):
    return scores.masked_fill(future(scores).T, -math.inf)


@exercise.misconception("zeros for what is hidden", "exp(0) is 1: a hidden score must be very negative.")
def zeros(scores):
    return scores * ~future(scores)


@exercise.misconception("a number that is not negative enough", "exp(-10) still counts: use -inf or -1e9.")
def shy(scores):
    return scores.masked_fill(future(scores), -10.0)


@exercise.misconception("scores cut out of the graph", "Training must reach the scores: no detach, no `.data`.")
def detached(scores):
    return scores.detach().masked_fill(future(scores), -math.inf)
