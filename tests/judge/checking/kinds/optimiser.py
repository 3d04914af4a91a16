"""A class that changes parameters step by step: AdamW, and torch's own as a right answer."""

import torch

from judge.checking import Exercise, check_agrees, line, random_tensor


class AdamW:
    """The reference solution. Source: Loshchilov and Hutter 2019, algorithm 2."""

    def __init__(self, params, lr, betas, eps, weight_decay):
        self.params, self.lr, self.betas, self.eps, self.weight_decay = list(params), lr, betas, eps, weight_decay
        self.first = [torch.zeros_like(parameter) for parameter in self.params]
        self.second = [torch.zeros_like(parameter) for parameter in self.params]
        self.steps = 0

    @torch.no_grad()
    def step(self):
        self.steps += 1
        for parameter, first, second in zip(self.params, self.first, self.second, strict=True):
            if parameter.grad is not None:
                self.move(parameter, parameter.grad, first, second)

    def move(self, parameter, gradient, first, second):
        beta1, beta2 = self.betas
        parameter.mul_(1 - self.lr * self.weight_decay)
        first.mul_(beta1).add_(gradient, alpha=1 - beta1)
        second.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        root = (second / (1 - beta2**self.steps)).sqrt()
        parameter.sub_(self.lr * first / (1 - beta1**self.steps) / (root + self.eps))

    def zero_grad(self):
        for parameter in self.params:
            parameter.grad = None


exercise = Exercise(
    inputs={"params": "", "lr": "", "betas": "", "eps": "", "weight_decay": ""},
    drive="optimiser",
    solution="tests.judge.checking.kinds.optimiser",
)


@exercise.test
def test_adamw(AdamW):
    starts = [random_tensor(3, 4), random_tensor(5)]
    grads = [[random_tensor(3, 4), random_tensor(5)] for _ in range(5)]
    with line("the first step, without decay"):
        check_agrees(AdamW, starts, grads[:1], 1e-2, (0.9, 0.99), 1e-8, 0.0)
    with line("five steps"):
        check_agrees(AdamW, starts, grads, 1e-2, (0.9, 0.99), 1e-8, 0.0)
    with line("five steps with a large `eps`"):
        check_agrees(AdamW, starts, grads, 1e-2, (0.9, 0.99), 0.5, 0.0)
    with line("five steps with weight decay"):
        check_agrees(AdamW, starts, grads, 1e-2, (0.9, 0.99), 1e-8, 0.3)
    with line("a list of parameters"):
        check_agrees(AdamW, starts, grads[:2], 1e-2, (0.9, 0.99), 1e-8, 0.3, listed=True)
    with line("leaves a parameter without a gradient alone"):
        check_agrees(AdamW, starts, [[grads[0][0], None], [grads[1][0], None]], 1e-2, (0.9, 0.99), 1e-8, 0.3)
    with line("`zero_grad` forgets the gradients, and only that does"):
        check_agrees(AdamW, starts, grads[:3], 1e-2, (0.9, 0.99), 1e-8, 0.1)
        check_agrees(AdamW, starts, grads[:3], 1e-2, (0.9, 0.99), 1e-8, 0.1, zero=False)


@exercise.correct
class TorchsOwn(torch.optim.AdamW):
    def __init__(self, params, lr, betas, eps, weight_decay):
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)


@exercise.correct
class WithStatesInADict:
    """Running averages written out, kept by the parameter's identity; bias correction in the learning rate."""

    def __init__(self, params, lr, betas, eps, weight_decay):
        self.params, self.state, self.count = [*params], {}, 0
        self.settings = lr, *betas, eps, weight_decay

    def step(self):
        self.count += 1
        lr, beta1, beta2, eps, decay = self.settings
        for parameter in filter(lambda one: one.grad is not None, self.params):
            gradient = parameter.grad.double()
            mean, square = self.state.get(id(parameter), (0.0, 0.0))
            mean, square = mean + (1 - beta1) * (gradient - mean), square + (1 - beta2) * (gradient**2 - square)
            self.state[id(parameter)] = mean, square
            unbias = (1 - beta2**self.count) ** 0.5
            change = mean * unbias / (1 - beta1**self.count) / (square**0.5 + eps * unbias) + decay * parameter.data
            parameter.data = parameter.data - (lr * change).float()

    def zero_grad(self):
        for parameter in self.params:
            if parameter.grad is not None:
                parameter.grad.zero_()


