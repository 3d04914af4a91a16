"""How gelu_new goes wrong, and right answers that look different."""

import itertools
import math

import torch
import torch.nn.functional as F
from torch import Tensor

from tests.ch05_mlp import gelu

ROOT, CUBIC = math.sqrt(2 / math.pi), 0.044715


@gelu.correct
def torch_tanh_gelu(x):
    return F.gelu(x, approximate="tanh")


@gelu.correct
def by_sigmoid(x):
    return x * torch.sigmoid(2 * 0.7978845608 * (x + 0.044715 * x.pow(3)))


@gelu.correct
def factored(x):
    inner = 0.7978845608028654 * x * (1 + 0.044715 * x * x)
    return x / 2 + x / 2 * inner.tanh()


@gelu.correct
def in_double_precision(x):
    wide = x.double()
    return (0.5 * wide * (1 + torch.tanh(ROOT * (wide + CUBIC * torch.pow(wide, 3))))).float()


@gelu.correct
def constants_as_tensors(x):
    root = torch.sqrt(torch.tensor(2.0) / torch.pi)
    return torch.mul(torch.add(torch.tanh(torch.mul(root, x + 0.044715 * (x**2) * x)), 1.0), 0.5 * x)


# Wrong answers.


def tanh_form(x: Tensor, cubic: float = CUBIC, root: float = ROOT) -> Tensor:
    """The tanh form with constants of its own."""
    return 0.5 * x * (1 + torch.tanh(root * (x + cubic * x**3)))


gelu.misconception(
    "the exact GELU, with erf",
    "GPT-2 was trained with the tanh form, and the two differ by up to 0.0005: write the tanh out, or pass "
    '`approximate="tanh"` to `F.gelu`.',
    lambda x: F.gelu(x),
)
gelu.misconception(
    "ReLU", "GELU is smooth: a negative number near 0 is let through in part, not cut to 0.", lambda x: F.relu(x)
)


@gelu.misconception(
    "the sigmoid approximation `x * sigmoid(1.702 * x)`",
    "Hendrycks and Gimpel give that one too, but GPT-2 uses the one with tanh and x³.",
)
def quick_gelu(x):
    return x * torch.sigmoid(1.702 * x)


gelu.also("the sigmoid approximation `x * sigmoid(1.702 * x)`", lambda x: x * torch.sigmoid(1.7 * x))


@gelu.misconception(
    "an erf whose √2 is missing or misplaced",
    "Φ(x) is 0.5 · (1 + erf(x / √2)). But GPT-2 has no erf: it takes the formula with tanh and x³.",
)
def erf_of_x(x):
    return 0.5 * x * (1 + torch.erf(x))


gelu.also(
    "an erf whose √2 is missing or misplaced",
    lambda x: 0.5 * x * (1 + torch.erf(x / 2)),
    lambda x: 0.5 * x * (1 + torch.erf(x * math.sqrt(2))),
)
gelu.misconception(
    "Mish, `x * tanh(softplus(x))`",
    "Mish has a tanh too, but of another sum: GELU's has x and x³.",
    lambda x: F.mish(x),
)
gelu.misconception(
    "SiLU, `x * sigmoid(x)`", "Llama's MLP uses SiLU; GPT-2's GELU has a tanh and x³ inside.", lambda x: F.silu(x)
)
gelu.misconception(
    "hard swish, `x * relu6(x + 3) / 6`",
    "That is MobileNet's cheap copy of SiLU, with two kinks; GELU is smooth, and made with a tanh.",
    lambda x: F.hardswish(x),
)


@gelu.misconception(
    "`x` in place of its cube", "The small term is 0.044715 times x to the third power: `0.044715 * x**3`."
)
def cube_forgotten(x):
    return 0.5 * x * (1 + torch.tanh(ROOT * (x + CUBIC * x)))


@gelu.misconception("the square in place of the cube", "It is `x**3`; a square would treat −x and x alike.")
def square(x):
    return 0.5 * x * (1 + torch.tanh(ROOT * (x + CUBIC * x**2)))


gelu.misconception(
    "a tanh without the cubic term",
    "Add `0.044715 * x**3` to the x inside the tanh.",
    lambda x: tanh_form(x, cubic=0.0),
)


@gelu.misconception("a cube without its factor", "x³ counts only 0.044715 times: `x + 0.044715 * x**3`.")
def cube_without_factor(x):
    return tanh_form(x, cubic=1.0)


