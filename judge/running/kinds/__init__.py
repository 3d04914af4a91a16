"""The kinds of exercise: one module for each, and the table in which both sides of the wall look them up by name."""

from judge.running.kinds.code import NamesRead, Source
from judge.running.kinds.component import Component
from judge.running.kinds.draws import Batches, Masks
from judge.running.kinds.function import Function, JaxArrays, NumpyArrays
from judge.running.kinds.kind import FEW, KINDS, Kind, briefly, drives_with, is_drawn, kind_of, register
from judge.running.kinds.methods import Methods
from judge.running.kinds.optimiser import Optimiser
from judge.running.kinds.stream import Stream

__all__ = ["FEW", "KINDS", "Kind", "briefly", "drives_with", "is_drawn", "kind_of", "register"]

ARRAYS = NumpyArrays(), JaxArrays()
register(Component(), Function(), Methods(), Stream(), *ARRAYS, Optimiser(), Batches(), Masks(), NamesRead(), Source())
