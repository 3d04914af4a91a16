"""How `rotary_tables` goes wrong, and right answers that look different."""

import math

import torch

from tests.ch12_since_gpt2 import rotary_tables as exercise

wrong, also = exercise.misconception, exercise.also
POWER = "base ** (-torch.arange(0, d_head, 2) / d_head)"
POSITIONS = "torch.arange(n_ctx)[:, None]"
BOTH = "angles.cos(), angles.sin()"


@exercise.correct
def as_in_llama(n_ctx, d_head, base):
    """One over the power, and an outer product."""
    speeds = 1.0 / (base ** (torch.arange(0, d_head, 2).float() / d_head))
    angles = torch.outer(torch.arange(n_ctx).float(), speeds)
    return torch.cos(angles), torch.sin(angles)


@exercise.correct
def by_the_exponential(n_ctx, d_head, base):
    """As the position table of Vaswani et al. 2017 is mostly written."""
    speeds = torch.exp(torch.arange(0, d_head, 2) * (-math.log(base) / d_head))
    angles = torch.einsum("i,j->ij", torch.arange(n_ctx, dtype=torch.float32), speeds)
    return angles.cos(), angles.sin()


@exercise.correct
def by_complex_numbers(n_ctx, d_head, base):
    pairs = d_head // 2
    speeds = torch.pow(base, -torch.arange(pairs) / pairs)
    turns = torch.polar(torch.ones(n_ctx, pairs), torch.arange(n_ctx).unsqueeze(1) * speeds)
    return turns.real.contiguous(), turns.imag.contiguous()


