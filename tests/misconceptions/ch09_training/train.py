"""How train goes wrong, and right answers that look different."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from solutions.ch09_training import cosine_lr, get_batch, lm_loss, next_batch, optimisers_for, resume, save_checkpoint
from tests.ch09_training import training

SAME_LENGTH = "There are as many peaks as optimisers."
training.equivalent("zip(optimisers, peaks, strict=True) → zip(optimisers, peaks)", SAME_LENGTH)
training.equivalent("True → False", SAME_LENGTH)
training.equivalent("done = step + 1 → step += 1; done = step", "`range` sets `step` anew, and nothing else reads it.")
for every in ("eval_every", "checkpoint_every"):
    change = f"done % args.{every} == 0 → done % args.{every} <= 0"
    training.equivalent(change, "What is left of a division by a positive number is never below 0.")
training.equivalent("done == args.steps → done >= args.steps", "No more steps than that are taken.")


@training.correct
def in_other_words(model, data, args):
    """No helper of the chapter's but those that keep and read the checkpoint."""
    dice, every = torch.Generator(), args.eval_every
    dice.manual_seed(args.seed)
    opts = optimisers_for(model, args)
    best = {opt: opt.lr for opt in opts}
    step, history = resume(args, model, opts, dice)
    weights = [*model.parameters()]
    model.train()
    while step < args.steps:
        tokens = args.draw(dice) if args.draw else get_batch(data, model.cfg.n_ctx, args.batch_size, dice)
        logits = model(tokens)[:, :-1]
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        model.zero_grad(set_to_none=False)
        loss.backward()
        length = math.sqrt(sum(float(weight.grad.square().sum()) for weight in weights if weight.grad is not None))
        if length > args.clip:
            for weight in weights:
                weight.grad *= args.clip / length
        for opt, peak in best.items():
            opt.lr = cosine_lr(step, args.warmup, args.steps, peak, peak * args.lr_end)
            opt.step()
        step += 1
        if not step % every or step == args.steps:
            history = [*history, {"step": step, "loss": float(loss.detach())}]
            if args.held_out is not None:
                history[-1]["held_out"] = of_one_pass(model, args)
            (args.report or str)(history[-1])
        if args.checkpoint and not step % args.checkpoint_every:
            save_checkpoint(args, step, model, opts, dice, history)
    return history


def of_one_pass(model, args):
    """All held-out batches at once; another seed draws other windows, which is right as long as it is always this."""
    dice = torch.Generator().manual_seed(1234)
    model.train(False)
    with torch.inference_mode():
        tokens = get_batch(args.held_out, model.cfg.n_ctx, args.batch_size * args.eval_batches, dice)
        estimate = lm_loss(model, tokens)
    model.train(True)
    return float(estimate)


@training.correct
def zeroed_at_the_end(model, data, args):
    return Loop(zero="at the end")(model, data, args)


def held_out_loss(model, args, slips=(), generator=None, data=None):
    if generator is None:
        generator = torch.Generator().manual_seed(args.seed)
    if "in training mode" not in slips:
        model.eval()
    with torch.set_grad_enabled("with gradients" in slips):
        tokens = args.held_out if data is None else data
        draws = 1 if "one batch" in slips else args.eval_batches
        losses, begun = [], generator.get_state()
        for _ in range(draws):
            if "the same batch" in slips:
                generator.set_state(begun)
            losses.append(lm_loss(model, get_batch(tokens, model.cfg.n_ctx, args.batch_size, generator)).item())
    if "stays in eval mode" not in slips:
        model.train()
    return estimate_of(losses, slips)


def estimate_of(losses, slips):
    """What is made of the losses of the batches."""
    if "a tensor" in slips:
        return torch.tensor(losses).mean()
    if "the last batch" in slips:
        return losses[-1]
    if "the first batch" in slips:
        return losses[0]
    return sum(losses) if "a sum" in slips else sum(losses) / len(losses)


EVALUATING = {
    "the training text": lambda model, data, args, generator: held_out_loss(model, args, data=data),
    "the run's generator": lambda model, data, args, generator: held_out_loss(model, args, generator=generator),
}


def scheduled(step, args, peak):
    return cosine_lr(step, args.warmup, args.steps, peak, args.lr_end * peak)


