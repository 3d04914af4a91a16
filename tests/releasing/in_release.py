"""Runs Python in a release's folder, where nothing of the course can be had but what is in it."""

import os
from pathlib import Path

from tests.house.warm_python import warm_python

# The course is installed editable here: what leads to it is taken away, as if only the release were installed.
ALONE = """\
import sys
sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in getattr(one, "__module__", "") + repr(one)]
sys.path.insert(0, {root!r})
"""


def run_in(root: Path, code: str, **environment: str) -> str:
    """What the code prints, on both streams; it must end well."""
    settings = {"COURSE_STATE": str(root), "COURSE_PROGRESS": "hidden", "COURSE_REPAIRS": "off", "OMP_NUM_THREADS": "1"}
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | settings | environment
    whole = ALONE.format(root=str(root)) + code
    ran = warm_python(whole, cwd=root, env=env)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr
