"""How `apply_rotary` goes wrong, and right answers that look different."""

import torch

from tests.ch12_since_gpt2 import apply_rotary as exercise

wrong, also = exercise.misconception, exercise.also
ROWS = "table[positions][:, None]"
FIRST, SECOND = "first * cos - second * sin", "first * sin + second * cos"
BOTH = f"{FIRST}, {SECOND}"
HALVES = "first, second = x.chunk(2, dim=-1)"
JOINED = "torch.cat(turned, dim=-1)"


def rows_of(tables, positions):
    """Cosine and sine of each position, [pos 1 pair]."""
    return [table[positions].unsqueeze(1) for table in tables]


def rotate_half(x):
    """As in transformers: the halves swapped, the new first one with a minus."""
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


@exercise.correct
def as_in_transformers(x, tables, positions):
    """The tables repeated to d_head, and the halves swapped."""
    cos, sin = (torch.cat([rows, rows], dim=-1) for rows in rows_of(tables, positions))
    return x * cos + rotate_half(x) * sin


@exercise.correct
def by_complex_numbers(x, tables, positions):
    first, second = x.chunk(2, dim=-1)
    turned = torch.complex(first, second) * torch.complex(*rows_of(tables, positions))
    return torch.cat([turned.real, turned.imag], dim=-1)


@exercise.correct
def by_complex_numbers_side_by_side(x, tables, positions):
    """As in Meta's Llama, once each number of the first half stands beside its fellow."""
    side_by_side = torch.stack(x.chunk(2, dim=-1), dim=-1).contiguous()
    turns = torch.view_as_complex(torch.stack(rows_of(tables, positions), dim=-1))
    turned = torch.view_as_real(torch.view_as_complex(side_by_side) * turns)
    return turned.transpose(-1, -2).flatten(-2)


@exercise.correct
def by_a_matrix(x, tables, positions):
    """Equation 15 of the paper, for halves: a matrix of d_head by d_head for each position."""
    cos, sin = (table.index_select(0, positions).diag_embed() for table in tables)
    turn = torch.cat([torch.cat([cos, -sin], dim=-1), torch.cat([sin, cos], dim=-1)], dim=-2)
    return torch.einsum("pij,bphj->bphi", turn, x)


@exercise.correct
def by_two_by_two_matrices(x, tables, positions):
    cos, sin = tables[0][positions], tables[1][positions]
    turns = torch.stack([torch.stack([cos, -sin]), torch.stack([sin, cos])])  # [new old pos pair]
    halves = x.unflatten(-1, (2, -1))
    return torch.einsum("nopi,bphoi->bphni", turns, halves).flatten(-2)


@exercise.correct
def by_einsum(x, tables, positions):
    cos, sin = tables
    first, second = x.split(x.size(-1) // 2, dim=-1)

    def times(half, table):
        return torch.einsum("bphi,pi->bphi", half, table[positions])

    new_first = times(first, cos) - times(second, sin)
    return torch.concat([new_first, times(second, cos) + times(first, sin)], dim=3)


@exercise.correct
def into_an_empty_tensor(x, tables, positions):
    half = x.shape[-1] // 2
    cos, sin = rows_of(tables, positions)
    turned = torch.empty_like(x)
    turned[..., :half] = x[..., :half] * cos - x[..., half:] * sin
    turned[..., half:] = x[..., half:] * cos + x[..., :half] * sin
    return turned


@exercise.correct
def heads_before_positions(x, tables, positions):
    """With [batch head_index pos d_head], tables of [pos pair] line up by themselves."""
    cos, sin = (table[positions] for table in tables)
    first, second = x.transpose(1, 2).chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1).transpose(1, 2)


@exercise.correct
def position_by_position(x, tables, positions):
    turned = []
    for index, position in enumerate(positions.tolist()):
        cos, sin = tables[0][position], tables[1][position]
        first, second = x[:, index].tensor_split(2, dim=-1)
        turned.append(torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1))
    return torch.stack(turned, dim=1)


@exercise.correct
def by_a_permutation(x, tables, positions):
    """To neighbouring pairs, turned as in the paper's equation 34, and back."""
    order = torch.arange(x.shape[-1]).view(2, -1).T.flatten()
    neighbours = x[..., order]
    swapped = torch.stack([-neighbours[..., 1::2], neighbours[..., 0::2]], dim=-1).flatten(-2)
    cos, sin = (rows.repeat_interleave(2, dim=-1) for rows in rows_of(tables, positions))
    return (neighbours * cos + swapped * sin)[..., order.argsort()]


exercise.equivalent("-1 → 3", "The input has four axes, so that the last one is also number 3.")
CONSTANT = "The tables are constants, which nobody trains: no gradient of theirs is asked for."
for change in (
    "table → table.detach()",
    "table[positions] → table[positions].detach()",
    "table[positions][:, None] → table[positions][:, None].detach()",
    "cos → cos.detach()",
    "sin → sin.detach()",
):
    exercise.equivalent(change, CONSTANT)


# Which numbers make a pair.


@wrong(
    "neighbouring numbers as pairs",
    "So do the paper and Meta's own Llama code: numbers 0 and 1 are a pair, 2 and 3 the next. Here, as in "
    "transformers, number i of the first half of d_head goes with number i of the second half: `x.chunk(2, dim=-1)`.",
)
def neighbours(x, tables, positions):
    cos, sin = rows_of(tables, positions)
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1).flatten(-2)


@wrong(
    "pairs of neighbours, answered in halves",
    "The numbers were taken from neighbouring places and put back in halves. A number stays where it was: take the "
    "halves of d_head, `x.chunk(2, dim=-1)`, and join what becomes of them in the same order.",
)
def from_neighbours_to_halves(x, tables, positions):
    cos, sin = rows_of(tables, positions)
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


wrong(
    "halves, answered as pairs of neighbours",
    "The halves are turned, and then put side by side, number by number. A number stays where it was: join the two "
    "halves one after the other, `torch.cat([first, second], dim=-1)`.",
    f"{JOINED} → torch.stack(turned, dim=-1).flatten(-2)",
)


@wrong(
    "tables for neighbours, and numbers turned in halves",
    "In tables that have each column twice in a row, `repeat_interleave`, neighbours share an angle; here the two "
    "numbers i and i + d_head / 2 do. Join the table with itself, `torch.cat([rows, rows], dim=-1)`.",
)
def repeated_in_turn(x, tables, positions):
    cos, sin = (rows.repeat_interleave(2, dim=-1) for rows in rows_of(tables, positions))
    return x * cos + rotate_half(x) * sin


@wrong(
    "tables for halves, and neighbours turned",
    "The tables give the numbers i and i + d_head / 2 one angle, and those that are swapped are neighbours. The fellow "
    "of a number stands d_head / 2 further on: `torch.cat([-second, first], dim=-1)`, with the two halves.",
)
def neighbours_swapped(x, tables, positions):
    cos, sin = (torch.cat([rows, rows], dim=-1) for rows in rows_of(tables, positions))
    swapped = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return x * cos + swapped * sin


wrong(
    "a number paired with its mirror image",
    "Number i of the first half goes with number i of the second half, not with the i-th from the end: flip nothing.",
    (f"{HALVES} → first, second = x.chunk(2, dim=-1); second = second.flip(-1)", f"{SECOND} → ({SECOND}).flip(-1)"),
)
wrong(
    "the second half taken for the first",
    "The first half of d_head comes first: `first, second = x.chunk(2, dim=-1)`, and so it does in the answer.",
    f"{HALVES} → second, first = x.chunk(2, dim=-1)",
)
wrong(
    "the halves in the other order",
    "The numbers of the first half come first in the answer too: `torch.cat([new_first, new_second], dim=-1)`.",
    f"{BOTH} → {SECOND}, {FIRST}",
)


# The turn.

wrong(
    "a turn the other way",
    "From (1, 0) the turn must go towards (0, 1): `first * cos - second * sin` and `first * sin + second * cos`. Here "
    "both products with the sine have the other sign.",
    f"{BOTH} → first * cos + second * sin, second * cos - first * sin",
)
wrong(
    "a first half without its minus",
    "The new first half is `first * cos - second * sin`. Without that minus it is no turn, and vectors change their "
    "length. In the form with swapped halves it is `torch.cat([-second, first], dim=-1)`.",
    f"{FIRST} → first * cos + second * sin",
)
wrong(
    "a minus in both halves",
    "The new second half is `first * sin + second * cos`, a sum. With two minuses it is no turn.",
    f"{SECOND} → second * cos - first * sin",
    f"{SECOND} → first * sin - second * cos",
)
wrong(
    "sines and cosines swapped",
    "The tables are the cosines and then the sines. At an angle of 0, with cosine 1 and sine 0, `x` must stay as it "
    "is: a half's own numbers are multiplied by the cosine.",
    "cos, sin = (table → sin, cos = (table",
)
wrong(
    "a half that is multiplied by its own sine",
    "What is multiplied by the sine comes from the *other* half: `first * cos - second * sin`, and `first * sin + "
    "second * cos`.",
    f"{BOTH} → first * cos - first * sin, second * sin + second * cos",
    f"{FIRST} → first * cos - first * sin",
    f"{SECOND} → second * sin + second * cos",
)
wrong(
    "cosine and sine swapped in one half",
    "In both halves a number is multiplied by the cosine, and its fellow of the other half by the sine: `first * cos - "
    "second * sin`, and `second * cos + first * sin`.",
    f"{SECOND} → second * sin + first * cos",
    f"{FIRST} → second * cos - first * sin",
    f"{FIRST} → first * sin - second * cos",
)
wrong(
    "the cosine in the place of the sine",
    "A number is multiplied by the cosine, and its fellow of the other half by the *sine*.",
    f"{BOTH} → first * cos - second * cos, first * cos + second * cos",
    f"{FIRST} → first * cos - second * cos",
    f"{SECOND} → first * cos + second * cos",
)
wrong(
    "the sine in the place of the cosine",
    "A number is multiplied by the *cosine*, and its fellow of the other half by the sine.",
    f"{BOTH} → first * sin - second * sin, first * sin + second * sin",
    f"{FIRST} → first * sin - second * sin",
    f"{SECOND} → first * sin + second * sin",
)
wrong(
    "the cosine on both halves, and no sine",
    "Each half also takes something from the other: `first * cos - second * sin` and `first * sin + second * cos`.",
    f"{BOTH} → first * cos, second * cos",
)
wrong(
    "cosines for the first half, and sines for the second",
    "Each half takes something from both: `first * cos - second * sin` and `first * sin + second * cos`.",
    f"{BOTH} → first * cos, second * sin",
)
wrong(
    "the first half turned, and the second left as it was",
    "The second half is turned too: `first * sin + second * cos`.",
    f"{SECOND} → second",
    f"{SECOND} → first * sin + second",
)
wrong(
    "the second half turned, and the first left as it was",
    "The first half is turned too: `first * cos - second * sin`.",
    f"{FIRST} → first",
    f"{FIRST} → first - second * sin",
)
wrong(
    "a second half made of the new first half",
    "The new second half is made of the two *old* halves: compute it before you overwrite the first, or keep a copy.",
    f"turned = {BOTH} → first = {FIRST}; turned = first, {SECOND}",
)
wrong(
    "a first half made of the new second half",
    "The new first half is made of the two *old* halves: compute it before you overwrite the second.",
    f"turned = {BOTH} → second = {SECOND}; turned = {FIRST}, second",
)
wrong(
    "a turn by twice the angle",
    "Each pair is turned once, by the angle of its position: `first * cos - second * sin`, `first * sin + second * "
    "cos`, and no more.",
    f"turned = {BOTH} → first, second = {BOTH}; turned = {BOTH}",
)
wrong(
    "tables that are added",
    "A position is not added to the vector. Each pair is turned: `first * cos - second * sin`, `first * sin + second * "
    "cos`.",
    f"{BOTH} → first + cos, second + sin",
    f"{BOTH} → first + sin, second + cos",
)
wrong(
    "the turned vector added to the old one",
    "The turned vector takes the place of the old one: return it alone, without `x`.",
    f"return {JOINED} → return x + {JOINED}",
)


