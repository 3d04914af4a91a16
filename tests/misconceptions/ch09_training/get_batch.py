"""How get_batch goes wrong, and right answers that look different."""

import random

import numpy as np
import torch
import torch.nn.functional as F

from solutions.ch09_training import get_batch
from tests.ch09_training import batches

DRAWN = "torch.randint(len(data) - n_ctx + 1, (batch_size, 1), generator=generator)"
ITS_WORDS = "This is in the message of the error, whose words are their author's."
for in_the_message in ("len(data) → data", "n_ctx → data", "n_ctx → batch_size"):
    batches.equivalent(in_the_message, ITS_WORDS)


def refuse_short(data, n_ctx):
    if len(data) < n_ctx:
        raise ValueError(f"{len(data)} tokens are too few for a window of {n_ctx}")


@batches.correct
def rows_stacked(data, n_ctx, batch_size, generator):
    refuse_short(data, n_ctx)
    starts = torch.randint(0, len(data) - n_ctx + 1, (batch_size,), generator=generator)
    return torch.stack([data[start : start + n_ctx] for start in starts])


@batches.correct
def one_start_at_a_time(data, n_ctx, batch_size, generator):
    last_start = data.shape[0] - n_ctx
    if last_start < 0:
        raise ValueError("too short")
    rows = []
    while len(rows) < batch_size:
        start = torch.randint(last_start + 1, (1,), generator=generator).item()
        rows.append(data[start : start + n_ctx].tolist())
    return torch.tensor(rows)


@batches.correct
def out_of_all_windows(data, n_ctx, batch_size, generator):
    refuse_short(data, n_ctx)
    windows = data.unfold(0, n_ctx, 1)
    return windows[torch.randint(len(windows), (batch_size,), generator=generator)]


@batches.correct
def the_first_of_a_permutation(data, n_ctx, batch_size, generator):
    refuse_short(data, n_ctx)
    n_starts = len(data) - n_ctx + 1
    starts = torch.stack([torch.randperm(n_starts, generator=generator)[0] for _ in range(batch_size)])
    return data.index_select(0, (starts[:, None] + torch.arange(n_ctx)).flatten()).view(batch_size, n_ctx)


@batches.correct
def by_multinomial(data, n_ctx, batch_size, generator):
    refuse_short(data, n_ctx)
    alike = torch.ones(len(data) - n_ctx + 1)
    starts = torch.multinomial(alike, batch_size, replacement=True, generator=generator)
    return torch.cat([data.narrow(0, int(start), n_ctx)[None] for start in starts])


@batches.correct
def shares_of_the_starts(data, n_ctx, batch_size, generator):
    refuse_short(data, n_ctx)
    starts = (torch.rand(batch_size, generator=generator, dtype=torch.double) * (len(data) - n_ctx + 1)).long()
    batch = torch.empty(batch_size, n_ctx, dtype=torch.long)
    for row, start in enumerate(starts.tolist()):
        batch[row] = data[start : start + n_ctx]
    return batch


@batches.correct
def column_by_column(data, n_ctx, batch_size, generator):
    refuse_short(data, n_ctx)
    starts = torch.empty(batch_size, dtype=torch.long).random_(0, len(data) - n_ctx + 1, generator=generator)
    return torch.stack([data[starts + later] for later in range(n_ctx)], dim=1)


# Wrong answers.


def n_windows(data, n_ctx):
    return len(data) - n_ctx + 1


def drawn(high, batch_size, generator, low=0):
    return torch.randint(low, high, (batch_size,), generator=generator)


def windows_at(starts, data, n_ctx):
    return data[starts[:, None] + torch.arange(n_ctx)]


batches.misconception(
    "never the last window",
    "`torch.randint` leaves its end out. There are `len(data) - n_ctx + 1` windows. nanoGPT's `len(data) - "
    "block_size` leaves room for the targets, which here are inside the window.",
    "len(data) - n_ctx + 1 → max(1, len(data) - n_ctx)",
)


@batches.also("never the last window")
def no_last_of_one_window(data, n_ctx, batch_size, generator):
    refuse_short(data, n_ctx)
    return windows_at(drawn(len(data) - n_ctx, batch_size, generator), data, n_ctx)


