"""The kinds of exercise: one module for each, and the table in which both sides of the wall look them up by name."""

from judge.running.kinds.batches import Batches
from judge.running.kinds.component import Component
from judge.running.kinds.function import Function
from judge.running.kinds.jax_arrays import JaxArrays
from judge.running.kinds.kind import KINDS, Kind, drives_with, is_drawn, kind_of, register
from judge.running.kinds.masks import Masks
from judge.running.kinds.methods import Methods
from judge.running.kinds.names_read import NamesRead
from judge.running.kinds.numpy_arrays import NumpyArrays
from judge.running.kinds.optimiser import Optimiser
from judge.running.kinds.source import Source
from judge.running.kinds.stream import Stream

__all__ = ["KINDS", "Kind", "drives_with", "is_drawn", "kind_of", "register"]

ARRAYS = NumpyArrays(), JaxArrays()
register(Component(), Function(), Methods(), Stream(), *ARRAYS, Optimiser(), Batches(), Masks(), NamesRead(), Source())
