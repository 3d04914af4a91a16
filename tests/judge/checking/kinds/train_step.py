"""One step of training: the loss that it returns, and what it makes of the model, each time that it is called."""

import torch
import torch.nn.functional as F

from judge.checking import Exercise, check_agrees, line, random_tensor


def loss_of(model, batch):
    return F.cross_entropy(model(batch)[:, :-1].flatten(0, 1), batch[:, 1:].flatten())


def train_step(model, optimiser, batch):
    """The reference solution."""
    loss = loss_of(model, batch)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    return loss.item()


exercise = Exercise(
    inputs={"model": "", "optimiser": "", "batch": "batch pos"},
    drive="train_step",
    solution="tests.judge.checking.kinds.train_step",
)


@exercise.test
def test_train_step(train_step):
    table, batches = random_tensor(7, 7), [random_tensor(2, 5).mul(50).long() % 7 for _ in range(3)]
    with line("one step: the loss before it, and the model after it"):
        check_agrees(train_step, table, 6, batches[:1], 0.5, tolerance=1e-4)
    with line("three steps"):
        check_agrees(train_step, table, 6, batches, 0.5, tolerance=1e-4)


@exercise.correct
def gradients_forgotten_at_the_end(model, optimiser, batch):
    loss = loss_of(model, batch)
    loss.backward()
    optimiser.step()
    model.zero_grad()
    return float(loss.detach())


@exercise.correct
def by_the_gradient_itself(model, optimiser, batch):
    parameters = list(model.parameters())
    loss = loss_of(model, batch)
    for parameter, gradient in zip(parameters, torch.autograd.grad(loss, parameters), strict=True):
        parameter.grad = gradient
    optimiser.step()
    return loss.item()


@exercise.misconception("gradients that add up over the steps", "Call `optimiser.zero_grad()` before `backward`.")
def never_zero(model, optimiser, batch):
    loss = loss_of(model, batch)
    loss.backward()
    optimiser.step()
    return loss.item()


@exercise.misconception("a step without gradients", "`zero_grad` comes before `backward`, not after it.")
def zero_too_late(model, optimiser, batch):
    loss = loss_of(model, batch)
    loss.backward()
    optimiser.zero_grad()
    optimiser.step()
    return loss.item()


@exercise.misconception("the loss after the step", "Return the loss that the step went down from.")
def the_loss_after(model, optimiser, batch):
    train_step(model, optimiser, batch)
    return loss_of(model, batch).item()


@exercise.misconception("a model that guesses the token that it sees", "Position i predicts token i + 1.")
def not_shifted(model, optimiser, batch):
    loss = F.cross_entropy(model(batch).flatten(0, 1), batch.flatten())
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    return loss.item()
