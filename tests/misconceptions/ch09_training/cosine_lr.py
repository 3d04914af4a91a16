"""How cosine_lr goes wrong, and right answers that look different."""

import math

import torch

from solutions.ch09_training import cosine_lr as schedule
from tests.ch09_training import cosine_lr


@cosine_lr.correct
def by_the_end_first(step, warmup, total, lr_max, lr_min):
    if step >= total:
        return lr_min
    if step < warmup:
        return (step + 1) / warmup * lr_max
    angle = math.pi * (step - warmup) / (total - warmup)
    return (lr_max + lr_min) / 2 + (lr_max - lr_min) / 2 * math.cos(angle)


@cosine_lr.correct
def by_the_square_of_a_cosine(step, warmup, total, lr_max, lr_min):
    """Half of 1 + cos is the square of the cosine of half the angle."""
    if warmup > 0 and step < warmup:
        return lr_max - lr_max * (warmup - step - 1) / warmup
    done = min((step - warmup) / max(total - warmup, 1), 1.0)
    share = math.cos(done * math.pi / 2) ** 2
    return share * lr_max + (1 - share) * lr_min


@cosine_lr.correct
def with_torch(step, warmup, total, lr_max, lr_min):
    if step < warmup:
        return float(torch.linspace(lr_max / warmup, lr_max, warmup, dtype=torch.float64)[step])
    done = torch.tensor((step - warmup) / (total - warmup), dtype=torch.float64).clamp(0, 1)
    return (lr_min + (lr_max - lr_min) * (1 + torch.cos(torch.pi * done)) / 2).item()


@cosine_lr.correct
def counted_from_the_end(step, warmup, total, lr_max, lr_min):
    if step < warmup:
        return lr_max * (step + 1) / warmup
    left = max(0, total - step) / (total - warmup)
    return lr_min + 0.5 * (lr_max - lr_min) * (1 - math.cos(math.pi * left))


for changed in (
    "lr_max * (step + 1) / warmup → lr_max / warmup * (step + 1)",
    "lr_max * (step + 1) / warmup → lr_max * ((step + 1) / warmup)",
):
    cosine_lr.equivalent(changed, "The same product in another order.")
cosine_lr.equivalent("step >= total → step > total", "At step `total` the curve itself is at `lr_min`: cos π is −1.")
for changed in ("step - warmup → warmup - step", "total - warmup → warmup - total"):
    cosine_lr.equivalent(changed, "The cosine of an angle and of minus that angle are the same.")


# Wrong answers.


RISE = "lr_max * (step + 1) / warmup"
DONE = "(step - warmup) / (total - warmup)"
FALL = "lr_min + 0.5 * (lr_max - lr_min) * (1 + math.cos(math.pi * progress))"
NO_END = "if step >= total → if False"


def wrong_curve(name, advice, change):
    """Declare a wrong curve, also with the other ends that a right one may have.

    From step `total` on there is `lr_min`, or only after it, or what a curve of the right length has at its end.
    """
    cosine_lr.misconception(name, advice, change, (change, "step >= total → step > total"))
    if change.startswith(FALL):
        cosine_lr.also(name, (change, NO_END, f"{DONE} → min({DONE}, 1.0)"))


wrong, also = cosine_lr.misconception, cosine_lr.also

wrong(
    "a warm-up that begins at 0",
    "Step 0 must have `lr_max / warmup`, or the first step would move nothing: `lr_max * (step + 1) / warmup`.",
    f"{RISE} → lr_max * step / warmup",
)
wrong(
    "a warm-up that begins one step too high",
    "Step 0 has `lr_max / warmup`, step `warmup - 1` has `lr_max`: `step + 1`.",
    f"{RISE} → lr_max * (step + 2) / warmup",
)
wrong(
    "a warm-up that never arrives",
    "Divide by `warmup`: at step `warmup - 1` the learning rate is `lr_max`.",
    f"{RISE} → lr_max * (step + 1) / (warmup + 1)",
)
wrong(
    "a warm-up spread over the whole run",
    "The line is `warmup` steps long, but here it rises as if it had `total`: `lr_max * (step + 1) / warmup`.",
    f"{RISE} → lr_max * (step + 1) / total",
)
wrong(
    "a warm-up that begins at `lr_min`",
    "The line starts from 0: `lr_max * (step + 1) / warmup`. `lr_min` is where the run ends.",
    f"{RISE} → lr_min + (lr_max - lr_min) * (step + 1) / warmup",
)
also("a warm-up that begins at `lr_min`", f"{RISE} → lr_min + (lr_max - lr_min) * step / warmup")
wrong(
    "a factor in place of the learning rate",
    "A factor from 0 to 1, as in PyTorch's `LambdaLR` and HuggingFace's schedules, would still have to be multiplied. "
    "Return the learning rate itself: up to `lr_max`, then down to `lr_min`.",
)(lambda step, warmup, total, lr_max, lr_min: a_share_of(step / warmup if step < warmup else None, step, warmup, total))
also("a factor in place of the learning rate")(
    lambda step, warmup, total, lr_max, lr_min: a_share_of(
        (step + 1) / warmup if step < warmup else None, step, warmup, total
    )
)


