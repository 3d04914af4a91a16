"""Runs a piece of code in a Python of its own, for tests of imports, environments and what is printed."""

import os
import subprocess
import sys

from utils.course import ROOT


def fresh_python(code: str, *flags: str, check: bool = True, **environment: str) -> subprocess.CompletedProcess:
    """What `python FLAGS -c code` printed, run in the repository's root with these variables added."""
    inherited = {
        name: value for name, value in os.environ.items() if name not in ("COURSE_REFERENCE", "PYTHONWARNINGS")
    }
    command = [sys.executable, *flags, "-c", code]
    return subprocess.run(
        command, capture_output=True, text=True, check=check, cwd=ROOT, env=inherited | environment, timeout=120
    )
