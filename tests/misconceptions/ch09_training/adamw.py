"""How AdamW goes wrong, and right answers that look different."""

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


@adamw.misconception(
    "averages without bias correction",
    "Both begin at 0 and are too small at first: divide the mean by `1 - beta1**steps`, the mean square by "
    "`1 - beta2**steps`.",
)
class Uncorrected(Base):
    def corrections(self):
        return 1, 1


@adamw.misconception(
    "a mean of the gradients without bias correction",
    "Divide the mean too by `1 - beta1**steps`: after one step it is only `1 - beta1` of the gradient.",
)
class MeanUncorrected(Base):
    def corrections(self):
        return 1, 1 - self.betas[1] ** self.steps


@adamw.misconception(
    "a mean of the squares without bias correction",
    "Divide the mean square too by `1 - beta2**steps`: at first it is far too small, and so the step too large.",
)
class SquareUncorrected(Base):
    def corrections(self):
        return 1 - self.betas[0] ** self.steps, 1


@adamw.misconception(
    "one beta in both corrections", "The mean square is divided by `1 - beta2**steps`, the mean by `1 - beta1**steps`."
)
class OneBetaInBoth(Base):
    def corrections(self):
        return (1 - self.betas[0] ** self.steps,) * 2


@adamw.misconception(
    "a correction that stays that of the first step",
    "It is `1 - beta**steps`: count the steps, `self.steps += 1` in each, and raise beta to that power.",
)
class NoPower(Base):
    def corrections(self):
        return (1 - beta for beta in self.betas)


@adamw.misconception(
    "beta times the steps, not to their power", "It is `1 - beta**steps`, with two stars: a power, not a product."
)
class Product(Base):
    def corrections(self):
        return (1 - beta * self.steps for beta in self.betas)


@adamw.misconception(
    "a power of the whole difference", "Only beta has the power: `1 - beta**steps`, not `(1 - beta) ** steps`."
)
class WholePower(Base):
    def corrections(self):
        return ((1 - beta) ** self.steps for beta in self.betas)


@adamw.misconception("multiplying by the bias corrections", "Divide by `1 - beta**steps`: the averages are too small.")
class Multiplied(Base):
    def corrections(self):
        return (1 / (1 - beta**self.steps) for beta in self.betas)


@adamw.misconception(
    "a bias correction kept in the averages",
    "Divide into new tensors: the averages themselves go on uncorrected, or each step corrects them once more.",
)
class CorrectedInPlace(Base):
    def update(self, index):
        for_mean, for_square = self.corrections()
        self.means[index] /= for_mean
        self.squares[index] /= for_square
        return self.divided(self.means[index], self.squares[index])


@adamw.also("a bias correction kept in the averages")
class MeanCorrectedInPlace(Base):
    def update(self, index):
        for_mean, for_square = self.corrections()
        return self.divided(self.means[index].div_(for_mean), self.squares[index] / for_square)


@adamw.also("a bias correction kept in the averages")
class SquareCorrectedInPlace(Base):
    def update(self, index):
        for_mean, for_square = self.corrections()
        return self.divided(self.means[index] / for_mean, self.squares[index].div_(for_square))


@adamw.misconception(
    "steps counted from 0",
    "Count the step first, `self.steps += 1`: with 0 steps `1 - beta**steps` is 0, and nothing can be divided by it.",
)
class FromZero(Base):
    def corrections(self):
        return (1 - beta ** (self.steps - 1) for beta in self.betas)


@adamw.misconception(
    "steps counted one too many",
    "In the first step the corrections are `1 - beta1` and `1 - beta2`: count once a step, from 1.",
)
class OneTooMany(Base):
    def corrections(self):
        return (1 - beta ** (self.steps + 1) for beta in self.betas)


@adamw.misconception(
    "a step counted once for each parameter",
    "The parameters' corrections are of different steps: count once in each step, before the loop over the "
    "parameters (or keep a counter for each).",
)
class CountedInTheLoop(Base):
    def move(self, index, parameter, gradient):
        if index:
            self.steps += 1
        super().move(index, parameter, gradient)


@adamw.also("a step counted once for each parameter")
class CountedInTheLoopAlone(Base):
    def step(self):
        self.steps -= 1
        super().step()

    def move(self, index, parameter, gradient):
        self.steps += 1
        super().move(index, parameter, gradient)


@adamw.also("a correction that stays that of the first step")
class NeverCounted(Base):
    def step(self):
        self.steps = 0
        super().step()


@adamw.misconception("the betas swapped", "The first beta is that of the gradients, the second that of their squares.")
class Swapped(Base):
    def __init__(self, params, lr, betas, eps, weight_decay):
        super().__init__(params, lr, betas[::-1], eps, weight_decay)


