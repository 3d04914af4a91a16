"""How AdamW goes wrong, and right answers that look different."""

from functools import partial

import torch

from tests.ch09_training import adamw
from tests.misconceptions.ch09_training._adamw import Base


@adamw.correct
class TorchsOwn(torch.optim.AdamW):
    def __init__(self, params, lr, betas, eps, weight_decay):
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)


@adamw.correct
class AnOptimiserOfTorchs(torch.optim.Optimizer):
    def __init__(self, params, lr, betas, eps, weight_decay):
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            (beta1, beta2), lr, eps = group["betas"], group["lr"], group["eps"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state.update(t=0, m=torch.zeros_like(p), v=torch.zeros_like(p))
                state["t"] += 1
                state["m"].lerp_(p.grad, 1 - beta1)
                state["v"].mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2)
                p.mul_(1 - lr * group["weight_decay"])
                root = state["v"].sqrt() / (1 - beta2 ** state["t"]) ** 0.5
                p.addcdiv_(state["m"], root.add_(eps), value=-lr / (1 - beta1 ** state["t"]))


@adamw.correct
class OneCounter:
    """One counter for all parameters, new tensors instead of changes in place, gradients zeroed and not forgotten."""

    def __init__(self, params, lr, betas, eps, weight_decay):
        self.params = [*params]
        self.lr, (self.b1, self.b2), self.eps, self.wd = lr, betas, eps, weight_decay
        self.m = [torch.zeros(p.shape) for p in self.params]
        self.v = [torch.zeros(p.shape) for p in self.params]
        self.t = 0

    def step(self):
        self.t = self.t + 1
        for i, p in enumerate(self.params):
            if p.grad is not None:
                g = p.grad
                self.m[i] = self.b1 * self.m[i] + (1 - self.b1) * g
                self.v[i] = self.b2 * self.v[i] + (1 - self.b2) * g * g
                m_hat = self.m[i] / (1 - self.b1**self.t)
                v_hat = self.v[i] / (1 - self.b2**self.t)
                update = m_hat / (torch.sqrt(v_hat) + self.eps) + self.wd * p.data
                p.data = p.data - self.lr * update

    def zero_grad(self):
        for p in self.params:
            if p.grad is not None:
                p.grad.zero_()


@adamw.correct
class StatesInADict:
    """Averages in float64 kept by the parameter's identity, correction by products of the betas, decay by itself."""

    def __init__(self, params, lr, betas, eps, weight_decay):
        self.params, self.lr, self.betas, self.eps, self.weight_decay = tuple(params), lr, betas, eps, weight_decay
        self.state = {}
        self.products = [1.0, 1.0]

    def step(self):
        self.products = [product * beta for product, beta in zip(self.products, self.betas, strict=True)]
        with torch.no_grad():
            for parameter in self.params:
                if parameter.grad is None:
                    continue
                gradient = parameter.grad.double()
                averages = self.state.setdefault(id(parameter), [0.0, 0.0])
                for place, (beta, sample) in enumerate(zip(self.betas, (gradient, gradient.square()), strict=True)):
                    averages[place] = averages[place] + (1 - beta) * (sample - averages[place])
                mean, square = (
                    average / (1 - product) for average, product in zip(averages, self.products, strict=True)
                )
                shrunk = parameter.double() - self.lr * self.weight_decay * parameter.double()
                parameter.copy_(shrunk - self.lr * mean / (square**0.5 + self.eps))

    def zero_grad(self):
        for parameter in self.params:
            parameter.grad = None


SAME_SHAPES = "The averages are as many as the parameters, with the same shapes."
adamw.equivalent("self.params → self.means", SAME_SHAPES)
adamw.equivalent("self.params → self.squares", SAME_SHAPES)
BOTH_START_AT_0 = "Which of the two lists an average is kept in makes no difference: both start as zeros."
for changed in (
    "mean, square = (self.means[index], self.squares[index]) → square, mean = (self.means[index], self.squares[index])",
    "(self.means[index], self.squares[index]) → (self.squares[index], self.means[index])",
):
    adamw.equivalent(changed, BOTH_START_AT_0)
for changed in (
    "self.lr * unbiased_mean / (unbiased_square.sqrt() + self.eps) → "
    "self.lr / (unbiased_square.sqrt() + self.eps) * unbiased_mean",
    "self.lr * unbiased_mean / (unbiased_square.sqrt() + self.eps) → "
    "self.lr * (unbiased_mean / (unbiased_square.sqrt() + self.eps))",
):
    adamw.equivalent(changed, "The same product in another order.")


# Wrong answers.


# The averages.