def constant(step, args, peak):
    return peak


@dataclass(frozen=True)
class Loop:
    """The loop, any part of which may be another; called as `train`."""

    zero: str = "before"
    rate: Callable = scheduled
    rate_after: bool = False
    stepping: str = "after"
    clip: str = "all"
    steps: Callable = lambda args: args.steps
    due: Callable = lambda done, args: done % args.eval_every == 0 or done == args.steps
    number: Callable = lambda step: step + 1
    told: Callable = lambda loss: loss.item()
    loss_after: str = ""
    evaluate: Callable = lambda model, data, args, generator: held_out_loss(model, args)
    report: str = "if asked to"
    save: Callable = lambda done, args: done % args.checkpoint_every == 0
    saved_as: Callable = lambda done: done
    resuming: Callable = resume
    one_batch: bool = False
    first_peak: bool = False
    one_optimiser: bool = False
    rate_of_one: bool = False
    drawing: Callable = next_batch
    late_peaks: bool = False
    returns: Callable = lambda history: history
    saved_history: Callable = lambda history: history
    seed: Callable = lambda args: args.seed
    smooth: bool = False

    def __call__(self, model, data, args):
        model.train()
        generator = torch.Generator().manual_seed(self.seed(args))
        optimisers = optimisers_for(model, args)
        peaks = [args.lr if self.first_peak else optimiser.lr for optimiser in optimisers]
        start, history = self.resuming(args, model, optimisers, generator)
        if self.late_peaks:
            peaks = [optimiser.lr for optimiser in optimisers]
        first, losses = self.drawing(model, data, args, generator) if self.one_batch else None, []
        scheduled_ones = optimisers[: 1 if self.rate_of_one else None]
        for step in range(start, self.steps(args)):
            if not self.rate_after:
                set_rates(scheduled_ones, peaks, self.rate, step, args)
            tokens = self.drawing(model, data, args, generator) if first is None else first
            loss = self.step(model, args, optimisers, tokens)
            losses.append(loss.item())
            if self.rate_after:
                set_rates(scheduled_ones, peaks, self.rate, step, args)
            done = self.number(step)
            if self.due(done, args):
                told = self.loss_of_another(model, data, args, generator) or self.loss(model, tokens, loss, losses)
                entry = {"step": done, "loss": told}
                losses = []
                self.tell(entry, model, data, args, generator, history)
            if self.save(done, args):
                kept = self.saved_history(history)
                save_checkpoint(args, self.saved_as(done), model, optimisers, generator, kept)
        return self.returns(history)

    def step(self, model, args, optimisers, tokens):
        moving = optimisers[:1] if self.one_optimiser else optimisers
        loss = lm_loss(model, tokens)
        self.zeroed(model, "before")
        self.clipped(model, args, "before backward")
        self.moved(moving, "before")
        loss.backward()
        self.zeroed(model, "after backward")
        clipped(model, args, self.clip)
        self.moved(moving, "after")
        self.clipped(model, args, "after the step")
        self.zeroed(model, "at the end")
        return loss

    def zeroed(self, model, here):
        if self.zero == here:
            model.zero_grad()

    def clipped(self, model, args, here):
        if self.clip == here:
            nn.utils.clip_grad_norm_(model.parameters(), args.clip)

    def moved(self, optimisers, here):
        if self.stepping == here:
            take_steps(optimisers)

    def loss_of_another(self, model, data, args, generator):
        """The loss of a batch that is drawn for the entry; None where that is not the mistake."""
        if self.loss_after != "of another batch":
            return None
        return lm_loss(model, self.drawing(model, data, args, generator)).item()

    def loss(self, model, tokens, loss, losses):
        if self.loss_after:
            with torch.set_grad_enabled(self.loss_after != "without gradients"):
                return lm_loss(model, tokens).item()
        return sum(losses) / len(losses) if self.smooth else self.told(loss)

    def tell(self, entry, model, data, args, generator, history):
        if self.report == "too early":
            (args.report or str)(entry)
        if args.held_out is not None:
            entry["held_out"] = self.evaluate(model, data, args, generator)
        history.append(entry)
        if self.report == "if asked to":
            (args.report or str)(entry)
        if self.report == "always":
            args.report(entry)


