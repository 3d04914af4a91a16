"""utils.handed_over: what the engine has of this course for its learners, and that a course may have nothing."""

import pytest

from tests.house.fresh_python import fresh_python
from utils.course import exercises, stems
from utils.handed_over import MADE_OF
from utils.learner import handed
from utils.learner.welcome import Welcome
from utils.model_map import NAMES


def test_every_part_of_the_map_belongs_to_exercises_of_the_course():
    symbols = {one.symbol for stem in stems() for one in exercises(stem)}
    assert MADE_OF.keys() <= set(NAMES)
    for name, needed in MADE_OF.items():
        assert needed <= symbols or not needed & symbols, f"{name} is only half in the course"


def test_a_course_that_hands_nothing_over_has_a_start_page_without_a_map(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    monkeypatch.setattr(handed, "_handed", [])
    monkeypatch.setattr(handed, "STANDARD", "utils.not_there")
    page = Welcome()
    assert f"0 of {sum(len(exercises(stem)) for stem in stems())} exercises" in str(page)
    assert "<table>" in page._repr_html_() and "<img" not in page._repr_html_()
    assert handed.handed_over().write_package() is None


@pytest.mark.slow
def test_the_start_page_needs_no_torch_and_a_first_cell_nothing_of_this():
    shown = "import sys; from utils.learner.welcome import welcome; print(welcome()); print('torch' in sys.modules)"
    assert fresh_python(shown).stdout.endswith("False\n")
    started = "import sys, tests.ch03_layernorm, utils.setup, utils.learner.reporter; print(*sys.modules)"
    assert not {"utils.learner.handed", "utils.handed_over", "utils.own_gpt.writing"} & set(
        fresh_python(started, warm=True).stdout.split()
    )
