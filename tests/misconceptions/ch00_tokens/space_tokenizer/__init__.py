"""How SpaceTokenizer goes wrong, and right answers that look different, by theme."""

from importlib.util import find_spec

PARTS = ("words", "tables")  # in this order a card looks for a cause
if find_spec("torch"):  # as it is everywhere but on the course's site
    PARTS = (*PARTS, "tensors")
