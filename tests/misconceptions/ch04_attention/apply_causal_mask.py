"""How apply_causal_mask goes wrong, and right answers that look different."""

import functools
import math

import torch

from tests.ch04_attention import mask

ONES = "torch.ones(query_pos, key_pos, dtype=torch.bool, device=attn_scores.device)"
SQUARE = "As many keys as queries: the last two axes have one size."
NO_GRADIENT = "A mask of True and False has no gradient."
mask.equivalent("query_pos, key_pos = attn_scores.shape[-2:] → key_pos, query_pos = attn_scores.shape[-2:]", SQUARE)
mask.equivalent("attn_scores.shape[-2:] → attn_scores.shape[2:]", "The scores have four axes.")
mask.equivalent(f"{ONES} → torch.ones(key_pos, query_pos, dtype=torch.bool, device=attn_scores.device)", SQUARE)
mask.equivalent("query_pos → key_pos", SQUARE)
mask.equivalent("key_pos → query_pos", SQUARE)
mask.equivalent(f"{ONES} → torch.ones(query_pos, key_pos, dtype=torch.bool)", "Tests run on the CPU alone.")
mask.equivalent(f"{ONES}.triu(1) → {ONES}.triu(1).detach()", NO_GRADIENT)
mask.equivalent("in_future → in_future.detach()", NO_GRADIENT)
mask.equivalent(
    "attn_scores.masked_fill(in_future, float('-inf')) → attn_scores.masked_fill_(in_future, float('-inf'))",
    "Masking in place is right too.",
)


def future(scores, diagonal=1):
    """True where the key comes after the query."""
    return torch.ones(scores.shape[-2:]).triu(diagonal).bool()


@mask.correct
def a_large_negative_number(attn_scores):
    return attn_scores.masked_fill(future(attn_scores), -1e9)


@mask.correct
def in_place_with_infinity(attn_scores):
    attn_scores.masked_fill_(future(attn_scores), -math.inf)
    return attn_scores


@mask.correct
def the_smallest_float(attn_scores):
    query_pos, key_pos = (torch.arange(size) for size in attn_scores.shape[-2:])
    return torch.where(query_pos[:, None] >= key_pos, attn_scores, torch.finfo(attn_scores.dtype).min)


@mask.correct
def openai_gpt2(attn_scores):
    allowed = torch.ones_like(attn_scores).tril()
    return attn_scores * allowed - 1e10 * (1 - allowed)


@mask.correct
def infinity_added(attn_scores):
    return attn_scores + torch.full(attn_scores.shape[-2:], -math.inf).triu(1)


@mask.correct
def row_by_row(attn_scores):
    for query_pos in range(attn_scores.shape[-2]):
        attn_scores[..., query_pos, query_pos + 1 :] = -1e5
    return attn_scores


@mask.misconception(
    "hiding the present too",
    "A position may look at itself, so the diagonal stays: `triu(1)`, or `tril()` of what is allowed.",
)
def strict(attn_scores):
    return attn_scores.masked_fill(future(attn_scores, 0), -math.inf)


@mask.also("hiding the present too")
def strict_after_the_first(attn_scores):
    hidden = future(attn_scores, 0)
    hidden[0, 0] = False
    return attn_scores.masked_fill(hidden, -math.inf)


@mask.misconception(
    "leaving the next token in sight",
    "The first hidden key is the one right after the query: `triu(1)`, or `tril(0)` of what is allowed.",
)
def one_ahead(attn_scores):
    return attn_scores.masked_fill(future(attn_scores, 2), -math.inf)


@mask.misconception(
    "hiding the past", "Rows are queries, columns are keys: the future lies right of the diagonal, `triu(1)`."
)
def upside_down(attn_scores):
    return attn_scores.masked_fill(future(attn_scores).T, -math.inf)


@mask.misconception(
    "hiding what should stay",
    "Hide the future alone: `masked_fill` fills where the mask is True, `torch.where` keeps its second argument there.",
)
def inverted(attn_scores):
    return attn_scores.masked_fill(~future(attn_scores), -math.inf)


@mask.also("hiding what should stay")
def inverted_by_products(attn_scores):
    allowed = (~future(attn_scores)).float()
    return attn_scores * allowed - 1e10 * allowed


