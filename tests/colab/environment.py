"""A Python with exactly the packages that Colab has, in a folder of its own, made with the tools of .ci/."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

from utils.course import ROOT

REQUIREMENTS = Path(__file__).with_name("requirements-2026-08.txt")
COLABS_PYTHON = "3.13"
LONGEST = 1800  # seconds, for 5 GB over a slow line


class NotPossible(Exception):
    """The proof can't be made here, and why."""


def make_environment(folder: Path) -> Path:
    """Install the packages into `folder`, and return its Python. Raises NotPossible where there is no network."""
    install, environments = (runpy.run_path(str(ROOT / ".ci" / f"{name}.py")) for name in ("install", "environments"))
    uv = install["found_uv"](sys.executable, bring=True)
    if uv is None:
        raise NotPossible("uv, which makes the environment, is not here and could not be installed.")
    venv = [uv, "venv", "--quiet", "--seed", str(folder / "venv"), "--python"]
    try:
        _run([*venv, environments["interpreter"](COLABS_PYTHON) or COLABS_PYTHON])
    except NotPossible:  # uv could not fetch one either
        _run([*venv, sys.executable])
    python = folder / "venv" / "bin" / "python"
    settings = install["settings_for_uv"](str(python))
    _run([uv, "pip", "install", "--quiet", "--python", str(python), "-r", str(REQUIREMENTS)], os.environ | settings)
    return python


def freeze(python: Path) -> set[str]:
    """What is installed, a line for each package."""
    return set(_run([str(python), "-m", "pip", "freeze", "--disable-pip-version-check"]).splitlines())


def named(python: Path) -> str:
    """What this Python is: its version, and Colab's where that is another."""
    version = _run([str(python), "-c", "import platform; print(platform.python_version())"]).strip()
    return f"Python {version}" + (f" (Colab's is {COLABS_PYTHON})" if not version.startswith(COLABS_PYTHON) else "")


def _run(command: list[str], environment: dict[str, str] | None = None) -> str:
    ran = subprocess.run(
        command, env=environment, capture_output=True, encoding="utf-8", errors="replace", timeout=LONGEST
    )
    if ran.returncode:
        raise NotPossible(f"{' '.join(command[:3])} fails, as it does without a network:\n{ran.stderr.strip()}")
    return ran.stdout
