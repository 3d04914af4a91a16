"""A class whose learning rate changes between steps: gradient descent with momentum."""

import torch

from judge.checking import Exercise, check_agrees, line, random_tensor


class Momentum:
    """The reference solution, as torch.optim.SGD has it. Source: Sutskever et al. 2013, section 2."""

    def __init__(self, params, lr, momentum):
        self.params, self.lr, self.momentum = list(params), lr, momentum
        self.averages = [torch.zeros_like(parameter) for parameter in self.params]

    @torch.no_grad()
    def step(self):
        for parameter, average in zip(self.params, self.averages, strict=True):
            average.mul_(self.momentum).add_(parameter.grad)
            parameter.sub_(self.lr * average)

    def zero_grad(self):
        for parameter in self.params:
            parameter.grad = None


exercise = Exercise(
    inputs={"params": "", "lr": "", "momentum": ""}, drive="optimiser", solution="tests.judge.checking.kinds.schedule"
)


@exercise.test
def test_momentum(Momentum):
    starts = [random_tensor(3, 4), random_tensor(5)]
    grads = [[random_tensor(3, 4), random_tensor(5)] for _ in range(4)]
    with line("four steps"):
        check_agrees(Momentum, starts, grads, 0.1, 0.9)
    with line("reads `self.lr` in each step, since a schedule changes it"):
        check_agrees(Momentum, starts, grads, 0.1, 0.9, before_steps={"lr": [0.1, 0.05, 0.2, 0.0]})
    with line("goes on where gradients add up, as `backward` adds them"):
        check_agrees(Momentum, starts, grads, 0.1, 0.9, zero=False)


@exercise.correct
class TorchsOwn(torch.optim.SGD):
    def __init__(self, params, lr, momentum):
        super().__init__(params, lr=lr, momentum=momentum)


@exercise.correct
class WithANewTensor(Momentum):
    def step(self):
        for index, parameter in enumerate(self.params):
            self.averages[index] = self.momentum * self.averages[index] + parameter.grad
            parameter.data = parameter.data - self.averages[index] * self.lr


@exercise.correct
class WithARateOfItsOwn(torch.optim.Optimizer):
    """A class of torch's, with its settings in `param_groups`, that reads its own `lr`."""

    def __init__(self, params, lr, momentum):
        super().__init__(params, {"lr": lr})
        self.lr, self.momentum, self.averages = lr, momentum, {}

    @torch.no_grad()
    def step(self):
        for parameter in self.param_groups[0]["params"]:
            average = self.momentum * self.averages.get(parameter, 0.0) + parameter.grad
            self.averages[parameter] = average
            parameter.sub_(self.lr * average)


class Checked:
    """A base that has no `__dict__`, and looks at each rate that it is told."""

    __slots__ = ("_lr", "_params", "averages")

    def __init__(self, params, lr):
        self._params, self.lr, self.averages = tuple(params), lr, {}

    @property
    def lr(self):
        return self._lr

    @lr.setter
    def lr(self, rate):
        assert rate >= 0
        self._lr = float(rate)

    @property
    def with_gradients(self):
        return [parameter for parameter in self._params if parameter.grad is not None]

    @torch.no_grad()
    def step(self):
        for parameter in self.with_gradients:
            parameter.sub_(self.update(parameter), alpha=self.lr)

    def zero_grad(self):
        for parameter in self._params:
            parameter.grad = None


@exercise.correct
class WithPropertiesAndSlots(Checked):
    __slots__ = ("momentum",)

    def __init__(self, params, lr, momentum):
        super().__init__(params, lr)
        self.momentum = momentum

    def update(self, parameter):
        average = self.averages.setdefault(parameter, torch.zeros_like(parameter))
        return average.mul_(self.momentum).add_(parameter.grad)


@exercise.misconception(
    "the first gradient itself kept as the average",
    "The next gradients are added to that very tensor: keep a copy of it.",
)
class KeepsTheGradient(Momentum):
    def step(self):
        if all((average == 0).all() for average in self.averages):
            self.averages = [parameter.grad for parameter in self.params]
            for parameter in self.params:
                parameter.data -= self.lr * parameter.grad
        else:
            super().step()


@exercise.misconception("the first learning rate kept", "Read `self.lr` in `step`.")
class KeepsTheFirst(Momentum):
    def __init__(self, params, lr, momentum):
        super().__init__(params, lr, momentum)
        self.first = lr

    def step(self):
        self.lr = self.first
        super().step()


@exercise.misconception("the learning rate inside the average", "Average the gradients, then take a step of `lr`.")
class RateInside(Momentum):
    @torch.no_grad()
    def step(self):
        for parameter, average in zip(self.params, self.averages, strict=True):
            average.mul_(self.momentum).add_(parameter.grad, alpha=self.lr)
            parameter.sub_(average)


@exercise.misconception("a gradient that is damped as well", "The average is `momentum * average + gradient`.")
class Damped(Momentum):
    @torch.no_grad()
    def step(self):
        for parameter, average in zip(self.params, self.averages, strict=True):
            average.mul_(self.momentum).add_(parameter.grad, alpha=1 - self.momentum)
            parameter.sub_(self.lr * average)
