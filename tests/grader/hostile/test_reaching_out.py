"""Answers that look for what is not theirs: files, other processes, a network. They find nothing, and hurt nobody."""

import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.grader.hostile.judged import RIGHT, WRONG, Case, holds, in_pairs, judged
from utils.course import ROOT

OTHERS = """
import os, signal
def tried(*call):
    try: os.kill(*call)
    except OSError: pass
"""
READING = """
import os
def read(path):
    try:
        return open(path).read()
    except OSError:
        return ""
"""


def signals(call: str) -> dict[str, str]:
    return {"inside": call, "head": OTHERS}


def imported(what: str, x: str = "x") -> dict[str, str]:
    return {"inside": f"try:\n    {what}; x = {x} * 0 + 7\nexcept Exception: pass"}


def is_read(*paths: Path) -> dict[str, str]:
    """The values are others where any of these files can be read."""
    return {"inside": f"if {' + '.join(f'read({str(path)!r})' for path in paths)}: x = x * 0 + 7", "head": READING}


SIBLINGS = "for pid in range(2, 3000): tried(pid, 9) if pid != os.getpid() else None"
HOMES = """\
for home in ('/root', '/home'):
    if os.path.isdir(home) and any(map(read, walked(home))): x = x * 0 + 7"""
WALKED = "def walked(home): return [home + '/.bashrc', home + '/.profile', home + '/.ssh/id_rsa']\n"
MEMORY = """\
for pid in [*range(1, 400), 'self']:
    if any(read(f'/proc/{pid}/{name}') for name in MAPS): x = x * 0 + 7"""
REFUSED = (
    Case("its parent killed", **signals("tried(os.getppid(), signal.SIGKILL)")),
    Case("its siblings killed", **signals(SIBLINGS)),
    Case("all killed", **signals("tried(-1, signal.SIGKILL)")),
    Case("all stopped", **signals("tried(-1, signal.SIGSTOP)")),
    Case("the solutions imported", **imported("import solutions.ch04_attention as s", "s.softmax(x)")),
    Case("the tests imported", **imported("import tests.ch04_attention")),
    Case("the judge imported", **imported("import judge.checking")),
    Case("the solutions read", **is_read(ROOT / "solutions" / "ch04_attention.py")),
    Case("the tests read", **is_read(ROOT / "tests" / "ch04_attention.py")),
    Case("git read", **is_read(ROOT / ".git", ROOT / ".git/HEAD")),
    Case("passwords read", **is_read(Path("/etc/passwd"), Path("/etc/shadow"))),
    Case("a home", HOMES, head=READING + WALKED),
    Case("memory of others", MEMORY, head=READING + "MAPS = 'maps', 'environ', 'cmdline', 'mem'\n"),
)
SOCKETS = """
import os, socket
def reached(family, address):
    try:
        one = socket.socket(family)
        one.settimeout(2)
        one.connect(address)
        one.sendall(b"here")
        return True
    except OSError:
        return False
"""


@in_pairs(*REFUSED)
def test_what_is_not_there_is_not_found(box, case, which):
    holds(box, case, which)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["AF_INET", "AF_UNIX", "abstract"])
@pytest.mark.parametrize("answer", [WRONG, RIGHT], ids=["wrong", "right"])
def test_a_listener_of_this_machine_is_never_reached(box, family, answer, tmp_path):
    kind, address = {
        "AF_INET": (socket.AF_INET, ("127.0.0.1", 0)),
        "AF_UNIX": (socket.AF_UNIX, str(tmp_path / "listener")),
        "abstract": (socket.AF_UNIX, f"\0hostile-{os.getpid()}"),
    }[family]
    with socket.socket(kind) as listener:
        listener.bind(address)
        if kind == socket.AF_UNIX and family == "AF_UNIX":
            os.chmod(address, 0o777)
        listener.listen()
        listener.settimeout(0.2)
        inside = f"if reached(socket.{kind.name}, {listener.getsockname()!r}): x = x * 0 + 7"
        outcome = judged(box, Case("", inside, head=SOCKETS).source(answer))
        assert outcome.status == ("pass" if answer == RIGHT else "fail")
        with pytest.raises(TimeoutError):
            listener.accept()


@pytest.mark.slow
def test_a_stop_of_itself_is_no_way_out(box):
    """The first process of a namespace is not stopped by itself; under Landlock it is, and that is seen."""
    source = Case("", "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)").source
    in_namespaces = "namespaces" in box.protection
    bounds = {} if in_namespaces else {"wall_seconds": 5.0}  # of which nothing but the stop is to take its part
    with ThreadPoolExecutor(2) as pool:
        right, wrong = pool.map(lambda answer: judged(box, source(answer), **bounds), (RIGHT, WRONG))
    assert (right.status, wrong.status) == (("pass", "fail") if in_namespaces else ("limit", "limit"))
    assert in_namespaces or right.said == wrong.said == "it stopped itself"


def test_no_file_outside_is_written_changed_or_removed(box, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("as it was")
    for folder in (tmp_path, *tmp_path.parents[:3]):
        os.chmod(folder, 0o777 if folder == tmp_path else folder.stat().st_mode | 0o005)
    victim.chmod(0o666)
    before = victim.stat()
    inside = f"""
    import os
    for call in (
        lambda: open({str(victim)!r}, "a").write("changed"),
        lambda: os.remove({str(victim)!r}),
        lambda: os.truncate({str(victim)!r}, 0),
        lambda: os.chmod({str(victim)!r}, 0),
        lambda: os.utime({str(victim)!r}, (0, 0)),
        lambda: os.mkdir({str(tmp_path / "new")!r}),
        lambda: os.symlink("/", {str(tmp_path / "link")!r}),
        lambda: open("/dev/shm/left", "w").write("for another"),
        lambda: open({str(ROOT / "left")!r}, "w").write("for another"),
    ):
        try: call()
        except OSError: pass
    """
    assert judged(box, Case("", inside).source(RIGHT)).status == "pass"
    after = victim.stat()
    assert victim.read_text() == "as it was" and os.listdir(tmp_path) == ["victim"]
    assert (after.st_mode, after.st_mtime, after.st_size) == (before.st_mode, before.st_mtime, before.st_size)
    assert not os.path.exists("/dev/shm/left") and not (ROOT / "left").exists()


def test_another_process_of_this_machine_lives_on(box):
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        calls = (f"os.kill({sleeper.pid}, {number})" for number in (signal.SIGKILL, signal.SIGSTOP))
        inside = "".join(
            f"try: {call}\nexcept OSError: pass\n"
            for call in (*calls, f"os.setpriority(os.PRIO_PROCESS, {sleeper.pid}, 19)")
        )
        assert judged(box, Case("", inside, head="import os").source(RIGHT)).status == "pass"
        assert sleeper.poll() is None
        assert os.getpriority(os.PRIO_PROCESS, sleeper.pid) == os.getpriority(os.PRIO_PROCESS, 0)
    finally:
        sleeper.kill()
        sleeper.wait()
