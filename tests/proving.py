"""A plugin of pytest: a test that is marked `proves` is left out where it held of the same files before.

    @pytest.mark.proves("grades of {stem}")  # the proof's name; {stem} is the row's own parameter
    @pytest.mark.parametrize("stem", stems())
    def test_solutions_pass(stem): ...

Its module has a fixture `digests`: by the name of each proof, the digest of all that it depends on, as
author/dependencies.py makes it. With `--unproved` the proofs in `left_out` are skipped, but for a sample. A
fixture that does the work for all rows asks for `left_out` too, and does it for the others alone. With and without
`--unproved` what passes is written down in tests/proved.json, and what fails, in its fixtures too, is forgotten there.
"""

import pytest

from author.proved import record, to_leave_out

DIGEST = pytest.StashKey[str]()


@pytest.fixture(scope="module")
def left_out(digests, request):
    """Which of a module's proofs held of the same files before, but for a sample; none without `--unproved`."""
    return to_leave_out(digests) if request.config.getoption("unproved", False) else set()


@pytest.fixture(autouse=True)
def _unproved(request):
    if proof := _proof_of(request.node):
        if proof in request.getfixturevalue("left_out"):
            pytest.skip("proved of the same files before")
        request.node.stash[DIGEST] = request.getfixturevalue("digests")[proof]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if proof := _proof_of(item):
        if report.failed:
            record({}, failed=[proof])
        elif report.when == "call" and report.passed:
            record({proof: item.stash[DIGEST]})
    return report


def _proof_of(item):
    if marker := item.get_closest_marker("proves"):
        (name,) = marker.args
        return name.format(**item.callspec.params) if hasattr(item, "callspec") else name
    return None
