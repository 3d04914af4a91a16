"""grader.lending.seed_for: drawn anew where solutions can answer, 0 where answers are recorded."""

import pytest

from grader import lending
from utils.course import CourseError


def test_a_seed_is_drawn_unless_it_is_wanted():
    assert len({lending.seed_for(None) for _ in range(5)}) > 1 and lending.seed_for(7) == 7


def test_without_solutions_it_is_0(monkeypatch):
    monkeypatch.setattr(lending, "solutions_are_here", lambda: False)
    assert lending.seed_for(None) == lending.seed_for(0) == 0
    with pytest.raises(CourseError, match="recorded for seed 0 alone, and this is seed 7"):
        lending.seed_for(7)
