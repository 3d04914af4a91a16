"""A plugin of pytest: a file's slow tests are left out where all of them held of the same files before.

Slow tests start a kernel, a browser, a box or the grader, so no import tells what they depend on. Their digest is of
all that git knows of but the files of other tests: whatever of the course has changed, all of them run again; where one
file of tests has, its own do. With `--unproved` those are left out that held before, but for a sample. With and without
it, a file whose slow tests have all passed is written down in tests/proved.json, and one of which any fails is
forgotten there.

A row that is marked `proves` has a digest of its own (tests/proving.py), and what other stages run is not looked at.
"""

import hashlib
import re
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from author.proved import FILE, digests_that_held, record, to_leave_out
from utils.course import ROOT, git

HERE = "tests"
# no slow test reads these, and the last changes with every proof
READ_BY_NONE = ("changelog.d/", "findings/", f"{HERE}/{FILE.name}")
ELSEWHERE = ("proves", "journey", "proof", "prover", "weekly")
TOLD = "slow_files"  # a worker of xdist's is told the digests, and what is left out, under this name


class SlowFiles:
    """Chooses the files whose slow tests run, and writes down of which all have passed."""

    def __init__(self, config):
        self.digests, self.left_out = getattr(config, "workerinput", {}).get(TOLD) or ({}, [])
        self.missing = defaultdict(set)  # of each file, the slow tests that have not passed yet
        self.seconds = defaultdict(float)
        # a part of a file proves nothing of the whole: one test by its name, or a test that is marked apart
        self.is_whole = not any("::" in argument for argument in config.args)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node):
        """A worker of xdist's is told: all of them have to leave out the same."""
        self._choose(node.config)
        node.workerinput[TOLD] = self.digests, self.left_out

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        if any(map(is_slow, items)):
            self._choose(config)
        kept, left_out = [], []
        for item in items:
            (left_out if is_slow(item) and proof_of(item.nodeid) in self.left_out else kept).append(item)
        if left_out:
            config.hook.pytest_deselected(items=left_out)
            items[:] = kept

    def _choose(self, config):
        """Of the files as they are before the first test runs."""
        if not self.digests and self.is_whole:
            self.digests = digests_of(files_known_to_git())
            held = digests_that_held()
            known = {name: digest for name, digest in self.digests.items() if name in held}
            self.left_out = sorted(to_leave_out(known)) if known and config.getoption("unproved", False) else []

    def pytest_itemcollected(self, item):
        """Before any is left out, by a marker or a word: a file is proved by all of its slow tests."""
        if self.is_whole and is_slow(item):
            self.missing[proof_of(item.nodeid)].add(item.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        name = proof_of(item.nodeid)
        if is_slow(item):
            self.seconds[name] += report.duration
            if report.failed:
                record({}, failed=[name])
            elif report.when == "teardown" and item.stash.get(PASSED, False):
                self.missing[name].discard(item.nodeid)
                if self.is_whole and not self.missing[name] and name in self.digests:
                    record({name: self.digests[name]}, seconds=self.seconds)
            item.stash[PASSED] = report.when == "call" and report.passed
        return report

    def pytest_terminal_summary(self, terminalreporter):
        if self.left_out:
            count = len(self.left_out)
            terminalreporter.write_line(f"Slow tests of {count} files held of the same files before, and did not run.")


PASSED = pytest.StashKey[bool]()


def is_slow(item):
    return bool(item.get_closest_marker("slow")) and not any(map(item.get_closest_marker, ELSEWHERE))


def proof_of(nodeid):
    return f"slow tests of {nodeid.partition('::')[0]}"


def files_known_to_git():
    """The files of the course, new ones too, but not what git ignores; none where this is no checkout."""
    names = (git.printed(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard") or "").split("\0")
    return [name for name in names if (ROOT / name).is_file() and not name.startswith(READ_BY_NONE)]


def digests_of(names):
    """By the proof of each file of tests, the digest of what its slow tests may depend on."""
    content = {name: (ROOT / name).read_bytes() for name in names}
    tests = {name for name in names if is_file_of_tests(name)}
    course = _digest([sys.platform, *_lines(content, content.keys() - tests)])
    own = {name: _lines(content, _with_those_named(name, content, tests)) for name in tests}
    return {proof_of(name): _digest([course, *lines]) for name, lines in own.items()}


def is_file_of_tests(name):
    return name.startswith(f"{HERE}/") and Path(name).match("test_*.py")


def _with_those_named(name, content, tests):
    """A file of tests, and those that stand in it, as modules that it imports or files that it runs."""
    words = set(re.findall(r"\w+", content[name].decode()))
    return {name} | {other for other in tests if Path(other).stem in words}


def _lines(content, names):
    return [f"{name} {hashlib.sha256(content[name]).hexdigest()}" for name in sorted(names)]


def _digest(lines):
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
