"""What the course needs beside what Colab has: pip adds it, once for a runtime, and changes nothing that is there.

Colab's pages know the ipywidgets and the plotly that came with Colab, and what is imported already stays in memory; so
every version that is there is handed to pip as one to keep.
"""

import importlib
import re
import subprocess
import sys
import tempfile
from importlib.metadata import distributions
from pathlib import Path

from utils.course import ROOT
from utils.course.files import write_text

PIP = (*("install", "--quiet", "--disable-pip-version-check"), *("--no-input", "--progress-bar=off", "--retries=2"))
VERSION = re.compile(r"[\w.!+-]+")
FAILED = """\
What the course needs could not be installed. Run this cell again: pip then begins anew. If it stays so, this \
runtime has no network; Runtime, Disconnect and delete runtime, gives you another one. pip says:
{said}"""
RESTART = """\
The course is installed, and other versions of {changed} had to take the place of Colab's. Choose \
Runtime, Restart session, then run this cell again: it takes a second."""


class NotInstalled(Exception):
    """What the course needs could not be installed: why, and what to do. A notebook shows the message alone."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def install(course: Path = ROOT) -> bool:
    """Run pip, unless it has finished here before; whether it ran.

    A note is written when pip has done everything, so an interrupted one runs again. Raises NotInstalled.
    """
    note = course / ".colab-installed"
    requirements = (course / "requirements.txt").read_text(encoding="utf-8")
    wanted = f"{sys.prefix}\n{requirements}"
    if note.is_file() and note.read_text(encoding="utf-8") == wanted:
        return False
    before = versions()
    told = _pip(before, course)
    if "ResolutionImpossible" in told:
        # a later Colab, with something that the course can't use
        told = _pip({"torch": before["torch"]}, course)
    if told:
        raise NotInstalled(FAILED.format(said=_said(told)))
    write_text(note, wanted)
    # a kernel that runs already does not look for new files by itself
    importlib.invalidate_caches()
    after = versions()
    stayed = before.keys() & after.keys()
    changed = [name for name in sorted(stayed) if before[name] != after[name]]
    if changed:
        raise NotInstalled(RESTART.format(changed=", ".join(changed)))
    return True


def versions() -> dict[str, str]:
    """The version of everything that this Python has, by its name."""
    named = [one for one in distributions() if one.name]
    found = {one.name: one.version or "" for one in named}
    return {name: version for name, version in found.items() if VERSION.fullmatch(version)}


def _pip(keep: dict[str, str], course: Path) -> str:
    """Install requirements.txt, with these versions as they are; what pip says where it fails, else ""."""
    pinned = [f"{name}=={version}\n" for name, version in keep.items()]
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "keep.txt"
        kept.write_text("".join(pinned), encoding="utf-8")
        files = ("--constraint", str(kept), "--requirement", "requirements.txt")
        command = [sys.executable, "-m", "pip", *PIP, *files]
        ran = subprocess.run(command, cwd=course, capture_output=True, encoding="utf-8", errors="replace")
    if not ran.returncode:
        return ""
    return ran.stderr or f"pip stopped with {ran.returncode}"


def _said(told: str) -> str:
    """The last lines that say what is wrong."""
    lines = told.splitlines()
    errors = [line for line in lines if line.startswith("ERROR")]
    last = (errors or lines)[-3:]
    return "\n".join(f"    {line}" for line in last)
