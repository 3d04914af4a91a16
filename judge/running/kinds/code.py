"""No exercises: the source of what a learner wrote, and which variables of its notebook it reads."""

from typing import Any

from judge.running.calling import Observed
from judge.running.kinds.kind import Kind
from judge.running.sources import data_read, sources_of


class Source(Kind):
    """The question has no arguments."""

    name = "source"
    has_inputs = False
    names_inputs = False
    is_value = False

    def drive(self, component: Any) -> Observed:
        """Call nothing: the output lists the texts of the component's functions."""
        return Observed([sources_of(component)])


class NamesRead(Kind):
    """The question has no arguments."""

    name = "names_read"
    has_inputs = False
    names_inputs = False
    is_value = False

    def drive(self, component: Any) -> Observed:
        """Call nothing: the output lists the variables of its notebook or module that the component's code reads."""
        return Observed([data_read(component)])
