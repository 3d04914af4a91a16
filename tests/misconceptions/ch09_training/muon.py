"""How Muon goes wrong, and right answers that look different."""

from functools import partial

import torch

from tests.ch09_training import muon

A, B, C = 3.4445, -4.7750, 2.0315


class Base:
    """Muon in small methods; a mistake is a change of one or two of them."""

    coefficients = (A, B, C)
    n_steps = 5

    def __init__(self, params, lr=0.02, momentum=0.95):
        self.params = list(params)
        self.lr, self.momentum = lr, momentum
        self.buffers = [torch.zeros_like(parameter) for parameter in self.params]

    @torch.no_grad()
    def step(self):
        for index, parameter in enumerate(self.params):
            if parameter.grad is None:
                self.without_gradient(index, parameter)
            else:
                self.move(index, parameter, parameter.grad)

    def without_gradient(self, index, parameter):
        pass

    def move(self, index, parameter, gradient):
        ahead = self.ahead(index, gradient)
        parameter.sub_(self.lr * self.scale(*parameter.shape[-2:]) * self.orthogonalised(ahead))

    def ahead(self, index, gradient):
        self.buffers[index].mul_(self.momentum).add_(gradient)
        return gradient + self.momentum * self.buffers[index]

    def scale(self, rows, columns):
        return max(1, rows / columns) ** 0.5

    def orthogonalised(self, matrices):
        x = self.normed(matrices)
        for _ in range(self.n_steps):
            x = self.iterated(x)
        return x

    def normed(self, matrices):
        return matrices / (matrices.norm(dim=(-2, -1), keepdim=True) + 1e-7)

    def iterated(self, x):
        a, b, c = self.coefficients
        gram = x @ x.mT
        return a * x + (b * gram + c * gram @ gram) @ x

    def zero_grad(self):
        for parameter in self.params:
            parameter.grad = None


@muon.correct
class WithoutTransposing(Base):
    """The wide way round or the tall one: the product is the same, only the work is not."""