def set_rates(optimisers, peaks, rate, step, args):
    for optimiser, peak in zip(optimisers, peaks, strict=False):
        optimiser.lr = rate(step, args, peak)


def take_steps(optimisers):
    for optimiser in optimisers:
        optimiser.step()


def clipped(model, args, clip):
    if clip == "all":
        nn.utils.clip_grad_norm_(model.parameters(), args.clip)
    elif clip == "each":
        for parameter in model.parameters():
            nn.utils.clip_grad_norm_([parameter], args.clip)
    elif clip == "values":
        nn.utils.clip_grad_value_(model.parameters(), args.clip)
    elif clip == "always":
        stretched(model, args.clip)
    elif clip == "one":
        nn.utils.clip_grad_norm_(model.parameters(), min(1.0, args.clip))


def stretched(model, length):
    if math.isfinite(length):
        whole = math.sqrt(sum(float(one.grad.square().sum()) for one in model.parameters()))
        for parameter in model.parameters():
            parameter.grad *= length / whole


wrong = training.misconception

wrong("gradients that add up over the steps", "Call every optimiser's `zero_grad()` before each `backward()`.")(
    Loop(zero="never")
)
wrong(
    "steps without a gradient",
    "The order is `zero_grad()`, `backward()`, clipping, `step()`: when `step()` is called, the gradient of this loss "
    "has to be there.",
)(Loop(zero="after backward"))
training.also("steps without a gradient")(Loop(stepping="before"))
wrong("the step before `backward`", "First `loss.backward()`, then `step()`: a step needs the gradient of this loss.")(
    Loop(stepping="before", zero="never")
)
wrong("a loop that never steps", "Call every optimiser's `step()` after the clipping.")(Loop(stepping="never"))
wrong("one batch for all steps", "Draw the batch inside the loop: every step has a new one.")(Loop(one_batch=True))
wrong("only the first optimiser moves", "`step()` belongs to every optimiser in the list.")(Loop(one_optimiser=True))
wrong(
    "a learning rate for the first optimiser alone",
    "Each optimiser's `lr` follows the schedule: loop over all of them, each with its own peak.",
)(Loop(rate_of_one=True))
wrong(
    "`get_batch` in the place of `next_batch`",
    "`args.draw` may say how a batch is drawn: `next_batch(model, data, args, generator)` asks it, `get_batch` does "
    "not.",
)(Loop(drawing=lambda model, data, args, generator: get_batch(data, model.cfg.n_ctx, args.batch_size, generator)))
wrong(
    "the batches of another seed",
    "Draw by the `generator` that is given, which begins with `args.seed`; make no other.",
)(Loop(seed=lambda args: args.seed + 1))

wrong("a constant learning rate", "Set `optimiser.lr` to what `cosine_lr` says for this step, in each step.")(
    Loop(rate=constant)
)
wrong("the learning rate set after the step", "Set `optimiser.lr` before `step()`, or each rate comes a step late.")(
    Loop(rate_after=True)
)
wrong(
    "the learning rate of the step after",
    "`cosine_lr` counts steps from 0, so hand it `step`, the number of this step.",
)(Loop(rate=lambda step, args, peak: cosine_lr(step + 1, args.warmup, args.steps, peak, args.lr_end * peak)))
wrong("`args.lr` as everybody's peak", "Each optimiser has a peak of its own: the `lr` that it was made with.")(
    Loop(first_peak=True)
)
wrong(
    "a schedule that ends at `args.lr_end`", "`args.lr_end` is a share: the learning rate ends at `args.lr_end * peak`."
)(Loop(rate=lambda step, args, peak: cosine_lr(step, args.warmup, args.steps, peak, args.lr_end)))
wrong("a schedule without warm-up", "Hand `args.warmup` to `cosine_lr`.")(
    Loop(rate=lambda step, args, peak: cosine_lr(step, 0, args.steps, peak, args.lr_end * peak))
)
wrong(
    "a schedule that ends before the run does",
    "The learning rate is at its end before the run is: `total` counts all steps, the warm-up's too. Hand "
    "`args.steps` to `cosine_lr`.",
)(Loop(rate=lambda step, args, peak: cosine_lr(step, args.warmup, args.steps - args.warmup, peak, args.lr_end * peak)))