@gelu.misconception(
    "cubing the factor 0.044715 as well", "`**` goes to x alone: `0.044715 * x**3`, not `(0.044715 * x)**3`."
)
def factor_cubed(x):
    return tanh_form(x, cubic=CUBIC**3)


@gelu.misconception(
    "cubing the whole sum", "Cube x first, then add: `x + 0.044715 * x**3`, not `(x + 0.044715 * x)**3`."
)
def sum_cubed(x):
    return 0.5 * x * (1 + torch.tanh(ROOT * (x + CUBIC * x) ** 3))


@gelu.misconception("0.44715 in place of 0.044715", "The factor of the cube has a zero after the point: 0.044715.")
def factor_tenfold(x):
    return tanh_form(x, cubic=0.44715)


@gelu.misconception("0.0044715 in place of 0.044715", "One zero after the point is enough: 0.044715.")
def factor_tenth(x):
    return tanh_form(x, cubic=0.0044715)


gelu.misconception(
    "a factor of the cube that is not quite 0.044715",
    "Read it digit by digit: zero point 0 4 4 7 1 5.",
    lambda x: tanh_form(x, cubic=0.044175),
    lambda x: tanh_form(x, cubic=0.047415),
    lambda x: tanh_form(x, cubic=0.044751),
    lambda x: tanh_form(x, cubic=0.04715),
    lambda x: tanh_form(x, cubic=0.0447),
    lambda x: tanh_form(x, cubic=0.04471),
    lambda x: tanh_form(x, cubic=0.04472),
    lambda x: tanh_form(x, cubic=0.045),
)


@gelu.misconception("a tanh whose sum is not multiplied by √(2/π)", "Multiply the sum inside the tanh by √(2/π).")
def no_root(x):
    return tanh_form(x, root=1.0)


@gelu.misconception("2/π without its root", "The factor is the root of 2/π: `math.sqrt(2 / math.pi)`, about 0.798.")
def root_forgotten(x):
    return tanh_form(x, root=2 / math.pi)


@gelu.misconception(
    "√2/π in place of √(2/π)", "The root covers the whole quotient: `math.sqrt(2 / math.pi)`, about 0.798."
)
def root_of_two_alone(x):
    return tanh_form(x, root=math.sqrt(2) / math.pi)


@gelu.misconception("√(π/2) in place of √(2/π)", "The 2 stands above π: `math.sqrt(2 / math.pi)`, about 0.798.")
def root_upside_down(x):
    return tanh_form(x, root=math.sqrt(math.pi / 2))


@gelu.misconception("√(2π) in place of √(2/π)", "Divide 2 by π under the root: `math.sqrt(2 / math.pi)`, about 0.798.")
def root_of_the_product(x):
    return tanh_form(x, root=math.sqrt(2 * math.pi))


@gelu.misconception("1/√(2π) in place of √(2/π)", "That is the normal density at 0; twice as much is wanted: √(2/π).")
def density_at_zero(x):
    return tanh_form(x, root=1 / math.sqrt(2 * math.pi))


@gelu.misconception(
    "√(1/2) in place of √(2/π)", "`x / √2` belongs to the exact form with erf; the tanh form has √(2/π)."
)
def root_of_the_exact_form(x):
    return tanh_form(x, root=math.sqrt(0.5))


@gelu.misconception("a rounded √(2/π)", "Rounding shows in the fifth digit: compute it, `math.sqrt(2 / math.pi)`.")
def rounded_root(x):
    return tanh_form(x, root=0.8)


gelu.also("a rounded √(2/π)", lambda x: tanh_form(x, root=0.798), lambda x: tanh_form(x, root=0.7979))


for cut in (0.7978, 0.797, 0.79):
    gelu.also("a rounded √(2/π)")(lambda x, cut=cut: tanh_form(x, root=cut))


@gelu.misconception("√(2/π) times the x alone", "√(2/π) multiplies the sum: put brackets round `x + 0.044715 * x**3`.")
def root_on_x_alone(x):
    return 0.5 * x * (1 + torch.tanh(ROOT * x + CUBIC * x**3))


@gelu.misconception("√(2/π) times the cube alone", "√(2/π) multiplies the whole sum `x + 0.044715 * x**3`.")
def root_on_the_cube_alone(x):
    return 0.5 * x * (1 + torch.tanh(x + ROOT * CUBIC * x**3))


