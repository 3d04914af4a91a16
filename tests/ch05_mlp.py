"""Chapter 5: what gelu_new and MLP must do, and the ways they go wrong."""

import math
from dataclasses import replace

import einops
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from solutions import ch05_mlp as solution
from utils.checking import (
    Exercise,
    WorkedExample,
    check_agrees,
    check_alone,
    check_form,
    check_gradients,
    check_inputs_unchanged,
    check_parameters,
    check_repeatable,
    check_shape,
    check_value,
    line,
    random_tensor,
    random_weights,
)
from utils.config import Config
from utils.gpt import SMALL
from utils.reference import reference

EXACT = 1.6e-6  # the exact GELU is 300 times as far from the tanh form, constants of four digits 3 times
ROOT, CUBIC = math.sqrt(2 / math.pi), 0.044715

gelu = Exercise(
    inputs={"x": "..."},
    output="...",
    example=WorkedExample("the chapter's numbers −2, −1, 0, 1 and 2", (torch.arange(-2.0, 3.0),)),
)
mlp = Exercise(
    inputs={"normalized_resid_mid": "batch pos d_model"},
    output="batch pos d_model",
    parameters={"W_in": "d_model d_mlp", "b_in": "d_mlp", "W_out": "d_mlp d_model", "b_out": "d_model"},
    initial={"b_in": 0.0, "b_out": 0.0},
    example=WorkedExample(
        "the chapter's two neurons, which read 3 and 1",
        (
            Config(d_model=2, d_mlp=2),
            {
                "W_in": torch.tensor([[1.0, 0.0], [0.0, 2.0]]),
                "b_in": torch.tensor([-2.0, -3.0]),
                "W_out": torch.tensor([[0.0, 10.0], [10.0, 0.0]]),
                "b_out": torch.tensor([0.5, 0.0]),
            },
            torch.tensor([[[3.0, 1.0]]]),
        ),
    ),
)


@gelu.test
def test_gelu_new(gelu_new):
    """gelu_new against the reference solution, closely enough to tell the tanh form from the exact one."""
    with line("keeps the shape, whatever it is"):
        for shape in ((5,), (), (2, 3), (2, 3, 4), (1, 1, 1), (3, 2, 4, 5)):
            check_shape(gelu_new, random_tensor(*shape))
    with line("passes large numbers on and stops very negative ones"):
        check_agrees(gelu_new, torch.tensor([8.0, 10.0, 12.0, 50.0, 0.0, -8.0, -10.0, -12.0, -50.0]))
    with line("agrees with the reference solution on ordinary numbers"):
        for shape in ((100,), (3, 5, 17), (2, 1, 3, 40)):
            check_agrees(gelu_new, random_tensor(*shape) * 2)
    with line("is GPT-2's tanh form to the sixth digit"):
        check_agrees(gelu_new, torch.linspace(-4, 1, 401), tolerance=EXACT)
        check_agrees(gelu_new, random_tensor(4, 50) - 2, tolerance=EXACT)
    with line("agrees with the reference model in every layer"):
        model = reference()
        for layer in range(model.cfg.n_layers):
            pre, post = (model.activations[f"blocks.{layer}.mlp.hook_{part}"] for part in ("pre", "post"))
            check_value(gelu_new, pre, want=post, tolerance=1e-5)
    with line("stays finite at very large numbers"):
        check_agrees(gelu_new, random_tensor(3, 7) * 1e3)
        check_agrees(gelu_new, torch.tensor([[1e4, -1e4], [3e3, -3e3]]))
    with line("leaves `x` as it was, and answers the same twice"):
        check_inputs_unchanged(gelu_new, random_tensor(3, 4))
        check_inputs_unchanged(gelu_new, random_tensor(2, 5, 6))
        check_repeatable(gelu_new, random_tensor(3, 4))
    with line("passes gradients back to `x`"):
        check_gradients(gelu_new, random_tensor(4, 30))
        check_gradients(gelu_new, random_tensor(2, 5, 6) * 3)


@mlp.test
def test_mlp(MLP):
    """MLP against the reference solution, part by part, and against every MLP of the reference model."""
    cfg, name = SMALL, "normalized_resid_mid"
    check_parameters(MLP, cfg)
    weights, vectors = random_weights(cfg), random_tensor(3, 5, cfg.d_model)
    check_form(MLP, cfg, lambda batch, pos: random_tensor(batch, pos, cfg.d_model))
    with line("reads each position alone: no position sees another, no sentence sees another"):
        check_alone(MLP, cfg, weights, vectors, axis="batch")
        check_alone(MLP, cfg, weights, vectors, axis="pos")
    with line("widens with `W_in` and `b_in`, comes back with `W_out` and `b_out` (GELU lets every neuron pass)"):
        passing = weights | {"b_in": weights["b_in"] + 60}
        check_agrees(MLP, cfg, passing, vectors)
        check_agrees(MLP, cfg, passing, vectors[:1, :1])
    with line("applies GELU between the two, once, to what comes out of `W_in` and `b_in`"):
        check_agrees(MLP, cfg, weights, vectors)
        check_agrees(MLP, cfg, weights | {"b_out": torch.zeros(cfg.d_model)}, vectors)
        check_agrees(MLP, cfg, weights | {"b_in": torch.zeros(cfg.d_mlp)}, vectors)
    with line("uses GPT-2's tanh form of GELU"):
        faint = {"W_in": weights["W_in"] * 0.1, "b_in": torch.full((cfg.d_mlp,), -2.6)}
        check_agrees(MLP, cfg, weights | faint, vectors)
        check_agrees(MLP, cfg, weights | faint | {"b_out": torch.zeros(cfg.d_model)}, vectors)
    with line("agrees with the reference solution at other sizes"):
        for batch, pos in [(3, 5), (1, 1), (2, cfg.n_ctx), (8, 2)]:
            check_agrees(MLP, cfg, random_weights(cfg), random_tensor(batch, pos, cfg.d_model))
        for other in (replace(cfg, d_model=11, d_mlp=5), replace(cfg, d_model=6, d_mlp=40), replace(cfg, d_mlp=8)):
            check_agrees(MLP, other, random_weights(other), random_tensor(2, 7, other.d_model))
    with line("agrees with the reference model in every layer"):
        for read, want, weights_there in recorded_mlps():
            check_value(MLP, reference().cfg, weights_there, read, want=want, tolerance=1e-4)
    with line("handles vectors of very large and very small norm"):
        for scale in (1e3, 1e-3):
            check_agrees(MLP, cfg, weights, vectors * scale)
    with line(f"passes gradients back to the weights, the biases and `{name}`"):
        check_gradients(MLP, cfg, weights, vectors)
        check_gradients(MLP, cfg, weights, random_tensor(6, cfg.n_ctx, cfg.d_model))