@wrong(
    "half of the head left as it was",
    "Some models turn a part of each head alone (GPT-J, GPT-NeoX). Here all d_head numbers are turned: each table has "
    "d_head / 2 columns, one for each pair.",
)
def a_part_alone(x, tables, positions):
    """The first half of the head is turned, in halves of its own, by the fastest of the speeds."""
    turning, left = x.chunk(2, dim=-1)
    cos, sin = (rows[..., : turning.shape[-1] // 2] for rows in rows_of(tables, positions))
    half = cos.shape[-1]
    first, second, rest = turning[..., :half], turning[..., half : 2 * half], turning[..., 2 * half :]
    return torch.cat([first * cos - second * sin, first * sin + second * cos, rest, left], dim=-1)


wrong(
    "one angle for all pairs",
    "Each pair has an angle of its own, a column of the tables: keep them all.",
    f"{ROWS} → table[positions][:, None, :1]",
    f"{ROWS} → table[positions][:, None, -1:]",
)
wrong(
    "the columns of the tables in reverse order",
    "Pair i has column i of the tables: flip nothing.",
    f"{ROWS} → table[positions][:, None].flip(-1)",
)


@wrong(
    "tables of one column a pair against all d_head numbers",
    "The tables have d_head / 2 columns, one for each pair. Turn the two halves, or, in the form with swapped halves, "
    "first join each row with a copy of itself, so that it has d_head numbers.",
)
def not_repeated(x, tables, positions):
    cos, sin = rows_of(tables, positions)
    return x * cos + rotate_half(x) * sin


@also("tables of one column a pair against all d_head numbers")
def not_repeated_in_one_line(x, tables, positions):
    cos, sin = rows_of(tables, positions)
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin


@wrong(
    "tables repeated to d_head against half of the numbers",
    "A half has d_head / 2 numbers, and so have the rows of the tables as they come: repeat nothing.",
)
def repeated_for_halves(x, tables, positions):
    cos, sin = (torch.cat([rows, rows], dim=-1) for rows in rows_of(tables, positions))
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


# Which row.


@wrong(
    "the tuple of tables indexed with the positions",
    "`tables` is a tuple of two tensors. Take it apart first, `cos, sin = tables`, and index each of the two.",
)
def tuple_indexed(x, tables, positions):
    cos, sin = tables[positions]
    first, second = x.chunk(2, dim=-1)
    cos, sin = cos[:, None], sin[:, None]
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


wrong(
    "the first rows of the tables, whatever `positions` says",
    "`positions` says which row each vector has: `table[positions]`. The first rows are right only for a text that "
    "begins at position 0 and leaves nothing out.",
    f"{ROWS} → table[: len(positions)][:, None]",
    f"{ROWS} → table[torch.arange(x.shape[1])][:, None]",
)
wrong(
    "`positions` for one of the two tables alone",
    "Cosine and sine belong to one angle: take the rows of `positions` from both tables.",
    ("for table in tables) → for table in tables); sin = tables[1][: x.shape[1]][:, None]",),
    ("for table in tables) → for table in tables); cos = tables[0][: x.shape[1]][:, None]",),
)
wrong(
    "positions that count from the first one",
    "A position is counted from the beginning of the text, so index the tables with `positions` as they come. Whoever "
    "counts from the first one here turns a later query as if it were at position 0.",
    f"{ROWS} → table[positions - positions[0]][:, None]",
    f"{ROWS} → table[positions - positions.min()][:, None]",
)
wrong(
    "positions taken for a run without gaps",
    "Positions need not follow one another: a row each, `table[positions]`, not a stretch from the first one on.",
    f"{ROWS} → table[positions[0] + torch.arange(len(positions))][:, None]",
    f"{ROWS} → table[positions.min() + torch.arange(len(positions))][:, None]",
)
wrong(
    "positions put in order",
    "A vector's position is the one at its own place in `positions`: index with them as they come, and sort nothing.",
    f"{ROWS} → table[positions.sort().values][:, None]",
)
wrong(
    "one row for all positions",
    "Each vector has a position of its own, and so a row of its own in the tables: `table[positions]`.",
    f"{ROWS} → table[positions[-1:]][:, None]",
    f"{ROWS} → table[positions.max()][None, None]",
    f"{ROWS} → table[positions[:1]][:, None]",
    f"{ROWS} → table[positions.min()][None, None]",
    f"{ROWS} → table[0]",
)
wrong(
    "rows that are one position off",
    "Row 0 of the tables is that of position 0: index them with `positions` as they come.",
    f"{ROWS} → table.roll(-1, 0)[positions][:, None]",
    f"{ROWS} → table[(positions + 1).clamp(max=len(table) - 1)][:, None]",
    f"{ROWS} → table[positions + 1][:, None]",
    f"{ROWS} → table[positions - 1][:, None]",
    f"{ROWS} → table[(positions - 1).clamp(min=0)][:, None]",
)

wrong(
    "cosines and sines times the position",
    "The tables hold the cosine and the sine of each position's angle: `positions` picks their rows, and multiplies "
    "nothing.",
    f"{ROWS} → table[positions][:, None] * positions[:, None, None]",
    f"{ROWS} → table[: len(positions)][:, None] * positions[:, None, None]",
)


# Which axis.

wrong(
    "rows of the tables laid along the heads",
    "Axis 1 of `x` is pos and axis 2 head_index, while [pos pair] broadcasts along the last two axes. Give the rows an "
    "axis of size 1 for the heads: `table[positions][:, None]` is [pos 1 pair].",
    f"{ROWS} → table[positions]",
    f"{ROWS} → table[positions][None, None]",
)


@wrong(
    "axes that are cut anew instead of swapped",
    "`view` and `reshape` leave the numbers in their order, so that heads and positions are mixed: axes are swapped by "
    "`transpose(1, 2)`. Or leave them where they are, and give the rows an axis of size 1 for the heads.",
)
def heads_first_by_a_view(x, tables, positions):
    batch, pos, n_heads, d_head = x.shape
    cos, sin = (table[positions] for table in tables)
    first, second = x.reshape(batch, n_heads, pos, d_head).chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).view(x.shape)


@wrong(
    "an answer with the heads before the positions",
    "The answer has the axes of `x`, [batch pos head_index d_head]: swap axes 1 and 2 back before you return it.",
)
def never_swapped_back(x, tables, positions):
    cos, sin = (table[positions] for table in tables)
    first, second = x.transpose(1, 2).chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


wrong(
    "rows of the tables laid along the batch",
    "Axis 0 of `x` is batch and axis 1 pos. Give the rows one axis of size 1, between their two: "
    "`table[positions][:, None]` is [pos 1 pair].",
    f"{ROWS} → table[positions][:, None, None]",
)
wrong(
    "rows chosen by the number of the head",
    "The angle depends on the position alone, and each head turns alike: `table[positions]`, with an axis of size 1 "
    "for the heads.",
    f"{ROWS} → table[: x.shape[2]]",
)
wrong(
    "rows chosen by the number of the text in the batch",
    "The angle depends on the position alone, and each text of the batch turns alike: `table[positions]`.",
    f"{ROWS} → table[: x.shape[0]][:, None, None]",
)
wrong(
    "halves of another axis",
    "A pair lies along d_head, the last axis: `x.chunk(2, dim=-1)`, and `torch.cat(..., dim=-1)` to join the halves.",
    ("x.chunk(2, dim=-1) → x.chunk(2, dim=1)", f"{JOINED} → torch.cat(turned, dim=1)"),
    ("x.chunk(2, dim=-1) → x.chunk(2, dim=2)", f"{JOINED} → torch.cat(turned, dim=2)"),
)


# What is returned.

wrong(
    "halves joined along another axis",
    "The halves are two parts of d_head, the last axis: `torch.cat(turned, dim=-1)`.",
    f"{JOINED} → torch.cat(turned)",
    f"{JOINED} → torch.cat(turned, dim=1)",
    f"{JOINED} → torch.cat(turned, dim=2)",
)
wrong(
    "halves that are stacked",
    "`torch.stack` makes a new axis. Join the halves along the last one: `torch.cat(turned, dim=-1)`.",
    f"{JOINED} → torch.stack(turned, dim=-1)",
    f"{JOINED} → torch.stack(turned)",
    f"{JOINED} → torch.stack(turned, dim=-2)",
)
wrong(
    "two halves that are not joined",
    "Join the two halves along the last axis: `torch.cat(turned, dim=-1)`.",
    f"{JOINED} → turned",
    f"{JOINED} → list(turned)",
)


@wrong(
    "a turn written into `x`",
    "Whoever handed `x` over may still need it as it was. Put the new halves together into a new tensor, with "
    "`torch.cat`.",
)
def in_place(x, tables, positions):
    cos, sin = rows_of(tables, positions)
    half = x.shape[-1] // 2
    first, second = x[..., :half].clone(), x[..., half:].clone()
    x[..., :half] = first * cos - second * sin
    x[..., half:] = first * sin + second * cos
    return x


@also("a second half made of the new first half")
def in_place_through_views(x, tables, positions):
    """`first` and `second` are parts of `x` itself."""
    cos, sin = rows_of(tables, positions)
    first, second = x.chunk(2, dim=-1)
    x[..., : first.shape[-1]] = first * cos - second * sin
    x[..., first.shape[-1] :] = first * sin + second * cos
    return x


@also("a second half made of the new first half")
def in_place_one_after_the_other(x, tables, positions):
    cos, sin = rows_of(tables, positions)
    turned = x.clone()
    first, second = turned.chunk(2, dim=-1)
    turned[..., : first.shape[-1]] = first * cos - second * sin
    turned[..., first.shape[-1] :] = first * sin + second * cos
    return turned


wrong(
    "a turn that lets no gradient through",
    "The queries and keys that are turned come from trained weights, and training needs the way back to these: no "
    "`detach`, no `no_grad`, no `.data`.",
    f"{HALVES} → first, second = x.detach().chunk(2, dim=-1)",
)
wrong(
    "float64",
    "Queries and keys stay in their dtype, float32 here: bring what you compute back to it, `.to(x.dtype)`.",
    f"{HALVES} → first, second = x.double().chunk(2, dim=-1)",
)
wrong(
    "half precision on the way",
    "The turn in float16 or bfloat16 loses digits: compute it in float32.",
    f"return {JOINED} → return {JOINED}.half().float()",
    f"return {JOINED} → return {JOINED}.bfloat16().float()",
)
