"""The server that `make lab` starts, in a copy of the course where it can do no harm."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from author.executing import python_path
from utils.course import ROOT, CourseError, git

WHILE_WANTED = Path(__file__).with_name("while_wanted.py")
SECONDS_TO_START = 120
# seconds; then a server ends that nobody looks at
FORGOTTEN = 900
# what the author's environment would change of the course
NOT_A_LEARNERS = ("COURSE_", "JUPYTER", "MAKE", "MFLAGS")


@dataclass(frozen=True)
class Server:
    """A running JupyterLab: its address, its token, the course's folder that it serves, and what it has printed."""

    address: str
    token: str
    course: Path
    log: Path

    @property
    def printed(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")


@contextmanager
def server() -> Iterator[Server]:
    """JupyterLab in a new copy of the course, with settings, history and progress of its own; all gone at the end."""
    with tempfile.TemporaryDirectory(prefix="course-", ignore_cleanup_errors=True) as folder:
        course, log = Path(folder, "course"), Path(folder, "printed.txt")
        copy_course(course)
        settings = _settings(Path(folder, "jupyter"))
        with log.open("wb") as printed:
            process = subprocess.Popen(
                [sys.executable, WHILE_WANTED, lab_command(course)],
                cwd=course,
                env=_environment(course, settings),
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            told = _told(Path(settings["JUPYTER_RUNTIME_DIR"]), process, log)
            yield Server(f"http://127.0.0.1:{told['port']}", told["token"], course, log)
        finally:
            _stop(process)


def copy_course(folder: Path) -> None:
    """The files that belong to the course, as they are now; .venv leads to the Python that runs this."""
    listed = git.run(ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    if listed.returncode:
        what = f"{ROOT} is no git checkout, so what belongs to the course is unknown"
        raise CourseError(f"{what}: {listed.stderr}")
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    (folder / ".venv").symlink_to(sys.prefix)


def lab_command(course: Path) -> str:
    """The last command of the Makefile's target `lab`, after all that installs: the one that starts JupyterLab."""
    make = shutil.which("make")
    if make is None:
        raise CourseError("make is not here, and its Makefile says how JupyterLab is started.")
    told = subprocess.run(
        [make, "--dry-run", "--no-print-directory", "lab"],
        cwd=course,
        env=_environment(course, {}),
        capture_output=True,
        text=True,
        check=True,
    )
    return told.stdout.replace("\\\n", " ").strip().splitlines()[-1]


def _environment(course: Path, settings: dict[str, str]) -> dict[str, str]:
    names = [name for name in os.environ if not name.startswith(NOT_A_LEARNERS)]
    ours = {name: os.environ[name] for name in names}
    return ours | settings | {"PYTHONPATH": python_path(course)}


def _settings(folder: Path) -> dict[str, str]:
    """What differs from a learner's JupyterLab: no browser of its own, any free port, its app open to scripts."""
    folder.mkdir()
    config = {
        "ServerApp": {"open_browser": False, "port": 0, "allow_root": True, "shutdown_no_activity_timeout": FORGOTTEN},
        "MappingKernelManager": {"cull_idle_timeout": FORGOTTEN},
        "LabApp": {"expose_app_in_browser": True, "open_browser": False},
    }
    for name in ("jupyter_server_config.json", "jupyter_lab_config.json"):
        (folder / name).write_text(json.dumps(config), encoding="utf-8")
    return {
        "JUPYTER_CONFIG_DIR": str(folder),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "IPYTHONDIR": str(folder / "ipython"),
    }


def _told(runtime: Path, process: subprocess.Popen[bytes], log: Path) -> dict[str, Any]:
    """What the server has written down about itself, once it answers."""
    deadline = time.monotonic() + SECONDS_TO_START
    while process.poll() is None and time.monotonic() < deadline:
        for written in runtime.glob("jpserver-*.json"):
            try:
                told = json.loads(written.read_text(encoding="utf-8"))
                urllib.request.urlopen(f"http://127.0.0.1:{told['port']}/api", timeout=5).close()
                return told
            except (OSError, ValueError):  # not there yet, or half written
                pass
        time.sleep(0.2)
    printed = log.read_text(encoding="utf-8")
    raise CourseError(f"JupyterLab did not start. It printed:\n{printed}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """SIGTERM makes the server end its kernels too."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