wrong, also = partial(adamw.misconception, of=Base), partial(adamw.also, of=Base)
wrong(
    "averages without bias correction",
    "Both averages begin at 0 and are too small at first: divide the mean by `1 - beta1**steps`, the mean square by "
    "`1 - beta2**steps`.",
    "(1 - beta**self.steps for beta in self.betas) → 1, 1",
)
wrong(
    "a mean of the gradients without bias correction",
    "Divide the mean too by `1 - beta1**steps`: after one step it is only `1 - beta1` of the gradient.",
    " / for_mean → ",
)
wrong(
    "a mean of the squares without bias correction",
    "Divide the mean square too by `1 - beta2**steps`: at first it is far too small, and so the step too large.",
    " / for_square → ",
)
wrong(
    "one beta in both corrections",
    "The mean square is divided by `1 - beta2**steps`, the mean by `1 - beta1**steps`.",
    "for beta in self.betas → for beta in self.betas[:1] * 2",
)
wrong(
    "a correction that stays that of the first step",
    "It is `1 - beta**steps`: count the steps, `self.steps += 1` in each, and raise beta to that power.",
    "beta**self.steps → beta",
)
wrong(
    "beta times the steps, not to their power",
    "It is `1 - beta**steps`, with two stars: a power, not a product.",
    "beta**self.steps → beta * self.steps",
)
wrong(
    "a power of the whole difference",
    "Only beta is raised to the power: `1 - beta**steps`, not `(1 - beta) ** steps`.",
    "1 - beta**self.steps → (1 - beta) ** self.steps",
)
wrong(
    "multiplying by the bias corrections",
    "Divide by `1 - beta**steps`, because the averages are too small.",
    "1 - beta**self.steps → 1 / (1 - beta**self.steps)",
)
wrong(
    "a bias correction kept in the averages",
    "Divide into new tensors: the averages themselves go on uncorrected, or each step corrects them once more.",
    (
        "means[index] / for_mean → means[index].div_(for_mean)",
        "squares[index] / for_square → squares[index].div_(for_square)",
    ),
    "means[index] / for_mean → means[index].div_(for_mean)",
    "squares[index] / for_square → squares[index].div_(for_square)",
)
wrong(
    "steps counted from 0",
    "Count the step first, `self.steps += 1`: with 0 steps `1 - beta**steps` is 0, and nothing can be divided by it.",
    "**self.steps → ** (self.steps - 1)",
)
wrong(
    "steps counted one too many",
    "In the first step the corrections are `1 - beta1` and `1 - beta2`: count once a step, from 1.",
    "**self.steps → ** (self.steps + 1)",
)
wrong(
    "a step counted once for each parameter",
    "Each parameter gets the correction of a different step: count once in each step, before the loop over the "
    "parameters (or keep a counter for each).",
    "self.average(index, gradient) → self.steps += index > 0; self.average(index, gradient)",
    ("self.steps += 1 → pass", "self.average(index, gradient) → self.steps += 1; self.average(index, gradient)"),
)
also("a correction that stays that of the first step", "self.steps += 1 → self.steps = 1")
wrong(
    "the betas swapped",
    "The first beta is that of the gradients, the second that of their squares.",
    " = lr, betas →  = lr, betas[::-1]",
)
wrong(
    "a new gradient that counts for `beta`, not `1 - beta`",
    "The average keeps `beta` of itself and takes in `1 - beta` of what is new: `beta1 * mean + (1 - beta1) * grad`.",
    (
        "mul_(beta1).add_((1 - beta1) → mul_(1 - beta1).add_(beta1",
        "mul_(beta2).add_((1 - beta2) → mul_(1 - beta2).add_(beta2",
    ),
)
wrong(
    "gradients that are added up whole",
    "An average takes in only a part: `(1 - beta1) * grad`, and `(1 - beta2) * grad**2`.",
    ("(1 - beta1) * gradient → gradient", "(1 - beta2) * gradient → gradient"),
)
wrong(
    "a mean of the gradients that is summed up",
    "The mean takes in `(1 - beta1) * grad`; added whole, as in SGD's momentum, it is too large.",
    "(1 - beta1) * gradient → gradient",
)
wrong(
    "no mean of the gradients",
    "The step goes along the average of the gradients, not along the last one.",
    "self.means[index] / for_mean → self.params[index].grad",
)
wrong(
    "the gradient in place of its square",
    "The second average is of `grad**2`; of the gradients alone it can be negative, and its root NaN.",
    "gradient**2 → gradient",
)
wrong(
    "the gradient's size in place of its square",
    "The second average is of `grad**2`, and its root is taken afterwards. An average of `grad.abs()` is another "
    "number: it lets a single large gradient count less.",
    ("gradient**2 → gradient.abs()", "square.sqrt() → square"),
    "gradient**2 → gradient.abs()",
)
wrong(
    "squares of the averaged gradient in place of the gradient's own",
    "Square each gradient before it is averaged: `(1 - beta2) * grad**2`.",
    "gradient**2 → self.means[index] ** 2",
)
wrong(
    "one mean square for a whole parameter",
    "Each number has a mean square of its own: `grad**2` is averaged over the steps, and not over the parameter.",
    "gradient**2 → gradient.pow(2).mean()",
)