@adamw.misconception(
    "a new gradient that counts for `beta`, not `1 - beta`",
    "The average keeps `beta` of itself and takes in `1 - beta` of what is new: `beta1 * mean + (1 - beta1) * grad`.",
)
class WeightsSwapped(Base):
    def average(self, index, gradient):
        beta1, beta2 = self.betas
        self.means[index].mul_(1 - beta1).add_(beta1 * gradient)
        self.squares[index].mul_(1 - beta2).add_(beta2 * gradient**2)


@adamw.misconception(
    "gradients that are added up whole",
    "An average takes in only a part: `(1 - beta1) * grad`, and `(1 - beta2) * grad**2`.",
)
class Summed(Base):
    def average(self, index, gradient):
        beta1, beta2 = self.betas
        self.means[index].mul_(beta1).add_(gradient)
        self.squares[index].mul_(beta2).add_(gradient**2)


@adamw.misconception(
    "a mean of the gradients that is summed up",
    "The mean takes in `(1 - beta1) * grad`; added whole, as in SGD's momentum, it is too large.",
)
class MeanSummed(Base):
    def average(self, index, gradient):
        beta1, beta2 = self.betas
        self.means[index].mul_(beta1).add_(gradient)
        self.squares[index].mul_(beta2).add_((1 - beta2) * gradient**2)


@adamw.misconception(
    "no mean of the gradients", "The step goes along the average of the gradients, not along the last one."
)
class NoMomentum(Base):
    def move(self, index, parameter, gradient):
        self.average(index, gradient)
        self.decay(parameter)
        _, for_square = self.corrections()
        parameter.sub_(self.lr * self.divided(gradient, self.squares[index] / for_square))


@adamw.misconception(
    "the gradient in place of its square",
    "The second average is of `grad**2`; of the gradients alone it can be negative, and its root NaN.",
)
class NotSquared(Base):
    def average(self, index, gradient):
        beta1, beta2 = self.betas
        self.means[index].mul_(beta1).add_((1 - beta1) * gradient)
        self.squares[index].mul_(beta2).add_((1 - beta2) * gradient)


@adamw.misconception(
    "the gradient's size in place of its square",
    "The second average is of `grad**2`, and its root is taken afterwards. An average of `grad.abs()` is another "
    "number: it lets a single large gradient count less.",
)
class Sizes(Base):
    def average(self, index, gradient):
        beta1, beta2 = self.betas
        self.means[index].mul_(beta1).add_((1 - beta1) * gradient)
        self.squares[index].mul_(beta2).add_((1 - beta2) * gradient.abs())

    def divided(self, mean, square):
        return mean / (square + self.eps)


@adamw.also("the gradient's size in place of its square")
class SizesAndTheirRoot(Sizes):
    def divided(self, mean, square):
        return mean / (square.sqrt() + self.eps)


@adamw.misconception(
    "squares of the averaged gradient in place of the gradient's own",
    "Square each gradient before it is averaged: `(1 - beta2) * grad**2`.",
)
class SquareOfTheAverage(Base):
    def average(self, index, gradient):
        beta1, beta2 = self.betas
        self.means[index].mul_(beta1).add_((1 - beta1) * gradient)
        self.squares[index].mul_(beta2).add_((1 - beta2) * self.means[index] ** 2)


@adamw.misconception(
    "one mean square for a whole parameter",
    "Each number has a mean square of its own: `grad**2` is averaged over the steps, and not over the parameter.",
)
class OneSquare(Base):
    def average(self, index, gradient):
        beta1, beta2 = self.betas
        self.means[index].mul_(beta1).add_((1 - beta1) * gradient)
        self.squares[index].mul_(beta2).add_((1 - beta2) * gradient.pow(2).mean())


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


@adamw.misconception(
    "one list for both averages",
    "The means and the mean squares are different tensors: make two lists, each with tensors of its own.",
)
class OneList(Base):
    def __init__(self, params, lr, betas, eps, weight_decay):
        super().__init__(params, lr, betas, eps, weight_decay)
        self.squares = self.means


@adamw.misconception(
    "averages that are forgotten after each step",
    "They live as long as the optimiser: make them in `__init__`, and only change them in `step`.",
)
class Forgetful(Base):
    def step(self):
        for average in (*self.means, *self.squares):
            average.zero_()
        super().step()


# The step.


@adamw.misconception(
    "eps inside the square root", "Adam adds eps after the root, unlike LayerNorm: `mean / (square.sqrt() + eps)`."
)
class EpsInside(Base):
    def divided(self, mean, square):
        return mean / (square + self.eps).sqrt()


