"""What a learner types in a terminal: `python -m utils progress`, `hint` and `generate`."""

import argparse

from utils.course import CourseError, state_dir


def progress(options: argparse.Namespace) -> int:
    """How far the learner has come, and what is next: the start page as text."""
    from utils.learner.hints import COMMAND, next_open
    from utils.learner.welcome import welcome

    print(welcome())
    if following := next_open():
        print(f"\nStuck on {following.symbol}? {COMMAND}")
    return 0


def hint(options: argparse.Namespace) -> int:
    """An exercise's hints, no further than was asked for."""
    from utils.learner.hints import hint

    furthest = "solution" if options.solution else "pseudocode" if options.more else "idea"
    print(hint(options.symbol, furthest))
    return 0


def generate(options: argparse.Namespace) -> int:
    """Write my_gpt/ anew, and tell a story with it."""
    from utils.learner.own_gpt.loading import loaded, module
    from utils.learner.own_gpt.parts import whose
    from utils.learner.own_gpt.writing import doubt_now, write_package

    try:
        parts = write_package()
    except OSError as error:
        raise CourseError(f"my_gpt/ can't be made a package: {error}") from None
    print(*filter(None, [whose(parts), doubt_now()]), "", sep="\n", flush=True)
    with loaded(state_dir() / "my_gpt"):
        return module("course.command").tell(options)
