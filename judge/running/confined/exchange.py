"""What a judge, the processes that fork and their children send each other; torch is not needed to know it."""

import json
from typing import TypedDict

TOKEN = 16  # bytes that come with the questions, and begin their answer
LENGTH = 8  # bytes that say how long the rest is, the least significant first
CONFINED = b"+"  # a child's first byte, before it reads anything of a learner's; anything else begins what went wrong
STARTED_BY = "COURSE_CONFINED"  # in the environment: what `Start` holds


class Bounded(TypedDict):
    """The bounds of one answer as they are sent: grader/bounds.py says what they are."""

    wall_seconds: float
    cpu_seconds: int
    memory: int
    processes: int
    open_files: int
    written: int
    printed: int
    answered: int


class Gone(TypedDict):
    """How a child ended: its status as `os.waitpid` has it, its seconds of a processor, its most memory in bytes."""

    status: int
    cpu: float
    held: int
    stopped: bool  # it stood still when it was ended


class Start(TypedDict):
    """What the process is told that children are forked of."""

    control: int  # the descriptor that brings tasks
    confinement: str
    modules: list[str]  # the course's, which register kinds of exercise
    readable: list[str]  # all that a child may read, where nothing else hides the rest
    user: int  # whom to become; 0 to stay who it is
    scratch: str  # the folder that is a child's own, and gone with it


def as_message(content: object) -> bytes:
    """A short message between the judge and the process that forks."""
    return json.dumps(content).encode()
