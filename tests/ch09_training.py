"""Chapter 9: what the parts of training and the loop must do."""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from judge.checking import (
    Exercise,
    WorkedExample,
    check_agrees,
    check_draws,
    check_gradients,
    check_inputs_unchanged,
    check_model_unchanged,
    check_raises,
    check_repeatable,
    check_shape,
    check_work,
    line,
    random_tensor,
    random_tokens,
)
from judge.checking.counts import divergence, limit_of
from utils.config import Config
from utils.gpt import SMALL
from utils.gpt.model import GPT

# get_batch: any right answer draws its own starts, so what batches are like is compared, and how often each start comes


IN_ORDER = {
    "all batches have this shape": True,
    "each row is a window of the data": True,
    "a row is a window of the data": True,
    "uses torch's global random numbers": False,
    "uses the random numbers of Python's `random`": False,
    "uses NumPy's global random numbers": False,
    "a generator with the same seed gives the same batch": True,
    "the generator set back gives the same batch": True,
    "changes the data": False,
}
MANY = 4  # batches that right answers never draw all alike, where the windows are more than a few


def seen_in_batches(answer: Any) -> Any:
    """What can be said of batches of windows, whatever the starts that were drawn; the data counts up by 1."""
    if not isinstance(answer, dict):
        return form_of(answer)
    drawn, used = answer["drawn"], answer["uses global random numbers"]
    form = {"a batch": form_of(drawn[0])}
    if len(drawn) > MANY:
        alike = all(same(drawn[0], one) for one in drawn)
        evenly = alike and drawn[0].ndim == 2 and bool((drawn[0].diff(dim=0) == drawn[0][1:2] - drawn[0][:1]).all())
        form |= {"all batches are alike": alike and not evenly, "all batches are alike, and none is drawn": evenly}
        form |= {"`generator` is drawn from": answer["draws from the generator"]}
    if not all(isinstance(one, Tensor) and one.ndim == 2 for one in drawn):
        return form | IN_ORDER
    are_windows = torch.cat([(one.diff(dim=1) == 1).all(dim=1) for one in drawn])
    seen = {
        "all batches have this shape": all(one.shape == drawn[0].shape for one in drawn),
        "each row is a window of the data": bool(are_windows.all()),
        "a row is a window of the data": bool(are_windows.any()),
        "uses torch's global random numbers": "torch" in used,
        "uses the random numbers of Python's `random`": "random" in used,
        "uses NumPy's global random numbers": "NumPy" in used,
        "a generator with the same seed gives the same batch": same(drawn[0], answer["again"]),
        "the generator set back gives the same batch": same(drawn[0], answer["set back"]),
        "changes the data": answer["changes the data"],
    }
    return form | seen


def form_of(value: Any) -> Any:
    """The value with zeros for the numbers of its tensors: their shapes and dtypes are looked at."""
    if isinstance(value, Tensor):
        return torch.zeros_like(value)
    return type(value)(map(form_of, value)) if isinstance(value, (list, tuple)) else value


def same(one: Any, other: Any) -> bool:
    return isinstance(other, Tensor) and one.shape == other.shape and torch.equal(one, other)


batches = Exercise(
    inputs={"data": "n_tokens", "n_ctx": "", "batch_size": "", "generator": ""}, drive="batches", view=seen_in_batches
)
N_TOKENS, WINDOW = 30, 7  # 24 windows
STARTS = torch.full((N_TOKENS - WINDOW + 1,), 1 / (N_TOKENS - WINDOW + 1))
FEW_STARTS, PAIRS = 3, torch.full((9,), 1 / 9)