mask.misconception(
    "hiding all but the diagonal",
    "A query reads the keys before its own too: hide what lies right of the diagonal.",
    lambda attn_scores: attn_scores.masked_fill(~torch.eye(attn_scores.shape[-1]).bool(), -math.inf),
)
mask.misconception(
    "hiding the diagonal alone",
    "That is where a position reads itself: hide what lies right of it, `triu(1)`.",
    lambda attn_scores: attn_scores.masked_fill(torch.eye(attn_scores.shape[-1]).bool(), -math.inf),
)
mask.misconception(
    "hiding the scores below 0",
    "Whether a score is hidden depends on its place, not on its size: use a triangle.",
    lambda attn_scores: attn_scores.masked_fill(attn_scores <= 0, -math.inf),
)


@mask.misconception(
    "the last key left in sight",
    "Hide the last key too, `key_pos - 1`: a `range` and a slice end before their last number, so give them `key_pos` "
    "itself.",
)
def last_key_left(attn_scores):
    hidden = future(attn_scores)
    hidden[:, -1] = False
    return attn_scores.masked_fill(hidden, -math.inf)


@mask.misconception("query 0 that sees the future", "Query 0 has a future too, all keys but key 0: it is no exception.")
def first_query_left(attn_scores):
    hidden = future(attn_scores)
    hidden[0] = False
    return attn_scores.masked_fill(hidden, -math.inf)


@mask.misconception(
    "a mask that picks from the first two axes",
    "`attn_scores[mask]` counts axes from the first: write `attn_scores[..., mask]`, or use `masked_fill`.",
)
def picked_from_the_front(attn_scores):
    attn_scores[future(attn_scores)] = -math.inf
    return attn_scores


@mask.misconception(
    "zeros for what is hidden",
    "exp(0) is 1, so a hidden key would still get weight: fill with `float('-inf')`, or -1e9.",
    not_of=r"\de-\d|\b0?\.0+[1-9]|finfo",  # -1e-9 is no zero
    otherwise="Hidden keys get a score of 0, or one next to it, such as -1e-9. `exp` of that is about 1, so they would "
    "still get weight: fill with `float('-inf')`, or -1e9.",
)
def zeros(attn_scores):
    return attn_scores.tril()


mask.misconception(
    "a number that is not negative enough",
    "A key is hidden only if its score lies far below the query's other scores: write `float('-inf')` or -1e9 over "
    "it, `masked_fill(mask, -1e9)`.",
    lambda attn_scores: attn_scores.masked_fill(future(attn_scores), -10.0),
)


def filled_with(number):
    """A mask that writes this number over the future."""
    return lambda attn_scores: attn_scores.masked_fill(future(attn_scores), number)


def adding(number, *, region=future, times=1.0):
    """A mask that adds this number to a region of the scores."""
    return lambda attn_scores: attn_scores * times + number * region(attn_scores).float()


TOO_FEW = (*range(1, 101), 111, 120, 127, 128, 150, 200, 222, 250, 255, 256, 300, 333, 400, 444, 500, 512)
for number in TOO_FEW:
    if number != 10:  # that stands above
        mask.also("a number that is not negative enough")(filled_with(-float(number)))
    if number != 1:  # a triangle of ones, which has a name of its own
        mask.also("a number that is not negative enough")(adding(-float(number)))


@mask.also("a number that is not negative enough")
def smallest_score(attn_scores):
    return attn_scores.masked_fill(future(attn_scores), attn_scores.min().item())


mask.also(
    "a number that is not negative enough",
    lambda attn_scores: attn_scores.masked_fill(future(attn_scores), attn_scores.min().item() - 1),
)
mask.misconception(
    "the smallest positive number",
    "`finfo.tiny` and `finfo.eps` lie just above 0: `finfo.min` is the lowest.",
    lambda attn_scores: attn_scores.masked_fill(future(attn_scores), torch.finfo(attn_scores.dtype).tiny),
    said_of=r"\b(?:tiny|eps|smallest_normal)\b",
)


@mask.misconception(
    "a positive number for what is hidden",
    "The future would get weight, and with plus infinity softmax makes NaN of it: fill with minus infinity.",
)
def plus_infinity(attn_scores):
    return attn_scores.masked_fill(future(attn_scores), math.inf)