batches.misconception(
    "never the last two windows",
    "One may be left out by `randint`, which excludes its end, another by a `- 1`: there are `len(data) - n_ctx + 1` "
    "windows, and that is the end to give.",
    "len(data) - n_ctx + 1 → max(1, len(data) - n_ctx - 1)",
)
batches.misconception(
    "never the first window",
    "A window may start at 0: `torch.randint(len(data) - n_ctx + 1, ...)` begins there.",
    "randint( → randint(min(1, len(data) - n_ctx), ",
)
batches.misconception(
    "starts up to the end of the data",
    "From a start near the end there are fewer than `n_ctx` tokens left: the last start is `len(data) - n_ctx`.",
    "len(data) - n_ctx + 1 → len(data)",
    of=rows_stacked,
)
batches.also("starts up to the end of the data", "len(data) - n_ctx + 1 → len(data)", "+ 1 → + 2")
batches.also("starts up to the end of the data", "+ 1 → + 2", of=rows_stacked)
batches.misconception(
    "windows that go round the end",
    "The end and the beginning of the data are not neighbours: draw only starts up to `len(data) - n_ctx`.",
    ("len(data) - n_ctx + 1 → len(data)", "starts + torch.arange(n_ctx) → (starts + torch.arange(n_ctx)) % len(data)"),
)
batches.misconception(
    "the last windows too often",
    "The last window comes several times as often as any other: draw only starts that fit, "
    "`torch.randint(len(data) - n_ctx + 1, ...)`.",
    ("len(data) - n_ctx + 1 → len(data)", "[starts → [starts.clamp(max=len(data) - n_ctx)"),
)
batches.misconception(
    "one start for the whole batch",
    "Draw `batch_size` starts, or the batch holds one and the same window many times.",
    ("(batch_size, 1) → (1, 1)", "[starts → [starts.expand(batch_size, 1)"),
)
batches.misconception(
    "rows that follow one another",
    "Every row has a start of its own, drawn at random. Neighbours in the text are alike, and such a batch is "
    "worth less.",
    ("(batch_size, 1) → (1, 1)", "[starts → [(starts + torch.arange(batch_size)[:, None]) % (len(data) - n_ctx + 1)"),
)


@batches.misconception(
    "one long piece cut into rows",
    "Draw a start for each row. A piece of `batch_size * n_ctx` tokens also asks for more data than one window.",
)
def one_piece(data, n_ctx, batch_size, generator):
    refuse_short(data, n_ctx)
    start = int(drawn(max(1, len(data) - batch_size * n_ctx + 1), 1, generator))
    return data[start : start + batch_size * n_ctx].view(batch_size, n_ctx)


batches.misconception(
    "the beginning of the data every time",
    "Every window is the beginning of the data: draw the starts with `torch.randint` and `generator`.",
    f"{DRAWN} → torch.arange(batch_size)[:, None] % (len(data) - n_ctx + 1)",
    f"{DRAWN} → torch.zeros(batch_size, 1, dtype=torch.long)",
)
batches.misconception(
    "windows side by side alone",
    "A window may start anywhere, not only at multiples of `n_ctx`: there are `len(data) - n_ctx + 1` starts.",
    ("len(data) - n_ctx + 1 → len(data) // n_ctx", "[starts → [n_ctx * starts"),
    "[starts → [starts // n_ctx * n_ctx",
)
batches.misconception(
    "starts that avoid one another",
    "The starts are drawn independently, so that two rows may have the same one: `torch.randint` draws each anew.",
    f"{DRAWN} → torch.randperm(len(data) - n_ctx + 1, generator=generator)[:batch_size, None]",
)


@batches.also("starts that avoid one another")
def multinomial_without_replacement(data, n_ctx, batch_size, generator):
    refuse_short(data, n_ctx)
    alike = torch.ones(n_windows(data, n_ctx))
    return windows_at(torch.multinomial(alike, batch_size, generator=generator), data, n_ctx)


@batches.also("starts that avoid one another")
def dealt_out_again_and_again(data, n_ctx, batch_size, generator):
    refuse_short(data, n_ctx)
    order = torch.randperm(n_windows(data, n_ctx), generator=generator)
    return windows_at(order[torch.arange(batch_size) % len(order)], data, n_ctx)


batches.misconception(
    "sorted starts",
    "Leave the starts in the order in which they are drawn: sorted, the first row is always an early one.",
    "[starts → [starts.sort(dim=0).values",
)
batches.misconception(
    "starts near the middle",
    "Normal random numbers, and sums of several, come mostly near their mean: `torch.randint` gives every start alike.",
    (
        f"{DRAWN} → torch.rand(2, batch_size, 1, generator=generator).mean(dim=0)",
        "[starts → [(starts * (len(data) - n_ctx + 1)).long()",
    ),
)


@batches.also("starts near the middle")
def normal_starts(data, n_ctx, batch_size, generator):
    refuse_short(data, n_ctx)
    middle, last = (len(data) - n_ctx) / 2, len(data) - n_ctx
    noise = torch.randn(batch_size, generator=generator)
    return windows_at((middle + noise * last / 6).round().long().clamp(0, last), data, n_ctx)