def recorded_mlps():
    """Input, output and weights of every MLP that TransformerLens recorded in the reference model."""
    model = reference()
    for layer in range(model.cfg.n_layers):
        weights = {part: model.weights[f"blocks.{layer}.mlp.{part}"] for part in ("W_in", "b_in", "W_out", "b_out")}
        read, wrote = (model.activations[f"blocks.{layer}.{hook}"] for hook in ("mlp.hook_in", "hook_mlp_out"))
        yield read, wrote, weights


gelu.equivalent(
    "0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))) → "
    "0.5 * (x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))))",
    "Halving is exact, whenever it is done.",
)

# gelu_new: right answers that look different


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


# gelu_new: wrong answers


def tanh_form(x: Tensor, cubic: float = CUBIC, root: float = ROOT) -> Tensor:
    """The tanh form with constants of its own."""
    return 0.5 * x * (1 + torch.tanh(root * (x + cubic * x**3)))


@gelu.misconception(
    "the exact GELU, with erf",
    "GPT-2 was trained with the tanh form, and the two differ by up to 0.0005: write the tanh out, or pass "
    '`approximate="tanh"` to `F.gelu`.',
)
def exact_gelu(x):
    return F.gelu(x)


@gelu.misconception("ReLU", "GELU is smooth: a negative number near 0 is let through in part, not cut to 0.")
def relu(x):
    return F.relu(x)


@gelu.misconception(
    "the sigmoid approximation `x * sigmoid(1.702 * x)`",
    "Hendrycks and Gimpel give that one too, but GPT-2 uses the one with tanh and x³.",
)
def quick_gelu(x):
    return x * torch.sigmoid(1.702 * x)


@gelu.also("the sigmoid approximation `x * sigmoid(1.702 * x)`")
def quick_gelu_of_two_digits(x):
    return x * torch.sigmoid(1.7 * x)


@gelu.misconception(
    "an erf whose √2 is missing or misplaced",
    "Φ(x) is 0.5 · (1 + erf(x / √2)). But GPT-2 has no erf: it takes the formula with tanh and x³.",
)
def erf_of_x(x):
    return 0.5 * x * (1 + torch.erf(x))


@gelu.also("an erf whose √2 is missing or misplaced")
def erf_of_half_of_x(x):
    return 0.5 * x * (1 + torch.erf(x / 2))


@gelu.also("an erf whose √2 is missing or misplaced")
def erf_of_root_two_times_x(x):
    return 0.5 * x * (1 + torch.erf(x * math.sqrt(2)))


@gelu.misconception("Mish, `x * tanh(softplus(x))`", "Mish has a tanh too, but of another sum: GELU's has x and x³.")
def mish(x):
    return F.mish(x)


@gelu.misconception("SiLU, `x * sigmoid(x)`", "Llama's MLP uses SiLU; GPT-2's GELU has a tanh and x³ inside.")
def silu(x):
    return F.silu(x)


@gelu.misconception(
    "hard swish, `x * relu6(x + 3) / 6`",
    "That is MobileNet's cheap copy of SiLU, with two kinks; GELU is smooth, and made with a tanh.",
)
def hard_swish(x):
    return F.hardswish(x)


@gelu.misconception(
    "`x` in place of its cube", "The small term is 0.044715 times x to the third power: `0.044715 * x**3`."
)
def cube_forgotten(x):
    return 0.5 * x * (1 + torch.tanh(ROOT * (x + CUBIC * x)))


@gelu.misconception("the square in place of the cube", "It is `x**3`; a square would treat −x and x alike.")
def square(x):
    return 0.5 * x * (1 + torch.tanh(ROOT * (x + CUBIC * x**2)))


@gelu.misconception("a tanh without the cubic term", "Add `0.044715 * x**3` to the x inside the tanh.")
def no_cubic_term(x):
    return tanh_form(x, cubic=0.0)


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


@gelu.misconception(
    "a factor of the cube that is not quite 0.044715", "Read it digit by digit: zero point 0 4 4 7 1 5."
)
def two_digits_swapped(x):
    return tanh_form(x, cubic=0.044175)


@gelu.also("a factor of the cube that is not quite 0.044715")
def other_two_digits_swapped(x):
    return tanh_form(x, cubic=0.047415)


@gelu.also("a factor of the cube that is not quite 0.044715")
def last_digits_swapped(x):
    return tanh_form(x, cubic=0.044751)


@gelu.also("a factor of the cube that is not quite 0.044715")
def a_digit_lost(x):
    return tanh_form(x, cubic=0.04715)


@gelu.also("a factor of the cube that is not quite 0.044715")
def last_two_digits_lost(x):
    return tanh_form(x, cubic=0.0447)


@gelu.also("a factor of the cube that is not quite 0.044715")
def last_digit_lost(x):
    return tanh_form(x, cubic=0.04471)


@gelu.also("a factor of the cube that is not quite 0.044715")
def last_digit_rounded(x):
    return tanh_form(x, cubic=0.04472)


@gelu.also("a factor of the cube that is not quite 0.044715")
def two_digits_kept(x):
    return tanh_form(x, cubic=0.045)


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


@gelu.also("a rounded √(2/π)")
def root_of_three_digits(x):
    return tanh_form(x, root=0.798)


@gelu.also("a rounded √(2/π)")
def root_of_four_digits(x):
    return tanh_form(x, root=0.7979)


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


@gelu.also("√(2/π) times `x` before all else")
def root_in_front(x):
    return 0.5 * ROOT * x * (1 + torch.tanh(x + CUBIC * x**3))


@gelu.misconception(
    "the root of the whole product",
    "Only 2/π is under the root: `math.sqrt(2 / math.pi) * (...)`. The root of a negative number is NaN.",
)
def root_of_everything(x):
    return 0.5 * x * (1 + torch.tanh(torch.sqrt(2 / math.pi * (x + CUBIC * x**3))))


@gelu.misconception("the tanh of x alone", "The tanh is taken of √(2/π) times (x + 0.044715 x³), not of x.")
def tanh_of_x(x):
    return 0.5 * x * (1 + torch.tanh(x))


@gelu.misconception("the cubic term outside the tanh", "`0.044715 * x**3` is added to x before the tanh is taken.")
def cube_outside(x):
    return 0.5 * x * (1 + torch.tanh(ROOT * x) + CUBIC * x**3)