@mask.also("a positive number for what is hidden")
def plus_a_billion(attn_scores):
    return attn_scores.masked_fill(future(attn_scores), 1e9)


for number in (1.0, 100.0, 1e4, 1e5, 1e10, 1e20, torch.finfo(torch.float32).max):
    mask.also("a positive number for what is hidden")(filled_with(number))


mask.also("a positive number for what is hidden", adding(1e9))


@mask.misconception(
    "infinity times 0", "That is NaN. Use `masked_fill` or `torch.where`, which need no product, or multiply by -1e9."
)
def infinity_times_zero(attn_scores):
    return attn_scores + future(attn_scores).float() * -math.inf


def strict_future(attn_scores):
    """True on the diagonal too."""
    return future(attn_scores, 0)


def past(attn_scores):
    """True where the key does not come after the query."""
    return ~future(attn_scores)


for region in (past, strict_future):
    mask.also("infinity times 0")(adding(-math.inf, region=region))


mask.also(
    "infinity times 0",
    lambda attn_scores: attn_scores - future(attn_scores).float() * math.inf,
    lambda attn_scores: attn_scores + (1 - past(attn_scores).float()) * math.inf,
    lambda attn_scores: attn_scores * past(attn_scores) - math.inf * future(attn_scores).float(),
    lambda attn_scores: attn_scores * (future(attn_scores).float() * -math.inf),
)
mask.misconception(
    "scores multiplied by a large number",
    "A score below 0 becomes a large positive one: replace it, `masked_fill(mask, -1e9)`.",
    lambda attn_scores: attn_scores * torch.where(future(attn_scores), -1e9, 1.0),
)
mask.misconception(
    "scores multiplied by minus infinity",
    "A score below 0 becomes plus infinity: replace it, `masked_fill`.",
    lambda attn_scores: attn_scores * torch.where(future(attn_scores), -math.inf, 1.0),
)
mask.misconception(
    "nan for what is hidden",
    "All that is computed with it becomes nan: fill with `float('-inf')`.",
    lambda attn_scores: attn_scores.masked_fill(future(attn_scores), math.nan),
)
mask.misconception(
    "the visible scores in a row",
    "Indexing by a mask takes scores out, and the square is lost: `masked_fill` keeps the shape.",
    lambda attn_scores: attn_scores[..., ~future(attn_scores)],
)
mask.misconception(
    "leaving more than the next token in sight",
    "Every key after the query is hidden, from the next one on: `triu(1)` is the future, and a larger number moves the "
    "edge further right.",
    lambda attn_scores: attn_scores.masked_fill(future(attn_scores, 3), -math.inf),
)


@mask.misconception(
    "hiding some of the past too",
    "Every key up to the query's own stays: `triu(1)` is the future, and `triu(-1)` begins left of the diagonal.",
)
def from_before_the_diagonal(attn_scores):
    return attn_scores.masked_fill(future(attn_scores, -1), -math.inf)


mask.also(
    "hiding some of the past too", lambda attn_scores: attn_scores.masked_fill(future(attn_scores, -2), -math.inf)
)
mask.also("hiding what should stay", lambda attn_scores: attn_scores.masked_fill(~future(attn_scores, 2), -math.inf))


@mask.misconception(
    "hiding the next token alone", "Hide the whole future: `triu(1)` holds every diagonal from the first on."
)
def next_alone(attn_scores):
    return attn_scores.masked_fill(future(attn_scores) & ~future(attn_scores, 2), -math.inf)


mask.misconception(
    "a triangle flipped over",
    "Its diagonal then runs from bottom left to top right: leave `triu(1)` unflipped.",
    lambda attn_scores: attn_scores.masked_fill(future(attn_scores).flip(-1), -math.inf),
    lambda attn_scores: attn_scores.masked_fill(future(attn_scores).flip(-2), -math.inf),
)
mask.misconception(
    "hiding every score",
    "No key is left to read: hide the future alone. (`~` of a triangle of numbers makes -1 and -2, which both count as "
    "True: `.bool()` first.)",
    lambda attn_scores: torch.full_like(attn_scores, -math.inf),
)
mask.misconception(
    "scores with queries and keys swapped",
    "Only the future changes: transpose neither the scores nor the triangle.",
    lambda attn_scores: attn_scores.mT.masked_fill(future(attn_scores), -math.inf),
    lambda attn_scores: attn_scores.masked_fill(future(attn_scores), -math.inf).mT,
)