@batches.test
def test_get_batch(get_batch):
    """Windows and who draws them; then 5,000 batches in 3 checks: where rows start, and two rows together.

    By the exact tails of the binomials, a right answer is refused in less than 3 of 10⁷ tests.
    """
    first = 100 + int(random_tensor().abs() * 1000)  # the first token, far from any start
    data, few = torch.arange(first, first + N_TOKENS), torch.arange(first, first + WINDOW + FEW_STARTS - 1)

    def start_of(row):
        return lambda batch: int(batch[row, 0]) - first

    def two_starts(batch):
        return int(batch[0, 0] - first) * FEW_STARTS + int(batch[1, 0] - first)

    with line("cuts `batch_size` windows of `n_ctx` neighbouring tokens, by the random numbers of `generator` alone"):
        check_agrees(get_batch, data, WINDOW, 4, 1, times=5)
    with line("each window of the data is as likely as every other, the first and the last included"):
        check_draws(get_batch, data, WINDOW, 4, 2, want=STARTS, view=start_of(0), times=2000)
        check_draws(get_batch, data, WINDOW, 4, 3, want=STARTS, view=start_of(-1), times=2000)
    with line("the rows of a batch start independently of one another"):
        check_draws(get_batch, few, WINDOW, 2, 4, want=PAIRS, view=two_starts, times=1000)
    with line("whatever the sizes are: one row, windows of one token, more rows than windows"):
        for tokens, n_ctx, batch_size in ((data, 5, 1), (data, 1, 3), (few, WINDOW, 8)):
            check_agrees(get_batch, tokens, n_ctx, batch_size, 5, times=3)
    with line("takes data of exactly one window, which then is every row"):
        check_agrees(get_batch, data, N_TOKENS, 2, 5, times=3)
    with line("raises ValueError where the data is shorter than one window"):
        for n_tokens in (WINDOW - 1, 3, 1):  # `times`, so that another mistake is named where this is forgotten too
            check_raises(get_batch, data[:n_tokens], WINDOW, 2, 6, error="ValueError", times=1)


# lm_loss, with a small GPT-2

GPT_PARAMETERS = {
    "embed.W_E": "d_vocab d_model",
    "pos_embed.W_pos": "n_ctx d_model",
    "ln_final.w": "d_model",
    "unembed.W_U": "d_model d_vocab",
}
judging = Exercise(
    inputs={"tokens": "batch pos"},
    output="",
    drive="with_gpt",
    parameters=GPT_PARAMETERS,  # whose gradients are compared: if these are right, so are those in between
)


def gpt_weights(cfg: Config) -> dict[str, Tensor]:
    """Random weights for a GPT-2, so large that its predictions differ widely."""
    named = GPT(cfg).named_parameters()
    return {name: random_tensor(*value.shape, scale=0.6) + float(name.endswith(".w")) for name, value in named}


@judging.test
def test_lm_loss(lm_loss):
    """lm_loss against the reference solution: the value, and the gradients that reach the model."""
    cfg, other = SMALL, replace(SMALL, d_vocab=6, n_ctx=13, n_layers=1)
    weights, other_weights = gpt_weights(cfg), gpt_weights(other)
    tokens = random_tokens(cfg, 3, 5)
    with line("gives one number: a 0-d float32 tensor"):
        for batch, pos in ((2, 5), (1, 5), (2, 2), (3, cfg.n_ctx)):
            check_shape(lm_loss, cfg, weights, random_tokens(cfg, batch, pos))
    with line("judges one prediction, position 0's, by the token at position 1"):
        for target in (7, 0, cfg.d_vocab - 1):
            check_agrees(lm_loss, cfg, weights, torch.tensor([[3, target]]))
    with line("is the mean over every prediction of every row"):
        for batch, pos in ((3, 5), (1, cfg.n_ctx), (4, 2), (5, 6)):
            check_agrees(lm_loss, cfg, weights, random_tokens(cfg, batch, pos))
        for batch, pos in ((1, 2), (4, 4), (6, 5), (2, other.n_ctx)):
            check_agrees(lm_loss, other, other_weights, random_tokens(other, batch, pos))
    with line("asks the model in the mode in which it is, in training and after `eval()`"):
        for training in (True, False):
            check_agrees(lm_loss, cfg, weights, tokens, training=training, in_eval=2.5)
        check_repeatable(lm_loss, cfg, weights, tokens, in_eval=2.5, before=[(tokens[:2, :3],)])
    with line("leaves `tokens` and the model as they were"):
        check_inputs_unchanged(lm_loss, cfg, weights, tokens)
        check_model_unchanged(lm_loss, cfg, weights, tokens)
    with line("lets gradients reach the model"):
        check_gradients(lm_loss, cfg, weights, tokens)
        check_gradients(lm_loss, other, other_weights, random_tokens(other, 2, other.n_ctx))
    with line("asks the model once"):
        check_work(lm_loss, cfg, weights, tokens)
        check_agrees(lm_loss, cfg, weights, tokens, asked_again=2.5)


