"""A Python that has imported all that grading takes, and runs each command line in a fork of itself.

    python -m tests.grader.ready STEM SEED

A line of its input is the words of a command in JSON, as `python -m utils` gets them; a line of its output is what
came of it: the exit status, and what was printed.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Protocol

from utils.course import ROOT

SEED = 7


class Command(Protocol):
    """Runs the words of a command line."""

    def __call__(self, *words: object) -> "subprocess.CompletedProcess[str]": ...


def program(*words: object) -> "subprocess.CompletedProcess[str]":
    """`python -m` with these words, as one starts it, to its end."""
    command = [sys.executable, "-m", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=800)


@contextlib.contextmanager
def ready(stem: str, seed: int) -> Iterator[Command]:
    """A `run` for the block, whose commands need not import anything, nor plan this chapter's exercises."""
    command = [sys.executable, "-m", __name__, stem, str(seed)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True, encoding="utf-8") as process:
        asking, answering = process.stdin, process.stdout
        assert asking and answering

        def run(*words: object) -> "subprocess.CompletedProcess[str]":
            asking.write(json.dumps([*map(str, words)]) + "\n")
            asking.flush()
            return subprocess.CompletedProcess(words, *json.loads(answering.readline()))

        yield run


def planned(stem: str, seed: int) -> None:
    """Plan a chapter's exercises, before anything forks this process."""
    import torch

    from grader.batch import prepare
    from grader.jobs import Terms

    torch.set_num_threads(1)
    prepare([stem], Terms(seed))


def main(stem: str, seed: str) -> None:
    planned(stem, int(seed))
    for line in sys.stdin:
        print(json.dumps(_done(json.loads(line))), flush=True)


def _done(words: list[str]) -> tuple[int, str, str]:
    """The exit status of a command in a process of its own, and what it printed."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        if not (process := os.fork()):
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            in_this_fork(words)
        status = end_of(process)
        out.seek(0)
        err.seek(0)
        return status, out.read().decode(), err.read().decode()


def grading(submissions: str, stem: str) -> list[str]:
    """The words of a command that grades a folder, with what a fork needs to begin at once."""
    planned(stem, SEED)
    return ["grade", submissions, "--chapters", stem, "--seed", str(SEED), "--no-sandbox"]


def end_of(process: int) -> int:
    """The exit status of a fork, when it has ended."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def in_this_fork(words: list[str]) -> None:
    """Run a command, and end this process with its exit status."""
    from utils.__main__ import main as run

    status: object = 1
    try:
        status = run(words)
    except SystemExit as ended:
        status = ended.code
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status if isinstance(status, int) else 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
