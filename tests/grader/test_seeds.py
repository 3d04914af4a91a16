"""grader.seeds: drawn anew where solutions can answer, 0 where answers are recorded."""

import pytest

from grader import seeds
from utils.course import CourseError


def test_a_seed_is_drawn_unless_it_is_wanted():
    assert len({seeds.seed_for(None) for _ in range(5)}) > 1 and seeds.seed_for(7) == 7


def test_without_solutions_it_is_0(monkeypatch):
    monkeypatch.setattr(seeds, "solutions_are_here", lambda: False)
    assert seeds.seed_for(None) == seeds.seed_for(0) == 0
    with pytest.raises(CourseError, match="recorded for seed 0 alone, and this is seed 7"):
        seeds.seed_for(7)
