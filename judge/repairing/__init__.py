"""One change away: looks for a single edit of a learner's code with which every check passes.

`find_repair` is for the notebook; the same operators make the mutants with which `verify` proves a test function.
"""

from judge.repairing.repair import Repair
from judge.repairing.search import find_repair

__all__ = ["Repair", "find_repair"]