@gelu.also("the cubic term outside the tanh")
def cube_outside_with_root(x):
    return 0.5 * x * (1 + torch.tanh(ROOT * x) + ROOT * CUBIC * x**3)


@gelu.also("the cubic term outside the tanh")
def cube_after_the_tanh_of_x(x):
    return 0.5 * x * (1 + ROOT * (torch.tanh(x) + CUBIC * x**3))


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


@gelu.misconception(
    "a 2 in place of the 0.5",
    "1 + tanh runs from 0 to 2 already: multiply by 0.5, or divide by 2, to bring it to 0 to 1.",
)
def doubled(x):
    return 4 * tanh_form(x)


@gelu.misconception(
    "the 0.5 inside the tanh",
    "The half is for the gate, after the tanh: `0.5 * x * (1 + tanh(...))`.",
)
def half_inside(x):
    return x * (1 + torch.tanh(0.5 * ROOT * (x + CUBIC * x**3)))


@gelu.misconception("the gate without the x that it opens for", "The gate runs from 0 to 1; multiply it by x.")
def gate_alone(x):
    return 0.5 * (1 + torch.tanh(ROOT * (x + CUBIC * x**3)))


@gelu.also("the gate without the x that it opens for")
def gate_alone_no_half(x):
    return 1 + torch.tanh(ROOT * (x + CUBIC * x**3))


@gelu.misconception("a gate without the 1", "tanh runs from −1 to 1. Add 1, so that the gate runs from 0: `1 + tanh`.")
def one_forgotten(x):
    return 0.5 * x * torch.tanh(ROOT * (x + CUBIC * x**3))


@gelu.also("a gate without the 1")
def one_and_half_forgotten(x):
    return x * torch.tanh(ROOT * (x + CUBIC * x**3))


@gelu.misconception("the 1 and the tanh without brackets", "`0.5 * x` multiplies the sum: `0.5 * x * (1 + tanh(...))`.")
def brackets_round_the_gate_missing(x):
    return 0.5 * x * 1 + torch.tanh(ROOT * (x + CUBIC * x**3))


@gelu.misconception("`0.5 * x` times the 1 alone", "The x multiplies the tanh as well: `0.5 * x * (1 + tanh(...))`.")
def half_of_the_one_alone(x):
    return 0.5 * x + 0.5 * torch.tanh(ROOT * (x + CUBIC * x**3))


@gelu.misconception("`1 - tanh` in place of `1 + tanh`", "The gate opens for large x: 1 + tanh.")
def minus_tanh(x):
    return 0.5 * x * (1 - torch.tanh(ROOT * (x + CUBIC * x**3)))


@gelu.misconception(
    "a sigmoid in place of the tanh",
    "1 + tanh(z) is 2 · sigmoid(2z), not 1 + sigmoid(z): take `torch.tanh`.",
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


@gelu.misconception(
    "sin, cos, tan or atan in place of tanh", "It is the *hyperbolic* tangent, and no inverse: `torch.tanh`."
)
def tan_for_tanh(x):
    return 0.5 * x * (1 + torch.tan(ROOT * (x + CUBIC * x**3)))


for angle in (torch.sin, torch.cos, torch.atan):
    gelu.also("sin, cos, tan or atan in place of tanh")(
        lambda x, angle=angle: 0.5 * x * (1 + angle(ROOT * (x + CUBIC * x**3)))
    )


@gelu.misconception(
    "sinh, cosh or an inverse in place of tanh", "Only tanh stays between −1 and 1: `torch.tanh`, as written."
)
def atanh_for_tanh(x):
    return 0.5 * x * (1 + torch.atanh(ROOT * (x + CUBIC * x**3)))


for hyperbolic in (torch.sinh, torch.cosh, torch.asinh):
    gelu.also("sinh, cosh or an inverse in place of tanh")(
        lambda x, hyperbolic=hyperbolic: 0.5 * x * (1 + hyperbolic(ROOT * (x + CUBIC * x**3)))
    )


@gelu.misconception(
    "a tanh made of `exp`, which overflows", "Past 89 `exp` is infinite in float32, and ∞/∞ is NaN: use `torch.tanh`."
)
def tanh_by_exp(x):
    z = ROOT * (x + CUBIC * x**3)
    return 0.5 * x * (1 + (z.exp() - (-z).exp()) / (z.exp() + (-z).exp()))


@gelu.also("a tanh made of `exp`, which overflows")
def tanh_by_exp_of_twice(x):
    z = 2 * ROOT * (x + CUBIC * x**3)
    return 0.5 * x * (1 + (z.exp() - 1) / (z.exp() + 1))


@gelu.misconception("a gate without its tanh", "The tanh bounds the gate between 0 and 1: `1 + torch.tanh(...)`.")
def tanh_left_out(x):
    return 0.5 * x * (1 + ROOT * (x + CUBIC * x**3))


@gelu.misconception(
    "half of `x`: a gate that neither opens nor closes",
    "Multiply `0.5 * x` by `1 + torch.tanh(...)`, of something that is not 0 (`2 // math.pi`, with two slashes, is).",
)
def half_of_x(x):
    return 0.5 * x


@gelu.misconception(
    "three times x, or 3 to the power x, in place of the cube", "The cube of x is `x**3`, or `x.pow(3)`."
)
def three_times_x(x):
    return 0.5 * x * (1 + torch.tanh(ROOT * (x + CUBIC * (x * 3))))


@gelu.also("three times x, or 3 to the power x, in place of the cube")
def three_to_the_x(x):
    return 0.5 * x * (1 + torch.tanh(ROOT * (x + CUBIC * 3**x)))


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


@gelu.misconception("the cubic term alone in the tanh", "x itself comes first: `x + 0.044715 * x**3`.")
def cubic_term_alone(x):
    return 0.5 * x * (1 + torch.tanh(ROOT * (CUBIC * x**3)))


@gelu.misconception("`(x + 0.044715) * x**3`", "0.044715 multiplies the cube alone: `x + 0.044715 * x**3`.")
def factor_added_to_x(x):
    return 0.5 * x * (1 + torch.tanh(ROOT * (x + CUBIC) * x**3))


@gelu.misconception("a constant in place of the cubic term", "0.044715 multiplies x³: `x + 0.044715 * x**3`.")
def constant_for_the_cube(x):
    return 0.5 * x * (1 + torch.tanh(ROOT * (x + CUBIC)))


@gelu.also("a constant in place of the cubic term")
def constant_of_three(x):
    return 0.5 * x * (1 + torch.tanh(ROOT * (x + CUBIC * 3)))


@gelu.misconception(
    "a product in place of the sum inside the tanh",
    "The two terms are added: `x + 0.044715 * x**3`, with a plus behind the first x.",
)
def terms_multiplied(x):
    return 0.5 * x * (1 + torch.tanh(ROOT * (x * CUBIC * x**3)))


@gelu.misconception(
    "a sum inside the tanh that starts with 1, not x",
    "It is `x + 0.044715 * x**3`; taken out of the brackets, the x must stand in front: `x * (1 + 0.044715 * x**2)`.",
)
def one_for_x(x):
    return 0.5 * x * (1 + torch.tanh(ROOT * (1 + CUBIC * x**3)))


@gelu.also("a sum inside the tanh that starts with 1, not x")
def x_taken_out_and_lost(x):
    return 0.5 * x * (1 + torch.tanh(ROOT * (1 + CUBIC * x**2)))


@gelu.misconception(
    "√(2/π) added instead of multiplied", "√(2/π) is a factor of the sum: `math.sqrt(2 / math.pi) * (...)`."
)
def root_added(x):
    return 0.5 * x * (1 + torch.tanh(ROOT + (x + CUBIC * x**3)))


@gelu.misconception("2/√π in place of √(2/π)", "The 2 stands under the root as well: `math.sqrt(2 / math.pi)`.")
def root_of_pi_alone(x):
    return tanh_form(x, root=2 / math.sqrt(math.pi))


@gelu.misconception("√2 in place of √(2/π)", "The 2 is divided by π under the root: `math.sqrt(2 / math.pi)`.")
def root_of_two(x):
    return tanh_form(x, root=math.sqrt(2))


@gelu.misconception("√π in place of √(2/π)", "Under the root stands 2 divided by π: `math.sqrt(2 / math.pi)`.")
def root_of_pi(x):
    return tanh_form(x, root=math.sqrt(math.pi))


@gelu.misconception("the 1 inside the tanh", "The 1 is added after the tanh: `1 + torch.tanh(...)`.")
def one_inside(x):
    return 0.5 * x * torch.tanh(1 + ROOT * (x + CUBIC * x**3))


@gelu.misconception(
    "`torch.sqrt` of a plain number", "`torch.sqrt` takes a tensor; for the number 2/π write `math.sqrt(2 / math.pi)`."
)
def torch_root_of_a_number(x):
    return 0.5 * x * (1 + torch.tanh(torch.sqrt(2 / math.pi) * (x + CUBIC * x**3)))  # pyright: ignore


@gelu.misconception(
    "a tanh of the constant alone",
    "The brackets of `torch.tanh` close too early: `torch.tanh(math.sqrt(2 / math.pi) * (...))`.",
)
def tanh_of_the_constant(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi)) * (x + CUBIC * x**3))  # pyright: ignore


