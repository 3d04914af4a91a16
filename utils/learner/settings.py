"""What a run leaves out that nobody watches, such as a build or a grading: a setting of the environment for each."""

import os


def progress_hidden() -> bool:
    """Whether cards say nothing of progress and keep nothing, so that stored ones stay: COURSE_PROGRESS=hidden."""
    return os.environ.get("COURSE_PROGRESS") == "hidden"


def repairs_off() -> bool:
    """Whether nobody looks for one change that makes a wrong answer pass: COURSE_REPAIRS=off."""
    return os.environ.get("COURSE_REPAIRS") == "off"


def widgets_off() -> bool:
    """Whether figures stand without their controls, and long cells without a bar: COURSE_WIDGETS=off."""
    return os.environ.get("COURSE_WIDGETS") == "off"
