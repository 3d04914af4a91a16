"""tests.proving: a test that is marked `proves` is left out, written down and forgotten, with what it needs."""

import pytest

from author import proved
from author.proved import digests_that_held, record

pytest_plugins = ["pytester"]
ROWS = """
import pytest

@pytest.fixture(scope="module")
def digests():
    return {"proof of a": "1", "proof of b": "2", "proof of c": "3"}

@pytest.fixture(scope="module")
def works(left_out):
    print("works for", *[row for row in "ab" if f"proof of {row}" not in left_out])
    assert not BROKEN

@pytest.mark.proves("proof of {row}")
@pytest.mark.parametrize("row", "ab")
def test_holds(works, row):
    assert row not in WRONG

@pytest.mark.proves("proof of c")
def test_has_no_rows():
    pass

def test_proves_nothing():
    pass
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """Runs two rows, of which some are wrong, or what they need is broken; hands over the outcomes and what is said."""
    monkeypatch.setattr(proved, "FILE", pytester.path / "proved.json")
    monkeypatch.setattr(proved, "drawn", lambda names, commit: set())

    def ran(*options, wrong="", broken=False):
        pytester.makepyfile(f"WRONG, BROKEN = {wrong!r}, {broken}\n{ROWS}")
        plugins = ["-p", "tests.proving", "-p", "author.unproved", "-p", "no:cacheprovider", "-W", "ignore"]
        done = pytester.runpytest_inprocess("-rs", "-s", *plugins, *options)
        return done.parseoutcomes(), done.stdout.str()

    return ran


def test_what_passes_is_written_down_and_left_out_from_then_on(run):
    assert run("--unproved")[0] == {"passed": 4}
    assert digests_that_held() == {"proof of a": "1", "proof of b": "2", "proof of c": "3"}
    outcomes, said = run("--unproved")
    assert outcomes == {"passed": 1, "skipped": 3} and "works for\n" in said
    assert run()[0] == {"passed": 4}


def test_what_the_sample_draws_or_has_changed_is_proved_again_by_itself(run, monkeypatch):
    record({"proof of a": "1", "proof of b": "older", "proof of c": "3"})
    outcomes, said = run("--unproved")
    assert outcomes == {"passed": 2, "skipped": 2} and "works for b\n" in said
    monkeypatch.setattr(proved, "drawn", lambda names, commit: {"proof of a"})
    outcomes, said = run("--unproved")
    assert outcomes == {"passed": 2, "skipped": 2} and "works for a\n" in said


@pytest.mark.parametrize(
    ("fault", "outcomes", "kept"),
    [
        ({"wrong": "a"}, {"passed": 3, "failed": 1}, {"proof of b": "2", "proof of c": "3"}),
        ({"broken": True}, {"passed": 2, "errors": 2}, {"proof of c": "3"}),
    ],
)
def test_what_fails_or_lacks_what_it_needs_is_forgotten(run, fault, outcomes, kept):
    record({"proof of a": "1", "proof of b": "2", "proof of c": "older"})
    assert run(**fault)[0] == outcomes
    assert digests_that_held() == kept