@wrong("a schedule that starts from its own last rate", "Take each peak once, before the loop: `lr` changes in it.")
def from_the_last_rate(model, data, args):
    generator, optimisers = torch.Generator().manual_seed(args.seed), optimisers_for(model, args)
    start, history = resume(args, model, optimisers, generator)
    for step in range(start, args.steps):
        for optimiser in optimisers:
            peak = optimiser.lr
            optimiser.lr = cosine_lr(step, args.warmup, args.steps, peak, args.lr_end * peak)
        step_and_tell(model, data, args, step, optimisers, generator, history)
    return history


def step_and_tell(model, data, args, step, optimisers, generator, history):
    loss = lm_loss(model, next_batch(model, data, args, generator))
    model.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), args.clip)
    take_steps(optimisers)
    if (step + 1) % args.eval_every == 0 or step + 1 == args.steps:
        history.append({"step": step + 1, "loss": loss.item()})
        if args.held_out is not None:
            history[-1]["held_out"] = held_out_loss(model, args)
        (args.report or str)(history[-1])
    if (step + 1) % args.checkpoint_every == 0:
        save_checkpoint(args, step + 1, model, optimisers, generator, history)


wrong(
    "steps along a gradient that is not clipped",
    "Between `backward()` and `step()`, call `clip_grad_norm_(model.parameters(), args.clip)`: before `backward` there "
    "is no gradient yet, and after the step it is too late.",
)(Loop(clip="never"))
training.also("steps along a gradient that is not clipped")(Loop(clip="after the step"))
training.also("steps along a gradient that is not clipped")(Loop(clip="before backward"))
wrong(
    "clipping each parameter alone",
    "All parameters share one length: hand every one of them to a single `clip_grad_norm_`.",
)(Loop(clip="each"))
wrong(
    "clipping each number alone",
    "That turns the gradient another way, as `clip_grad_value_` does: use `clip_grad_norm_`, which keeps the "
    "direction.",
)(Loop(clip="values"))
wrong("stretching short gradients too", "A gradient that is shorter than `args.clip` stays as it is.")(
    Loop(clip="always")
)
wrong("clipping to 1 whatever is asked", "The greatest length is `args.clip`.")(Loop(clip="one"))

wrong("one step too few", "`range(start, args.steps)` takes the steps from `start` to `args.steps - 1`: all of them.")(
    Loop(
        steps=lambda args: args.steps - 1, due=lambda done, args: done % args.eval_every == 0 or done == args.steps - 1
    )
)
wrong("one step too many", "`range(start, args.steps)`: its end is not in it, and the steps count from 0.")(
    Loop(steps=lambda args: args.steps + 1, due=lambda done, args: done % args.eval_every == 0 or done >= args.steps)
)
wrong("no entry after the last step", "There is an entry after the last step too: `or done == args.steps`.")(
    Loop(due=lambda done, args: done % args.eval_every == 0)
)


@wrong(
    "the last entry twice",
    "The last step may be a multiple of `args.eval_every` as well, and gets one entry: ask for both with one `or`.",
)
def last_entry_twice(model, data, args):
    history = Loop()(model, data, args)
    if args.steps % args.eval_every == 0:
        history = [*history, dict(history[-1])]
        (args.report or str)(history[-1])
    return history


wrong("an entry for every step", "An entry is due where the number of steps done is a multiple of `args.eval_every`.")(
    Loop(due=lambda done, args: True)
)
wrong(
    "entries a step late",
    "After step number `step`, `step + 1` steps are done: decide by that number, and put it into the entry.",
)(
    Loop(
        number=lambda step: step,
        due=lambda step, args: step % args.eval_every == 0 or step == args.steps - 1,
        save=lambda step, args: (step + 1) % args.checkpoint_every == 0,
        saved_as=lambda step: step + 1,
    )
)
wrong(
    "entries by the number of the step, from 0",
    "`step` counts from 0 and is one behind: ask whether the steps done, `step + 1`, are a multiple of "
    "`args.eval_every`.",
)(Loop(due=lambda done, args: (done - 1) % args.eval_every == 0 or done == args.steps))
wrong(
    "checkpoints by the number of the step, from 0",
    "`step` counts from 0 and is one behind: ask whether the steps done, `step + 1`, are a multiple of "
    "`args.checkpoint_every`.",
)(Loop(save=lambda done, args: (done - 1) % args.checkpoint_every == 0))


