"""No exercise: which variables of its notebook an answer reads."""

from typing import Any

from judge.running.calling import Observed
from judge.running.globals_read import data_read
from judge.running.kinds.kind import Kind


class NamesRead(Kind):
    """The question has no arguments."""

    name = "names_read"
    has_inputs = False
    names_inputs = False
    is_value = False

    def drive(self, component: Any) -> Observed:
        """Call nothing: the output lists the variables of its notebook or module that the component's code reads."""
        return Observed([data_read(component)])
