"""`open_box`: the best way to keep answers from the rest that works on this machine, tried by an answer that looks."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grader.boxes import Box, Ended, Task
from grader.sandbox.bubblewrap import bubblewrap
from judge.running.records import Question
from utils.course import ROOT, CourseError

# the settings that may cross, the kinds of exercise, and what of ours an answer's own imports may name
COURSE_MODULES = ("utils.config", "utils.gpt", "utils.huggingface", "utils.dialects")
IN_NAMESPACES = "bubblewrap, namespaces, seccomp, limits"
BY_LANDLOCK = "Landlock, seccomp, limits"
BY_NOTHING = "NONE: limits of time and memory only"
BY_TIME = "NONE: a limit of time only"
WHAT_TO_DO = (
    "Install bubblewrap (`apt install bubblewrap libseccomp2`) and `pip install -e .[grade]`; where unprivileged user "
    "namespaces are restricted, as on Ubuntu 24.04: `sysctl kernel.apparmor_restrict_unprivileged_userns=0`; in a "
    "container, start it with `--security-opt seccomp=unconfined --security-opt apparmor=unconfined`."
)
OUTSIDE = ("/etc/passwd", "/proc/self/environ", "/dev/shm")  # which no answer may read, nor solutions and tests
LOOKS = """
import os

def found(outside):
    seen = [path for path in outside if os.path.exists(path) and readable(path)]
    return [one for one in (*seen, *imported(), *others()) if one]

def readable(path):
    try:
        return os.listdir(path) if os.path.isdir(path) else open(path).close() is None
    except OSError:
        return False

def imported():
    for name in ("solutions", "tests", "judge.checking", "utils.reference"):
        try:
            __import__(name)
            yield name
        except Exception:
            pass

def others():
    import socket
    try:
        yield "a network" if socket.socket() else ""
    except OSError:
        pass
    try:
        yield "another process" if os.fork() else os._exit(0)
    except OSError:
        pass
"""


@dataclass(frozen=True)
class Way:
    """One way to run answers, and whether it keeps them from all the rest."""

    protection: str
    make: Callable[[Sequence[str]], Box]
    needs: Callable[[], str] = lambda: ""  # what is missing for it here, as far as a look tells
    protects: bool = True
    in_full: bool = False


def open_box(modules: Sequence[str] = COURSE_MODULES, require: bool = False, allow_none: bool = False) -> Box:
    """The box in which an answer sees the least, of those that work here; `modules` are the course's own.

    `require` takes none but the first way, by namespaces; `allow_none` takes one that protects nothing where no other
    works. Raises CourseError, saying what is missing and what to do, where there is none to take.
    """
    reasons: list[str] = []
    for way in WAYS:
        if (require and not way.in_full) or not (way.protects or allow_none):
            continue
        try:
            return _proved(way, modules)
        except CourseError as reason:
            reasons.append(f"{way.protection}: {reason}")
    listed = "\n".join(f"  {why}" for why in reasons)
    unprotected = "--no-sandbox: then answers may read and change whatever you may."
    if sys.platform != "linux":
        to_do = f"Grade in a Linux container, or with {unprotected}"
    else:
        to_do = WHAT_TO_DO if require else f"{WHAT_TO_DO} Or use {unprotected}"
    raise CourseError(f"nothing here keeps the answers of a class from the rest:\n{listed}\n{to_do}")


def _proved(way: Way, modules: Sequence[str]) -> Box:
    """A box in which an answer that looks around finds nothing. Raises CourseError."""
    if missing := way.needs():
        raise CourseError(missing)
    box = way.make(modules)
    try:
        seen = _seen_from_within(box)
        if way.protects and seen:
            raise CourseError(f"an answer sees {', '.join(seen)}")
    except CourseError:
        box.close()
        raise
    return box


def _seen_from_within(box: Box) -> list[str]:
    child = box.start(Task(LOOKS, "found"))
    try:
        (record,) = child.ask_all([Question("function", ([str(ROOT / "solutions"), str(ROOT / "tests"), *OUTSIDE],))])
    except Ended as error:
        raise CourseError(f"an answer that looks around gives none: {error}") from None
    finally:
        child.close()
    if record.error:
        raise CourseError(f"an answer that looks around fails: {record.error.type}: {record.error.message}")
    return list(map(str, record.output))


def _not_on_linux() -> str:
    return "" if sys.platform == "linux" else "it is for Linux alone"


def _no_bubblewrap() -> str:
    return _not_on_linux() or ("" if bubblewrap() else "bubblewrap is not installed")


def _in_namespaces(modules: Sequence[str]) -> Box:
    """In a container a new /proc is refused: then its own is shown."""
    from grader.sandbox.forking_box import ForkingBox

    box = ForkingBox(modules, "namespaces", IN_NAMESPACES)
    try:
        box.prepare()
    except CourseError:
        box.close()
        box = ForkingBox(modules, "namespaces", IN_NAMESPACES, proc_is_masked=True)
    return box


def _by_landlock(modules: Sequence[str]) -> Box:
    from grader.sandbox.forking_box import ForkingBox

    return ForkingBox(modules, "landlock", BY_LANDLOCK)


def _by_nothing(modules: Sequence[str]) -> Box:
    if sys.platform == "linux":
        from grader.sandbox.forking_box import ForkingBox

        return ForkingBox(modules, "none", BY_NOTHING)
    from grader.sandbox.plain_box import PlainBox

    return PlainBox(modules, BY_TIME)


WAYS = (
    Way(IN_NAMESPACES, _in_namespaces, _no_bubblewrap, in_full=True),
    Way(BY_LANDLOCK, _by_landlock, _not_on_linux),
    Way(BY_NOTHING, _by_nothing, protects=False),
)