@wrong("an entry with the number of steps before", 'An entry says how many steps are done: `"step": step + 1`.')
def renumbered(model, data, args):
    history = Loop(report="never")(model, data, args)
    history = [entry | {"step": entry["step"] - 1} for entry in history]
    for entry in history:
        (args.report or str)(entry)
    return history


wrong("losses as tensors", "Keep numbers: `loss.item()`. A tensor keeps its whole graph alive.")(
    Loop(told=lambda loss: loss.detach())
)
wrong("the loss after the step", "Record the loss that the gradient was taken of, from before the step.")(
    Loop(loss_after="without gradients")
)
training.also("the loss after the step")(Loop(loss_after="with gradients"))
wrong(
    "the loss of one more batch",
    "The run sees other batches, because one more is drawn to tell its loss. Record the loss of this step's batch, "
    "which is there already.",
)(Loop(loss_after="of another batch"))
wrong("the mean of the losses since the last entry", "An entry has the loss of its own step's batch alone.")(
    Loop(smooth=True)
)
wrong("nothing reported", "Call `args.report(entry)` with each entry.")(Loop(report="never"))
wrong("reporting where nobody listens", "`args.report` may be None: call it only `if args.report is not None`.")(
    Loop(report="always")
)
wrong(
    "an entry reported before it is whole",
    'Report the entry once it is whole: its `"held_out"` first, then `args.report(entry)`.',
)(Loop(report="too early"))


@wrong(
    "a `return` in the loop",
    "Put `return history` after the loop, as far to the left as `for`: further in, it ends the run with that step.",
)
def returned_in_the_loop(model, data, args):
    generator, optimisers = torch.Generator().manual_seed(args.seed), optimisers_for(model, args)
    peaks = [optimiser.lr for optimiser in optimisers]
    start, history = resume(args, model, optimisers, generator)
    for step in range(start, args.steps)[:1]:
        set_rates(optimisers, peaks, scheduled, step, args)
        step_and_tell(model, data, args, step, optimisers, generator, history)
    return history


wrong("no history", "`return history` after the loop.")(Loop(returns=lambda history: None))
wrong("the last entry alone", "Return the whole history, with all entries.")(Loop(returns=lambda history: history[-1:]))
wrong("a list of losses", "The history is a list of dicts, with `step` and `loss` in each.")(
    Loop(returns=lambda history: [entry["loss"] for entry in history])
)


@wrong(
    "no held-out estimate", 'Where `args.held_out` is given, an entry has `"held_out"`: `held_out_loss(model, args)`.'
)
def without_estimates(model, data, args):
    args.held_out = None
    return Loop()(model, data, args)


def evaluating(*slips):
    return Loop(evaluate=lambda model, data, args, generator: held_out_loss(model, args, slips))


