"""grader.kernels: a kernel that dies or never ends is noticed at once, and said in a sentence."""

import itertools
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from nbval.kernel import CURRENT_ENV_KERNEL_NAME

from grader import kernels
from grader.fork_items import ChapterRun
from grader.given import Place, Restored, places
from grader.kernels import KernelDied, WatchedKernel, can_box
from grader.sandbox.bubblewrap import box_of_a_kernel
from grader.submitted import CodeCell
from utils.course import ROOT

pytestmark = pytest.mark.slow
BOXED = pytest.mark.skipif(not can_box(), reason="bubblewrap is not here, or not allowed")
DIES = "import os\nos._exit(0)"
LONG, SOONER = 600, 300  # seconds for a cell; and how many any machine takes that does not wait for them
KILLED = "import os, signal\nprint('last words')\nos.kill(os.getpid(), signal.SIGKILL)"


@pytest.fixture
def kernel(tmp_path):
    started = WatchedKernel(CURRENT_ENV_KERNEL_NAME, cwd=str(tmp_path))
    yield started
    started.close()


def seconds(act):
    """How long it took, and what came of it."""
    began = time.monotonic()
    done = act()
    return time.monotonic() - began, done


@pytest.mark.parametrize("source", [DIES, KILLED])
def test_a_kernel_that_dies_is_noticed(kernel, source):
    took, trouble = seconds(lambda: kernel.run(source, LONG))
    assert trouble.kind == "died" and "process has ended" in trouble.said
    assert took < SOONER


def test_nbvals_own_waiting_ends_too(kernel):
    kernel.execute_cell_input(DIES, allow_stdin=False)
    with pytest.raises(KernelDied):
        kernel.await_reply("no such message", timeout=LONG)


@pytest.mark.parametrize(
    "source",
    [
        "while True: pass",
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "while True: print('x' * 1000)",
    ],
)
def test_a_cell_that_never_ends_costs_the_kernel(kernel, source):
    assert kernel.run("is_ready = True", LONG) is None
    took, trouble = seconds(lambda: kernel.run(source, 1))
    assert trouble.kind == "timeout" and "more than 1 seconds" in trouble.said
    assert took < SOONER
    assert not kernel.is_alive()


@BOXED
def test_a_box_keeps_a_kernel_from_everything_else(tmp_path):
    """Files, processes, their memory and the network; what it started ends with it."""
    (tmp_path / "state").mkdir()
    (tmp_path / "fork").mkdir()
    (tmp_path / "fork" / "notes.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "elsewhere.txt").write_text("somebody else's", encoding="utf-8")
    listener = socket.create_server(("127.0.0.1", 0))
    boxed = WatchedKernel(CURRENT_ENV_KERNEL_NAME, str(tmp_path / "fork"), box=tmp_path / "state")
    tried = {
        f"open({str(tmp_path / 'elsewhere.txt')!r})": "FileNotFoundError",
        f"open({str(ROOT / 'CONTRIBUTING.md')!r})": "FileNotFoundError",
        "open('/etc/passwd')": "FileNotFoundError",
        "import author": "ModuleNotFoundError",
        "import benchmarks": "ModuleNotFoundError",
        "import grader": "ModuleNotFoundError",
        "open('mine', 'w')": "OSError",
        f"open({str(tmp_path / 'mine')!r}, 'w')": "OSError",
        f"import os; os.kill({os.getpid()}, 9)": "ProcessLookupError",
        f"open('/proc/{os.getpid()}/mem', 'r+b')": "FileNotFoundError",
        f"import socket; socket.create_connection({listener.getsockname()!r}, 5)": "ConnectionRefusedError",
    }
    with listener:
        came = {source: boxed.run(source, LONG) for source in tried}
    writes = "import tempfile\nwith tempfile.TemporaryFile() as file: file.write(b'a')"
    allowed = boxed.run(f"{writes}\nassert open('notes.txt').read() == 'mine'", LONG)
    leaves = "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(987)'])"
    started = boxed.run(leaves, LONG)
    boxed.close()
    assert {source: trouble and trouble.kind for source, trouble in came.items()} == tried
    assert allowed is None and started is None
    assert not (tmp_path / "mine").exists() and not (tmp_path / "fork" / "mine").exists()
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    assert "time.sleep(987)" not in left


@BOXED
def test_a_chapter_runs_in_a_box(tmp_path, monkeypatch):
    """The given cells of a real one, up to the first that needs an answer: it finds Python, libraries and course."""
    for name in ("LANG", "USER", "LOGNAME"):
        monkeypatch.delenv(name, raising=False)  # a program that a timer starts has none
    (tmp_path / "chapters").mkdir()
    given = list(itertools.takewhile(lambda place: not place.writes, places("ch03_layernorm")))
    boxed = WatchedKernel(CURRENT_ENV_KERNEL_NAME, str(tmp_path / "chapters"), box=tmp_path)
    came = [boxed.run(place.source, LONG) for place in given]
    boxed.close()
    assert len(given) > 2 and came == [None] * len(given)


@pytest.mark.parametrize("is_boxed", [False, pytest.param(True, marks=BOXED)])
def test_no_secret_of_whoever_grades_reaches_a_kernel(is_boxed, tmp_path, monkeypatch):
    secrets = {
        "GITHUB_TOKEN": "s1",
        "AWS_SECRET_ACCESS_KEY": "s2",
        "HF_TOKEN": "s3",
        "PIP_INDEX_URL": "https://me:s4@x",
    }
    for name, value in {**secrets, "COURSE_SECONDS": "7", "LC_ALL": "C.UTF-8"}.items():
        monkeypatch.setenv(name, value)
    if not is_boxed:
        monkeypatch.setattr(kernels, "can_box", lambda: False)
    kernel = WatchedKernel(CURRENT_ENV_KERNEL_NAME, str(tmp_path), box=tmp_path)
    looks = [
        f"import os, pathlib\nassert not {set(secrets)} & os.environ.keys()",
        "assert (os.environ['COURSE_SECONDS'], os.environ['LC_ALL']) == ('7', 'C.UTF-8')",
        f"assert {is_boxed} == pathlib.Path.home().is_relative_to({str(tmp_path)!r})",
    ]
    came = [kernel.run(source, LONG) for source in looks]
    kernel.close()
    assert came == [None] * len(looks)


@BOXED
@pytest.mark.skipif(not Path("/etc/alternatives").is_dir(), reason="Debian's")
def test_links_of_debian_lead_to_their_programs_in_a_box(tmp_path):
    links = [
        path for path in Path("/usr/bin").iterdir() if path.is_symlink() and "/etc/alternatives/" in os.readlink(path)
    ]
    there = [str(path) for path in links if path.is_file()]
    box = box_of_a_kernel(Path(sys.executable), tmp_path, tmp_path)
    assert there and subprocess.run([*box, "ls", "-L", *there], capture_output=True).returncode == 0


@BOXED
@pytest.mark.parametrize(("source", "kind"), [(DIES, "died"), (KILLED, "died"), ("while True: pass", "timeout")])
def test_the_end_of_a_boxed_kernel_is_noticed_too(tmp_path, source, kind):
    boxed = WatchedKernel(CURRENT_ENV_KERNEL_NAME, str(tmp_path), box=tmp_path)
    took, trouble = seconds(lambda: boxed.run(source, 1 if kind == "timeout" else LONG))
    boxed.close()
    assert trouble.kind == kind and took < SOONER


def test_what_is_raised_is_told(kernel):
    assert kernel.run("x = 1", LONG) is None
    trouble = kernel.run("x / 0", LONG)
    assert (trouble.kind, trouble.said) == ("ZeroDivisionError", "division by zero")
    assert "x / 0" in trouble.traceback


def test_no_cell_runs_after_it(tmp_path):
    """Nor is the learner's own cell run as it stands: what it defines is all that is taken."""
    places = [
        Place(0, "a", "import os"),
        Place(1, "b", "", writes=("answer",)),
        Place(2, "c", "assert answer() == 42"),
        Place(3, "d", "test_answer(answer)", tests=("answer",)),
        Place(4, "e", "leave()"),
        Place(5, "f", "2 + 2"),
    ]
    fork = [CodeCell("", "import os\nos._exit(0)\ndef answer():\n    return 42"), CodeCell("", "1 / 0")]
    made = []

    def start():
        made.append(WatchedKernel(CURRENT_ENV_KERNEL_NAME, cwd=str(tmp_path)))
        return made[-1]

    places[4] = Place(4, "e", "os._exit(0)")
    run = ChapterRun(Restored(places, fork), start, LONG)
    assert run.at(3) is None
    assert run.at(4).kind == "died"
    took, trouble = seconds(lambda: run.at(5))
    assert trouble.said.startswith("Not run: the kernel ended in Cell 4.") and took < SOONER
    assert len(made) == 1
    run.close()
