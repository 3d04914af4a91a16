"""The command that tells a story: `python -m utils generate`, which makes my_gpt/ a package of today's parts first."""

import argparse

from utils.course import CourseError, state_dir


def generate(options: argparse.Namespace) -> int:
    """Write my_gpt/ anew, and tell a story with it."""
    from utils.own_gpt.loading import loaded, module
    from utils.own_gpt.parts import whose
    from utils.own_gpt.writing import doubt_now, write_package

    try:
        parts = write_package()
    except OSError as error:
        raise CourseError(f"my_gpt/ can't be made a package: {error}") from None
    print(*filter(None, [whose(parts), doubt_now()]), "", sep="\n", flush=True)
    with loaded(state_dir() / "my_gpt"):
        return module("course.command").tell(options)
