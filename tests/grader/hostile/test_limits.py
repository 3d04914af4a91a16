"""Answers that take memory, processes, files, room: what was exceeded is what is said, and nothing is left behind."""

import os

import pytest

from tests.grader.hostile.judged import LIMIT, RIGHT, WRONG, Case, holds, in_pairs, judged

LEFT = f"9{os.getpid():07}"  # seconds, by which this run knows its own sleepers
SLEEPER = f"subprocess.Popen(['sleep', '{LEFT}'], start_new_session=True)"
THREAD, DAEMON = "threading.Thread(target=time.sleep, args=(9,))", "threading.Thread(target=print, daemon=True)"
MEMORY, PROCESSES = "it takes more than 1,000 MB of memory", "it starts more processes or threads"
OPEN = "it has more than 32 files open"
TOO_MUCH = (
    Case("a tensor of 10 GB", "torch.ones(2_500_000_000)", said=f"{MEMORY}, in line 7"),
    Case("a list that grows", "a = [0]\nwhile True: a = a + a", said=MEMORY),
    Case("a text that grows", "a = 'x'\nwhile True: a += a", said=MEMORY),
    Case("memory at the top", head="a = bytearray(3 * 10**9)", said="more than 1,000 MB of memory, in line 2: `a = "),
    Case("memory that is kept", "kept.append(torch.ones(50_000_000))", head="kept = []", said=MEMORY),
    Case("a fork", "import os; os.fork()", said=f"{PROCESSES} than the 0 it may"),
    Case("a fork bomb", "import os\nwhile True: os.fork()", said=f"{PROCESSES} than the 0 it may"),
    Case("a thread bomb", f"import threading, time\nwhile True: {THREAD}.start()", said=PROCESSES),
    Case("a program", "import subprocess; subprocess.run(['true'])", said=PROCESSES),
    Case("a program left behind", f"import subprocess; {SLEEPER}", said=PROCESSES),
    Case("many open files", "import os\nkept = [open(os.devnull) for _ in range(100)]", said=OPEN),
    Case(
        "answers of 20 MB each",
        given="torch.zeros(5_000_000)",
        said="it answers too much: it takes 80.0 MB, and at most 64.0 MB are read",
        bounds={"memory": 250_000_000},  # it is no matter of memory, though all the answers would take 1 GB
    ),
)
QUIET = (
    Case("a fork that is caught", "try:\n    __import__('os').fork()\nexcept OSError:\n    pass"),
    Case("programs that are caught", f"import subprocess\ntry: {SLEEPER}\nexcept OSError: pass"),
    Case("a daemon's thread that is caught", f"import threading\ntry: {DAEMON}.start()\nexcept RuntimeError: pass"),
    Case("memory that is caught", "try: torch.ones(2_500_000_000)\nexcept RuntimeError: pass"),
)


def limited(case):
    return Case(**vars(case) | LIMIT)


@pytest.mark.slow
@in_pairs(*map(limited, TOO_MUCH))
def test_an_answer_that_takes_too_much_is_told_of_what(box, case, which):
    holds(box, case, which)
    assert not left_behind()


@in_pairs(*QUIET)
def test_what_is_refused_and_caught_changes_nothing(box, case, which):
    holds(box, case, which)
    assert not left_behind()


FILLING = """
import os
os.makedirs("here", exist_ok=True)
for number in range({files}):
    with open(f"here/{{number}}", "wb") as file: file.write(bytes({size}))
"""


@pytest.mark.parametrize(("files", "size"), [(1, 17_000_000), (20, 1_000_000), (5_000, 1)])
def test_a_full_disk_is_told_in_namespaces(in_namespaces, files, size):
    source = Case("", FILLING.format(files=files, size=size)).source(RIGHT)
    outcome = judged(in_namespaces, source)
    assert (outcome.status, outcome.said[:34]) == ("limit", "it writes more than 16 MB to files")
    assert not os.path.exists("here")


def test_a_few_files_are_written_in_namespaces_and_gone_with_the_process(in_namespaces):
    source = Case("", FILLING.format(files=3, size=1_000)).source(RIGHT)
    assert judged(in_namespaces, source).status == "pass"
    looking = Case("", "import os; assert not os.listdir()").source(RIGHT)
    assert judged(in_namespaces, looking).status == "pass"


@pytest.mark.parametrize("written", [0, 1])
def test_who_may_write_nothing_is_judged_as_ever(box, written):
    assert judged(box, Case("").source(RIGHT), written=written).status == "pass"
    assert judged(box, Case("").source(WRONG), written=written).status == "fail"


def test_nothing_is_written_under_landlock(by_landlock):
    source = Case("", FILLING.format(files=3, size=1_000)).source(RIGHT)
    outcome = judged(by_landlock, source)
    assert outcome.status == "fail" and "PermissionError" in outcome.said
    assert not os.path.exists("here")


def left_behind():
    """Processes of this machine that a case has started."""
    commands = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline") as file:
                commands.append(file.read())
        except OSError:
            continue
    return [one for one in commands if LEFT in one]
