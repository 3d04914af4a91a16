"""The driver `stream`: which layers it hands over, and that their list is the caller's."""

import copy

import torch
from torch import nn

from judge.running.kinds import KINDS
from tests.judge.checking.kinds import stream


class Emptying(stream.ResidualStream):
    """Takes the layers out of the list that it was given."""

    def __init__(self, layers):
        super().__init__([layers.pop(0) for _ in range(len(layers))])


def test_the_list_of_layers_must_be_left_alone():
    failure = stream.exercise.judge(Emptying).failure
    assert failure.details[0].startswith("`__init__` has changed the list of layers that it was given")


class Copying(stream.ResidualStream):
    def __init__(self, layers):
        super().__init__(copy.deepcopy(list(layers)))


class CopyingElsewhere(stream.ResidualStream):
    def __init__(self, layers):
        super().__init__([])
        self.copies = nn.ModuleList(copy.deepcopy(list(layers)))


def test_a_copy_under_the_name_of_a_layer_is_not_called_missing():
    said = stream.exercise.judge(Copying).failure.details
    assert said[0] == "`layers.0.weight` is a copy, not the parameter that was handed in"
    assert not any("missing" in line for line in said)
    assert stream.exercise.judge(CopyingElsewhere).failure.details[0] == "`layers.0.weight` is missing"


def test_where_two_matrices_are_equal_one_layer_stands_at_both_places():
    one, other = torch.eye(2), torch.ones(2, 2)
    made = []
    KINDS["stream"].drive(lambda layers: made.extend(layers) or nn.Identity(), [one, other, one], torch.zeros(1, 1, 2))
    assert made[0] is made[2] and made[0] is not made[1]