@adamw.misconception(
    "averages that parameters of one shape share",
    "Parameters of one shape have one average here: make a new tensor for each parameter, `[torch.zeros_like(p) for p "
    "in self.params]`.",
)
class SharedByShape(Base):
    def __init__(self, params, lr, betas, eps, weight_decay):
        super().__init__(params, lr, betas, eps, weight_decay)
        for averages in (self.means, self.squares):
            by_shape = {}
            averages[:] = [by_shape.setdefault(average.shape, average) for average in averages]


wrong(
    "one list for both averages",
    "The means and the mean squares are different tensors: make two lists, each with tensors of its own.",
    "self.squares = [torch.zeros_like(parameter) for parameter in self.params] → self.squares = self.means",
)
wrong(
    "averages that are forgotten after each step",
    "They live as long as the optimiser: make them in `__init__`, and only change them in `step`.",
    (
        "self.means[index].mul_ → self.means[index].zero_().mul_",
        "self.squares[index].mul_ → self.squares[index].zero_().mul_",
    ),
)


# The step.


wrong(
    "eps inside the square root",
    "Adam adds eps after the root, unlike LayerNorm: `mean / (square.sqrt() + eps)`.",
    "(square.sqrt() + self.eps) → (square + self.eps).sqrt()",
)
wrong(
    "eps added before the bias correction",
    "Correct the mean square first, take its root, then add eps.",
    "self.divided(self.means[index] / for_mean, self.squares[index] / for_square) → "
    "self.means[index] / for_mean / ((self.squares[index].sqrt() + self.eps) / for_square**0.5)",
)
wrong(
    "a divisor without `self.eps`",
    "Add `self.eps` to the root, which keeps a step from dividing by nearly 0.",
    " + self.eps → ",
    "+ self.eps → + 1e-8",
)
wrong(
    "eps as the smallest divisor",
    "eps is added to the root everywhere: `square.sqrt() + eps`.",
    "(square.sqrt() + self.eps) → square.sqrt().clamp(min=self.eps)",
)
wrong(
    "a square root forgotten", "Divide by the root of the mean square: `square.sqrt() + eps`.", "square.sqrt() → square"
)
wrong(
    "no division by the root",
    "Divide the mean by `square.sqrt() + eps`: that is what Adam adds to momentum.",
    " / (square.sqrt() + self.eps) → ",
)
wrong("multiplying by the root", "Divide the mean by the root plus eps.", "mean / (square → mean * (square")
wrong("a step uphill", "The loss falls against the gradient: subtract the step.", "parameter.sub_ → parameter.add_")
wrong("a step that is not times `lr`", "Multiply the step by `self.lr`.", "self.lr * self.update → self.update")
wrong(
    "the first learning rate kept",
    "Read `self.lr` in `step`: a schedule changes it from step to step.",
    'self.steps += 1 → self.steps += 1; self.lr = self.first = getattr(self, "first", self.lr)',
    (
        "self.steps = 0 → self.steps, self.shrinking = 0, 1 - lr * weight_decay",
        "1 - self.lr * self.weight_decay → self.shrinking",
    ),
)
wrong(
    "parameters that no step moves",
    "A step changes the parameter itself, by `parameter.sub_(...)` or `parameter -= ...`: `parameter = parameter "
    "- ...` only gives the name to a new tensor. And no gradient may be forgotten before it is used.",
    (
        "self.decay(parameter) → parameter = parameter * (1 - self.lr * self.weight_decay)",
        "parameter.sub_(self.lr * self.update(index)) → parameter = parameter - self.lr * self.update(index)",
    ),
)
wrong(
    "a step that only makes a new tensor",
    "The decay changes the parameter itself, the step does not: `parameter = parameter - ...` only gives the name to a "
    "new tensor. Write `parameter.sub_(...)` or `parameter -= ...` there too.",
    "parameter.sub_(self.lr * self.update(index)) → parameter = parameter - self.lr * self.update(index)",
)


# The decay.