# ── AdamW ──

BETAS = (0.7, 0.97)  # whose corrections are not each other's square, as those of 0.9 and 0.99 nearly are
EPS = 1e-8

adamw = Exercise(
    inputs={"params": "", "lr": "", "betas": "", "eps": "", "weight_decay": ""},
    drive="optimiser",
    example=WorkedExample(
        "the chapter's parameter 1, with the gradients 2 and then −1, `lr` = 0.1, `betas` = (0.9, 0.99) and no decay",
        ([torch.tensor([1.0])], [[torch.tensor([2.0])], [torch.tensor([-1.0])]], 0.1, (0.9, 0.99), EPS, 0.0),
    ),
)


def steps_of(shapes, n_steps, scale=1.0):
    """Where parameters of these shapes start, and their gradients in each step."""
    starts = [random_tensor(*shape) for shape in shapes]
    return starts, [[random_tensor(*shape, scale=scale) for shape in shapes] for _ in range(n_steps)]


@adamw.test
def test_adamw(AdamW):
    """AdamW against the reference solution, step by step, from one step without decay to all at once."""
    starts, grads = steps_of([(3, 4), (5,), (5,)], 6)
    with line("moves each number by about `lr` in the first step, whatever the size of its gradient"):
        for size in (1.0, 1e3, 1e-3):
            first = [gradient * size for gradient in grads[0]]
            check_agrees(AdamW, starts, [first], 0.1, BETAS, EPS, 0.0)
    with line("averages the gradients and their squares, and corrects both averages, over six steps"):
        check_agrees(AdamW, starts, grads, 0.1, BETAS, EPS, 0.0)
        check_agrees(AdamW, starts, grads, 0.03, (0.9, 0.999), EPS, 0.0)
        check_agrees(AdamW, *steps_of([(2, 3, 4), ()], 9, scale=3.0), 0.1, (0.5, 0.8), EPS, 0.0)
    with line("adds `eps` to the root, after the correction"):
        check_agrees(AdamW, starts, grads, 0.1, BETAS, 0.5, 0.0)
        check_agrees(AdamW, starts, grads[:1], 0.1, BETAS, 2.0, 0.0)
    with line("shrinks each parameter by `lr * weight_decay` of what it was before the step"):
        check_agrees(AdamW, starts, grads, 0.1, BETAS, EPS, 0.5)
        check_agrees(AdamW, starts, grads, 0.2, BETAS, 0.3, 2.0)
    with line("leaves a parameter that has no gradient as it is"):
        frozen = [[mine, None, other] for mine, _, other in grads]
        check_agrees(AdamW, starts, frozen, 0.1, BETAS, EPS, 0.5)
        check_agrees(AdamW, starts, [[None, mine, None] for _, mine, _ in grads[:3]], 0.1, BETAS, EPS, 0.5)
    with line("reads `self.lr` in each step, since a schedule changes it"):
        check_agrees(AdamW, starts, grads[:4], 0.1, BETAS, EPS, 0.5, before_steps={"lr": [0.1, 0.02, 0.3, 0.0]})
    with line("forgets the gradients in `zero_grad` alone, and never changes them"):
        check_agrees(AdamW, starts, grads, 0.1, BETAS, EPS, 0.5, zero=False)
        check_agrees(AdamW, starts, grads[:3], 0.1, BETAS, 0.5, 0.0, zero=False)
    with line("takes its parameters from a list too"):
        check_agrees(AdamW, starts, grads[:3], 0.1, BETAS, EPS, 0.5, listed=True)


