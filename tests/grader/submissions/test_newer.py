"""grader.submissions.commands: which Python has brought a name into a module that was there before."""

import importlib
import sys

import pytest

from grader.submissions.commands import BROUGHT


@pytest.mark.parametrize(
    ("version", "name"), [(version, name) for version in BROUGHT for name in sorted(BROUGHT[version])]
)
def test_a_name_is_there_from_its_version_on(version, name):
    module, _, attribute = name.rpartition(".")
    is_there = hasattr(importlib.import_module(module), attribute)
    assert is_there == (sys.version_info[:2] >= tuple(map(int, version.split("."))))
