"""judge.running.local: the name that a misspelt one was meant to be."""

import pytest
import torch
from torch import nn

from judge.running.local import meant


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))


class Vocabulary:
    stoi: dict = {}  # noqa: RUF012


class Broken:
    def __dir__(self):
        raise ValueError


MISSPELT = """
def local():
    variance = 1
    return varience, variance

def builtin():
    prnt(1)

def short():
    return xy

def unbound():
    print(later)
    later = 1
"""
wrong: dict = {}
exec(MISSPELT, wrong)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (wrong["local"], "variance"),
        (lambda: Scale().wieght, "weight"),
        (wrong["builtin"], "print"),
        (lambda: Scale().nothing_like_it, ""),
        (lambda: Vocabulary().stio, "stoi"),
        (lambda: Vocabulary().itos, ""),
        (wrong["short"], ""),
        (lambda: getattr(Broken(), "wieght"), ""),  # noqa: B009
        (lambda: torch.ones(2)[5], ""),
        (wrong["unbound"], ""),
    ],
)
def test_the_nearest_name_that_was_there_is_meant(code, name):
    with pytest.raises((NameError, AttributeError, IndexError)) as caught:
        code()
    assert meant(caught.value) == name
