"""Grades of one submission as Gradescope's autograders hand them in: the content of /autograder/results/results.json.

Source: gradescope-autograders.readthedocs.io, "Autograder Specifications", Output format.
"""

from typing import Any

from grader.grades import MEANING, Grade, SubmissionGrades
from grader.reports.repeating import how_to_repeat


def results_json(one: SubmissionGrades) -> dict[str, Any]:
    """What `json.dump` writes there. Text is shown as text: no output of a learner's code becomes HTML."""
    return {
        "score": one.points,
        "execution_time": round(one.seconds, 3),
        "output": "\n".join(one.problems),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "stdout_visibility": "hidden",
        "extra_data": {"protection": one.protection},
        "tests": [_test(grade, number) for number, grade in enumerate(one.grades, start=1)],
    }


def _test(grade: Grade, number: int) -> dict[str, Any]:
    said = grade.said or f"{grade.status}: {MEANING[grade.status]}."
    return {
        "name": f"{grade.stem} {grade.symbol}",
        "number": str(number),
        "score": grade.points,
        "max_score": grade.max_points,
        "status": "passed" if grade.status == "pass" else "failed",
        "output": "\n".join([said, *grade.notes, how_to_repeat(grade)]),
        "tags": [grade.status],
        "visibility": "visible",
        "extra_data": {"seed": grade.seed, "seconds": round(grade.seconds, 3)},
    }
