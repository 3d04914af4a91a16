"""The judge: asks what a learner wrote, compares it with what is right, explains what differs; it knows no course.

`from judge import Exercise, line, check_agrees` gives what judge.checking has for tests; README.md shows a course.
"""

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    """A name of judge.checking, which is imported once it is asked for: the learner's side of a wall needs none."""
    if name.startswith("_"):
        raise AttributeError(name)
    return getattr(importlib.import_module("judge.checking"), name)