@gelu.misconception("√(2/π) outside the tanh", "Multiply first, then take the tanh: √(2/π) stands inside its brackets.")
def root_outside(x):
    return 0.5 * x * (1 + ROOT * torch.tanh(x + CUBIC * x**3))


@gelu.misconception(
    "√(2/π) times `x` before all else",
    "√(2/π) goes inside the tanh alone: the x in front, and the one that is cubed, stay as they came.",
)
def root_on_every_x(x):
    scaled = ROOT * x
    return 0.5 * scaled * (1 + torch.tanh(scaled + CUBIC * scaled**3))


gelu.also("√(2/π) times `x` before all else", lambda x: 0.5 * ROOT * x * (1 + torch.tanh(x + CUBIC * x**3)))
gelu.misconception(
    "the root of the whole product",
    "Only 2/π is under the root: `math.sqrt(2 / math.pi) * (...)`. The root of a negative number is NaN.",
    lambda x: 0.5 * x * (1 + torch.tanh(torch.sqrt(2 / math.pi * (x + CUBIC * x**3)))),
)


@gelu.misconception("the tanh of x alone", "The tanh is taken of √(2/π) times (x + 0.044715 x³), not of x.")
def tanh_of_x(x):
    return 0.5 * x * (1 + torch.tanh(x))


gelu.misconception(
    "the cubic term outside the tanh",
    "`0.044715 * x**3` is added to x before the tanh is taken.",
    lambda x: 0.5 * x * (1 + torch.tanh(ROOT * x) + CUBIC * x**3),
    lambda x: 0.5 * x * (1 + torch.tanh(ROOT * x) + ROOT * CUBIC * x**3),
    lambda x: 0.5 * x * (1 + ROOT * (torch.tanh(x) + CUBIC * x**3)),
)


@gelu.misconception("a cube that is subtracted", "The two terms inside the tanh are added: `x + 0.044715 * x**3`.")
def cube_subtracted(x):
    return tanh_form(x, cubic=-CUBIC)


@gelu.misconception("twice GELU: the half is missing", "1 + tanh runs from 0 to 2; the factor 0.5 makes it 0 to 1.")
def half_forgotten(x):
    return 2 * tanh_form(x)


@gelu.misconception(
    "half of GELU: the 0.5 twice", "1 + tanh runs from 0 to 2, so it is halved once: in the gate, or in `0.5 * x`."
)
def half_twice(x):
    return 0.5 * tanh_form(x)


gelu.misconception(
    "a 2 in place of the 0.5",
    "1 + tanh runs from 0 to 2 already: multiply by 0.5, or divide by 2, to bring it to 0 to 1.",
    lambda x: 4 * tanh_form(x),
)
gelu.misconception(
    "the 0.5 inside the tanh",
    "The half is for the gate, after the tanh: `0.5 * x * (1 + tanh(...))`.",
    lambda x: x * (1 + torch.tanh(0.5 * ROOT * (x + CUBIC * x**3))),
)


@gelu.misconception("the gate without the x that it opens for", "The gate runs from 0 to 1; multiply it by x.")
def gate_alone(x):
    return 0.5 * (1 + torch.tanh(ROOT * (x + CUBIC * x**3)))


gelu.also("the gate without the x that it opens for", lambda x: 1 + torch.tanh(ROOT * (x + CUBIC * x**3)))


@gelu.misconception("a gate without the 1", "tanh runs from −1 to 1. Add 1, so that the gate runs from 0: `1 + tanh`.")
def one_forgotten(x):
    return 0.5 * x * torch.tanh(ROOT * (x + CUBIC * x**3))


gelu.also("a gate without the 1", lambda x: x * torch.tanh(ROOT * (x + CUBIC * x**3)))


@gelu.misconception("the 1 and the tanh without brackets", "`0.5 * x` multiplies the sum: `0.5 * x * (1 + tanh(...))`.")
def brackets_round_the_gate_missing(x):
    return 0.5 * x * 1 + torch.tanh(ROOT * (x + CUBIC * x**3))


gelu.misconception(
    "the half of the tanh alone",
    "The 0.5 halves the 1 as well: `0.5 * x * (1 + tanh(...))`.",
    lambda x: x * (1 + 0.5 * torch.tanh(ROOT * (x + CUBIC * x**3))),
)


