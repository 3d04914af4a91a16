"""utils.running.limited: time is counted in work, so that a busy machine stops nobody."""

from types import SimpleNamespace

import pytest

from utils.running import limited as module
from utils.running.limited import TooSlow, limited

FILE = "<limited>"


@pytest.fixture
def clock(monkeypatch):
    """The clock on the wall, and how long this thread has worked: both stand still until they are set."""
    told = SimpleNamespace(wall=100.0, work=5.0)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: told.wall, thread_time=lambda: told.work))
    return told


def run(wait, seconds=1.0, *by_the_clock):
    with limited(FILE, seconds, *by_the_clock):
        exec(compile("wait()\ndone = True", FILE, "exec"), names := {"wait": wait})
    return names.get("done")


def test_work_that_takes_longer_is_stopped(clock):
    def work():
        clock.wall, clock.work = clock.wall + 1.1, clock.work + 1.1

    with pytest.raises(TooSlow, match=r"it takes longer than 1 seconds"):
        run(work)


def test_waiting_for_the_processor_is_no_work(clock):
    def share_it_with_others():
        clock.wall, clock.work = clock.wall + 1000, clock.work + 0.9

    assert run(share_it_with_others)


def test_waiting_can_be_limited_too(clock):
    def wait():
        clock.wall += 8

    assert run(wait, 1.0, 10.0)
    with pytest.raises(TooSlow, match=r"it takes longer than 1 seconds"):
        run(wait, 1.0, 7.0)


def test_what_ends_in_its_time_is_left_alone():
    assert run(lambda: None, seconds=60.0)
