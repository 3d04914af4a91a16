"""The kinds of exercise: one module for each, and the table in which both sides of the wall look them up by name."""

from utils.running.kinds.batches import Batches
from utils.running.kinds.component import Component
from utils.running.kinds.function import Function
from utils.running.kinds.jax_arrays import JaxArrays
from utils.running.kinds.kind import KINDS, Kind, drives_with, is_drawn, kind_of, register
from utils.running.kinds.masks import Masks
from utils.running.kinds.methods import Methods
from utils.running.kinds.names_read import NamesRead
from utils.running.kinds.numpy_arrays import NumpyArrays
from utils.running.kinds.optimiser import Optimiser
from utils.running.kinds.source import Source
from utils.running.kinds.stream import Stream

__all__ = ["KINDS", "Kind", "drives_with", "is_drawn", "kind_of", "register"]

ARRAYS = NumpyArrays(), JaxArrays()
register(Component(), Function(), Methods(), Stream(), *ARRAYS, Optimiser(), Batches(), Masks(), NamesRead(), Source())