@mask.misconception(
    "scores scaled within the mask",
    "`Attention` divides the scores before it calls this: leave the visible ones as they are.",
)
def scaled_and_masked(attn_scores, scale=8.0):
    return attn_scores.masked_fill(future(attn_scores), -math.inf) / scale


mask.also(
    "scores scaled within the mask",
    lambda attn_scores: scaled_and_masked(attn_scores, attn_scores.shape[-1] ** 0.5),
    lambda attn_scores: scaled_and_masked(attn_scores, attn_scores.shape[1] ** 0.5),
)


@mask.misconception(
    "a mask of a fixed size", "Texts differ in length: read the size off the scores, `attn_scores.shape[-1]`."
)
def of_1024_positions(attn_scores, n_ctx=1024):
    return attn_scores.masked_fill(torch.ones(n_ctx, n_ctx).triu(1).bool(), -math.inf)


for n_ctx in (3, 4, 5, 6, 7, 8, 10, 16, 32, 64, 128, 256, 512):
    mask.also("a mask of a fixed size")(functools.partial(of_1024_positions, n_ctx=n_ctx))


mask.misconception(
    "the scores as they came",
    "No key is hidden. Either the mask is True nowhere (print it), or its work is lost: `masked_fill` returns a new "
    "tensor, and that is the one to return.",
    "masked_fill_ → masked_fill",
    of=in_place_with_infinity,
)
mask.misconception(
    "the mask without the scores",
    "Return the scores, with those of the future replaced: `attn_scores.masked_fill(...)`.",
    lambda attn_scores: torch.zeros_like(attn_scores).masked_fill(future(attn_scores), -math.inf),
    lambda attn_scores: torch.ones_like(attn_scores).tril(),
)


for values in ((True, False), (False, True), (0.0, 1.0), (-1e9, 0.0), (-math.inf, 1.0)):  # in the future, elsewhere
    for whole in (False, True):

        @mask.also("the mask without the scores")
        def one_of_two(attn_scores, values=values, whole=whole):
            alone = torch.where(future(attn_scores), *values)
            return alone.expand(attn_scores.shape) if whole else alone


mask.also(
    "the mask without the scores",
    lambda attn_scores: torch.zeros(attn_scores.shape[-2:]).masked_fill(future(attn_scores), -math.inf),
)
mask.misconception(
    "a triangle of ones added to the scores",
    "One more or less hides nothing: write minus infinity over the future, `masked_fill(mask, float('-inf'))`.",
    lambda attn_scores: attn_scores + future(attn_scores),
    lambda attn_scores: attn_scores - future(attn_scores).float(),
)


@mask.also("a triangle of ones added to the scores")
def one_added_to_what_stays(attn_scores):
    return attn_scores + (~future(attn_scores)).float()


for number, region in ((-1.0, past), (1.0, strict_future), (-1.0, strict_future)):
    mask.also("a triangle of ones added to the scores")(adding(number, region=region))


@mask.misconception(
    "a mask for the first sentence alone",
    "The triangle holds for every sentence of the batch: fill the first two axes whole, `[:, :, query, key]`.",
)
def first_sentence(attn_scores):
    return torch.cat([attn_scores[:1].masked_fill(future(attn_scores), -math.inf), attn_scores[1:]])


@mask.misconception(
    "a mask for the first head alone",
    "The triangle holds for every head: fill the first two axes whole, `[:, :, query, key]`.",
)
def first_head(attn_scores):
    return torch.cat([attn_scores[:, :1].masked_fill(future(attn_scores), -math.inf), attn_scores[:, 1:]], dim=1)


mask.misconception(
    "softmax within the mask",
    "Softmax comes after the mask, in `Attention`: return scores, not weights.",
    lambda attn_scores: attn_scores.masked_fill(future(attn_scores), -math.inf).softmax(-1),
    lambda attn_scores: attn_scores.softmax(-1).tril(),
    lambda attn_scores: attn_scores.masked_fill(future(attn_scores), -math.inf).log_softmax(-1),
    lambda attn_scores: attn_scores.masked_fill(future(attn_scores), -math.inf).exp(),
    lambda attn_scores: attn_scores.masked_fill(future(attn_scores), -math.inf).softmax(-2),
)