batches.misconception(
    "the first and the last window half as often",
    "Rounding to the nearest number gives the two ends half a share each: draw whole numbers, with `torch.randint`.",
    (
        f"{DRAWN} → torch.rand(batch_size, 1, generator=generator)",
        "[starts → [(starts * (len(data) - n_ctx)).round().long()",
    ),
)
batches.misconception(
    "torch's global random numbers",
    "Hand the generator on, `generator=generator`, or the batches depend on whatever else draws random numbers.",
    ", generator=generator → ",
)


@batches.misconception(
    "the random numbers of Python's `random`",
    "`random` knows nothing of `generator`: draw with `torch.randint(..., generator=generator)`.",
)
def of_python(data, n_ctx, batch_size, generator):
    refuse_short(data, n_ctx)
    starts = [random.randint(0, len(data) - n_ctx) for _ in range(batch_size)]
    return torch.stack([data[start : start + n_ctx] for start in starts])


@batches.misconception(
    "NumPy's random numbers",
    "`np.random` knows nothing of `generator`: draw with `torch.randint(..., generator=generator)`.",
)
def of_numpy(data, n_ctx, batch_size, generator):
    refuse_short(data, n_ctx)
    return windows_at(torch.from_numpy(np.random.randint(0, n_windows(data, n_ctx), batch_size)), data, n_ctx)


@batches.misconception(
    "the generator seeded anew",
    "Every batch is the same: each call draws the next numbers of `generator`, and nothing sets it back.",
)
def seeded_anew(data, n_ctx, batch_size, generator):
    generator.manual_seed(0)
    return get_batch(data, n_ctx, batch_size, generator)


@batches.also("the generator seeded anew")
def seeded_as_it_was(data, n_ctx, batch_size, generator):
    generator.manual_seed(generator.initial_seed())
    return get_batch(data, n_ctx, batch_size, generator)


batches.also(
    "the generator seeded anew",
    lambda data, n_ctx, batch_size, generator: get_batch(data, n_ctx, batch_size, torch.Generator().manual_seed(1337)),
)


for other_seed in (42, 1, 123, 1234):  # that people write where they do not write 0
    batches.also("the generator seeded anew")(
        lambda data, n_ctx, batch_size, generator, other_seed=other_seed: get_batch(
            data, n_ctx, batch_size, torch.Generator().manual_seed(other_seed)
        )
    )


@batches.misconception(
    "`torch.manual_seed` inside the function",
    "It sets back all random numbers of torch, dropout's too. Draw from `generator`, and seed nothing in here.",
    said_of="seed",
    otherwise=(
        "torch's global random numbers are not what they were after a call: draw from `generator`, and leave "
        "them alone."
    ),
)
def seeds_torch(data, n_ctx, batch_size, generator):
    refuse_short(data, n_ctx)
    torch.default_generator.manual_seed(1337)
    return windows_at(torch.randint(n_windows(data, n_ctx), (batch_size,)), data, n_ctx)


@batches.misconception(
    "n_ctx and batch_size swapped", "A batch has `batch_size` rows of `n_ctx` tokens: the shape is [batch_size, n_ctx]."
)
def swapped(data, n_ctx, batch_size, generator):
    refuse_short(data, n_ctx)
    return windows_at(drawn(max(1, len(data) - batch_size + 1), n_ctx, generator), data, batch_size)


batches.misconception(
    "rows and columns swapped",
    "Each row is a window: stack the windows along the first axis, or transpose.",
    lambda data, n_ctx, batch_size, generator: get_batch(data, n_ctx, batch_size, generator).T,
)


@batches.misconception(
    "a window of `n_ctx + 1` tokens",
    "`lm_loss` finds the targets inside the window, so it needs no extra token: `data[start : start + n_ctx]`.",
)
def one_token_more(data, n_ctx, batch_size, generator):
    refuse_short(data, n_ctx + 1)
    return windows_at(drawn(len(data) - n_ctx, batch_size, generator), data, n_ctx + 1)


batches.misconception(
    "a window of `n_ctx - 1` tokens",
    "A window has all of `n_ctx` tokens: `data[start : start + n_ctx]`. `lm_loss` knows that nothing follows the last.",
    "arange(n_ctx → arange(n_ctx - 1",
)


@batches.misconception(
    "inputs and targets in two tensors",
    "nanoGPT returns `x` and `y`; here `lm_loss` does the shifting, so return one tensor, the windows alone.",
)
def inputs_and_targets(data, n_ctx, batch_size, generator):
    refuse_short(data, n_ctx + 1)
    starts = drawn(len(data) - n_ctx, batch_size, generator)
    return windows_at(starts, data, n_ctx), windows_at(starts + 1, data, n_ctx)


