"""utils.running.suggesting: the name that a misspelt one was meant to be."""

import pytest
import torch
from torch import nn

from utils.running.suggesting import meant


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))


class Broken:
    def __dir__(self):
        raise ValueError


def misspelt_local():
    variance = 1
    return varience, variance  # noqa: F821


def before_it_is_assigned():
    print(later)  # noqa: F821
    later = 1  # noqa: F841


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (misspelt_local, "variance"),
        (lambda: Scale().wieght, "weight"),
        (lambda: prnt(1), "print"),  # noqa: F821
        (lambda: Scale().nothing_like_it, ""),
        (lambda: xy, ""),  # noqa: F821
        (lambda: Broken().wieght, ""),
        (lambda: torch.ones(2)[5], ""),
        (before_it_is_assigned, ""),
    ],
)
def test_the_nearest_name_that_was_there_is_meant(code, name):
    with pytest.raises((NameError, AttributeError, IndexError)) as caught:
        code()
    assert meant(caught.value) == name
