"""Grades as JUnit's XML, which CI systems read: a test suite for each submission, a test case for each exercise.

An answer that is wrong, unfinished or missing is a failure; one that could not be run to its end, or
be judged, is an error.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable

from grader.grades import MEANING, Grade, Status, SubmissionGrades

FAILURE: set[Status] = {"fail", "not_yet", "missing"}
ERROR: set[Status] = {"error", "limit", "not_graded"}
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(graded: Iterable[SubmissionGrades]) -> str:
    """The whole class."""
    root = ET.Element("testsuites", name="grades")
    for one in graded:
        suite = ET.SubElement(root, "testsuite", _suite(one))
        for grade in one.grades:
            _add_case(suite, grade)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(one: SubmissionGrades) -> dict[str, str]:
    return {
        "name": _allowed(one.submission),
        "tests": str(len(one.grades)),
        "failures": _how_many(one, FAILURE),
        "errors": _how_many(one, ERROR),
        "skipped": "0",
        "time": f"{one.seconds:.3f}",
    }


def _how_many(one: SubmissionGrades, statuses: set[Status]) -> str:
    return str(sum(grade.status in statuses for grade in one.grades))


def _add_case(suite: ET.Element, grade: Grade) -> None:
    case = ET.SubElement(suite, "testcase", classname=grade.stem, name=grade.symbol, time=f"{grade.seconds:.3f}")
    if grade.status == "pass":
        return
    kind = "error" if grade.status in ERROR else "failure"
    message = _allowed(grade.check or MEANING[grade.status])
    found = ET.SubElement(case, kind, type=grade.status, message=message)
    found.text = _allowed(grade.said)


def _allowed(text: str) -> str:
    """Without the characters that XML can't have, not even escaped."""
    return NOT_IN_XML.sub("�", text)
