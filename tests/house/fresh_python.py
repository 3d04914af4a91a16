"""Runs a piece of code in a Python of its own, for tests of imports, environments and what is printed."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.house.warm_python import warm_python
from utils.course import ROOT


def fresh_python(
    code: str, *flags: str, check: bool = True, warm: bool = False, **environment: str
) -> subprocess.CompletedProcess:
    """What `python FLAGS -c code` printed, run in the repository's root with these variables added.

    A `warm` one has imported torch already.
    """
    inherited = {
        name: value for name, value in os.environ.items() if name not in ("COURSE_REFERENCE", "PYTHONWARNINGS")
    }
    if warm:
        return warm_python(code, *flags, env=inherited | environment, check=check)
    command = [sys.executable, *flags, "-c", code]
    return subprocess.run(
        command, capture_output=True, text=True, check=check, cwd=ROOT, env=inherited | environment, timeout=600
    )


WAIT_FOR_ALL = """\
import pathlib, time
pathlib.Path({folder!r}, "{number}").touch()
while len(list(pathlib.Path({folder!r}).iterdir())) < {count}:
    time.sleep(0.001)
"""


def at_once(codes: list[str], folder: Path, **environment: str) -> None:
    """Run each piece of code in a Python of its own, from a moment at which all of them are ready.

    A line `# ready` ends what each does before; `folder` is empty and is used for waiting.
    """
    folder.mkdir()
    waiting = [WAIT_FOR_ALL.format(folder=str(folder), number=number, count=len(codes)) for number in range(len(codes))]
    codes = [code.replace("# ready\n", wait) for code, wait in zip(codes, waiting, strict=True)]
    with ThreadPoolExecutor(len(codes)) as pool:
        list(pool.map(lambda code: fresh_python(code, warm=True, **environment), codes))