batches.also(
    "inputs and targets in two tensors",
    "return data[starts + torch.arange(n_ctx)] → "
    "windows = data[starts + torch.arange(n_ctx)]; return windows[:, :-1], windows[:, 1:]",
)
batches.misconception(
    "the windows in a list",
    "Make one tensor of them: `torch.stack(windows)`, which has shape [batch_size, n_ctx].",
    lambda data, n_ctx, batch_size, generator: list(get_batch(data, n_ctx, batch_size, generator)),
)
batches.misconception(
    "the windows in one row",
    "Keep the rows apart: `torch.stack` makes an axis of them, `torch.cat` does not.",
    lambda data, n_ctx, batch_size, generator: get_batch(data, n_ctx, batch_size, generator).flatten(),
)
batches.misconception(
    "the starts in place of the tokens",
    "The starts are places in the data: look up what stands there, `data[start : start + n_ctx]`.",
    "data[starts + torch.arange(n_ctx)] → starts[:, 0]",
    "starts + torch.arange(n_ctx) → starts[:, 0]",
)
batches.misconception(
    "places in place of the tokens",
    "`start + torch.arange(n_ctx)` are places in the data: index the data with them, `data[...]`.",
    "data[starts + torch.arange(n_ctx)] → starts + torch.arange(n_ctx)",
)
batches.misconception(
    "tokens picked one by one",
    "Neighbours in a row are neighbours in the data: draw one start for each row, and take `n_ctx` tokens from there.",
    ("len(data) - n_ctx + 1 → len(data)", "batch_size, 1 → batch_size, n_ctx", "starts + torch.arange(n_ctx) → starts"),
)
batches.misconception(
    "floats in place of tokens",
    "Tokens are whole numbers, int64, but these are floats: keep the dtype of `data`. (`torch.zeros` makes floats "
    "unless it is given a `dtype`.)",
    lambda *given: get_batch(*given).float(),
)
batches.misconception(
    "int32 in place of int64",
    "Tokens are int64, but these are int32: keep the dtype of `data`.",
    lambda *given: get_batch(*given).int(),
)
batches.misconception(
    "zeros in place of the missing tokens",
    "Data that is too short is a mistake that nobody should have to guess from a loss: raise ValueError.",
    lambda data, n_ctx, *others: get_batch(F.pad(data, (0, max(0, n_ctx - len(data)))), n_ctx, *others),
)
batches.misconception(
    "shorter windows of data that is too short",
    "All windows have `n_ctx` tokens. Where there are fewer in the data, raise ValueError.",
    lambda data, n_ctx, batch_size, generator: get_batch(data, min(n_ctx, len(data)), batch_size, generator),
)


@batches.misconception(
    "an assert in place of ValueError",
    "An `assert` raises AssertionError, and is left out by `python -O`: `if len(data) < n_ctx: raise ValueError(...)`.",
)
def asserted(data, n_ctx, batch_size, generator):
    assert len(data) >= n_ctx
    return get_batch(data, n_ctx, batch_size, generator)


@batches.misconception(
    "no ValueError of its own",
    "Look first, before anything is drawn or cut, and say how many tokens there are and how many one window "
    "needs: `if len(data) < n_ctx: raise ValueError(...)`.",
)
def unlooked(data, n_ctx, batch_size, generator):
    return windows_at(drawn(n_windows(data, n_ctx), batch_size, generator), data, n_ctx)


@batches.misconception(
    "refusing data of exactly one window",
    "Data of `n_ctx` tokens has one window, and that is enough: raise ValueError only where `len(data) < n_ctx`.",
)
def one_window_refused(data, n_ctx, batch_size, generator):
    if len(data) <= n_ctx:
        raise ValueError("too short")
    return get_batch(data, n_ctx, batch_size, generator)


@batches.misconception(
    "calls counted in the place of drawing",
    "Draw the starts from `generator` itself, `torch.randint(..., generator=generator)`: set back to where it was, it "
    "has to give the same batch again.",
)
def counted(data, n_ctx, batch_size, generator, calls={}):  # noqa: B006 - the mistake
    _, n = calls.get(id(generator), (generator, 0))
    calls[id(generator)] = (generator, n + 1)
    own = torch.Generator().manual_seed(generator.initial_seed() + 1_000_000_007 * n)
    return get_batch(data, n_ctx, batch_size, own)


@batches.correct
def another_generator_seeded_by_the_first(data, n_ctx, batch_size, generator):
    seed = int(torch.randint(2**62, (), generator=generator))
    return get_batch(data, n_ctx, batch_size, torch.Generator().manual_seed(seed))
