"""judge.running.limited: what takes too long is ended, whatever it catches, in any thread; waiting is no work."""

import gc
import math
import signal
import sys
import threading
import time

import pytest

from judge.running import limited as module
from judge.running import watching
from judge.running.limited import Limit, TooSlow, for_a_question, limited


def after(passed, worked, *limits):
    """Why a limit is over after so many seconds by the clock, and of work."""
    limit = Limit(*limits, began=time.monotonic() - passed, worked=0.0)
    assert limit.is_over(None, worked) == bool(limit.reason)
    return limit.reason


def test_work_is_what_counts():
    assert after(11, 11, 10) == "it takes longer than 10 seconds"
    assert after(1000, 9, 10) == ""  # waiting for the processor, or for anything else
    assert after(5, 30, 10) == ""  # several threads work at the same time, and nobody tells which


def test_waiting_can_be_limited_too():
    assert after(80, 0, 10, 100) == ""
    assert after(80, 0, 10, 70) == "it takes longer than 70 seconds by the clock"


def test_what_ends_in_its_time_is_left_alone():
    assert limited(Limit(60.0), lambda: 3) == 3


def soon(work):
    """How code ends that may work for a tenth of a second."""
    limit = Limit(0.1, 120.0, 2**29)  # by the clock, a busy machine may take its time
    with pytest.raises(TooSlow) as caught:
        limited(limit, work)
    return str(caught.value)


def endless():
    while True:
        pass


def catches_all():
    while True:
        try:
            sum(range(1000))
        except:  # noqa: E722
            pass


def catches_all_twice():
    while True:
        try:
            catches_all()
        except BaseException:
            pass


def goes_on_anyway():
    while True:
        try:
            sum(range(1000))
        finally:
            continue  # noqa: B012


def answers_in_the_end():
    try:
        endless()
    except BaseException:
        return 3


def raises_its_own():
    try:
        endless()
    except BaseException:
        raise ValueError("mine") from None


def walks_along_what_grows():
    items = [0]
    for item in items:
        items.append(item)


WORK = [endless, catches_all, catches_all_twice, goes_on_anyway, answers_in_the_end, raises_its_own]
WORK.append(walks_along_what_grows)


@pytest.mark.parametrize("work", WORK)
def test_what_does_not_end_is_ended(work):
    assert soon(work) == "it takes longer than 0.1 seconds"


@pytest.mark.parametrize("work", WORK)
def test_what_does_not_end_is_ended_where_there_is_no_timer(work, monkeypatch):
    monkeypatch.delattr(signal, "setitimer")
    assert soon(work) == "it takes longer than 0.1 seconds"


@pytest.mark.parametrize("work", [endless, catches_all, answers_in_the_end])
def test_in_another_thread_too(work):
    said = []
    thread = threading.Thread(target=lambda: said.append(soon(work)))
    thread.start()
    thread.join(60)
    assert said == ["it takes longer than 0.1 seconds"]


def test_what_sleeps_is_woken():
    began = time.monotonic()
    with pytest.raises(TooSlow, match=r"it takes longer than 0\.1 seconds by the clock"):
        limited(Limit(60.0, 0.1), lambda: time.sleep(60))
    assert time.monotonic() - began < 30


@pytest.mark.skipif(module.memory_used() == 0, reason="nobody tells how much memory is held")
def test_memory_is_limited_too():
    def grow():
        rows = []
        while True:
            rows.append(b"x" * 2**24)

    with pytest.raises(TooSlow, match=r"it takes more than 0\.125 GiB of memory"):
        limited(Limit(60.0, math.inf, 2**27), grow)


@pytest.mark.parametrize(("outer", "inner"), [(0.1, 60.0), (60.0, 0.1)])
def test_the_limit_that_is_over_is_the_one_that_ends_it(outer, inner):
    limits = Limit(outer), Limit(inner)
    with pytest.raises(TooSlow, match=r"it takes longer than 0\.1 seconds"):
        limited(limits[0], lambda: limited(limits[1], endless))
    assert [bool(limit.reason) for limit in limits] == [outer == 0.1, inner == 0.1]


