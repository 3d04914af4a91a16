"""The command that tells a story: `python -m utils generate`, which makes my_gpt/ a package of today's parts first."""

import argparse

from utils.course import CourseError, state_dir


def generate(options: argparse.Namespace) -> int:
    """Write my_gpt/ anew, and tell a story with it."""
    from utils.model_folder.reading import is_llama
    from utils.own_gpt.loading import loaded, module
    from utils.own_gpt.parts import MODERN_STORY, STORY, taken_by, whose
    from utils.own_gpt.writing import doubt_now, write_package

    try:
        parts = write_package()
    except OSError as error:
        raise CourseError(f"my_gpt/ can't be made a package: {error}") from None
    modern = options.model is not None and is_llama(options.model)
    taken = taken_by(MODERN_STORY if modern else STORY, parts)
    print(*filter(None, [whose(taken), "" if modern else doubt_now()]), "", sep="\n", flush=True)
    with loaded(state_dir() / "my_gpt"):
        return module("course.command").tell(options)