@adamw.misconception(
    "eps added before the bias correction", "Correct the mean square first, take its root, then add eps."
)
class EpsBeforeCorrection(Base):
    def update(self, index):
        for_mean, for_square = self.corrections()
        return self.means[index] / for_mean / ((self.squares[index].sqrt() + self.eps) / for_square**0.5)


@adamw.misconception(
    "a divisor without eps", "Add `self.eps` to the root: it keeps a step from a division by nearly 0."
)
class NoEps(Base):
    def divided(self, mean, square):
        return mean / square.sqrt()


@adamw.also("a divisor without eps")
class TinyEps(Base):
    def divided(self, mean, square):
        return mean / (square.sqrt() + 1e-8)


@adamw.misconception(
    "eps in place of a smallest divisor", "eps is added to the root everywhere: `square.sqrt() + eps`."
)
class Clamped(Base):
    def divided(self, mean, square):
        return mean / square.sqrt().clamp(min=self.eps)


@adamw.misconception("a square root forgotten", "Divide by the root of the mean square: `square.sqrt() + eps`.")
class NoRoot(Base):
    def divided(self, mean, square):
        return mean / (square + self.eps)


@adamw.misconception(
    "no division by the root", "Divide the mean by `square.sqrt() + eps`: that is what Adam adds to momentum."
)
class NotDivided(Base):
    def divided(self, mean, square):
        return mean


@adamw.misconception("multiplying by the root", "Divide the mean by the root plus eps.")
class TimesTheRoot(Base):
    def divided(self, mean, square):
        return mean * (square.sqrt() + self.eps)


@adamw.misconception("a step uphill", "The loss falls against the gradient: subtract the step.")
class Uphill(Base):
    def divided(self, mean, square):
        return -super().divided(mean, square)


@adamw.misconception("a step that is not times `lr`", "Multiply the step by `self.lr`.")
class NoRate(Base):
    def move(self, index, parameter, gradient):
        self.average(index, gradient)
        self.decay(parameter)
        parameter.sub_(self.update(index))


@adamw.misconception(
    "the first learning rate kept", "Read `self.lr` in `step`: a schedule changes it from step to step."
)
class KeepsTheFirst(Base):
    def step(self):
        self.first = getattr(self, "first", self.lr)
        self.lr = self.first
        super().step()


@adamw.also("the first learning rate kept")
class DecaysByTheFirst(Base):
    def __init__(self, params, lr, *others, **settings):
        super().__init__(params, lr, *others, **settings)
        self.shrinking = 1 - lr * self.weight_decay

    def decay(self, parameter):
        parameter.mul_(self.shrinking)


@adamw.misconception(
    "parameters that no step moves",
    "A step changes the parameter itself, by `parameter.sub_(...)` or `parameter -= ...`: `parameter = parameter "
    "- ...` only gives the name to a new tensor. And no gradient may be forgotten before it is used.",
)
class Rebinding(Base):
    def move(self, index, parameter, gradient):
        self.average(index, gradient)


@adamw.misconception(
    "a step that only makes a new tensor",
    "The decay changes the parameter itself, the step does not: `parameter = parameter - ...` only gives the name to a "
    "new tensor. Write `parameter.sub_(...)` or `parameter -= ...` there too.",
)
class DecaysAndRebinds(Base):
    def move(self, index, parameter, gradient):
        self.average(index, gradient)
        self.decay(parameter)


# The decay.


@adamw.misconception(
    "decay added to the gradient (that is Adam with L2)",
    "AdamW shrinks the parameter itself, by `1 - lr * weight_decay`; the averages see the gradient alone.",
)
class L2(Base):
    def move(self, index, parameter, gradient):
        self.average(index, gradient + self.weight_decay * parameter)
        parameter.sub_(self.lr * self.update(index))


@adamw.also("decay added to the gradient (that is Adam with L2)")
class L2InPlace(Base):
    def move(self, index, parameter, gradient):
        gradient.add_(self.weight_decay * parameter)
        self.average(index, gradient)
        parameter.sub_(self.lr * self.update(index))


@adamw.misconception(
    "decay that is not times `lr`",
    "Shrink by `1 - lr * weight_decay`: decay is a part of the step, and shrinks with it.",
)
class DecayAlone(Base):
    def decay(self, parameter):
        parameter.mul_(1 - self.weight_decay)


@adamw.misconception(
    "decay after the step",
    "Shrink the parameter first, then take the step (or take both off the parameter as it was): the step itself does "
    "not decay.",
)
class DecayAfter(Base):
    def move(self, index, parameter, gradient):
        self.average(index, gradient)
        parameter.sub_(self.lr * self.update(index))
        self.decay(parameter)


@adamw.misconception("no weight decay", "Shrink each parameter that has a gradient: times `1 - lr * weight_decay`.")
class NoDecay(Base):
    def decay(self, parameter):
        pass