# ── cosine_lr ──

cosine_lr = Exercise(
    inputs={"step": "", "warmup": "", "total": "", "lr_max": "", "lr_min": ""},
    example=WorkedExample(
        "the chapter's run of 10 steps, 2 of them warm-up, from 1 down to 0.1, at step 4", (4, 2, 10, 1.0, 0.1)
    ),
)


def some_steps() -> int:
    """At least 5, a number that the test's seed decides."""
    return 5 + int(float(random_tensor().abs()) * 20)


@cosine_lr.test
def test_cosine_lr(cosine_lr):
    """cosine_lr against the reference solution: the line, the curve, what comes after, and no warm-up at all."""
    run, warmup, falling = (5, 25, 6.0, 0.6), some_steps(), some_steps()
    # of which no table of answers knows
    drawn = (warmup, warmup + falling, 3.0 + float(random_tensor().abs()), 0.5 + float(random_tensor().abs()))
    with line("rises in a straight line from `lr_max / warmup` at step 0 to `lr_max` at step `warmup - 1`"):
        for step in (0, 1, 3, 4):
            check_agrees(cosine_lr, step, *run)
        check_agrees(cosine_lr, 0, 1, 9, 3.0, 0.5)
        check_agrees(cosine_lr, 40, 100, 1000, 2.0, 0.0)
        check_agrees(cosine_lr, 1, 10, 30, 2.0, 1.0)  # where the line is below `lr_min`
        check_agrees(cosine_lr, warmup // 2, *drawn)
    with line("falls from `lr_max` at step `warmup` along half a cosine"):
        for step in (5, 8, 10, 15, 21, 24):
            check_agrees(cosine_lr, step, *run)
        check_agrees(cosine_lr, 7, 3, 13, 1.0, 0.9)
        check_agrees(cosine_lr, 550, 100, 1000, 2.0, 0.0)
        for step in (0, falling // 3, falling // 2):
            check_agrees(cosine_lr, warmup + step, *drawn)
    with line("is `lr_min` at step `total`, and after it"):
        for step in (25, 26, 40, 45, 1000):
            check_agrees(cosine_lr, step, *run)
        check_agrees(cosine_lr, 20, 3, 13, 1.0, 0.0)
        check_agrees(cosine_lr, warmup + falling + some_steps(), *drawn)
    with line("begins with `lr_max` where `warmup` is 0"):
        for step in (0, 3, 9, 10, 12):
            check_agrees(cosine_lr, step, 0, 10, 4.0, 1.0)
        check_agrees(cosine_lr, falling // 2, 0, *drawn[1:])
    with line("is as exact for learning rates as small as they are in use"):
        for step in (0, 60, 99, 100, 1000, 1999):
            check_agrees(cosine_lr, step, 100, 2000, 1e-3, 1e-4, tolerance=1e-8)


# --- dropout: of which any right answer draws its own numbers, so that what can be said of all of them is compared

UNLIKELY = 2e-8  # for a comparison of one share with its probability: some fifty of them are made in a test
ALIKE = 1e-4  # of a factor
IN_HALF = 1e-2


def said_of_masks(answer: Any) -> Any:
    """What can be said of dropped numbers, whichever were drawn: of an answer of another form, the answer itself."""
    if not isinstance(answer, dict) or not all(_is_like(one, answer["x"]) for one in _all_calls(answer)):
        return answer
    x, drawn = answer["x"], torch.stack(answer["drawn"])
    kept, p = drawn != 0, answer["p"] if answer["training"] else 0.0
    if p == 1:
        return _said_of_nothing(answer, drawn)
    chance = _said_of_chance(answer, kept, p) if p else {"share": _share(kept, 1.0)}
    said = {"factor": _factor((drawn / x)[kept])} | chance
    gradient = _gradient(answer, kept[0])
    if isinstance(said["factor"], str) and _is_that_of(gradient, (drawn[0] / x)[kept[0]]):
        gradient = "that of its own call"
    return said | {"gradient": gradient, "after": bool(answer["after"].equal(x))}


def _is_that_of(gradient: Any, ratios: Tensor) -> bool:
    """Whether a call multiplied by this, as near as half precision can say."""
    return isinstance(gradient, float) and bool(((ratios - gradient).abs() <= IN_HALF * abs(gradient)).all())


def _said_of_nothing(answer: dict[str, Any], drawn: Tensor) -> dict[str, Any]:
    """Where all is dropped: no gradient is as good as one of 0, for who answers zeros does not need `x`."""
    others = drawn[drawn != 0]
    gradient = answer["gradient"]
    passed = 0.0 if gradient is None else float(gradient.abs().max())
    became = float(others[0]) if len(others) else 0.0
    return {"all dropped": became, "gradient of all dropped": passed, "after": bool(answer["after"].equal(answer["x"]))}


def _said_of_chance(answer: dict[str, Any], kept: Tensor, p: float) -> dict[str, Any]:
    # of the share that is kept, whether it is the right one or not
    found = float(kept.double().mean())
    together = {f"together {axis - 1}": _are_alike(kept, axis, found) for axis in range(1, kept.ndim)}
    anew = not _are_alike(kept, 0, found)
    # what is dropped together counts once, and what is never drawn anew says nothing of shares
    drawn_alone = kept.flatten(1)[:, :1] if any(together.values()) else kept
    often = kept.flatten(1).sum(dim=0)
    return {
        "share": _share(drawn_alone, 1 - p) if anew else 1 - p,
        **together,
        "anew": anew,
        "count": len(kept.flatten(1).sum(dim=1).unique()) > 1,
        "everywhere": not anew or bool(_are_likely(often, len(kept), 1 - p, UNLIKELY / len(often)).all()),
        "again": all(answer[one].equal(answer["drawn"][0]) for one in ("again", "set back")),
        "otherwise": not answer["otherwise"].equal(answer["again"]),
        "ambient": answer["uses global random numbers"],
    }


def _all_calls(answer: dict[str, Any]) -> list[Any]:
    return [*answer["drawn"], *(answer[one] for one in ("again", "otherwise", "set back"))]


def _is_like(one: Any, x: Tensor) -> bool:
    return isinstance(one, Tensor) and one.shape == x.shape and one.dtype == x.dtype


def _factor(ratios: Tensor) -> Any:
    """What all are multiplied by."""
    if not len(ratios):
        return "none is kept"
    low, high = float(ratios.min()), float(ratios.max())
    is_one = high - low <= ALIKE * abs(high) or high != high
    return float(f"{ratios.double().mean():.5g}") if is_one else "different factors"


def _share(kept: Tensor, due: float) -> float:
    """The share that is due, where that many are likely to be kept; else the share that is kept."""
    count, size = kept.sum(), kept.numel()
    if _are_likely(count, size, due, UNLIKELY):
        return due
    share = float(count / size)
    return round(share, 1 if abs(share - due) > 0.1 else 3)


def _are_likely(counts: Tensor, size: int, p: float, false_alarms: float) -> Tensor:
    """Whether each is a likely count of what comes with this probability, of so many."""
    both = torch.stack([counts, size - counts]).double() / size
    chances = torch.tensor([p, 1 - p]).double().reshape(2, *[1] * counts.ndim).expand_as(both)
    return (size * divergence(both, chances)).amax(dim=0) <= limit_of(2, false_alarms)


def _are_alike(kept: Tensor, axis: int, p: float) -> bool:
    """Whether neighbours along an axis share their fate more or less often than by chance; each is in one pair."""
    ones, others = kept.unfold(axis, 2, 2).unbind(-1)
    return not _are_likely((ones == others).sum(), ones.numel(), p**2 + (1 - p) ** 2, UNLIKELY)


def _gradient(answer: dict[str, Any], kept: Tensor) -> Any:
    """What the gradient of `x` is, where it is 0 for what was dropped."""
    gradient = answer["gradient"]
    if not _is_like(gradient, answer["x"]):
        return gradient
    return _factor(gradient[kept]) if not gradient[~kept].any() else "not 0 where a number is dropped"


dropout = Exercise(
    inputs={"x": "...", "p": "", "training": "", "generator": ""},
    drive="masks",
    view=said_of_masks,
    places=(
        {
            "factor": "what a number that is kept is multiplied by",
            "share": "what share of the numbers is kept",
            **{
                f"together {axis}": f"whether neighbours along axis {axis} of `x` share their fate" for axis in range(3)
            },
            "anew": "whether each call draws anew",
            "count": "whether the number of zeros varies from call to call",
            "everywhere": "whether every place is dropped as often",
            "again": "whether the same seed drops the same numbers",
            "otherwise": "whether another seed drops other numbers",
            "ambient": "whether torch's global random numbers are used",
            "gradient": "the gradient of a number that is kept",
            "all dropped": "what a number becomes where `p` is 1",
            "gradient of all dropped": "the gradient of `x` where `p` is 1",
            "after": "whether `x` is what it was",
            "drawn": "the calls",
        },
        "number",
    ),
)


def far_from_zero(*shape: int) -> Tensor:
    """Random numbers none of which is so near 0 that it could be taken for a dropped one."""
    numbers = random_tensor(*shape)
    return numbers + numbers.sign() / 2


def some_seed() -> int:
    """A generator's seed, which the test's seed decides."""
    return int(random_tensor().abs() * 1e6)


@dropout.test
def test_dropout(dropout):
    """What can be said of the zeros, of the other numbers and of the random numbers, whichever were drawn."""
    x = far_from_zero(4, 6, 8)
    with line("outside training gives `x` as it is"):
        check_agrees(dropout, x, 0.3, False, some_seed(), calls=2)
        check_agrees(dropout, far_from_zero(2000), 0.8, False, None, calls=2)
    with line("in training sets as many numbers to 0 as `p` says, and multiplies the others by 1 / (1 - p)"):
        for p in (0.3, 0.8):
            check_agrees(dropout, x, p, True, some_seed(), calls=100)
        check_agrees(dropout, far_from_zero(2, 1000), 0.95, True, some_seed(), calls=8)
    with line("without a generator draws torch's global random numbers"):
        check_agrees(dropout, x, 0.3, True, None, calls=100)
    with line("drops nothing where `p` is 0"):
        check_agrees(dropout, x, 0.0, True, some_seed(), calls=2)
    with line("drops everything where `p` is 1"):
        check_agrees(dropout, x, 1.0, True, some_seed(), calls=2)
    with line("answers in half precision what is in half precision"):
        for half in (torch.float16, torch.bfloat16):
            check_agrees(dropout, x.to(half), 0.5, True, some_seed(), calls=20)  # whose factor, 2, is exact there


# --- train: its batches come from a `draw` of the test, for two right `get_batch` draw other windows of a text, or from
# a text of one token alone, whose windows are all alike

D_VOCAB, N_CTX = 7, 5
ENDLESS = float("inf")
PLAIN = {  # as TrainArgs has it, what is no plain data left out
    **{"steps": 7, "batch_size": 3, "lr": 0.05, "lr_end": 1.0, "warmup": 0, "betas": (0.8, 0.95), "eps": 1e-3},
    **{"weight_decay": 0.7, "clip": ENDLESS, "held_out": None, "eval_every": 3, "eval_batches": 2, "seed": 5},
    "checkpoint_every": 2,
}
RATES = [0.3, 0.2]  # of the table and of the offset
SAME_LOSS = 1e-4


def same_windows(answer: Any) -> Any:
    """Where nothing moves, whether the estimates are all the same: which windows they are of is drawn."""
    if not isinstance(answer, dict):
        return answer
    if not answer.get("stands still"):
        return {name: value for name, value in answer.items() if name != "loss held out"}
    estimates = [entry.get("held_out") for entry in answer["reported"] if isinstance(entry, dict)]
    alike = [one == estimates[0] for one in estimates]
    mean = answer["loss held out"]
    means = (isinstance(one, float) and mean is not None and abs(one - mean) < SAME_LOSS for one in estimates)
    seen = {
        "one batch held out": answer["one batch held out"],
        "estimates of one model are alike": alike,
        "estimates are the mean of what is read": all(means),
    }
    return {"reported": []} | seen


training = Exercise(
    inputs={"model": "", "data": "n_tokens", "args": ""},
    drive="training_run",
    view=same_windows,
    places=(
        {
            "returned": "the history",
            "reported": "what `args.report` got",
            "table": "the model's table in the end",
            "offset": "the model's offset in the end",
            "ends in training mode": "whether the model ends in training mode",
            "rows of each batch": "the windows of each step",
            "rows held out": "the windows read under no_grad",
            "one batch held out": "whether all estimates read the same few windows, one batch of them",
            "rates": "the learning rates",
            "lengths": "the length of the gradient in each step",
            "keeps a checkpoint": "whether there is a checkpoint when it is killed",
            "estimates of one model are alike": "whether the estimates of one model are alike",
            "estimates are the mean of what is read": "whether an estimate is the mean loss of the windows it reads",
        },
        "number",
        {"step": "its step", "loss": "its loss", "held_out": "its held-out loss"},
    ),
)


def one_token(token: int) -> Tensor:
    """A text in which every window is as any other."""
    return torch.full((40,), token)


@training.test
def test_train(train):
    """Runs of a few steps, part by part; then a run that is killed, and goes on."""
    table, text, held_out = random_tensor(D_VOCAB, D_VOCAB), one_token(2), one_token(4)

    def run(
        rates: list[float] | None = RATES,
        by_draw: bool = True,
        killed: int | None = None,
        reports: bool = True,
        **args: Any,
    ) -> None:
        asked = {"by_draw": by_draw, "rates": rates, "killed_in_step": killed, "reports": reports}
        check_agrees(train, table, N_CTX, text, PLAIN | args, tolerance=1e-4, **asked)

    with line("takes `args.steps` steps, each along the gradient of a new batch"):
        run(eval_every=1)
        run(steps=1, seed=8)
    with line("returns an entry each `args.eval_every` steps and one after the last, and reports each if asked to"):
        run(steps=8)
        run(steps=6)
        run(steps=2)
        run(steps=4, reports=False)
    with line("sets every learning rate in each step, by `cosine_lr` and the rate that the optimiser had at first"):
        run(warmup=3, lr_end=0.1, eval_every=1)
        run(steps=5, lr_end=0.3)
    with line("clips the gradient of all parameters together to `args.clip`"):
        run(clip=0.3)
        run(clip=0.8, warmup=2, lr_end=0.1)
        run(clip=1e6)
    with line("draws by `get_batch` and moves by `AdamW` where `args` has nothing else"):
        run(rates=None, by_draw=False)
        run(rates=None, warmup=2, lr_end=0.1, clip=0.5)
    with line("estimates the loss on the held-out text: in eval mode, without gradients, then trains on"):
        run(held_out=held_out)
        run(held_out=held_out, eval_every=2, eval_batches=5, batch_size=2)
        run(held_out=random_text(), rates=[0.0, 0.0], eval_every=2)
        run(held_out=random_text(), rates=[0.0, 0.0], batch_size=6, eval_batches=4)
    with line("is killed, begun again, and ends as if it had not been"):
        run(killed=6, steps=8, warmup=2, lr_end=0.1)
        run(killed=6, steps=8, held_out=held_out, clip=0.5, checkpoint_every=3, eval_every=2)
        run(killed=2, steps=3)
        run(killed=5, steps=6, eval_every=2)
        run(killed=5, steps=6, rates=None, by_draw=False, warmup=2, lr_end=0.1)


def random_text() -> Tensor:
    """A text whose windows differ."""
    return (random_tensor(60).abs() * 100).long() % D_VOCAB


# ── Muon ──
EXACT = 2e-4  # five Newton-Schulz steps in float32 differ by less, whatever the order of their products

muon = Exercise(
    inputs={"params": "", "lr": "", "momentum": ""},
    drive="optimiser",
    example=WorkedExample(
        "the chapter's gradient, 3 and 0 in its first row, 0 and 0.1 in its second, from a matrix of zeros",
        ([torch.zeros(2, 2)], [[torch.tensor([[3.0, 0.0], [0.0, 0.1]])]], 1.0, 0.95),
    ),
)


@muon.test
def test_muon(Muon):
    """Muon against the reference solution: one step of one square matrix first, then shapes, momentum, manners."""
    square, square_grads = steps_of([(5, 5), (4, 4)], 5)
    shapes = [(3, 7), (7, 3), (4, 4)]
    starts, grads = steps_of(shapes, 5)
    with line("makes the first step of a square matrix nearly orthogonal"):
        check_agrees(Muon, square, square_grads[:1], 0.5, 0.95, tolerance=EXACT)
        check_agrees(Muon, square, square_grads[:1], 0.5, 0.0, tolerance=EXACT)
    with line("whatever the size of the gradient, 0 too"):
        for size in (1e3, 1e-2, 0.0):
            check_agrees(Muon, square, [[size * gradient for gradient in square_grads[0]]], 0.5, 0.9, tolerance=EXACT)
    with line("adds up the gradients with its momentum, and looks one step ahead"):
        check_agrees(Muon, square, square_grads, 0.3, 0.9, tolerance=EXACT)
        check_agrees(Muon, square, square_grads, 0.3, 0.5, tolerance=EXACT)
        check_agrees(Muon, square, square_grads[:3], 0.3, 0.0, tolerance=EXACT)
    with line("scales the step of a matrix with more rows than columns"):
        check_agrees(Muon, starts, grads[:1], 0.5, 0.9, tolerance=EXACT)
        check_agrees(Muon, *steps_of([(8, 2), (2, 8), (1, 6), (6, 1)], 3), 0.3, 0.9, tolerance=EXACT)
    with line("handles each of the matrices alone that a parameter of three axes holds"):
        check_agrees(Muon, *steps_of([(3, 4, 5), (3, 5, 4)], 1), 0.5, 0.9, tolerance=EXACT)
        check_agrees(Muon, *steps_of([(2, 6, 3), (4, 2, 5), (5, 3)], 3), 0.3, 0.8, tolerance=EXACT)
    with line("leaves a parameter that has no gradient as it is"):
        check_agrees(Muon, starts, [[mine, None, other] for mine, _, other in grads[:2]], 0.3, 0.9, tolerance=EXACT)
    with line("reads `self.lr` in each step, since a schedule changes it"):
        rates = {"lr": [0.3, 0.1, 0.5, 0.0, 0.2]}
        check_agrees(Muon, starts, grads, 0.3, 0.9, before_steps=rates, tolerance=EXACT)
    with line("forgets the gradients in `zero_grad` alone, and never changes them"):
        check_agrees(Muon, starts, grads, 0.3, 0.9, zero=False, tolerance=EXACT)
    with line("takes its parameters from a list too"):
        check_agrees(Muon, starts, grads[:2], 0.3, 0.9, listed=True, tolerance=EXACT)