wrong("estimating in training mode", "Call `model.eval()` before the estimate: in training mode dropout is at work.")(
    evaluating("in training mode")
)
wrong("eval mode for the rest of the run", "Call `model.train()` after each estimate.")(
    evaluating("stays in eval mode")
)
wrong(
    "estimating with gradients", "Put the estimate under `with torch.no_grad():`, or its graph costs memory and time."
)(evaluating("with gradients"))
wrong("the estimates added up", "Divide the sum of the losses by `args.eval_batches`.")(evaluating("a sum"))
wrong("an estimate from one batch", "Draw `args.eval_batches` batches, and take the mean of their losses.")(
    evaluating("one batch")
)
wrong(
    "an estimate from one of the batches that are drawn",
    "Every batch counts: add up the losses of all `args.eval_batches`, and divide by their number.",
)(evaluating("the last batch"))
training.also("an estimate from one of the batches that are drawn")(evaluating("the first batch"))
wrong(
    "one held-out batch, again and again",
    "Make the estimate's generator once, before the loop over its batches: made anew in the loop it draws the same "
    "windows each time.",
)(evaluating("the same batch"))
wrong(
    "an estimate that seeds torch",
    "Torch's global generator, which dropout draws from, is set back: make one of the estimate's own, "
    "`torch.Generator().manual_seed(args.seed)`.",
)(
    Loop(
        evaluate=lambda model, data, args, generator: held_out_loss(
            model, args, generator=torch.default_generator.manual_seed(args.seed)
        )
    )
)
wrong(
    "asking whether a text is true",
    "`args.held_out` is None or a tensor, and a tensor of many numbers is neither true nor false: "
    "`if args.held_out is not None`.",
)(Loop(evaluate=lambda model, data, args, generator: held_out_loss(model, args) if args.held_out else None))
wrong("an estimate as a tensor", "Keep a number: `.item()`.")(evaluating("a tensor"))
wrong("the held-out loss of the training text", "Draw from `args.held_out`, not from `data`.")(
    Loop(evaluate=EVALUATING["the training text"])
)
wrong(
    "held-out windows drawn by the run's generator",
    "Give the estimate a generator of its own, or looking changes the run: the batches after it are others.",
)(Loop(evaluate=EVALUATING["the run's generator"]))


def other_windows():
    going_on = torch.Generator().manual_seed(0)
    return Loop(evaluate=lambda model, data, args, generator: held_out_loss(model, args, generator=going_on))


wrong(
    "other held-out windows each time",
    "Seed the estimate's generator anew each time, or a change in the loss may come from the windows.",
)(other_windows())


@wrong(
    "a checkpoint without its own step's entry",
    "Where an entry and a checkpoint are due after the same step, add the entry first, or the run that goes on has "
    "lost it.",
)
def saving_too_early(model, data, args):
    seen = {}

    def before_the_entry(history):
        entry_is_new = bool(history) and history[-1]["step"] == seen["step"]
        return history[:-1] if entry_is_new else history

    def due(done, args):
        seen["step"] = done
        return done % args.checkpoint_every == 0

    return Loop(save=due, saved_history=before_the_entry)(model, data, args)


wrong("a checkpoint that is never kept", "Call `save_checkpoint(...)` after every `args.checkpoint_every` steps.")(
    Loop(save=lambda done, args: False)
)
wrong(
    "a checkpoint that counts a step too few",
    "Hand `save_checkpoint` the number of steps done, `step + 1`, or the run repeats one.",
)(Loop(saved_as=lambda done: done - 1))


def nothing_resumed(args, model, optimisers, generator):
    return 0, []


def begun_at_0(args, model, optimisers, generator):
    return 0, resume(args, model, optimisers, generator)[1]


def history_dropped(args, model, optimisers, generator):
    return resume(args, model, optimisers, generator)[0], []


def generator_dropped(args, model, optimisers, generator):
    return resume(args, model, optimisers, torch.Generator())


def optimisers_dropped(args, model, optimisers, generator):
    fresh = [{name: value for name, value in vars(optimiser).items()} for optimiser in optimisers]
    found = resume(args, model, optimisers, generator)
    for optimiser, attributes in zip(optimisers, fresh, strict=True):
        vars(optimiser).update(attributes)
    return found


wrong("a run that never goes on", "Begin at what `resume(...)` returns: `range(start, args.steps)`.")(
    Loop(resuming=nothing_resumed)
)
wrong("all steps again after the checkpoint", "Begin at the checkpoint's step: `range(start, args.steps)`.")(
    Loop(resuming=begun_at_0)
)
wrong(
    "a history that begins at the checkpoint",
    "Hand the whole `history` to `save_checkpoint`, and go on with the one that `resume` returns.",
)(Loop(resuming=history_dropped))
training.also("a history that begins at the checkpoint")(Loop(saved_history=lambda history: []))
wrong("the generator seeded anew", "Hand `resume` the very generator that the batches are drawn by.")(
    Loop(resuming=generator_dropped)
)
wrong("optimisers made anew", "Call `resume` with the optimisers that the loop steps, and make none after it.")(
    Loop(resuming=optimisers_dropped)
)
wrong("peaks taken after `resume`", "Take the peaks before `resume`: the checkpoint's `lr` is that of its last step.")(
    Loop(late_peaks=True)
)