@gelu.misconception("`0.5 * x` times the 1 alone", "The x multiplies the tanh as well: `0.5 * x * (1 + tanh(...))`.")
def half_of_the_one_alone(x):
    return 0.5 * x + 0.5 * torch.tanh(ROOT * (x + CUBIC * x**3))


@gelu.misconception("`1 - tanh` in place of `1 + tanh`", "The gate opens for large x: 1 + tanh.")
def minus_tanh(x):
    return 0.5 * x * (1 - torch.tanh(ROOT * (x + CUBIC * x**3)))


@gelu.misconception(
    "a sigmoid in place of the tanh", "1 + tanh(z) is 2 · sigmoid(2z), not 1 + sigmoid(z): take `torch.tanh`."
)
def sigmoid_for_tanh(x):
    return 0.5 * x * (1 + torch.sigmoid(ROOT * (x + CUBIC * x**3)))


@gelu.misconception(
    "`x * sigmoid(z)` without the 2", "0.5 · (1 + tanh(z)) is sigmoid(2z): the 2 goes into the sigmoid's brackets."
)
def sigmoid_without_two(x):
    return x * torch.sigmoid(ROOT * (x + CUBIC * x**3))


@gelu.misconception(
    "erf of the tanh form's argument", "erf belongs to the exact form. What is taken here is `torch.tanh`."
)
def erf_for_tanh(x):
    return 0.5 * x * (1 + torch.erf(ROOT * (x + CUBIC * x**3)))


gelu.misconception(
    "sin, cos, tan or atan in place of tanh",
    "It is the *hyperbolic* tangent, and no inverse: `torch.tanh`.",
    lambda x: 0.5 * x * (1 + torch.tan(ROOT * (x + CUBIC * x**3))),
)


for angle in (torch.sin, torch.cos, torch.atan):
    gelu.also("sin, cos, tan or atan in place of tanh")(
        lambda x, angle=angle: 0.5 * x * (1 + angle(ROOT * (x + CUBIC * x**3)))
    )


gelu.misconception(
    "sinh, cosh or an inverse in place of tanh",
    "Only tanh stays between −1 and 1: `torch.tanh`, as written.",
    lambda x: 0.5 * x * (1 + torch.atanh(ROOT * (x + CUBIC * x**3))),
)


for hyperbolic in (torch.sinh, torch.cosh, torch.asinh):
    gelu.also("sinh, cosh or an inverse in place of tanh")(
        lambda x, hyperbolic=hyperbolic: 0.5 * x * (1 + hyperbolic(ROOT * (x + CUBIC * x**3)))
    )


@gelu.misconception(
    "a tanh made of what overflows",
    "Past 90 `exp`, `sinh` and `cosh` are infinite in float32, and ∞/∞ is NaN: use `torch.tanh`.",
)
def tanh_by_exp(x):
    z = ROOT * (x + CUBIC * x**3)
    return 0.5 * x * (1 + (z.exp() - (-z).exp()) / (z.exp() + (-z).exp()))


@gelu.also("a tanh made of what overflows")
def tanh_by_exp_of_twice(x):
    z = 2 * ROOT * (x + CUBIC * x**3)
    return 0.5 * x * (1 + (z.exp() - 1) / (z.exp() + 1))


gelu.misconception(
    "a gate without its tanh",
    "The tanh bounds the gate between 0 and 1: `1 + torch.tanh(...)`.",
    lambda x: 0.5 * x * (1 + ROOT * (x + CUBIC * x**3)),
)
gelu.misconception(
    "half of `x`: a gate that neither opens nor closes",
    "Multiply `0.5 * x` by `1 + torch.tanh(...)`, whose brackets must not hold 0. (`2 // math.pi`, with two slashes, "
    "is 0.)",
    lambda x: 0.5 * x,
)


@gelu.misconception(
    "three times x, or 3 to the power x, in place of the cube", "The cube of x is `x**3`, or `x.pow(3)`."
)
def three_times_x(x):
    return 0.5 * x * (1 + torch.tanh(ROOT * (x + CUBIC * (x * 3))))


gelu.also(
    "three times x, or 3 to the power x, in place of the cube",
    lambda x: 0.5 * x * (1 + torch.tanh(ROOT * (x + CUBIC * 3**x))),
)


