"""Boxes of both ways that keep answers from the rest; where the system has none of a way, its tests are skipped."""

import sys

import pytest

from grader.kernels import can_box
from grader.sandbox import opening
from utils.course import CourseError


def has_landlock():
    try:
        from py_landlock.landlock_sys import get_abi_version

        return get_abi_version() > 0
    except Exception:
        return False


# Where the system itself allows a way, a box that can't be opened is a defect
IS_HERE = {"namespaces": can_box, "landlock": has_landlock, "none": lambda: sys.platform == "linux"}
NAMES = {"namespaces": opening.IN_NAMESPACES, "landlock": opening.BY_LANDLOCK, "none": opening.BY_NOTHING}


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item):
    """Before tests/proved_files.py looks at what is slow."""
    if "boxes" in item.fixturenames:
        item.add_marker("slow")


@pytest.fixture(scope="session")
def boxes():
    """Opened at their first use, and closed at the end."""
    opened = {}
    yield opened
    for one in opened.values():
        one.close()


def opened(boxes, name):
    """The box of this way; where the system has none, a skipped test."""
    (way,) = [one for one in opening.WAYS if one.protection == NAMES[name]]
    try:
        if name not in boxes:
            boxes[name] = opening._proved(way, opening.COURSE_MODULES)
    except CourseError as reason:
        (pytest.fail if IS_HERE[name]() else pytest.skip)(f"{way.protection}: {reason}")
    return boxes[name]


@pytest.fixture(params=["namespaces", "landlock"])
def box(request, boxes):
    """A box in which answers are kept from all the rest."""
    return opened(boxes, request.param)


@pytest.fixture
def in_namespaces(boxes):
    return opened(boxes, "namespaces")


@pytest.fixture
def by_landlock(boxes):
    return opened(boxes, "landlock")
