"""The kinds of exercise, and the table in which both sides of the wall look them up by name."""

from judge.running.kinds.draws import Batches, Masks
from judge.running.kinds.function import Function, JaxArrays, Methods, NamesRead, NumpyArrays, Source
from judge.running.kinds.kind import FEW, KINDS, Kind, briefly, drives_with, is_drawn, kind_of, register
from judge.running.kinds.modules import Component, Optimiser, Stream

__all__ = ["FEW", "KINDS", "Kind", "briefly", "drives_with", "is_drawn", "kind_of", "register"]

ARRAYS = NumpyArrays(), JaxArrays()
register(Component(), Function(), Methods(), Stream(), *ARRAYS, Optimiser(), Batches(), Masks(), NamesRead(), Source())
