"""AdamW in small methods; a mistake of its catalogue is a change of one or two of them."""

import torch


class Base:
    def __init__(self, params, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
        self.params = list(params)
        self.lr, self.betas, self.eps, self.weight_decay = lr, betas, eps, weight_decay
        self.means = [torch.zeros_like(parameter) for parameter in self.params]
        self.squares = [torch.zeros_like(parameter) for parameter in self.params]
        self.steps = 0

    @torch.no_grad()
    def step(self):
        self.steps += 1
        for index, parameter in enumerate(self.params):
            if parameter.grad is None:
                self.without_gradient(index, parameter)
            else:
                self.move(index, parameter, parameter.grad)

    def without_gradient(self, index, parameter):
        pass

    def move(self, index, parameter, gradient):
        self.average(index, gradient)
        self.decay(parameter)
        parameter.sub_(self.lr * self.update(index))

    def average(self, index, gradient):
        beta1, beta2 = self.betas
        self.means[index].mul_(beta1).add_((1 - beta1) * gradient)
        self.squares[index].mul_(beta2).add_((1 - beta2) * gradient**2)

    def decay(self, parameter):
        parameter.mul_(1 - self.lr * self.weight_decay)

    def corrections(self):
        return (1 - beta**self.steps for beta in self.betas)

    def update(self, index):
        for_mean, for_square = self.corrections()
        return self.divided(self.means[index] / for_mean, self.squares[index] / for_square)

    def divided(self, mean, square):
        return mean / (square.sqrt() + self.eps)

    def zero_grad(self):
        for parameter in self.params:
            parameter.grad = None
