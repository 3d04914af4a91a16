"""A Python with exactly the packages that Colab has, in a folder of its own; uv makes it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("requirements-2026-08.txt")
COLABS_PYTHON = "3.13"
LONGEST = 1800  # seconds, for 5 GB over a slow line


class NotPossible(Exception):
    """The proof can't be made here, and why."""


def make_environment(folder: Path) -> Path:
    """Install the packages into `folder`, and return its Python. Raises NotPossible where there is no network."""
    uv = _uv(folder)
    venv = [uv, "venv", "--quiet", "--seed", str(folder / "venv"), "--python"]
    try:
        _run([*venv, local_python() or COLABS_PYTHON])
    except NotPossible:  # uv could not fetch one either
        _run([*venv, sys.executable])
    python = folder / "venv" / "bin" / "python"
    # pip's variables are not uv's; an index that adds builds for CPUs alone saves 3 GB
    more = os.environ.get("PIP_EXTRA_INDEX_URL", "").split()
    indices = [part for url in more for part in ("--extra-index-url", url)]
    strategy = ["--index-strategy", "unsafe-best-match"] if more else []
    _run([uv, "pip", "install", "--quiet", "--python", str(python), *indices, *strategy, "-r", str(REQUIREMENTS)])
    return python


def freeze(python: Path) -> set[str]:
    """What is installed, a line for each package."""
    return set(_run([str(python), "-m", "pip", "freeze", "--disable-pip-version-check"]).splitlines())


def local_python() -> str | None:
    """A Python of Colab's version that this machine has."""
    known = [f"python{COLABS_PYTHON}", *map(str, Path.home().glob(f".pyenv/versions/{COLABS_PYTHON}*/bin/python"))]
    for name in filter(shutil.which, known):
        ran = subprocess.run([name, "-c", "import sys; print(sys.executable)"], capture_output=True, text=True)
        if ran.returncode == 0:  # pyenv's shims may stand for nothing
            return ran.stdout.strip()
    return None


def named(python: Path) -> str:
    """What this Python is: its version, and Colab's where that is another."""
    version = _run([str(python), "-c", "import platform; print(platform.python_version())"]).strip()
    return f"Python {version}" + (f" (Colab's is {COLABS_PYTHON})" if not version.startswith(COLABS_PYTHON) else "")


def _uv(folder: Path) -> str:
    """uv, if need be in an environment of its own."""
    if found := shutil.which("uv"):
        return found
    home = folder / "uv"
    _run([sys.executable, "-m", "venv", str(home)])
    _run([str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "uv"])
    return str(home / "bin" / "uv")


def _run(command: list[str]) -> str:
    ran = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", timeout=LONGEST)
    if ran.returncode:
        raise NotPossible(f"{' '.join(command[:3])} fails, as it does without a network:\n{ran.stderr.strip()}")
    return ran.stdout
