"""A `Grade`: what came out for one exercise of one submission."""

from dataclasses import dataclass, field
from typing import Literal

Status = Literal["pass", "fail", "not_yet", "missing", "error", "limit"]
MEANING: dict[Status, str] = {
    "pass": "every check holds",
    "fail": "a check does not hold",
    "not_yet": "the stub is still there",
    "missing": "the submission does not define it",
    "error": "the code, or the notebook, can't be run to its end",
    "limit": "it took more time, memory or room than an answer may",
}


@dataclass(frozen=True)
class Grade:
    """One row of the gradebook, but for what is the same in the whole submission."""

    submission: str  # its name: that of its file or folder
    stem: str
    symbol: str
    status: Status
    points: float
    max_points: float
    passed_checks: int = 0
    checks: int = 0
    check: str = ""  # the line that did not hold
    misconception: str = ""  # its name, where one is proved
    seed: int = 0
    seconds: float = 0.0
    said: str = ""  # the card as plain text
    card: str = ""  # the same as HTML
    notes: tuple[str, ...] = ()  # about the answer, not its worth: "defined twice, in cells 4 and 9: the last counts"
    with_own_parts: Status | None = None  # for information: the same answer on the learner's own parts
    shape: str = ""  # a digest of the answer's normalised syntax tree: equal for copies
    protection: str = ""  # what kept the answer's process from the rest


@dataclass(frozen=True)
class SubmissionGrades:
    """A submission with its grades."""

    name: str
    grades: list[Grade] = field(default_factory=list[Grade])
    submitted: float | None = None  # seconds since 1970, where it is known
    seconds: float = 0.0
    protection: str = ""
    problems: tuple[str, ...] = ()