@mask.misconception(
    "scores that are hidden for all queries alike",
    "Each query has a future of its own: the mask is a triangle, [query_pos key_pos].",
)
def last_key_hidden(attn_scores):
    hidden = torch.arange(attn_scores.shape[-1]) > 0
    return attn_scores.masked_fill(hidden, -math.inf)


@mask.misconception(
    "the axes of batch and heads in the mask", "The triangle is made of the last two axes: `attn_scores.shape[-2:]`."
)
def first_axes(attn_scores):
    return attn_scores.masked_fill(torch.ones(attn_scores.shape[:2]).triu(1).bool(), -math.inf)


@mask.also("the axes of batch and heads in the mask")
def first_axes_in_place(attn_scores):
    batch, heads = attn_scores.shape[:2]
    hidden = torch.ones(batch, heads).triu(1).bool()
    return attn_scores.masked_fill(hidden[..., None, None], -math.inf)


for first, last in ((1, 2), (0, 1)):  # a square of heads, of sentences

    @mask.also("the axes of batch and heads in the mask")
    def square_of_others(attn_scores, first=first, last=last):
        size = attn_scores.shape[first:last][0]
        return attn_scores.masked_fill(torch.ones(size, size).triu(1).bool(), -math.inf)


@mask.also("the axes of batch and heads in the mask")
def without_heads(attn_scores):
    batch, _, query_pos, key_pos = attn_scores.shape
    return attn_scores.masked_fill(torch.ones(batch, query_pos, key_pos).triu(1).bool(), -math.inf)


@mask.also("the axes of batch and heads in the mask")
def middle_axes(attn_scores):
    return attn_scores.masked_fill(torch.ones(attn_scores.shape[1:3]).triu(1).bool(), -math.inf)


@mask.also("the axes of batch and heads in the mask")
def middle_axes_in_place(attn_scores):
    return attn_scores.masked_fill(torch.ones(attn_scores.shape[1:3]).triu(1).bool()[..., None], -math.inf)


for axis in (0, 1):

    @mask.also("the axes of batch and heads in the mask")
    def loop_over_others(attn_scores, axis=axis):
        for query_pos in range(attn_scores.shape[axis]):
            attn_scores[:, :, query_pos, query_pos + 1 :] = -math.inf
        return attn_scores


@mask.misconception(
    "hiding whole queries",
    "The last axis holds the keys: a triangle [query_pos key_pos] hides some of them for each query.",
)
def last_query_hidden(attn_scores):
    hidden = torch.zeros(attn_scores.shape[-2:]).bool()
    hidden[-1] = True
    return attn_scores.masked_fill(hidden, -math.inf)


@mask.also("scores that are hidden for all queries alike")
def one_key_hidden(attn_scores):
    return attn_scores.masked_fill(torch.arange(attn_scores.shape[-1]) == attn_scores.shape[-1] - 1, -math.inf)


@mask.misconception(
    "hiding every score that is 0",
    "A visible score may be 0 too. Make the triangle of ones, and fill where *that* is 0, or `triu(1)` of ones is 1.",
)
def hidden_where_zero(attn_scores):
    lower = attn_scores.tril()
    return lower.masked_fill(lower == 0, -math.inf)


mask.misconception(
    "leaving future scores that are 0",
    "A future score that is 0 is hidden too: make the triangle of ones, not of the scores.",
    lambda attn_scores: attn_scores.masked_fill(attn_scores.triu(1) != 0, -math.inf),
)
mask.misconception(
    "scores cut out of the graph",
    "Training must reach the visible scores: no `detach`.",
    lambda attn_scores: attn_scores.detach().masked_fill(future(attn_scores), -math.inf),
)


def in_a_window(size):
    def mask(attn_scores):
        back = torch.arange(attn_scores.shape[-2])[:, None] - torch.arange(attn_scores.shape[-1])
        return attn_scores.masked_fill((back < 0) | (back >= size), -math.inf)

    return mask


mask.misconception(
    "hiding what lies far back",
    "A query reads every key up to its own, however far back it is: hide nothing to the left of the diagonal.",
    in_a_window(256),
)
for size in (2, 3, 4, 5, 8, 128):
    mask.also("hiding what lies far back")(in_a_window(size))