@gelu.misconception("`x` as it came", "Return what you computed: 0.5 x (1 + tanh(...)).")
def as_it_came(x):
    return x


@gelu.misconception("the tanh itself", "GELU is x times a gate; tanh alone stops at 1.")
def tanh_alone(x):
    return torch.tanh(x)


@gelu.also("the tanh itself")
def tanh_alone_of_the_sum(x):
    return torch.tanh(ROOT * (x + CUBIC * x**3))


@gelu.misconception(
    "a sigmoid alone",
    "A sigmoid is a gate, which lets a share of x through: multiply x by it. And GPT-2's gate is made with a tanh.",
)
def sigmoid_alone(x):
    return torch.sigmoid(x)


@gelu.also("a sigmoid alone")
def sigmoid_alone_of_quick_gelu(x):
    return torch.sigmoid(1.702 * x)


@gelu.misconception("softplus", "Softplus is smooth too, but 0.69 at 0, where GELU is 0.")
def softplus(x):
    return F.softplus(x)


@gelu.misconception("ELU", "GELU and ELU differ below 0: ELU runs to −1, GELU comes back to 0.")
def elu(x):
    return F.elu(x)


@gelu.misconception("a leaky ReLU", "GELU has no kink at 0, and returns to 0 for very negative x.")
def leaky_relu(x):
    return F.leaky_relu(x)


@gelu.misconception("writing into `x`", "`+=`, `*=` and `x.pow_(3)` change the caller's tensor: make a new one.")
def in_place(x):
    answer = tanh_form(x)
    x *= 0.5
    return answer


@gelu.also("writing into `x`")
def answer_in_place(x):
    return x.copy_(tanh_form(x))


@gelu.also("writing into `x`")
def cubed_in_place(x):
    return 0.5 * x * (1 + torch.tanh(ROOT * (x + CUBIC * x.pow_(3))))


@gelu.also("writing into `x`")
def halved_in_place(x):
    return x.mul_(0.5) * (1 + torch.tanh(ROOT * (x + CUBIC * x**3)))


# MLP: right answers that look different


class GivenMLP(nn.Module):
    """The class that the chapter gives, for those who write more than a forward."""

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_in = nn.Parameter(cfg.init_range * torch.randn(cfg.d_model, cfg.d_mlp))
        self.b_in = nn.Parameter(torch.zeros(cfg.d_mlp))
        self.W_out = nn.Parameter(cfg.init_range * torch.randn(cfg.d_mlp, cfg.d_model))
        self.b_out = nn.Parameter(torch.zeros(cfg.d_model))


def pre_of(self, normalized_resid_mid: Tensor) -> Tensor:
    """What the neurons read."""
    return normalized_resid_mid @ self.W_in + self.b_in


def active(x: Tensor) -> Tensor:
    """GPT-2's GELU."""
    return F.gelu(x, approximate="tanh")


@mlp.correct
class ByEinsum(GivenMLP):
    def forward(self, normalized_resid_mid):
        pre = einops.einsum(normalized_resid_mid, self.W_in, "b p m, m h -> b p h") + self.b_in
        return einops.einsum(active(pre), self.W_out, "b p h, h m -> b p m") + self.b_out


@mlp.correct
def by_linear(self, normalized_resid_mid):
    pre = F.linear(normalized_resid_mid, self.W_in.T, self.b_in)
    return F.linear(active(pre), self.W_out.T, self.b_out)


@mlp.correct
def as_rows_by_addmm(self, normalized_resid_mid):
    rows = normalized_resid_mid.flatten(0, 1)
    answer = torch.addmm(self.b_out, active(torch.addmm(self.b_in, rows, self.W_in)), self.W_out)
    return answer.view_as(normalized_resid_mid)


