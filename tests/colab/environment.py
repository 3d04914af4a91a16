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
    _run([uv, "venv", "--quiet", "--seed", "--python", colabs_python(), str(folder / "venv")])
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


def colabs_python() -> str:
    """The Python of Colab's version that this machine has, else the one that runs this."""
    known = [f"python{COLABS_PYTHON}", *map(str, Path.home().glob(f".pyenv/versions/{COLABS_PYTHON}*/bin/python"))]
    tried = ([name, "-c", "import sys; print(sys.executable)"] for name in known if shutil.which(name))
    for command in tried:
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode == 0:
            return ran.stdout.strip()
    return sys.executable


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
