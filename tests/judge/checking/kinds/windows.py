"""A function of a generator, of which any right answer draws its own numbers: what they are like is compared."""

import torch
from torch import Tensor

from judge.checking import Exercise, check_agrees, line, random_tensor
from solutions.ch09_training import get_batch


def properties(answer):
    """What can be said of batches of windows, whatever the starts that were drawn."""
    drawn = answer["drawn"] if isinstance(answer, dict) else None
    if not isinstance(drawn, list) or not all(isinstance(one, Tensor) and one.ndim == 2 for one in drawn):
        return answer
    starts = [one[:, :1] for one in drawn]
    return {
        "shapes": sorted({tuple(one.shape) for one in drawn}),
        "dtypes": sorted({str(one.dtype) for one in drawn}),
        "each row is a window": all(bool((one.diff(dim=1) == 1).all()) for one in drawn),
        "starts that occur": torch.cat(starts).flatten().unique().tolist(),
        "rows start independently": any(len(one.unique()) > 1 for one in starts),
        "one batch differs from the next": any(not one.equal(drawn[0]) for one in drawn),
        "a generator seeded anew gives the first again": drawn[0].equal(answer["again"]),
        "uses global random numbers": answer["uses global random numbers"],
    }


exercise = Exercise(
    inputs={"data": "n_tokens", "n_ctx": "", "batch_size": "", "generator": ""},
    drive="batches",
    view=properties,
    solution="solutions.ch09_training",
)


@exercise.test
def test_get_batch(get_batch):
    first = int(random_tensor().abs() * 1000)
    with line("every window of the data comes, by the generator's random numbers alone"):
        check_agrees(get_batch, torch.arange(first, first + 30), 7, 4, 1, times=200)
    with line("takes the whole of data that has one window only"):
        check_agrees(get_batch, torch.arange(first, first + 7), 7, 2, 1, times=2)


@exercise.correct
def rows_stacked(data, n_ctx, batch_size, generator):
    starts = [int(torch.randint(0, len(data) - n_ctx + 1, (), generator=generator)) for _ in range(batch_size)]
    return torch.stack([data[start : start + n_ctx] for start in starts])


@exercise.correct
def windows_chosen_by_sorting(data, n_ctx, batch_size, generator):
    windows = data.unfold(0, n_ctx, 1)
    noise = torch.rand(batch_size, len(windows), generator=generator)
    return windows[noise.argmax(dim=1)]


def window_at(starts, data, n_ctx):
    return data[starts + torch.arange(n_ctx)]


@exercise.misconception("torch's global random numbers", "Hand `generator=generator` to torch.randint.")
def ambient(data, n_ctx, batch_size, generator):
    return window_at(torch.randint(len(data) - n_ctx + 1, (batch_size, 1)), data, n_ctx)


@exercise.misconception("leaving the last window out", "randint's end is excluded: len(data) - n_ctx + 1.")
def never_the_last(data, n_ctx, batch_size, generator):
    return window_at(torch.randint(max(1, len(data) - n_ctx), (batch_size, 1), generator=generator), data, n_ctx)


@exercise.misconception("one start for the whole batch", "Draw `batch_size` starts.")
def one_start(data, n_ctx, batch_size, generator):
    start = torch.randint(len(data) - n_ctx + 1, (1, 1), generator=generator)
    return window_at(start.expand(batch_size, 1), data, n_ctx)


@exercise.misconception("a generator of its own", "Use the generator that is given: else every batch is the same.")
def own_generator(data, n_ctx, batch_size, generator):
    return get_batch(data, n_ctx, batch_size, torch.Generator().manual_seed(0))


@exercise.misconception("windows one token too long", "A window has `n_ctx` tokens.")
def too_long(data, n_ctx, batch_size, generator):
    long = min(n_ctx + 1, len(data))
    return get_batch(data, long, batch_size, generator)


@exercise.misconception("tokens picked one by one", "Neighbours in a row are neighbours in the data.")
def no_windows(data, n_ctx, batch_size, generator):
    return data[torch.randint(len(data), (batch_size, n_ctx), generator=generator)]


@exercise.misconception("windows side by side alone", "A window may start anywhere, not only at multiples of n_ctx.")
def multiples(data, n_ctx, batch_size, generator):
    return window_at(n_ctx * torch.randint(len(data) // n_ctx, (batch_size, 1), generator=generator), data, n_ctx)