@adamw.misconception("decay that lets parameters grow", "Subtract it: times `1 - lr * weight_decay`.")
class Growing(Base):
    def decay(self, parameter):
        parameter.mul_(1 + self.lr * self.weight_decay)


@adamw.misconception(
    "decay divided by the root as well",
    "Only the mean is divided by the root: take `lr * weight_decay * parameter` off by itself.",
)
class DecayDivided(Base):
    def move(self, index, parameter, gradient):
        self.average(index, gradient)
        for_mean, for_square = self.corrections()
        mean = self.means[index] / for_mean + self.weight_decay * parameter
        parameter.sub_(self.lr * self.divided(mean, self.squares[index] / for_square))


@adamw.misconception(
    "decay of parameters that have no gradient",
    "A parameter without a gradient stays as it is, and here it shrinks: leave it out of the whole step.",
)
class DecayingAll(Base):
    def without_gradient(self, index, parameter):
        self.decay(parameter)


@adamw.misconception(
    "the largest mean square so far (AMSGrad)",
    "AdamW divides by the root of the mean square as it is now: it may fall again, and no maximum is kept.",
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


@adamw.misconception(
    "a step for a parameter that has no gradient",
    "Its `grad` is None, and nothing can be computed with that: `if parameter.grad is None: continue`, before anything "
    "is changed.",
)
class MovesAll(Base):
    def without_gradient(self, index, parameter):
        self.move(index, parameter, parameter.grad)


@adamw.also("a step for a parameter that has no gradient")
class MovesAllByMethods(MovesAll):
    def average(self, index, gradient):
        beta1, beta2 = self.betas
        self.means[index].mul_(beta1).add_(gradient, alpha=1 - beta1)
        self.squares[index].mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)


@adamw.misconception("a fixed weight decay", "Use the `weight_decay` that the optimiser was made with.")
class FixedDecay(Base):
    def decay(self, parameter):
        parameter.mul_(1 - self.lr * 0.01)


@adamw.misconception(
    "no decay of parameters with one axis",
    "Whoever makes the optimiser chooses what decays: here every parameter does.",
)
class VectorsUndecayed(Base):
    def decay(self, parameter):
        if parameter.ndim > 1:
            super().decay(parameter)


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


@adamw.misconception(
    "a generator that is used up in `__init__`",
    "A generator gives each parameter once, and the first loop over it takes them all: begin with "
    "`self.params = list(params)`, and go through that.",
)
class SpendsTheGenerator(Base):
    def __init__(self, params, lr, betas, eps, weight_decay):
        super().__init__(params, lr, betas, eps, weight_decay)
        self.params = params


@adamw.also("parameters that no step moves")
class ForgetsTooEarly(Base):
    def step(self):
        self.zero_grad()
        super().step()


@adamw.misconception("a `zero_grad` that does nothing", "Set `parameter.grad = None` for each parameter.")
class NeverZero(Base):
    def zero_grad(self):
        pass


@adamw.misconception(
    "a number in the place of the gradient",
    "`.grad` is a tensor or None, and PyTorch takes nothing else: `parameter.grad = None` forgets the gradient.",
)
class ZeroAsANumber(Base):
    def zero_grad(self):
        for parameter in self.params:
            parameter.grad = 0


@adamw.misconception(
    "a `step` that forgets the gradients", "Gradients add up until `zero_grad` is called: `step` leaves them."
)
class ZeroInStep(Base):
    def step(self):
        super().step()
        self.zero_grad()


@adamw.misconception(
    "a parameter without a gradient that ends the loop",
    "The parameters behind one without a gradient stay as they are: leave that one out, and go on with the next, "
    "as `continue` does.",
)
class BreaksOff(Base):
    @torch.no_grad()
    def step(self):
        self.steps += 1
        for index, parameter in enumerate(self.params):
            if parameter.grad is None:
                break
            self.move(index, parameter, parameter.grad)


@adamw.misconception(
    "a gradient that is changed on the way",
    "The gradient has other numbers after the step. `+=`, `*=` and operations that end in `_` write into it: make "
    "a new tensor, `parameter.grad**2`.",
)
class SquaresInPlace(Base):
    def average(self, index, gradient):
        beta1, beta2 = self.betas
        self.means[index].mul_(beta1).add_((1 - beta1) * gradient)
        self.squares[index].mul_(beta2).add_((1 - beta2) * gradient.pow_(2))


@adamw.also("a gradient that is changed on the way")
class ScalesInPlace(Base):
    def average(self, index, gradient):
        beta1, beta2 = self.betas
        self.squares[index].mul_(beta2).add_((1 - beta2) * gradient**2)
        self.means[index].mul_(beta1).add_(gradient.mul_(1 - beta1))
