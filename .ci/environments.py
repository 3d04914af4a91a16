"""Runs the fast tests in virtual environments beside .venv, in .venvs/, and says at the end how each went.

`environments.py 3.11 3.12 3.13`: on each of these Pythons that this machine has; .venv's own is left to `make test`.
`environments.py lowest newest`: with the lowest versions that the course allows, on the lowest Python that is here, and
with the newest on the newest.
"""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PYTHONS = ["3.11", "3.12", "3.13"]
OWN = ".".join(map(str, sys.version_info[:2]))
TESTS = ["-m", "pytest", "-q", "-p", "no:logging", "--numprocesses", "auto", "--dist", "worksteal", "-m", "not slow"]
MISSING, LEFT_OUT = "not on this machine", "left to make test, which runs on it"


def main(names: list[str]) -> None:
    os.chdir(ROOT)
    results = {name: result_of(name) for name in names}
    print("\nThe fast tests" + "".join(f"\n  {name:8} {result}" for name, (_, result) in results.items()))
    failed = [name for name, (well, _) in results.items() if not well]
    if failed:
        sys.exit(f"They failed with {', '.join(failed)}.")


def result_of(name: str) -> tuple[bool, str]:
    """Whether all went well, and what a reader is told of it."""
    if name == OWN:
        return True, LEFT_OUT
    wanted = {"lowest": PYTHONS, "newest": PYTHONS[::-1]}.get(name, [name])
    found = next((path for version in wanted if (path := interpreter(version))), None)
    if found is None:
        return True, MISSING
    print(f"\n{name}: {found}", flush=True)
    folder, versions = f".venvs/{name}", "proved" if name in PYTHONS else name
    if subprocess.run([found, ".ci/install.py", folder, "lab", "test", "--versions", versions]).returncode:
        return False, "could not be installed"
    return tested(f"{folder}/bin/python")


def tested(python: str) -> tuple[bool, str]:
    """Run the fast tests, print what they print, and keep the last line of it."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": ""}
    last = ""
    with subprocess.Popen([python, *TESTS], env=environment, stdout=subprocess.PIPE, encoding="utf-8") as running:
        for line in running.stdout or ():
            print(line, end="", flush=True)
            last = line.strip() or last
    return running.returncode == 0, last


def interpreter(version: str) -> str | None:
    """The path of a Python of this version that runs; a name on PATH may be pyenv's, for one that is not there."""
    asks = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
    for path in candidates(version):
        with contextlib.suppress(OSError):
            if subprocess.run([path, "-c", asks], capture_output=True, text=True).stdout.strip() == version:
                return path
    return None


def candidates(version: str) -> Iterator[str]:
    """Where it may be: this Python, on PATH, one of pyenv's, one that uv knows."""
    if version == OWN:
        yield sys.executable
    if found := shutil.which(f"python{version}"):
        yield found
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from map(str, sorted(pyenv.glob(f"versions/{version}.*/bin/python")))
    if uv := shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent)):
        known = subprocess.run([uv, "python", "find", "--no-python-downloads", version], capture_output=True, text=True)
        yield from known.stdout.split("\n")[:1] if known.returncode == 0 else []


if __name__ == "__main__":
    main(sys.argv[1:] or PYTHONS)
