"""author.classroom: a step in the workflow for GitHub Classroom for each chapter that is there."""

from author.classroom import WORKFLOW, build_classroom, check_classroom
from tests.author.mini_course import STEM, write_course
from utils.course import ROOT

STALE = [f"{WORKFLOW}'s chapters are out of date. Make them again: python -m utils build"]


def test_the_workflow_here_is_up_to_date():
    assert check_classroom() == []


def test_the_steps_alone_are_written_and_checked(tmp_path):
    workflow = write_course(tmp_path) / WORKFLOW
    workflow.parent.mkdir(parents=True)
    before, mark, _ = (ROOT / WORKFLOW).read_text(encoding="utf-8").partition("      - name: Chapter 0\n")
    workflow.write_text(before + mark + "old\n", encoding="utf-8")
    assert check_classroom(tmp_path) == STALE
    assert build_classroom(tmp_path) == [f"{WORKFLOW}: its chapters written"] and build_classroom(tmp_path) == []
    text = workflow.read_text(encoding="utf-8")
    assert text.startswith(before) and f"test-name: {STEM}\n" in text and "old" not in text
    assert text.endswith(f"runners: {STEM.partition('_')[0]}\n")


def test_a_course_without_the_workflow_is_left_alone(tmp_path):
    write_course(tmp_path)
    assert check_classroom(tmp_path) == build_classroom(tmp_path) == []