wrong(
    "decay added to the gradient (that is Adam with L2)",
    "AdamW shrinks the parameter itself, by `1 - lr * weight_decay`; the averages see the gradient alone.",
    (
        "self.average(index, gradient) → self.average(index, gradient + self.weight_decay * parameter)",
        "self.decay(parameter) → pass",
    ),
    (
        "self.average(index, gradient) → self.average(index, gradient.add_(self.weight_decay * parameter))",
        "self.decay(parameter) → pass",
    ),
)
wrong(
    "decay that is not times `lr`",
    "Shrink by `1 - lr * weight_decay`: decay is a part of the step, and shrinks with it.",
    "1 - self.lr * self → 1 - self",
)
wrong(
    "decay after the step",
    "Shrink the parameter first, then take the step (or take both off the parameter as it was): the step itself does "
    "not decay.",
    ("self.decay(parameter) → pass", "self.update(index)) → self.update(index)); self.decay(parameter)"),
)
wrong(
    "no weight decay",
    "Multiply each parameter that has a gradient by `1 - lr * weight_decay`.",
    "self.decay(parameter) → pass",
)
wrong(
    "decay that lets parameters grow", "Multiply by `1 - lr * weight_decay`, with a minus.", "1 - self.lr → 1 + self.lr"
)
wrong(
    "decay divided by the root as well",
    "Only the mean is divided by the root: take `lr * weight_decay * parameter` off by itself.",
    ("self.decay(parameter) → pass", "/ for_mean → / for_mean + self.weight_decay * self.params[index]"),
)
wrong(
    "decay of parameters that have no gradient",
    "A parameter without a gradient stays as it is, but here it shrinks: leave it out of the whole step.",
    "pass → self.decay(parameter)",
)


@adamw.misconception(
    "the largest mean square so far (AMSGrad)",
    "AdamW divides by the root of the mean square as it is now, which may fall again: keep no maximum.",
)
class AMSGrad(Base):
    def update(self, index):
        for_mean, for_square = self.corrections()
        self.largest = getattr(self, "largest", {})
        self.largest[index] = torch.maximum(self.largest.get(index, torch.zeros(())), self.squares[index])
        return self.divided(self.means[index] / for_mean, self.largest[index] / for_square)


@adamw.also("the largest mean square so far (AMSGrad)")
class AMSGradOfTheCorrected(Base):
    def update(self, index):
        for_mean, for_square = self.corrections()
        self.largest = getattr(self, "largest", {})
        corrected = self.squares[index] / for_square
        self.largest[index] = torch.maximum(self.largest.get(index, torch.zeros(())), corrected)
        return self.divided(self.means[index] / for_mean, self.largest[index])


wrong(
    "a step for a parameter that has no gradient",
    "Its `grad` is None, and nothing can be computed with that: `if parameter.grad is None: continue`, before anything "
    "is changed.",
    "pass → self.move(index, parameter, parameter.grad)",
    (
        "pass → self.move(index, parameter, parameter.grad)",
        "add_((1 - beta1) * gradient) → add_(gradient, alpha=1 - beta1)",
        "add_((1 - beta2) * gradient**2) → addcmul_(gradient, gradient, value=1 - beta2)",
    ),
)
wrong(
    "a fixed weight decay",
    "Use the `weight_decay` that the optimiser was made with.",
    "self.lr * self.weight_decay → self.lr * 0.01",
)
wrong(
    "no decay of parameters with one axis",
    "Whoever makes the optimiser chooses what decays: here every parameter does.",
    "self.decay(parameter) → parameter.ndim > 1 and self.decay(parameter)",
)


# Manners.


@adamw.misconception(
    "parameters that can be read only once",
    "`model.parameters()` gives each parameter once: keep `list(params)`, and go through that.",
)
class KeepsTheGenerator(Base):
    def __init__(self, params, lr, betas, eps, weight_decay):
        super().__init__([], lr, betas, eps, weight_decay)
        self.params, self.averages = params, {}

    @torch.no_grad()
    def step(self):
        self.steps += 1
        for index, parameter in enumerate(self.params):
            self.means.append(torch.zeros_like(parameter))
            self.squares.append(torch.zeros_like(parameter))
            if parameter.grad is not None:
                self.move(index, parameter, parameter.grad)


wrong(
    "a generator that is used up in `__init__`",
    "A generator gives each parameter once, and the first loop over it takes them all: begin with "
    "`self.params = list(params)`, and go through that.",
    "self.steps = 0 → self.steps, self.params = 0, params",
)
also("parameters that no step moves", "self.steps += 1 → self.zero_grad()")
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
wrong(
    "a parameter without a gradient that ends the loop",
    "The parameters after one without a gradient stay as they are: leave that one out, and go on with the next, as "
    "`continue` does.",
    "self.without_gradient(index, parameter) → break",
)
wrong(
    "a gradient that is changed on the way",
    "The gradient has other numbers after the step. `+=`, `*=` and operations that end in `_` write into it: make "
    "a new tensor, `parameter.grad**2`.",
    "gradient**2 → gradient.pow_(2)",
    (
        "self.means[index].mul_(beta1).add_((1 - beta1) * gradient) → pass",
        "gradient**2) → gradient**2); self.means[index].mul_(beta1).add_(gradient.mul_(1 - beta1))",
    ),
)
