"""Which bound of an answer an error speaks of: the system refuses what is too much, and Python says so in its words."""

from judge.running.records import LearnerError

TOO_LARGE = "TooLarge"  # the type of the error that stands for answers that are
SAYING = {
    "[Errno 11]": "processes",
    "[Errno 12]": "memory",
    "[Errno 24]": "open_files",
    "[Errno 27]": "written",
    "[Errno 28]": "written",
    "can't start new thread": "processes",
    "can't allocate memory": "memory",
    "file write failed": "written",
}
SYSTEM_ERRORS = ("OSError", "RuntimeError")


def bound_in(error: LearnerError) -> str:
    """The name of the bound that an error says was reached; "" where it speaks of none."""
    if error.is_a("MemoryError"):
        return "memory"
    if error.is_a(TOO_LARGE):
        return "answered"
    if not any(map(error.is_a, SYSTEM_ERRORS)) and error.type != "BlockingIOError":
        return ""
    return next((bound for said, bound in SAYING.items() if said in error.message), "")