@exercise.correct
def one_number_at_a_time(n_ctx, d_head, base):
    angles = [[pos / base ** (2 * pair / d_head) for pair in range(d_head // 2)] for pos in range(n_ctx)]
    cos, sin = ([[turn(angle) for angle in row] for row in angles] for turn in (math.cos, math.sin))
    return torch.tensor(cos), torch.tensor(sin)


@exercise.correct
def in_float64_on_the_way(n_ctx, d_head, base):
    steps = torch.linspace(0, 1, d_head // 2 + 1, dtype=torch.float64)[:-1]
    angles = torch.arange(n_ctx, dtype=torch.float64).view(-1, 1) @ (base**-steps).view(1, -1)
    return angles.cos().float(), angles.sin().float()


@exercise.correct
def as_a_list(n_ctx, d_head, base):
    """Whoever unpacks two tables does not mind."""
    angles = torch.arange(n_ctx)[:, None] / base ** (torch.arange(0, d_head, 2) / d_head)
    return [angles.cos(), angles.sin()]


@exercise.correct
def position_by_position(n_ctx, d_head, base):
    """Each position's angles are those of the one before and one step more: a sum in the place of a product."""
    speeds = (1 / base) ** (torch.arange(d_head // 2, dtype=torch.float64) * 2 / d_head)
    angles = speeds.expand(n_ctx, -1).cumsum(dim=0) - speeds
    return angles.cos().float(), angles.sin().float()


exercise.equivalent(
    "speeds = base ** (-torch.arange(0, d_head, 2) / d_head) → "
    "base **= -torch.arange(0, d_head, 2) / d_head; speeds = base",
    "`base` is a plain number: the name is bound to something new, and no caller's number changes.",
)
exercise.equivalent(
    "torch.arange(n_ctx)[:, None] → torch.arange(n_ctx)[..., None]",
    "`torch.arange` has a single axis, so the new one comes behind it either way.",
)


# The speeds.

wrong(
    "a speed for every number of the head",
    "A speed belongs to a *pair*, and a head has d_head / 2 of these: i runs over `range(d_head // 2)`, or 2i over "
    "`torch.arange(0, d_head, 2)`.",
    "torch.arange(0, d_head, 2) / d_head) → torch.arange(d_head) / d_head)",
    "torch.arange(0, d_head, 2) / d_head) → torch.arange(0, 2 * d_head, 2) / d_head)",
)
wrong(
    "an exponent without its 2",
    "The exponent is −2i / d_head, so that it runs from 0 nearly to −1. Without the 2 it stops half-way, and the "
    "slowest pairs are far too fast. (−i divided by the number of *pairs* is right too.)",
    "torch.arange(0, d_head, 2) / d_head) → torch.arange(d_head // 2) / d_head)",
    not_of=r"sqrt|\*\* ?0?\.5",
    otherwise="Pair i turns by `base ** (-2 * i / d_head)` a position. These speeds are the roots of that, so that the "
    "slowest pairs are far too fast.",
)
wrong(
    "an exponent with its 2 twice",
    "`torch.arange(0, d_head, 2)` counts 0, 2, 4 …: that is 2i already. Divide it by d_head, and multiply by no "
    "further 2.",
    "torch.arange(0, d_head, 2) / d_head) → 2 * torch.arange(0, d_head, 2) / d_head)",
    "torch.arange(0, d_head, 2) / d_head) → torch.arange(0, d_head, 2) / (d_head // 2))",
)
wrong(
    "pairs that turn faster and faster",
    "Pair i turns by `base ** (-2 * i / d_head)` radians a position, each more slowly than the one before. Multiply "
    "the position by that, or divide it by `base ** (2 * i / d_head)`: here each pair is faster than the one before.",
    "(-torch → (torch",
    f"{POSITIONS} * speeds → {POSITIONS} / speeds",
)
wrong(
    "an exponent that reaches −1",
    "The last exponent is −(d_head − 2) / d_head, just above −1: divide 2i by d_head, or i by d_head / 2, and subtract "
    "nothing from the divisor. `torch.linspace` includes its end, so it needs a step more, and that last one cut off.",
    "torch.arange(0, d_head, 2) / d_head) → torch.linspace(0, 1, d_head // 2))",
    "torch.arange(0, d_head, 2) / d_head) → torch.arange(0, d_head, 2) / (d_head - 2))",
    "torch.arange(0, d_head, 2) / d_head) → torch.arange(0, d_head, 2) / max(d_head - 2, 1))",
)
wrong(
    "pairs counted from 1",
    "The first pair is number 0: its exponent is 0, so it turns by 1 radian a position. The paper counts its pairs "
    "from 1, and subtracts that 1 in the exponent.",
    "arange(0, d_head, 2) → arange(2, d_head + 1, 2)",
)
wrong(
    "the pairs in reverse order",
    "Pair 0 is the fastest, with exponent 0, and each further one is slower.",
    "torch.arange(0, d_head, 2) / d_head) → torch.arange(d_head - 2, -1, -2) / d_head)",
    "2) / d_head) → 2) / d_head).flip(0)",
)
wrong(
    "exponents that begin at −1 / d_head",
    "The exponents of the pairs are 0, −2 / d_head, −4 / d_head …: begin at 0. These are −1 / d_head, −3 / d_head ….",
    "arange(0, d_head, 2) → arange(1, d_head, 2)",
)
wrong(
    "`base` as a factor",
    "The speed is a *power* of the base, `base ** (-2 * i / d_head)`, so that each pair's speed is the one before "
    "times one and the same number. A product with the base grows in equal steps.",
    "base ** (-torch → base * (-torch",
    "base ** (-torch → base * (torch",
    f"{POWER} → 1 / (base * (torch.arange(0, d_head, 2) / d_head))",
    f"{POWER} → 1 / (base * torch.arange(0, d_head, 2) / d_head)",
)
wrong(
    "the power divided by d_head, and not its exponent",
    "The division by d_head belongs to the exponent, and `**` binds more tightly than `/`: put brackets round the "
    "exponent, `base ** (-2 * i / d_head)`.",
    f"{POWER} → base ** -torch.arange(0, d_head, 2) / d_head",
    f"{POWER} → 1.0 / base ** torch.arange(0, d_head, 2) / d_head",
    said_of=r"\*\*",
    otherwise="The division by d_head belongs to the exponent: here it is the power that is divided.",
)
wrong(
    "the exponent as the base",
    "The base is `base`, and what depends on the pair is its exponent: `base ** (...)`.",
    f"{POWER} → (torch.arange(0, d_head, 2) / d_head) ** base",
    f"{POWER} → (torch.arange(0, d_head, 2) / d_head) ** -base",
)
wrong(
    "a base that is written out",
    "Take it from `base`: models differ in it, and the test asks for several.",
    "base ** (-torch → 10000.0 ** (-torch",
    "base ** (-torch → 100.0 ** (-torch",
    "base ** (-torch → 500000.0 ** (-torch",
)
wrong(
    "a division that drops the fraction",
    "`//` leaves whole numbers, and 2i / d_head lies between 0 and 1: no fraction is left of it. Divide with `/`.",
    f"{POWER} → base ** -(torch.arange(0, d_head, 2) // d_head)",
    f"{POWER} → 1.0 / base ** (torch.arange(0, d_head, 2) // d_head)",
    "2) / d_head → 2) // d_head",
    said_of=r"//|floor|\.long\(|\.int\(|\bint\(",
    otherwise="All pairs turn at the same speed. The exponent of pair i is −2i / d_head, another one for each.",
)
wrong(
    "a natural exponential without the base's logarithm",
    "`exp(x)` is e to the power of x. For a power of `base` multiply x by the logarithm of the base: "
    "`exp(-2 * i / d_head * log(base))`.",
    f"{POWER} → torch.exp(-torch.arange(0, d_head, 2) / d_head)",
)
wrong(
    "a logarithm to the base 10",
    "`exp` undoes the *natural* logarithm, `math.log`. With `log10` stands 10 to a power, or write `base ** ...`.",
    f"{POWER} → torch.exp(-torch.arange(0, d_head, 2) / d_head * torch.tensor(base).log10())",
)
wrong(
    "the speeds themselves in the tables",
    "A table has a row for each position: the angle is the position times the speed of the pair.",
    f"{POSITIONS} * speeds → speeds.expand(n_ctx, -1)",
    f"{POSITIONS} * speeds → speeds",
)


# The angles.

wrong(
    "positions counted from 1",
    "The first position is 0, and is not turned: its cosines are 1 and its sines 0.",
    "torch.arange(n_ctx) → torch.arange(1, n_ctx + 1)",
)
wrong(
    "a position too few",
    "The positions are 0 to n_ctx − 1, which is what `torch.arange(n_ctx)` gives: a row for each.",
    "torch.arange(n_ctx) → torch.arange(n_ctx - 1)",
    "torch.arange(n_ctx) → torch.arange(1, n_ctx)",
)
wrong(
    "a position too many",
    "The positions are 0 to n_ctx − 1: n_ctx rows, and none for position n_ctx.",
    "torch.arange(n_ctx) → torch.arange(n_ctx + 1)",
)
wrong(
    "positions as a share of `n_ctx`",
    "A position is a whole number, 0, 1, 2 …: the angle between two neighbours must not depend on `n_ctx`, or a model "
    "with another would turn the same text otherwise.",
    "torch.arange(n_ctx)[:, None] → torch.arange(n_ctx)[:, None] / n_ctx",
    "torch.arange(n_ctx)[:, None] → torch.linspace(0, 1, n_ctx)[:, None]",
)
wrong(
    "positions that end at `n_ctx`",
    "`torch.linspace(0, n_ctx, n_ctx)` includes both ends, so its steps are larger than 1. Take `torch.arange(n_ctx)`.",
    "torch.arange(n_ctx)[:, None] → torch.linspace(0, n_ctx, n_ctx)[:, None]",
)
wrong(
    "degrees",
    "`cos` and `sin` take radians, and the speed is radians a position already: convert nothing.",
    f"{POSITIONS} * speeds → torch.deg2rad({POSITIONS} * speeds)",
    f"{POSITIONS} * speeds → torch.rad2deg({POSITIONS} * speeds)",
)
wrong(
    "full turns in the place of radians",
    "The first pair turns by 1 radian a position, not by a full turn: leave out the factor 2π.",
    f"{POSITIONS} * speeds → 2 * torch.pi * {POSITIONS} * speeds",
)
wrong(
    "half turns in the place of radians",
    "The first pair turns by 1 radian a position, not by π: leave out that factor.",
    f"{POSITIONS} * speeds → torch.pi * {POSITIONS} * speeds",
)
wrong(
    "the speed to the power of the position",
    "The angle is the position *times* the speed of the pair, and grows by the same amount from each position to the "
    "next.",
    f"{POSITIONS} * speeds → speeds ** {POSITIONS}",
)
wrong(
    "a sum of position and speed",
    "The angle is the position *times* the speed of the pair.",
    f"{POSITIONS} * speeds → {POSITIONS} + speeds",
)
wrong(
    "sines of the wrong sign",
    "The cosines are right, and every sine has the wrong sign, so that each pair would turn the other way. The angle "
    "is the position times the speed: the one minus stands in the exponent.",
    f"{POSITIONS} * → -{POSITIONS} *",
)
wrong(
    "tables in half precision on the way",
    "From 256 on bfloat16 no longer has every whole number (257 becomes 256), and of an angle of some hundred radians "
    "nothing useful is left behind the point. Compute angles in float32, and the cosines from these.",
    f"angles = {POSITIONS} → angles = {POSITIONS}.bfloat16().float()",
    f"angles = {POSITIONS} * speeds → angles = ({POSITIONS} * speeds).half().float()",
    f"angles = {POSITIONS} * speeds → angles = ({POSITIONS} * speeds).bfloat16().float()",
    f"angles = {POSITIONS} * speeds → angles = ({POSITIONS}.bfloat16() * speeds.bfloat16()).float()",
    said_of=r"half|float16|bfloat",
    otherwise="Digits are lost at far positions. Compute positions, speeds and angles in float32.",
)


# What is returned.

wrong("sines before cosines", "The cosines come first: `return cos, sin`.", f"{BOTH} → angles.sin(), angles.cos()")
wrong(
    "tables repeated to d_head",
    "That is the shape that transformers uses, whose `rotate_half` multiplies all d_head numbers at once. Ours has one "
    "column for each pair, d_head / 2 of them: leave the repetition out.",
    f"{BOTH} → torch.cat([angles, angles], dim=-1).cos(), torch.cat([angles, angles], dim=-1).sin()",
    said_of=r"cat|concat|repeat|tile|stack|hstack|expand",
    otherwise="Every column is there twice. Ours has one for each pair, d_head / 2 of them.",
)
wrong(
    "each column of the tables twice in a row",
    "That is the shape for code that turns neighbouring pairs. Ours has one column for each pair, d_head / 2 of "
    "them, and each stands there once.",
    f"{BOTH} → angles.repeat_interleave(2, -1).cos(), angles.repeat_interleave(2, -1).sin()",
)
wrong(
    "an axis of the pairs before that of the positions",
    "A row belongs to a position and a column to a pair: [pos pair]. These are [pair pos]: swap the two axes.",
    f"{POSITIONS} * speeds → torch.arange(n_ctx) * speeds[:, None]",
)
wrong(
    "one tensor in the place of two",
    "Two tables are returned, side by side: `return cos, sin`, without stacking or joining them.",
    f"{BOTH} → torch.stack([angles.cos(), angles.sin()])",
    f"{BOTH} → torch.stack([angles.cos(), angles.sin()], dim=-1)",
    f"{BOTH} → torch.cat([angles.cos(), angles.sin()], dim=-1)",
)
wrong(
    "one complex table",
    "That is the table of Meta's Llama code, cosine + i · sine. Return its two parts as two tables: "
    "`return table.real, table.imag`.",
    f"{BOTH} → torch.polar(torch.ones_like(angles), angles)",
)
wrong(
    "the angles themselves",
    "The tables hold the cosine and the sine of each angle, not the angle.",
    f"{BOTH} → angles",
    f"{BOTH} → (angles, angles)",
)
wrong(
    "a dict of the two tables",
    "Whoever calls unpacks two tables, without names: `return cos, sin`.",
    f"{BOTH} → {{'cos': angles.cos(), 'sin': angles.sin()}}",
)
wrong("the cosines twice", "The second table holds the sines: `angles.sin()`.", f"{BOTH} → angles.cos(), angles.cos()")
wrong(
    "the sines twice",
    "The first table holds the cosines, in a tensor of its own.",
    f"{BOTH} → angles.sin(), angles.sin()",
)
wrong(
    "a row of zeros for position 0",
    "Fill row 0 too: position 0 is not turned, so its cosines are 1 and its sines 0.",
    f"{BOTH} → angles.cos() * ({POSITIONS} > 0), angles.sin()",
)
wrong("the cosines alone", "Two tables are returned: `return angles.cos(), angles.sin()`.", f"{BOTH} → angles.cos()")
wrong(
    "axes of size 1 in the tables",
    "Each table is [pos pair], of two axes. Whoever applies it adds the axes that broadcasting needs.",
    f"{BOTH} → angles.cos()[None, :, None], angles.sin()[None, :, None]",
    f"{BOTH} → angles.cos()[None, None], angles.sin()[None, None]",
    f"{BOTH} → angles.cos()[None], angles.sin()[None]",
    f"{BOTH} → angles.cos()[:, None], angles.sin()[:, None]",
)


@wrong(
    "the position table of the first transformer",
    "Vaswani et al. (2017) write sines and cosines into one table, which is added to the stream. Here they are two "
    "tables, [pos pair], to turn by: `return angles.cos(), angles.sin()`.",
)
def sines_and_cosines_in_turn(n_ctx, d_head, base):
    angles = torch.arange(n_ctx)[:, None] * base ** (-torch.arange(0, d_head, 2) / d_head)
    table = torch.zeros(n_ctx, d_head)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles.cos()
    return table