@gelu.misconception(
    "the sum from inside the tanh in place of `x`",
    "The gate opens for x itself: keep x as it came, and give the sum a name of its own.",
)
def sum_for_x(x):
    inner = ROOT * (x + CUBIC * x**3)
    return 0.5 * inner * (1 + torch.tanh(inner))


@gelu.also("the sum from inside the tanh in place of `x`")
def sum_without_root_for_x(x):
    inner = x + CUBIC * x**3
    return 0.5 * inner * (1 + torch.tanh(ROOT * inner))


@gelu.misconception("`approximate=True`", 'F.gelu takes a word there: `approximate="tanh"`.')
def approximate_true(x):
    return F.gelu(x, approximate=True)  # pyright: ignore


gelu.misconception(
    "the cubic term alone in the tanh",
    "x itself comes first: `x + 0.044715 * x**3`.",
    lambda x: 0.5 * x * (1 + torch.tanh(ROOT * (CUBIC * x**3))),
)
gelu.misconception(
    "`(x + 0.044715) * x**3`",
    "0.044715 multiplies the cube alone: `x + 0.044715 * x**3`.",
    lambda x: 0.5 * x * (1 + torch.tanh(ROOT * (x + CUBIC) * x**3)),
)
gelu.misconception(
    "a constant in place of the cubic term",
    "0.044715 multiplies x³: `x + 0.044715 * x**3`.",
    lambda x: 0.5 * x * (1 + torch.tanh(ROOT * (x + CUBIC))),
    lambda x: 0.5 * x * (1 + torch.tanh(ROOT * (x + CUBIC * 3))),
)
gelu.misconception(
    "a product in place of the sum inside the tanh",
    "The two terms are added: `x + 0.044715 * x**3`, with a plus after the first x.",
    lambda x: 0.5 * x * (1 + torch.tanh(ROOT * (x * CUBIC * x**3))),
)
gelu.misconception(
    "a sum inside the tanh that starts with 1, not x",
    "It is `x + 0.044715 * x**3`; taken out of the brackets, the x must stand in front: `x * (1 + 0.044715 * x**2)`.",
    lambda x: 0.5 * x * (1 + torch.tanh(ROOT * (1 + CUBIC * x**3))),
    lambda x: 0.5 * x * (1 + torch.tanh(ROOT * (1 + CUBIC * x**2))),
)
gelu.misconception(
    "√(2/π) added instead of multiplied",
    "√(2/π) is a factor of the sum: `math.sqrt(2 / math.pi) * (...)`.",
    lambda x: 0.5 * x * (1 + torch.tanh(ROOT + (x + CUBIC * x**3))),
)
gelu.misconception(
    "2/√π in place of √(2/π)",
    "The 2 stands under the root as well: `math.sqrt(2 / math.pi)`.",
    lambda x: tanh_form(x, root=2 / math.sqrt(math.pi)),
)
gelu.misconception(
    "√2 in place of √(2/π)",
    "The 2 is divided by π under the root: `math.sqrt(2 / math.pi)`.",
    lambda x: tanh_form(x, root=math.sqrt(2)),
)
gelu.misconception(
    "√π in place of √(2/π)",
    "Under the root stands 2 divided by π: `math.sqrt(2 / math.pi)`.",
    lambda x: tanh_form(x, root=math.sqrt(math.pi)),
)
gelu.misconception(
    "the 1 inside the tanh",
    "The 1 is added after the tanh: `1 + torch.tanh(...)`.",
    lambda x: 0.5 * x * torch.tanh(1 + ROOT * (x + CUBIC * x**3)),
)


@gelu.misconception(
    "`torch.sqrt` of a plain number", "`torch.sqrt` takes a tensor; for the number 2/π write `math.sqrt(2 / math.pi)`."
)
def torch_root_of_a_number(x):
    return 0.5 * x * (1 + torch.tanh(torch.sqrt(2 / math.pi) * (x + CUBIC * x**3)))  # pyright: ignore


@gelu.misconception(
    "a tanh of the constant alone",
    "The tanh is taken of the whole product: `torch.tanh(math.sqrt(2 / math.pi) * (...))`.",
)
def tanh_of_the_constant(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi)) * (x + CUBIC * x**3))  # pyright: ignore


