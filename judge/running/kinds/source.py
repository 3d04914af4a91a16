"""No exercise: the source of what a learner wrote."""

from typing import Any

from judge.running.calling import Observed
from judge.running.kinds.kind import Kind
from judge.running.sources import sources_of


class Source(Kind):
    """The question has no arguments."""

    name = "source"
    has_inputs = False
    names_inputs = False
    is_value = False

    def drive(self, component: Any) -> Observed:
        """Call nothing: the output lists the texts of the component's functions."""
        return Observed([sources_of(component)])