def a_share_of(rising, step, warmup, total):
    """What HuggingFace's schedule gives, from 0 to 1."""
    falling = min(1.0, (step - warmup) / (total - warmup))
    return 0.5 * (1 + math.cos(math.pi * falling)) if rising is None else rising


wrong(
    "a warm-up that is held at `lr_min`",
    "`lr_min` is where the run ends: the line has no floor, and begins at `lr_max / warmup`, however small that is.",
    f"{RISE} → max(lr_min, lr_max * (step + 1) / warmup)",
)
wrong("no warm-up", "While `step < warmup` the learning rate is `lr_max * (step + 1) / warmup`.", f"{RISE} → lr_max")


@wrong(
    "the cosine from the first step on",
    "While `step < warmup`, return the line's value; only then does the cosine begin.",
)
def cosine_from_the_start(step, warmup, total, lr_max, lr_min):
    share = min(1.0, step / total)
    return lr_min + 0.5 * (lr_max - lr_min) * (1 + math.cos(math.pi * share))


@wrong(
    "the warm-up as a factor of the cosine",
    "They come one after the other: in the warm-up `lr_max * (step + 1) / warmup`, and only after it the cosine.",
)
def a_factor(step, warmup, total, lr_max, lr_min):
    share = min(1.0, step / total)
    factor = min(1.0, (step + 1) / warmup) if warmup else 1.0
    return factor * (lr_min + 0.5 * (lr_max - lr_min) * (1 + math.cos(math.pi * share)))