@mlp.correct
def neuron_by_neuron(self, normalized_resid_mid):
    answer = self.b_out.expand_as(normalized_resid_mid)
    for key, offset, value in zip(self.W_in.T, self.b_in, self.W_out, strict=True):
        answer = answer + active(normalized_resid_mid @ key + offset)[..., None] * value
    return answer


@mlp.correct
def sentence_by_sentence(self, normalized_resid_mid):
    return torch.stack([tanh_form(pre_of(self, rows)) @ self.W_out + self.b_out for rows in normalized_resid_mid])


@mlp.correct
def mlp_in_double_precision(self, normalized_resid_mid):
    pre = normalized_resid_mid.double() @ self.W_in.double() + self.b_in
    return (active(pre) @ self.W_out.double() + self.b_out).float()


# MLP: wrong answers


@mlp.misconception(
    "multiplying `pre` by `W_out` where `post` is meant",
    "`W_out` has to read what GELU made of `pre`: `post = gelu_new(pre)`, then `post @ self.W_out`.",
)
def pre_for_post(self, normalized_resid_mid):
    return pre_of(self, normalized_resid_mid) @ self.W_out + self.b_out


@mlp.misconception(
    "the exact GELU, with erf", 'Call your `gelu_new`. `F.gelu` is the exact form unless told `approximate="tanh"`.'
)
def with_exact_gelu(self, normalized_resid_mid):
    return F.gelu(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out


@mlp.misconception("ReLU between the two layers", "GPT-2 has GELU there: call `gelu_new`.")
def with_relu(self, normalized_resid_mid):
    return F.relu(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out


@mlp.misconception("the sigmoid approximation of GELU", "GPT-2's form has a tanh: call `gelu_new`.")
def with_quick_gelu(self, normalized_resid_mid):
    return quick_gelu(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out


@mlp.misconception("SiLU between the two layers", "That is Llama's MLP; in GPT-2 call `gelu_new`.")
def with_silu(self, normalized_resid_mid):
    return F.silu(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out


@mlp.misconception("a tanh between the two layers", "The tanh is only a part of GELU: call `gelu_new`.")
def with_tanh(self, normalized_resid_mid):
    return torch.tanh(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out


@mlp.misconception("a sigmoid between the two layers", "GELU is pre *times* such a gate: call `gelu_new`.")
def with_sigmoid(self, normalized_resid_mid):
    return torch.sigmoid(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out


@mlp.misconception("a softmax over the neurons", "Neurons do not compete: each `pre` goes through `gelu_new` alone.")
def with_softmax(self, normalized_resid_mid):
    return pre_of(self, normalized_resid_mid).softmax(dim=-1) @ self.W_out + self.b_out


@mlp.misconception(
    "another bend than GELU between the two layers",
    "It is GPT-2's MLP only with `gelu_new(pre)` there.",
)
def with_leaky_relu(self, normalized_resid_mid):
    return F.leaky_relu(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out


for bend in (
    F.elu,
    F.selu,
    F.softplus,
    F.mish,
    F.hardswish,
    F.relu6,
    torch.abs,
    torch.exp,
    torch.square,
    lambda pre: F.relu(pre).square(),
    lambda pre: F.leaky_relu(pre, 0.1),
    lambda pre: F.leaky_relu(pre, 0.2),
):
    mlp.also("another bend than GELU between the two layers")(
        lambda self, normalized_resid_mid, bend=bend: bend(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out
    )


@mlp.misconception(
    "a gated MLP, `pre` times its own GELU", "GPT-2's MLP has no gate of its own: `gelu_new(pre)` alone."
)
def gated(self, normalized_resid_mid):
    pre = pre_of(self, normalized_resid_mid)
    return (pre * active(pre)) @ self.W_out + self.b_out


@mlp.misconception(
    "a GELU without the cube", "Your `gelu_new` lacks `0.044715 * x**3`: make it pass its own test first."
)
def with_cube_forgotten(self, normalized_resid_mid):
    return tanh_form(pre_of(self, normalized_resid_mid), cubic=0.0) @ self.W_out + self.b_out


@mlp.misconception(
    "a GELU with a slip in its formula",
    "The layers are right, the bend is not: let `test_gelu_new` judge your `gelu_new`, which names such slips. If GELU "
    "is written out in `forward`, call `gelu_new(pre)` there.",
)
def with_half_forgotten(self, normalized_resid_mid):
    return half_forgotten(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out


for slip in (
    half_twice,
    one_forgotten,
    gate_alone,
    brackets_round_the_gate_missing,
    half_of_the_one_alone,
    minus_tanh,
    cube_forgotten,
    square,
    three_times_x,
    cube_without_factor,
    factor_cubed,
    sum_cubed,
    factor_tenfold,
    factor_tenth,
    cube_subtracted,
    no_root,
    root_forgotten,
    root_of_two_alone,
    root_upside_down,
    root_of_the_product,
    density_at_zero,
    root_of_the_exact_form,
    rounded_root,
    root_on_x_alone,
    root_on_the_cube_alone,
    root_outside,
    tanh_of_x,
    sigmoid_for_tanh,
    sigmoid_without_two,
    erf_for_tanh,
    erf_of_x,
):
    mlp.also("a GELU with a slip in its formula")(
        lambda self, normalized_resid_mid, slip=slip: slip(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out
    )


@mlp.misconception(
    "`b_in` left out", "Add it before the GELU: `gelu_new(normalized_resid_mid @ self.W_in + self.b_in)`."
)
def no_b_in(self, normalized_resid_mid):
    return active(normalized_resid_mid @ self.W_in) @ self.W_out + self.b_out


@mlp.misconception("`b_out` left out", "Add it at the end: `post @ self.W_out + self.b_out`.")
def no_b_out(self, normalized_resid_mid):
    return active(pre_of(self, normalized_resid_mid)) @ self.W_out


@mlp.misconception("both biases left out", "Add `self.b_in` after `W_in` and `self.b_out` after `W_out`.")
def no_biases(self, normalized_resid_mid):
    return active(normalized_resid_mid @ self.W_in) @ self.W_out


@mlp.misconception(
    "adding `b_in` after the GELU",
    "`b_in` belongs to `pre`, which is complete before GELU sees it.",
)
def b_in_after_gelu(self, normalized_resid_mid):
    return (active(normalized_resid_mid @ self.W_in) + self.b_in) @ self.W_out + self.b_out


@mlp.misconception("subtracting `b_in`", "Biases are added: `normalized_resid_mid @ self.W_in + self.b_in`.")
def b_in_subtracted(self, normalized_resid_mid):
    return active(normalized_resid_mid @ self.W_in - self.b_in) @ self.W_out + self.b_out


@mlp.misconception("subtracting `b_out`", "Biases are added: `post @ self.W_out + self.b_out`.")
def b_out_subtracted(self, normalized_resid_mid):
    return active(pre_of(self, normalized_resid_mid)) @ self.W_out - self.b_out


@mlp.misconception("adding a bias twice", "Once is enough: F.linear and addmm add the bias that they are given.")
def b_out_twice(self, normalized_resid_mid):
    return active(pre_of(self, normalized_resid_mid)) @ self.W_out + 2 * self.b_out


@mlp.also("adding a bias twice")
def b_in_twice(self, normalized_resid_mid):
    return active(pre_of(self, normalized_resid_mid) + self.b_in) @ self.W_out + self.b_out


@mlp.misconception(
    "d_model numbers lined up with d_mlp numbers",
    "`b_in` (d_mlp numbers) belongs behind `W_in`, `b_out` (d_model numbers) behind `W_out`, and the products are `@`, "
    "not `*`.",
)
def biases_swapped(self, normalized_resid_mid):
    pre = normalized_resid_mid @ self.W_in + self.b_out
    return active(pre) @ self.W_out + self.b_in


@mlp.also("d_model numbers lined up with d_mlp numbers")
def b_in_for_b_out(self, normalized_resid_mid):
    return active(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_in


@mlp.misconception(
    "`b_out` added once for each neuron",
    "What the neurons write is added up first; `b_out` comes on top once: outside the loop or the sum.",
)
def b_out_for_each_neuron(self, normalized_resid_mid):
    return active(pre_of(self, normalized_resid_mid)) @ self.W_out + self.cfg.d_mlp * self.b_out


@mlp.misconception(
    "adding the input to the answer",
    "The block adds to the stream. The MLP returns only what it writes.",
)
def residual_added(self, normalized_resid_mid):
    return normalized_resid_mid + active(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out


@mlp.misconception(
    "normalising the input once more", "`normalized_resid_mid` has been through `ln2` already: read it as it is."
)
def normalised_again(self, normalized_resid_mid):
    normalised = F.layer_norm(normalized_resid_mid, normalized_resid_mid.shape[-1:])
    return active(pre_of(self, normalised)) @ self.W_out + self.b_out


@mlp.misconception(
    "a GELU on the answer as well",
    "There is one GELU, between the layers. The answer may be negative, and goes out as it is.",
)
def gelu_on_the_answer(self, normalized_resid_mid):
    return active(active(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out)


@mlp.misconception("a GELU on the answer alone", "GELU stands between the layers: on `pre`, not on what goes out.")
def gelu_on_the_answer_alone(self, normalized_resid_mid):
    return active(pre_of(self, normalized_resid_mid) @ self.W_out + self.b_out)


@mlp.also("a GELU on the answer alone")
def gelu_before_b_out(self, normalized_resid_mid):
    return active(pre_of(self, normalized_resid_mid) @ self.W_out) + self.b_out


@mlp.misconception("a GELU on the input", "First widen, then GELU: it is applied to `pre`, which has d_mlp numbers.")
def gelu_on_the_input(self, normalized_resid_mid):
    return pre_of(self, active(normalized_resid_mid)) @ self.W_out + self.b_out


@mlp.also("a GELU on the input")
def gelu_on_the_input_too(self, normalized_resid_mid):
    return active(pre_of(self, active(normalized_resid_mid))) @ self.W_out + self.b_out


@mlp.misconception(
    "a GELU on the weights",
    "What bends is `pre`, the numbers that the neurons have read: `gelu_new(x @ W_in + b_in)`.",
)
def gelu_on_w_in(self, normalized_resid_mid):
    return (normalized_resid_mid @ active(self.W_in) + self.b_in) @ self.W_out + self.b_out


@mlp.also("a GELU on the weights")
def gelu_on_w_out(self, normalized_resid_mid):
    return pre_of(self, normalized_resid_mid) @ active(self.W_out) + self.b_out


@mlp.misconception("GELU applied twice", "Once is enough: `post` has been through it when `W_out` reads it.")
def gelu_twice(self, normalized_resid_mid):
    return active(active(pre_of(self, normalized_resid_mid))) @ self.W_out + self.b_out


@mlp.misconception(
    "`W_in` again in place of `W_out`",
    "`W_in.T` fits by its shape, but what a neuron writes is its own row of `W_out`.",
)
def tied(self, normalized_resid_mid):
    return active(pre_of(self, normalized_resid_mid)) @ self.W_in.T + self.b_out


@mlp.misconception(
    "`W_out` in place of `W_in`",
    "`W_out.T` fits by its shape, but what a neuron reads is its own column of `W_in`. (Made by "
    "`nn.Parameter(self.W_in.data.T)`, the two would be one matrix in memory.)",
)
def tied_the_other_way(self, normalized_resid_mid):
    return active(normalized_resid_mid @ self.W_out.T + self.b_in) @ self.W_out + self.b_out


@mlp.misconception(
    "`W_in` and `W_out` in swapped roles",
    "`W_in` [d_model d_mlp] comes first, `W_out` [d_mlp d_model] second; no `.T`.",
)
def swapped_weights(self, normalized_resid_mid):
    return active(normalized_resid_mid @ self.W_out.T + self.b_in) @ self.W_in.T + self.b_out


@mlp.misconception(
    "`W_in` transposed, or `W_out` in its place",
    "The stream's d_model numbers meet a matrix that begins with d_mlp. `W_in` fits as it is: "
    "`normalized_resid_mid @ self.W_in` (F.linear transposes by itself: hand it `self.W_in.T`).",
)
def w_in_transposed(self, normalized_resid_mid):
    return active(normalized_resid_mid @ self.W_in.T + self.b_in) @ self.W_out + self.b_out


@mlp.also("`W_in` transposed, or `W_out` in its place")
def w_out_first(self, normalized_resid_mid):
    return active(normalized_resid_mid @ self.W_out + self.b_in) @ self.W_out + self.b_out


@mlp.also("`W_in` transposed, or `W_out` in its place")
def both_transposed(self, normalized_resid_mid):
    return active(normalized_resid_mid @ self.W_in.T + self.b_in) @ self.W_out.T + self.b_out


@mlp.misconception(
    "`W_out` transposed, or `W_in` in its place",
    "`post` has d_mlp numbers, and this matrix begins with d_model. `W_out` fits as it is: `post @ self.W_out` "
    "(F.linear transposes by itself: hand it `self.W_out.T`).",
)
def w_out_transposed(self, normalized_resid_mid):
    return active(pre_of(self, normalized_resid_mid)) @ self.W_out.T + self.b_out


@mlp.also("`W_out` transposed, or `W_in` in its place")
def w_in_again(self, normalized_resid_mid):
    return active(pre_of(self, normalized_resid_mid)) @ self.W_in + self.b_out


@mlp.misconception(
    "the matrix on the left of its vectors",
    "The stream comes first, `normalized_resid_mid @ self.W_in`: [pos in] [in out].",
)
def matrix_first(self, normalized_resid_mid):
    return active(self.W_in @ normalized_resid_mid + self.b_in) @ self.W_out + self.b_out


@mlp.misconception(
    "weights reshaped where they fit as they are",
    "`view` and `reshape` cut rows anew and mix the numbers up. `W_in` and `W_out` fit as they are: `x @ self.W_in`.",
)
def both_reshaped(self, normalized_resid_mid):
    key, value = self.W_in.view(self.cfg.d_mlp, -1), self.W_out.view(-1, self.cfg.d_mlp)
    return F.linear(active(F.linear(normalized_resid_mid, key, self.b_in)), value, self.b_out)


@mlp.also("weights reshaped where they fit as they are")
def w_in_reshaped(self, normalized_resid_mid):
    key = self.W_in.view(self.cfg.d_mlp, -1)
    return active(F.linear(normalized_resid_mid, key, self.b_in)) @ self.W_out + self.b_out


@mlp.also("weights reshaped where they fit as they are")
def w_out_reshaped(self, normalized_resid_mid):
    value = self.W_out.view(-1, self.cfg.d_mlp)
    return F.linear(active(pre_of(self, normalized_resid_mid)), value, self.b_out)


@mlp.misconception(
    "dividing by the root of a size", "Nothing is scaled here; that belongs to attention's scores, with √d_head."
)
def scaled(self, normalized_resid_mid):
    return active(pre_of(self, normalized_resid_mid)) @ self.W_out / math.sqrt(self.cfg.d_mlp) + self.b_out


@mlp.also("dividing by the root of a size")
def pre_scaled_by_d_model(self, normalized_resid_mid):
    scaled_pre = normalized_resid_mid @ self.W_in / math.sqrt(self.cfg.d_model) + self.b_in
    return active(scaled_pre) @ self.W_out + self.b_out


@mlp.misconception(
    "a mean in place of a sum",
    "A matrix product adds up, as `@` does: no `mean`, and no division by d_model or d_mlp.",
)
def keys_averaged(self, normalized_resid_mid):
    pre = normalized_resid_mid @ self.W_in / self.cfg.d_model + self.b_in
    return active(pre) @ self.W_out + self.b_out


@mlp.also("a mean in place of a sum")
def values_averaged(self, normalized_resid_mid):
    return active(pre_of(self, normalized_resid_mid)) @ self.W_out / self.cfg.d_mlp + self.b_out


@mlp.also("a mean in place of a sum")
def both_averaged(self, normalized_resid_mid):
    pre = normalized_resid_mid @ self.W_in / self.cfg.d_model + self.b_in
    return active(pre) @ self.W_out / self.cfg.d_mlp + self.b_out


@mlp.misconception(
    "some of the neurons left out",
    "All d_mlp neurons write: look for a slice such as `[:-1]`, or a loop that starts late or ends early.",
)
def last_neuron_left_out(self, normalized_resid_mid):
    post = active(pre_of(self, normalized_resid_mid))
    return post[..., :-1] @ self.W_out[:-1] + self.b_out


@mlp.also("some of the neurons left out")
def first_neuron_left_out(self, normalized_resid_mid):
    post = active(pre_of(self, normalized_resid_mid))
    return post[..., 1:] @ self.W_out[1:] + self.b_out


@mlp.also("some of the neurons left out")
def only_d_model_neurons(self, normalized_resid_mid):
    post, many = active(pre_of(self, normalized_resid_mid)), self.cfg.d_model
    return post[..., :many] @ self.W_out[:many] + self.b_out


@mlp.also("some of the neurons left out")
def half_of_the_neurons(self, normalized_resid_mid):
    post, many = active(pre_of(self, normalized_resid_mid)), self.cfg.d_mlp // 2
    return post[..., :many] @ self.W_out[:many] + self.b_out


@mlp.also("some of the neurons left out")
def last_neuron_alone(self, normalized_resid_mid):
    post = active(pre_of(self, normalized_resid_mid))
    return post[..., -1:] @ self.W_out[-1:] + self.b_out


@mlp.misconception(
    "the positions mixed by a mean", "Each position is read alone: no mean or sum over `pos` or `batch` is needed."
)
def mixed_positions(self, normalized_resid_mid):
    return active(pre_of(self, normalized_resid_mid - normalized_resid_mid.mean(1, True))) @ self.W_out + self.b_out


@mlp.misconception(
    "one answer for the whole text",
    "Each position keeps an answer of its own: an einsum names `p` on its right side too.",
)
def summed_positions(self, normalized_resid_mid):
    return torch.einsum("bpm,md->bd", active(pre_of(self, normalized_resid_mid)), self.W_out) + self.b_out


@mlp.also("one answer for the whole text")
def mean_of_the_positions(self, normalized_resid_mid):
    return (active(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out).mean(dim=1)


@mlp.misconception(
    "a dropout that is left on", "Dropout makes each call differ. GPT-2's is off when it reads; leave it out here."
)
def with_dropout(self, normalized_resid_mid):
    return F.dropout(active(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out, 0.1)


@mlp.misconception("`post` itself", "`post` still has d_mlp numbers: bring it back with `W_out` and `b_out`.")
def not_brought_back(self, normalized_resid_mid):
    return active(pre_of(self, normalized_resid_mid))


@mlp.misconception(
    "an answer cut out of the graph",
    "No MLP could be trained so: no torch.no_grad(), no detach() and no `.data` on it.",
)
def answer_detached(self, normalized_resid_mid):
    return (active(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out).detach()


@mlp.misconception(
    "weights cut out of the graph",
    "Write `self.W_in` and `self.W_out` without `.data` and detach(): training must reach them.",
)
def weights_detached(self, normalized_resid_mid):
    pre = normalized_resid_mid @ self.W_in.detach() + self.b_in
    return active(pre) @ self.W_out.detach() + self.b_out


@mlp.also("weights cut out of the graph")
def all_parameters_detached(self, normalized_resid_mid):
    pre = normalized_resid_mid @ self.W_in.detach() + self.b_in.detach()
    return active(pre) @ self.W_out.detach() + self.b_out.detach()


@mlp.misconception(
    "a `post` cut out of the graph",
    "Training must reach `W_in` and the stream through `post`: no detach() or no_grad() there.",
)
def post_detached(self, normalized_resid_mid):
    return active(pre_of(self, normalized_resid_mid)).detach() @ self.W_out + self.b_out


@mlp.misconception("the input as it came", "Return what the second layer gives: `post @ self.W_out + self.b_out`.")
def returned_as_it_came(self, normalized_resid_mid):
    return normalized_resid_mid


@mlp.misconception(
    "writing into the input", "`+=` on `normalized_resid_mid` changes the caller's tensor: make a new one."
)
def mlp_in_place(self, normalized_resid_mid):
    answer = active(pre_of(self, normalized_resid_mid)) @ self.W_out + self.b_out
    normalized_resid_mid += answer
    return answer


@mlp.misconception(
    "layers kept inside nn.Linear",
    "Its parameters have other names, and its weight is [out in]: make `W_in`, `b_in`, `W_out` and `b_out` yourself.",
)
class InsideNnLinear(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.c_fc = nn.Linear(cfg.d_model, cfg.d_mlp)
        self.c_proj = nn.Linear(cfg.d_mlp, cfg.d_model)


@mlp.misconception(
    "weights the other way round, as nn.Linear keeps them", "Here `W_in` is [d_model d_mlp]: in, then out."
)
class OutInWeights(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.W_in = nn.Parameter(cfg.init_range * torch.randn(cfg.d_mlp, cfg.d_model))
        self.b_in = nn.Parameter(torch.zeros(cfg.d_mlp))
        self.W_out = nn.Parameter(cfg.init_range * torch.randn(cfg.d_model, cfg.d_mlp))
        self.b_out = nn.Parameter(torch.zeros(cfg.d_model))


@mlp.misconception(
    "`4 * d_model` neurons whatever the config says",
    "The width is `cfg.d_mlp`; four times d_model is only its usual value.",
)
class FourTimesWide(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.W_in = nn.Parameter(cfg.init_range * torch.randn(cfg.d_model, 4 * cfg.d_model))
        self.b_in = nn.Parameter(torch.zeros(4 * cfg.d_model))
        self.W_out = nn.Parameter(cfg.init_range * torch.randn(4 * cfg.d_model, cfg.d_model))
        self.b_out = nn.Parameter(torch.zeros(cfg.d_model))


@mlp.misconception(
    "no parameters `b_in` and `b_out`",
    "Both layers have a bias that learns, an nn.Parameter and no buffer or plain tensor: `b_in` with d_mlp zeros, "
    "`b_out` with d_model zeros.",
)
class WithoutBiases(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.W_in = nn.Parameter(cfg.init_range * torch.randn(cfg.d_model, cfg.d_mlp))
        self.W_out = nn.Parameter(cfg.init_range * torch.randn(cfg.d_mlp, cfg.d_model))


@mlp.misconception(
    "biases in swapped sizes", "`b_in` is added to `pre`, so it has d_mlp numbers; `b_out` to the answer, so d_model."
)
class SwappedBiases(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.W_in = nn.Parameter(cfg.init_range * torch.randn(cfg.d_model, cfg.d_mlp))
        self.b_in = nn.Parameter(torch.zeros(cfg.d_model))
        self.W_out = nn.Parameter(cfg.init_range * torch.randn(cfg.d_mlp, cfg.d_model))
        self.b_out = nn.Parameter(torch.zeros(cfg.d_mlp))


@mlp.also("normalising the input once more")
class WithLayerNorm(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        for name, parameter in solution.MLP(cfg).named_parameters():
            self.register_parameter(name, parameter)
        self.ln = nn.LayerNorm(cfg.d_model)


@mlp.misconception(
    "weights with spread 1", "Multiply by `cfg.init_range`, or use `nn.init.normal_(w, std=cfg.init_range)`."
)
class SpreadOne(solution.MLP):
    def __init__(self, cfg):
        super().__init__(replace(cfg, init_range=1.0))


@mlp.misconception("weights that start at 0", "With zeros no neuron ever starts: draw `W_in` and `W_out` at random.")
class StartsAtZero(solution.MLP):
    def __init__(self, cfg):
        super().__init__(replace(cfg, init_range=0.0))


@mlp.also("weights that start at 0")
class WritesZero(solution.MLP):
    def __init__(self, cfg):
        super().__init__(cfg)
        nn.init.zeros_(self.W_out)


@mlp.misconception(
    "a `W_out` that starts smaller, by √(2 · n_layers)",
    "nanoGPT starts it so, after the GPT-2 paper. Here both matrices start alike, with `std=cfg.init_range`.",
)
class ScaledDown(solution.MLP):
    def __init__(self, cfg):
        super().__init__(cfg)
        nn.init.normal_(self.W_out, std=cfg.init_range / math.sqrt(2 * cfg.n_layers))


@mlp.misconception(
    "a spread wider than `cfg.init_range`, such as nn.Linear's or Xavier's",
    "GPT-2 starts smaller: `nn.init.normal_(w, std=cfg.init_range)`.",
)
class Xavier(solution.MLP):
    def __init__(self, cfg):
        super().__init__(cfg)
        nn.init.xavier_normal_(self.W_in)
        nn.init.xavier_normal_(self.W_out)


for spread in (nn.init.kaiming_normal_, lambda table: nn.init.kaiming_uniform_(table, a=math.sqrt(5))):

    @mlp.also("a spread wider than `cfg.init_range`, such as nn.Linear's or Xavier's")
    class OtherSpread(solution.MLP):
        def __init__(self, cfg, spread=spread):
            super().__init__(cfg)
            spread(self.W_in)
            spread(self.W_out)


@mlp.misconception("biases that start at random", "Only the matrices are drawn: `b_in` and `b_out` start at 0.")
class RandomBiases(solution.MLP):
    def __init__(self, cfg):
        super().__init__(cfg)
        for bias in (self.b_in, self.b_out):
            nn.init.normal_(bias, std=cfg.init_range)


@mlp.also("biases that start at random")
class RandomOutputBias(solution.MLP):
    def __init__(self, cfg):
        super().__init__(cfg)
        nn.init.normal_(self.b_out, std=cfg.init_range)