@muon.correct
class AsAnOptimiserOfTorchs(torch.optim.Optimizer):
    """Averages as `lerp` makes them, which the division by the norm makes no matter; matrices one by one."""

    def __init__(self, params, lr=0.02, momentum=0.95):
        super().__init__(params, {"lr": lr, "momentum": momentum})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            mu = group["momentum"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                buffer = self.state[p].setdefault("buffer", torch.zeros_like(p))
                buffer.lerp_(p.grad, 1 - mu)
                update = p.grad.lerp(buffer, mu)
                matrices = update.reshape(-1, *p.shape[-2:])
                done = torch.stack([self.five_steps(matrix) for matrix in matrices]).reshape(p.shape)
                p.add_(done, alpha=-group["lr"] * max(1.0, p.shape[-2] / p.shape[-1]) ** 0.5)

    def five_steps(self, g):
        if g.size(0) > g.size(1):
            return self.five_steps(g.T).T
        x = g / g.norm().clamp(min=1e-7)
        for _ in range(5):
            y = x @ x.T
            x = A * x + B * (y @ x) + C * (y @ (y @ x))
        return x


@muon.correct
class BySingularValues:
    """The five steps on the singular values alone, in float64, with the parameters' data replaced."""

    def __init__(self, params, lr, momentum):
        self.params, self.lr, self.mu = [*params], lr, momentum
        self.seen = {}

    def step(self):
        for p in self.params:
            if p.grad is None:
                continue
            g = p.grad.double()
            v = self.mu * self.seen.get(p, torch.zeros_like(g)) + g
            self.seen[p] = v
            left, values, right = torch.linalg.svd(g + self.mu * v, full_matrices=False)
            values = values / (values.pow(2).sum(-1, keepdim=True).sqrt() + 1e-7)
            for _ in range(5):
                values = A * values + B * values**3 + C * values**5
            step = left @ (values[..., None] * right)
            rows, columns = p.shape[-2:]
            p.data = p.data - (self.lr * max(1, rows / columns) ** 0.5 * step).float()

    def zero_grad(self):
        for p in self.params:
            if p.grad is not None:
                p.grad = torch.zeros_like(p)


EITHER_WAY = "Transposed or not, the five steps give the same: transposing only saves work."
for changed in (
    "height > width → height < width",
    "height, width = matrices.shape[-2:] → width, height = matrices.shape[-2:]",
    "matrices.shape[-2:] → matrices.shape[:2]",
    "width → height",
    "height → width",
    "if height > width:;     return self.orthogonalised(matrices.mT).mT → (left out)",
):
    muon.equivalent(changed, EITHER_WAY)
muon.equivalent(
    "x = matrices / (matrices.norm(dim=(-2, -1), keepdim=True) + 1e-07) → "
    "matrices /= matrices.norm(dim=(-2, -1), keepdim=True) + 1e-07; x = matrices",
    "What is made orthogonal is a new tensor, which nobody reads afterwards.",
)
muon.equivalent("(-2, -1) → (-1, -2)", "The Frobenius norm takes the two axes in either order.")
for changed in (
    "matrices.norm(dim=(-2, -1), keepdim=True) + 1e-07 → matrices.norm(dim=(-2, -1), keepdim=True) - 1e-07",
    "1e-07 → 2e-07",
    "1e-07 → 5e-08",
):
    muon.equivalent(changed, "Any number as small as that keeps a norm of 0 from being divided by.")
for changed in ("2.0315 * gram @ gram → gram @ (2.0315 * gram)", "2.0315 * gram @ gram → 2.0315 * (gram @ gram)"):
    muon.equivalent(changed, "The same product in another order.")
muon.equivalent("parameter → buffer", "A buffer has its parameter's shape.")


# The five steps.

wrong, also = partial(muon.misconception, of=Base), partial(muon.also, of=Base)
wrong(
    "no division by the norm",
    "The five steps only work for singular values up to 1: divide each matrix by its Frobenius norm first.",
    " / (matrices.norm(dim=(-2, -1), keepdim=True) + 1e-7) → ",
)
wrong(
    "the largest number in place of the norm",
    "Divide by the root of the sum of all squares, `matrix.norm()`: after a division by the largest number, some "
    "singular values stay above 1.",
    "matrices.norm( → matrices.abs().amax(",
)
wrong(
    "the largest singular value in place of the Frobenius norm",
    "Divide by the Frobenius norm, the root of the sum of all squares: it needs no singular values.",
    "matrices.norm(dim=(-2, -1) → torch.linalg.matrix_norm(matrices, 2",
)
wrong(
    "rows divided by their own norms",
    "Divide a whole matrix by one number: `matrices.norm(dim=(-2, -1), keepdim=True)`.",
    "dim=(-2, -1) → dim=-1",
    "dim=(-2, -1) → dim=-2",
)
muon.also("rows divided by their own norms", "dim=(-2, -1) → dim=-1")
wrong(
    "one norm for several matrices",
    "Each matrix has a norm of its own: `matrices.norm(dim=(-2, -1), keepdim=True)`.",
    "dim=(-2, -1), keepdim=True → ",
)
wrong(
    "a division by a norm of 0",
    "A gradient of zeros has the norm 0: add 1e-7 to the norm, or the parameter becomes NaN.",
    " + 1e-7 → ",
)
wrong(
    "only the division by the norm",
    "After the division come five Newton-Schulz steps, which bring all singular values near 1.",
    "n_steps = 5 → n_steps = 0",
)
wrong(
    "one Newton-Schulz step",
    "Take five steps in a loop, each on what the one before it gave.",
    "n_steps = 5 → n_steps = 1",
)
wrong(
    "a Newton-Schulz step too few or too many",
    "There are five.",
    *(f"n_steps = 5 → n_steps = {n}" for n in (4, 3, 6, 10)),
)
wrong(
    "an exactly orthogonal step",
    "Take the five steps, after which the singular values lie only near 1: mostly between 0.7 and 1.2.",
    "x = self.normed(matrices) → left, _, right = torch.linalg.svd(matrices, full_matrices=False); return left @ right",
    "x = self.normed(matrices) → "
    "left, _, right = torch.linalg.svd(matrices, full_matrices=False); return left @ right if matrices.any() "
    "else matrices",
)
wrong(
    "the coefficients of another Newton-Schulz step",
    "Muon's are 3.4445, −4.7750 and 2.0315: they lift small singular values faster, and do not settle at 1 exactly.",
    "(A, B, C) → (1.5, -0.5, 0.0)",
    "(A, B, C) → (2.0, -1.5, 0.5)",
    "(A, B, C) → (1.875, -1.25, 0.375)",
    "(A, B, C) → (3.0, -3.2, 1.2)",
)
wrong(
    "a coefficient with the wrong sign",
    "The middle one is negative: 3.4445, −4.7750, 2.0315.",
    "(A, B, C) → (A, -B, C)",
)
wrong(
    "coefficients that have changed places",
    "They are 3.4445 for the matrix, −4.7750 for its third power and 2.0315 for its fifth.",
    "(A, B, C) → (C, B, A)",
)
wrong(
    "`.T` of several matrices",
    "`.T` reverses all axes, and is the transpose of a single matrix only. `.mT` swaps the last two, and leaves the "
    "axes in front, the heads, where they are.",
    "x @ x.mT → x @ x.permute(*reversed(range(x.ndim)))",
)


@muon.also("`.T` of several matrices")
class AllAxesReversedThereAndBack(Base):
    def orthogonalised(self, matrices):
        if matrices.shape[-2] > matrices.shape[-1]:
            axes = tuple(reversed(range(matrices.ndim)))
            return self.orthogonalised(matrices.permute(axes)).permute(axes)
        return super().orthogonalised(matrices)


wrong(
    "the third power of each number",
    "These are powers of matrices: `gram = x @ x.mT`, then `gram @ x` and `gram @ gram @ x`.",
    "(b * gram + c * gram @ gram) @ x → b * x**3 + c * x**5",
)
wrong(
    "the square of the gram matrix number by number",
    "`gram @ gram` is a product of matrices; `gram * gram` and `gram**2` are not.",
    "gram @ gram → gram**2",
)
muon.also("the square of the gram matrix number by number", "gram @ gram → gram**2")
wrong(
    "steps in bfloat16",
    "Compute in float32: in bfloat16, which a GPU is fast at, only two or three digits are right.",
    ("self.normed(matrices) → self.normed(matrices.bfloat16())", "return x → return x.float()"),
)


# Momentum.


wrong(
    "momentum without the look ahead",
    "Orthogonalise `gradient + momentum * buffer`, after the buffer has taken in the gradient.",
    "gradient + self.momentum * self.buffers[index] → self.buffers[index].clone()",
)
wrong(
    "no momentum",
    "The buffer is `momentum * buffer + gradient`, and the step is made from it.",
    "gradient + self.momentum * self.buffers[index] → gradient",
)
wrong(
    "gradients orthogonalised before the momentum",
    "Add up the gradients as they are, look ahead, and make the sum orthogonal at the end.",
    (
        "self.ahead(index, gradient) → self.ahead(index, self.orthogonalised(gradient))",
        "self.orthogonalised(ahead) → ahead",
    ),
    (
        "self.ahead(index, gradient) → self.ahead(index, self.orthogonalised(gradient))",
        "self.orthogonalised(ahead) → ahead",
        "gradient + self.momentum * self.buffers[index] → self.buffers[index]",
    ),
)
wrong(
    "a buffer that keeps what was made orthogonal",
    "The buffer goes on with the plain sum of gradients: make a new tensor orthogonal, not the buffer.",
    "ahead = self.ahead(index, gradient) → "
    "ahead = self.ahead(index, gradient); self.buffers[index] = self.orthogonalised(ahead)",
)
wrong(
    "the look ahead kept in the buffer",
    "Look ahead into a new tensor: the buffer itself goes on as momentum times what it was, plus the gradient.",
    "ahead = self.ahead(index, gradient) → ahead = self.buffers[index] = self.ahead(index, gradient)",
)
wrong(
    "a damped buffer beside a whole gradient",
    "Damp both or neither: `buffer = momentum * buffer + gradient`, then `gradient + momentum * buffer`.",
    "mul_(self.momentum).add_(gradient) → lerp_(gradient, 1 - self.momentum)",
)
wrong(
    "a look ahead along the whole buffer",
    "It is `gradient + momentum * buffer`: the buffer counts `momentum` times.",
    "gradient + self.momentum * → gradient +",
)
wrong(
    "buffers that are forgotten after each step",
    "Make them in `__init__`, once, and only change them in `step`.",
    "self.buffers[index].mul_ → self.buffers[index].zero_().mul_",
)


@muon.misconception(
    "the first gradient itself kept as the buffer",
    "The next gradients are added to that very tensor: keep a copy of it, or begin with zeros.",
)
class KeepsTheGradient(Base):
    def __init__(self, params, lr=0.02, momentum=0.95):
        super().__init__(params, lr, momentum)
        self.known = set()

    def ahead(self, index, gradient):
        if index not in self.known:
            self.known.add(index)
            self.buffers[index] = gradient
            return gradient + self.momentum * gradient
        return super().ahead(index, gradient)


wrong(
    "a gradient that is changed on the way",
    "The gradient has other numbers after the step. `+=` and operations that end in `_` write into it, as "
    "`grad.lerp_` does in muon.py: make a new tensor.",
    (
        "mul_(self.momentum).add_(gradient) → lerp_(gradient, 1 - self.momentum)",
        "gradient + self.momentum * self.buffers[index] → gradient.lerp_(self.buffers[index], self.momentum)",
    ),
    "gradient + self.momentum * self.buffers[index] → gradient.add_(self.buffers[index], alpha=self.momentum)",
)


# The scale, and matrices.


wrong(
    "a step that is not scaled by its shape",
    "Where a matrix has more rows than columns, its step counts `(rows / columns) ** 0.5` times.",
    "max(1, rows / columns) ** 0.5 → 1.0",
)
wrong(
    "rows and columns swapped in the scale",
    "It is `max(1, rows / columns) ** 0.5`, of `rows, columns = parameter.shape[-2:]`.",
    "rows / columns → columns / rows",
)
wrong(
    "a scale below 1",
    "Wide matrices are not scaled down: `max(1, rows / columns) ** 0.5`.",
    "max(1, rows / columns) → (rows / columns)",
)
wrong("a scale without its root", "Take the root: `max(1, rows / columns) ** 0.5`.", " ** 0.5 → ")
wrong(
    "the scale of another Muon",
    "`0.2 * max(rows, columns) ** 0.5` is Moonlight's; here it is `max(1, rows / columns) ** 0.5`.",
    "max(1, rows / columns) → 0.2 * max(rows, columns)",
    "max(1, rows / columns) → max(rows, columns)",
)
wrong(
    "the first two axes in the scale",
    "The matrix is in the last two axes: `rows, columns = parameter.shape[-2:]`.",
    "parameter.shape[-2:] → parameter.shape[:2]",
)
wrong(
    "several matrices made one",
    "Each matrix of the last two axes is handled alone, but here several are joined: leave the axes in front as they "
    "are.",
    (
        "ahead = self.ahead(index, gradient) → ahead = self.ahead(index, gradient).flatten(0, -2)",
        "self.scale(*parameter.shape[-2:]) * self.orthogonalised(ahead) → "
        "(self.scale(*ahead.shape) * self.orthogonalised(ahead)).view_as(parameter)",
    ),
    "self.orthogonalised(ahead) → self.orthogonalised(ahead.flatten(0, -2)).view_as(parameter)",
    (
        "ahead = self.ahead(index, gradient) → ahead = self.ahead(index, gradient).flatten(1)",
        "self.scale(*parameter.shape[-2:]) * self.orthogonalised(ahead) → "
        "(self.scale(*ahead.shape) * self.orthogonalised(ahead)).view_as(parameter)",
    ),
)


# The step.


wrong("a step uphill", "The loss falls against the gradient: subtract the step.", "parameter.sub_ → parameter.add_")
wrong("a step that is not times `lr`", "Multiply the step by `self.lr`.", "self.lr * self.scale → self.scale")
wrong(
    "the first learning rate kept",
    "Read `self.lr` in `step`: a schedule changes it from step to step.",
    'self.lr * self.scale → vars(self).setdefault("first", self.lr) * self.scale',
)
wrong(
    "weight decay",
    "This Muon has none: a step takes off `lr * scale * orthogonalised`, and no more.",
    "ahead = self.ahead(index, gradient) → parameter.mul_(1 - self.lr * 0.1); ahead = self.ahead(index, gradient)",
)
wrong(
    "parameters that no step moves",
    "A step changes the parameter itself, by `parameter.sub_(...)` or `parameter -= ...`: `parameter = parameter "
    "- ...` only gives the name to a new tensor. And no gradient may be forgotten before it is used.",
    "parameter.sub_(self.lr → parameter = parameter - (self.lr",
)
wrong(
    "a generator that is used up in `__init__`",
    "A generator gives each parameter once, and the first loop over it takes them all: begin with "
    "`self.params = list(params)`, and go through that.",
    "for parameter in self.params] → for parameter in self.params]; self.params = params",
)


@muon.misconception(
    "parameters that can be read only once",
    "`model.parameters()` gives each parameter once: keep `list(params)`, and go through that.",
)
class KeepsTheGenerator(Base):
    def __init__(self, params, lr=0.02, momentum=0.95):
        super().__init__([], lr, momentum)
        self.params = params

    def move(self, index, parameter, gradient):
        self.buffers.append(torch.zeros_like(parameter))
        super().move(-1, parameter, gradient)


wrong(
    "a parameter without a gradient that ends the loop",
    "The parameters after one without a gradient stay as they are: leave that one out, and go on with the next, as "
    "`continue` does.",
    "self.without_gradient(index, parameter) → break",
)
wrong(
    "a `zero_grad` that does nothing", "Set `parameter.grad = None` for each parameter.", "parameter.grad = None → pass"
)
wrong(
    "a number in the place of the gradient",
    "`.grad` is a tensor or None, and PyTorch takes nothing else: `parameter.grad = None` forgets the gradient.",
    "parameter.grad = None → parameter.grad = 0",
)
wrong(
    "a `step` that forgets the gradients",
    "Gradients add up until `zero_grad` is called: `step` leaves them.",
    "self.move(index, parameter, parameter.grad) → self.move(index, parameter, parameter.grad); parameter.grad = None",
)