wrong(
    "a whole number of the warm-up",
    "The learning rate is 0 until the warm-up's last step: divide `step + 1` by `warmup` with one slash, `/`, and "
    "round nothing.",
    f"{RISE} → lr_max * ((step + 1) // warmup)",
)
wrong_curve(
    "a curve that counts the warm-up's steps",
    "The curve begins when the warm-up has ended: `(step - warmup) / (total - warmup)`.",
    f"{DONE} → step / total",
)
wrong_curve(
    "a curve that begins at once but ends too late",
    "The curve has `total - warmup` steps: divide by that, not by `total`.",
    f"{DONE} → (step - warmup) / total",
)
wrong_curve(
    "a curve that jumps when it begins",
    "Count the curve's steps from the end of the warm-up: `step - warmup` in the numerator too.",
    f"{DONE} → step / (total - warmup)",
)
wrong_curve(
    "a curve that is one step ahead",
    "At step `warmup` the learning rate is still `lr_max`: `step - warmup`, which is 0.",
    f"{DONE} → (step - warmup + 1) / (total - warmup)",
)
wrong_curve(
    "a curve that arrives one step early",
    "`lr_min` is reached at step `total`: divide by `total - warmup`.",
    f"{DONE} → (step - warmup) / max(1, total - warmup - 1)",
)
wrong_curve(
    "whole numbers along the curve",
    "The learning rate is `lr_max` until the end, but the share of the curve that is done is a fraction. Divide with "
    "one slash, `/`, and round nothing.",
    f"{DONE} → (step - warmup) // (total - warmup)",
)
wrong_curve(
    "a whole period in place of half of one",
    "From `lr_max` down to `lr_min` is half a period, an angle from 0 to π: `math.cos(math.pi * progress)`.",
    f"{FALL} → lr_min + 0.5 * (lr_max - lr_min) * (1 + math.cos(2 * math.pi * progress))",
)
wrong_curve(
    "a quarter of a period",
    "Half a period leads from 1 to −1: `math.cos(math.pi * progress)`, with 1 added, then halved.",
    f"{FALL} → lr_min + (lr_max - lr_min) * math.cos(math.pi / 2 * progress)",
)
wrong_curve(
    "an angle in degrees",
    "`math.cos` takes radians: half a period is π, not 180.",
    f"{FALL} → lr_min + 0.5 * (lr_max - lr_min) * (1 + math.cos(180 * progress))",
)
wrong_curve(
    "an angle without π",
    "Half a period is π: `math.cos(math.pi * progress)`.",
    f"{FALL} → lr_min + 0.5 * (lr_max - lr_min) * (1 + math.cos(progress))",
)
wrong_curve(
    "a sine",
    "A sine starts at 0 and rises first; half a cosine, `math.cos`, starts at 1 and falls to −1.",
    f"{FALL} → lr_min + 0.5 * (lr_max - lr_min) * (1 + math.sin(math.pi * progress))",
)
wrong_curve(
    "a curve upside down",
    "`1 + math.cos(...)` falls from 2 to 0; `1 - math.cos(...)` rises.",
    f"{FALL} → lr_min + 0.5 * (lr_max - lr_min) * (1 - math.cos(math.pi * progress))",
)
wrong_curve(
    "a cosine without the 1 added",
    "The cosine runs from 1 to −1: add 1, then halve, so that it runs from 1 to 0.",
    f"{FALL} → lr_min + 0.5 * (lr_max - lr_min) * math.cos(math.pi * progress)",
)
also("a cosine without the 1 added", f"{FALL} → lr_min + (lr_max - lr_min) * math.cos(math.pi * progress)")
wrong_curve(
    "a curve that is not halved",
    "`1 + math.cos(...)` runs from 2 to 0: halve it.",
    f"{FALL} → lr_min + (lr_max - lr_min) * (1 + math.cos(math.pi * progress))",
)
wrong_curve(
    "`lr_min` added on top",
    "The height of the curve is `lr_max - lr_min`: with `lr_min` added it then begins at `lr_max`.",
    f"{FALL} → lr_min + 0.5 * lr_max * (1 + math.cos(math.pi * progress))",
)
wrong_curve(
    "a curve without `lr_min`",
    "The curve ends at `lr_min`: `lr_min + 0.5 * (lr_max - lr_min) * (1 + ...)`.",
    f"{FALL} → 0.5 * lr_max * (1 + math.cos(math.pi * progress))",
)
wrong_curve(
    "a curve that ends at 0 and is held at `lr_min`",
    "The curve itself ends at `lr_min`: its height is `lr_max - lr_min`, and `lr_min` is added.",
    f"{FALL} → max(lr_min, 0.5 * lr_max * (1 + math.cos(math.pi * progress)))",
)
wrong_curve(
    "`lr_min` that is not added",
    "`0.5 * (lr_max - lr_min) * (1 + ...)` is the height above `lr_min`: add `lr_min`.",
    f"{FALL} → 0.5 * (lr_max - lr_min) * (1 + math.cos(math.pi * progress))",
)
wrong_curve(
    "a straight line down",
    "After the warm-up the learning rate follows half a cosine: flat, steep, flat.",
    f"{FALL} → lr_max - (lr_max - lr_min) * progress",
)
wrong(
    "a learning rate that rises again after `total`",
    "After step `total` the learning rate rises, as the cosine does beyond its half period: from there on return "
    "`lr_min`.",
    NO_END,
)
wrong(
    "0 after the last step",
    "From step `total` on the learning rate stays `lr_min`.",
    cosine_lr.changed("return lr_min\n", "return 0.0\n"),
)
wrong(
    "a restart after `total`",
    "SGDR starts again from `lr_max`; this schedule stays at `lr_min`.",
    (NO_END, f"{DONE} → (step - warmup) % (total - warmup) / (total - warmup)"),
)
wrong(
    "an end that counts `total` from the warm-up's end",
    "`total` is the whole run, warm-up included.",
    (NO_END, f"{DONE} → min(1.0, (step - warmup) / total)"),
)


@wrong(
    "a division by a warm-up of 0",
    "With `warmup` 0 there is no line: ask whether `step < warmup` before you divide by `warmup`.",
)
def divides_first(step, warmup, total, lr_max, lr_min):
    rising = lr_max * (step + 1) / warmup
    return rising if step < warmup else schedule(step, warmup, total, lr_max, lr_min)


wrong(
    "a line that goes on at step `warmup`",
    "The line is for the steps below `warmup` alone, and at step `warmup` the cosine begins: `if step < warmup`.",
)(
    lambda step, warmup, total, lr_max, lr_min: (
        lr_max * (step + 1) / max(1, warmup) if step <= warmup else schedule(step, warmup, total, lr_max, lr_min)
    )
)


@wrong("a tensor in place of a number", "Return a plain float: `math.cos`, or `.item()` at the end.")
def a_tensor(step, warmup, total, lr_max, lr_min):
    return torch.tensor(schedule(step, warmup, total, lr_max, lr_min))
