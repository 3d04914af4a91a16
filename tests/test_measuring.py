"""utils.checking.measuring: how far two values are apart, whatever they hold."""

import math

import pytest
import torch

from utils.checking.comparing import plain_difference, tensor_difference
from utils.checking.measuring import distance, equal, error_ratio, ratio, scaled

NAN, INF = math.nan, math.inf


def test_distance_is_the_largest_and_knows_nan():
    assert distance(torch.tensor([1.0, 5.0, NAN, INF]), torch.tensor([1.5, 4.0, NAN, INF])) == 1
    assert distance(torch.tensor([NAN]), torch.tensor([1.0])) == INF
    assert distance(torch.ones(2), torch.ones(2, 1)) == distance(torch.ones(2), torch.ones(2).double()) == INF
    assert distance(torch.zeros(0), torch.zeros(0)) == 0


@pytest.mark.parametrize("seed", range(20))
def test_any_wrong_value_anywhere_is_found(seed):
    generator = torch.Generator().manual_seed(seed)
    shape = torch.randint(1, 6, (3,), generator=generator).tolist()
    want = torch.randn(shape, generator=generator) * 10 ** (seed - 10)
    allowed = 1e-5 * max(1.0, float(want.abs().max()))
    within = want + allowed / 2 * torch.randn(shape, generator=generator).clamp(-1, 1)
    assert tensor_difference(within, want, "a b c", 1e-5) is None
    assert error_ratio(within, want, 1e-5) < 1
    index = tuple(int(torch.randint(size, (1,), generator=generator)) for size in shape)
    got = within.clone()
    got[index] += 3 * allowed
    difference = tensor_difference(got, want, "a b c", 1e-5)
    assert difference.lines[0].startswith(f"1 of {want.numel()} values differ")
    assert difference.lines[1].startswith("at [a {}, b {}, c {}]: got".format(*index))
    assert 1 < difference.ratio == pytest.approx(error_ratio(got, want, 1e-5))


def test_nests_with_tensors_are_compared_not_refused():
    assert equal((torch.ones(2), ["a"]), (torch.ones(2), ["a"]))
    for other in (
        (torch.ones(2), ["b"]),
        (torch.zeros(2), ["a"]),
        (torch.ones(3), ["a"]),
        (torch.ones(2).double(), ["a"]),
    ):
        assert not equal((torch.ones(2), ["a"]), other)
    assert plain_difference([torch.ones(2)], [1]).lines[2].startswith("they first differ at index 0: got tensor(")


def test_the_allowed_error_grows_with_the_values_but_not_for_whole_numbers():
    assert scaled(1e-5, torch.tensor([0.5, -0.1])) == 1e-5
    assert scaled(1e-5, torch.tensor([3.0, -200.0])) == pytest.approx(2e-3)
    assert scaled(1e-5, torch.tensor([NAN, -INF, -3.4e38, 2.0])) == pytest.approx(2e-5)  # masked scores are no scale
    assert scaled(1e-5, torch.tensor([50256])) == 0
    assert scaled(1e-5, torch.zeros(0)) == 1e-5


def test_ratios_of_nothing():
    assert ratio(torch.zeros(3), 0.0) == 0 and ratio(torch.ones(3), 0.0) == INF
    assert error_ratio(torch.zeros(0, 3), torch.zeros(0, 3), 1e-5) == 0
    assert tensor_difference(torch.zeros(0, 3), torch.zeros(0, 3), "pos d_model", 1e-5) is None
    assert error_ratio(torch.tensor([NAN, INF, 1.0]), torch.tensor([NAN, INF, 1.0]), 1e-5) == 0
