"""judge.checking.likeness: how far two values are apart, whatever they hold."""

import math

import pytest
import torch

from judge.checking.comparing import value_difference
from judge.checking.likeness import absolute_tolerance, distance, equal, error_in_short, error_over_tolerance, largest
from judge.running.records import Array, LearnerError, Opaque

NAN, INF = math.nan, math.inf


def test_distance_is_the_largest_and_knows_nan():
    assert distance(torch.tensor([1.0, 5.0, NAN, INF]), torch.tensor([1.5, 4.0, NAN, INF])) == 1
    assert distance(torch.tensor([NAN]), torch.tensor([1.0])) == INF
    assert distance(torch.ones(2), torch.ones(2, 1)) == distance(torch.ones(2), torch.ones(2).double()) == INF
    assert distance(torch.zeros(0), torch.zeros(0)) == 0
    assert (
        distance(torch.tensor([-3.4e38]), torch.tensor([-INF])) == distance(torch.tensor([INF]), -torch.ones(1)) == INF
    )


@pytest.mark.parametrize("seed", range(20))
def test_any_wrong_value_anywhere_is_found(seed):
    generator = torch.Generator().manual_seed(seed)
    shape = torch.randint(1, 6, (3,), generator=generator).tolist()
    want = torch.randn(shape, generator=generator) * 10 ** (seed - 10)
    allowed = 1e-5 * max(1.0, float(want.abs().max()))
    within = want + allowed / 2 * torch.randn(shape, generator=generator).clamp(-1, 1)
    assert value_difference(within, want, ["a", "b", "c"], 1e-5) is None
    assert distance(within, want) / allowed < 1
    index = tuple(int(torch.randint(size, (1,), generator=generator)) for size in shape)
    got = within.clone()
    got[index] += 3 * allowed
    difference = value_difference(got, want, ["a", "b", "c"], 1e-5)
    place = "at a {}, b {}, c {}: got".format(*index)
    amount = f"1 of {want.numel()} values differs, " if want.numel() > 1 else ""
    assert difference.lines[0].startswith(amount + place)
    assert 1 < difference.error_over_tolerance == pytest.approx(distance(got, want) / absolute_tolerance(1e-5, want))


def test_nests_with_tensors_are_compared_not_refused():
    assert equal((torch.ones(2), ["a"]), (torch.ones(2), ["a"]))
    for other in (
        (torch.ones(2), ["b"]),
        (torch.zeros(2), ["a"]),
        (torch.ones(3), ["a"]),
        (torch.ones(2).double(), ["a"]),
    ):
        assert not equal((torch.ones(2), ["a"]), other)
    array = Array(torch.ones(2))
    assert equal([array], [Array(torch.ones(2))]) and not equal(array, Array(torch.zeros(2))) and not equal(array, 1)
    assert not equal(array, torch.ones(2)) and not equal(Opaque("a"), Opaque("b"))
    assert distance({"a": (1.0, torch.ones(2))}, {"a": (1.5, torch.zeros(2))}) == 1
    assert distance({"a": 1}, {"b": 1}) == distance([1], [1, 1]) == distance([1], (1,)) == distance(True, 1) == INF
    assert distance([1.0, NAN], [1.0, NAN]) == 0 and distance(NAN, 1.0) == INF


def test_the_tolerance_grows_with_the_values_but_not_for_whole_numbers():
    assert absolute_tolerance(1e-5, torch.tensor([0.5, -0.1])) == 1e-5
    assert absolute_tolerance(1e-5, torch.tensor([3.0, -200.0])) == pytest.approx(2e-3)
    assert absolute_tolerance(1e-5, [0.5, {"a": torch.tensor(3.0)}, Array(torch.tensor(-4.0))]) == pytest.approx(4e-5)
    masked = torch.tensor([NAN, -INF, -3.4e38, 2.0])  # masked scores are no scale
    assert absolute_tolerance(1e-5, masked) == pytest.approx(2e-5) and largest(masked) == 2
    assert absolute_tolerance(1e-5, torch.tensor([50256])) == absolute_tolerance(1e-5, Array(torch.tensor([7]))) == 0
    assert absolute_tolerance(1e-5, torch.zeros(0)) == 1e-5


def test_multiples_of_no_tolerance():
    assert error_over_tolerance(0.0, 0.0) == 0 and error_over_tolerance(1.0, 0.0) == INF
    assert error_over_tolerance(3e-5, 1e-5) == pytest.approx(3)
    assert value_difference(torch.zeros(0, 3), torch.zeros(0, 3), ["pos", "d_model"], 1e-5) is None


def test_two_errors_are_the_same_whichever_objects_of_one_run_jax_names():
    def raised(message):
        return error_in_short(LearnerError("TracerBoolConversionError", message))

    told = "Attempted boolean conversion of traced array with shape bool[]."
    place = "\nThis BatchTracer with object id {} was created on line:\n  a cell:{}:11 (head)\nSee https://docs.jax.dev"
    assert raised(told + place.format(139, 7)) == raised(told + place.format(5, 18)) != raised(told)
    assert raised("one") != raised("another") and error_in_short(None) is None
