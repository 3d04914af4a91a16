"""A training loop: what it returns and what it made of the model are judged together."""

import torch
import torch.nn.functional as F

from judge.checking import Exercise, check_agrees, line, random_tensor

ARGS = {"steps": 8, "batch_size": 4, "lr": 0.1, "weight_decay": 0.1, "seed": 3}


def batches(data, n_ctx, args):
    generator = torch.Generator().manual_seed(args.seed)
    for _ in range(args.steps):
        starts = torch.randint(len(data) - n_ctx + 1, (args.batch_size, 1), generator=generator)
        yield data[starts + torch.arange(n_ctx)]


def lm_loss(model, tokens):
    return F.cross_entropy(model(tokens)[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())


def train(model, data, args):
    """The reference solution: AdamW, whose learning rate falls in a straight line."""
    optimiser, losses = torch.optim.AdamW(model.parameters(), args.lr, weight_decay=args.weight_decay), []
    for step, tokens in enumerate(batches(data, model.cfg.n_ctx, args)):
        optimiser.param_groups[0]["lr"] = args.lr * (1 - step / args.steps)
        loss = lm_loss(model, tokens)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return losses


exercise = Exercise(
    inputs={"model": "", "data": "n_tokens", "args": ""},
    drive="training",
    solution="tests.judge.checking.kinds.training",
)


@exercise.test
def test_train(train):
    table, data = random_tensor(11, 11), random_tensor(200).mul(50).long() % 11
    with line("every step's loss, and the model in the end, are the reference solution's"):
        check_agrees(train, table, 6, data, ARGS, tolerance=1e-4)
    with line("without a step changes nothing"):
        check_agrees(train, table, 6, data, ARGS | {"steps": 0})


@exercise.correct
def with_a_scheduler(model, data, args):
    optimiser = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=args.weight_decay, foreach=False)
    falling = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 1 - step / max(1, args.steps))
    losses = []
    for tokens in batches(data, model.cfg.n_ctx, args):
        log_probabilities = model(tokens).log_softmax(-1)[:, :-1]
        loss = -log_probabilities.gather(-1, tokens[:, 1:, None]).mean()
        loss.backward()
        optimiser.step()
        optimiser.zero_grad(set_to_none=False)
        falling.step()
        losses.append(float(loss))
    return losses


@exercise.correct
def by_hand(model, data, args):
    """No optimiser: AdamW's update written out, with gradients from torch.autograd."""
    (table,), losses, mean, square = [*model.parameters()], [], 0.0, 0.0
    for step, tokens in enumerate(batches(data, model.cfg.n_ctx, args)):
        loss = lm_loss(model, tokens)
        (gradient,) = torch.autograd.grad(loss, table)
        lr = args.lr * (1 - step / args.steps)
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient.square()
        root = (square / (1 - 0.999 ** (step + 1))).sqrt() + 1e-8
        with torch.no_grad():
            table *= 1 - lr * args.weight_decay
            table -= lr * mean / (1 - 0.9 ** (step + 1)) / root
        losses.append(loss.item())
    return losses


def training(zero=True, falling=True, decay=1.0, steps=True, tensors=False, late=False):
    """The loop with one part of it replaced."""

    def train(model, data, args):
        optimiser = torch.optim.AdamW(model.parameters(), args.lr, weight_decay=decay * args.weight_decay)
        losses = []
        for step, tokens in enumerate(batches(data, model.cfg.n_ctx, args)):
            optimiser.param_groups[0]["lr"] = args.lr * (1 - step / args.steps) if falling else args.lr
            loss = lm_loss(model, tokens)
            if zero:
                optimiser.zero_grad()
            loss.backward()
            if steps:
                optimiser.step()
            losses.append(lm_loss(model, tokens).item() if late else loss.detach() if tensors else loss.item())
        return losses

    return train


exercise.misconception("gradients that add up over the steps", "Call `zero_grad` before each `backward`.")(
    training(zero=False)
)
exercise.misconception("a constant learning rate", "Set the learning rate anew in each step.")(training(falling=False))
exercise.misconception("no weight decay", "Hand `args.weight_decay` to AdamW.")(training(decay=0.0))
exercise.misconception("a loop that never steps", "Call `optimiser.step()` after `backward`.")(training(steps=False))
exercise.misconception("losses as tensors", "Keep numbers: `loss.item()`.")(training(tensors=True))
exercise.misconception("the loss after the step", "Report the loss that the gradient was taken of.")(
    training(late=True)
)