gelu.also(
    "a tanh of the constant alone", lambda x: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi)) * (x + CUBIC * x**3))
)
gelu.misconception(
    "`^` for a power",
    "In Python a power is `**`: `x**3`. (`^` is a bitwise operation on whole numbers.)",
    lambda x: 0.5 * x * (1 + torch.tanh(ROOT * (x + CUBIC * x ^ 3))),
)
gelu.misconception("`x` as it came", "Return what you computed: 0.5 x (1 + tanh(...)).", lambda x: x)
gelu.misconception(
    "the tanh itself",
    "GELU is x times a gate; tanh alone stops at 1.",
    lambda x: torch.tanh(x),
    lambda x: torch.tanh(ROOT * (x + CUBIC * x**3)),
)
gelu.misconception(
    "a sigmoid alone",
    "A sigmoid is a gate, which lets a share of x through: multiply x by it. And GPT-2's gate is made with a tanh.",
    lambda x: torch.sigmoid(x),
    lambda x: torch.sigmoid(1.702 * x),
)
gelu.misconception("softplus", "Softplus is smooth too, but 0.69 at 0, where GELU is 0.", lambda x: F.softplus(x))
gelu.misconception("ELU", "GELU and ELU differ below 0: ELU runs to −1, GELU comes back to 0.", lambda x: F.elu(x))
gelu.misconception(
    "a leaky ReLU", "GELU has no kink at 0, and returns to 0 for very negative x.", lambda x: F.leaky_relu(x)
)


@gelu.misconception(
    "writing into `x`",
    "The caller's tensor has other numbers now. Make a new one, and write neither into `x` nor into what shares its "
    "memory.",
)
def in_place(x):
    answer = tanh_form(x)
    x *= 0.5
    return answer


gelu.also(
    "writing into `x`",
    lambda x: x.copy_(tanh_form(x)),
    lambda x: 0.5 * x * (1 + torch.tanh(ROOT * (x + CUBIC * x.pow_(3)))),
    lambda x: x.mul_(0.5) * (1 + torch.tanh(ROOT * (x + CUBIC * x**3))),
)


# Two slips at once: the card names one of them, and once that is mended the other.


def gate_of(x, root, cubic, power=3, half=0.5, one=1.0):
    """GELU's gate, with slips in its constants and in its cube."""
    return half * (one + torch.tanh(root * (x + cubic * x**power)))


OF_THE_ROOT = {
    "a tanh whose sum is not multiplied by √(2/π)": 1.0,
    "2/π without its root": 2 / math.pi,
    "√2/π in place of √(2/π)": math.sqrt(2) / math.pi,
    "√(π/2) in place of √(2/π)": math.sqrt(math.pi / 2),
    "√(2π) in place of √(2/π)": math.sqrt(2 * math.pi),
    "√(1/2) in place of √(2/π)": math.sqrt(0.5),
}
OF_THE_CUBE = [(CUBIC, 1), (CUBIC, 2), (0.0, 3), (1.0, 3), (1.0, 2), (CUBIC**3, 3), (10 * CUBIC, 3), (CUBIC / 10, 3)]
OF_THE_GATE = {
    "twice GELU: the half is missing": [{"half": 1.0}],
    "half of GELU: the 0.5 twice": [{"half": 0.25}],
    "a 2 in place of the 0.5": [{"half": 2.0}],
    "a gate without the 1": [{"one": 0.0}, {"one": 0.0, "half": 1.0}],
}
in_the_tanh = [(root, CUBIC, 3) for root in OF_THE_ROOT.values()] + [(ROOT, *cube) for cube in OF_THE_CUBE]
for slip, gates in OF_THE_GATE.items():
    for gate, inside in itertools.product(gates, in_the_tanh):
        gelu.also(slip)(lambda x, inside=inside, gate=gate: x * gate_of(x, *inside, **gate))
for (slip, wrong_root), cube in itertools.product(OF_THE_ROOT.items(), OF_THE_CUBE):
    if (wrong_root, *cube) != (1.0, 0.0, 3):  # the tanh of x alone
        gelu.also(slip)(lambda x, root=wrong_root, cube=cube: x * gate_of(x, root, *cube))
for wrong_root in list(OF_THE_ROOT.values())[1:]:
    gelu.also("√(2/π) times the x alone")(lambda x, root=wrong_root: x * gate_of(root * x, 1.0, CUBIC / root**3))
for inside in in_the_tanh:
    gelu.also("the gate without the x that it opens for")(lambda x, inside=inside: gate_of(x, *inside))