def test_a_look_is_not_looked_at():
    depths = [0]

    def look(frame):
        depths.append(depths[-1] + 1)
        busy_for(3 * watching.EVERY)
        depths.append(depths[-1] - 1)

    with pytest.raises(TooSlow):
        limited(Limit(0.3, look=look), endless)
    assert max(depths) == 1


def test_what_the_garbage_collector_drops_comes_anew_and_is_not_printed(monkeypatch):
    dropped = []
    monkeypatch.setattr("sys.unraisablehook", dropped.append)
    first = iter([3 * watching.EVERY])

    def callback(phase, info):
        busy_for(next(first, 0.0))

    def collect_without_end():
        while True:
            gc.collect(0)
            busy_for(0.01)

    gc.callbacks.append(callback)
    try:
        with pytest.raises(TooSlow):
            limited(Limit(0.01), collect_without_end)
    finally:
        gc.callbacks.remove(callback)
    assert not dropped and sys.unraisablehook == dropped.append


@pytest.mark.parametrize("collects", [True, False])
def test_no_garbage_is_collected_while_frames_are_looked_up(collects, monkeypatch):
    """Python 3.11 would now and then wait for ever for a lock of its own."""
    seen = []
    monkeypatch.setattr(sys, "_current_frames", lambda: seen.append(gc.isenabled()) or {3: "frame"})
    if not collects:
        gc.disable()
    try:
        assert watching._frame_of(3) == "frame" and watching._frame_of(4) is None
        assert seen == [False, False] and gc.isenabled() == collects
    finally:
        gc.enable()


def busy_for(seconds):
    began = time.monotonic()
    while time.monotonic() < began + seconds:
        pass


@pytest.mark.parametrize("work", WORK)
def test_what_comes_later_can_be_traced(work):
    """On Python 3.11 that never ends where a thread is still looked at for what it was set to raise."""
    soon(work)
    traced, before = [], sys.gettrace()
    sys.settrace(lambda *event: traced.append(event[1]))
    busy_for(0.0)
    sys.settrace(before)
    assert traced == ["call"]


def test_nothing_stays():
    handler, timer = signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)
    for work in (answers_in_the_end, catches_all, lambda: time.sleep(0.01)):
        try:
            limited(Limit(0.1), work)
        except TooSlow:
            pass
    assert signal.getsignal(signal.SIGALRM) is handler and signal.getitimer(signal.ITIMER_REAL) == timer
    assert not any(watching._inside.values())
    busy_for(0.3)  # what is raised late would come here


def test_the_timer_of_somebody_else_goes_on():
    rang = []
    handler = signal.signal(signal.SIGALRM, lambda *_: rang.append(True))
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        limited(Limit(60.0), lambda: time.sleep(0.1))
        began = time.monotonic()
        while not rang and time.monotonic() < began + 10:
            time.sleep(0.01)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert rang


@pytest.mark.parametrize("taken", ["setitimer", "signal"])
def test_the_timer_of_somebody_else_rings_no_handler_but_its_own(taken, monkeypatch):
    """Its time may be over between any two of the calls with which the watch begins and ends."""
    rang, real = [], getattr(signal, taken)

    def slow(*arguments):
        before = real(*arguments)
        busy_for(0.05)
        return before

    handler = signal.signal(signal.SIGALRM, lambda *_: rang.append(True))
    signal.setitimer(signal.ITIMER_REAL, 0.03)
    monkeypatch.setattr(signal, taken, slow)
    try:
        limited(Limit(60.0), lambda: None)
        began = time.monotonic()
        while not rang and time.monotonic() < began + 10:
            busy_for(0.01)
    finally:
        monkeypatch.undo()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert rang == [True]


@pytest.mark.parametrize(("said", "seconds"), [("3", 3.0), ("0.5", 0.5), ("many", 10.0), ("0", 10.0), (None, 10.0)])
def test_the_environment_says_how_long_a_question_may_take(said, seconds, monkeypatch):
    monkeypatch.delenv("COURSE_SECONDS", raising=False)
    if said is not None:
        monkeypatch.setenv("COURSE_SECONDS", said)
    assert for_a_question(lambda frame: None).seconds == seconds