@exercise.misconception(
    "parameters taken by `next`", "They may come in a list too: `list(params)` takes a list and a generator."
)
class TakenByNext(AdamW):
    def __init__(self, params, lr, betas, eps, weight_decay):
        first = next(params)
        super().__init__([first, *params], lr, betas, eps, weight_decay)


@exercise.misconception("decay added to the gradient (that is Adam with L2)", "AdamW shrinks the parameter itself.")
class L2(AdamW):
    def move(self, parameter, gradient, first, second):
        decay, self.weight_decay = self.weight_decay, 0.0
        super().move(parameter, gradient + decay * parameter, first, second)
        self.weight_decay = decay


@exercise.misconception("averages without bias correction", "Divide them by 1 - beta**steps.")
class Uncorrected(AdamW):
    def move(self, parameter, gradient, first, second):
        steps, self.steps = self.steps, 10**9
        super().move(parameter, gradient, first, second)
        self.steps = steps


@exercise.misconception("eps inside the square root", "Adam adds eps to the root, unlike LayerNorm.")
class EpsInside(AdamW):
    def move(self, parameter, gradient, first, second):
        beta1, beta2 = self.betas
        parameter.mul_(1 - self.lr * self.weight_decay)
        first.mul_(beta1).add_(gradient, alpha=1 - beta1)
        second.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        root = (second / (1 - beta2**self.steps) + self.eps).sqrt()
        parameter.sub_(self.lr * first / (1 - beta1**self.steps) / root)


@exercise.misconception(
    "parameters that can be read only once", "`model.parameters()` gives each parameter once: keep `list(params)`."
)
class KeepsTheGenerator(AdamW):
    def __init__(self, params, lr, betas, eps, weight_decay):
        super().__init__([], lr, betas, eps, weight_decay)
        self.params, self.averages = params, {}

    @torch.no_grad()
    def step(self):
        self.steps += 1
        for parameter in self.params:
            if parameter.grad is not None:
                nothing = torch.zeros_like(parameter), torch.zeros_like(parameter)
                first, second = self.averages.setdefault(parameter, nothing)
                self.move(parameter, parameter.grad, first, second)


@exercise.misconception("the betas swapped", "The first beta is the gradient's, the second its square's.")
class Swapped(AdamW):
    def __init__(self, params, lr, betas, eps, weight_decay):
        super().__init__(params, lr, betas[::-1], eps, weight_decay)


@exercise.misconception("decay that is not times `lr`", "Shrink by `1 - lr * weight_decay`.")
class DecayAlone(AdamW):
    def move(self, parameter, gradient, first, second):
        parameter.mul_((1 - self.weight_decay) / (1 - self.lr * self.weight_decay))
        super().move(parameter, gradient, first, second)


@exercise.misconception("decaying what has no gradient", "A parameter without a gradient stays as it is.")
class DecayingAll(AdamW):
    @torch.no_grad()
    def step(self):
        for parameter in self.params:
            parameter.mul_(1 if parameter.grad is not None else 1 - self.lr * self.weight_decay)
        super().step()


@exercise.misconception("a `zero_grad` that does nothing", "Set `parameter.grad = None`.")
class NeverZero(AdamW):
    def zero_grad(self):
        pass


@exercise.misconception("a `step` that forgets the gradients", "Gradients add up until `zero_grad` is called.")
class ZeroInStep(AdamW):
    def step(self):
        super().step()
        self.zero_grad()
