"""A Python that has imported torch and nothing of ours, and forks for each piece of code: a start costs nothing then.

Where there is no fork, each has a Python of its own.
"""

import atexit
import functools
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from utils.course import ROOT

ASKING = threading.Lock()
THEIRS = ("torch", "numpy", "safetensors.torch", "einops", "jaxtyping", "regex")
# The inner fork goes on after the loop, the outer one tells its exit status. The inner one ends as any Python does, but
# that it takes no pains to let go of torch, which needs a second.
SERVER = """\
import atexit, json, os, signal, sys, threading, traceback
for name in {theirs!r}:
    __import__(name)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for asked in sys.stdin:
    asked = json.loads(asked)
    if os.fork():
        continue
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    process = os.fork()
    if not process:
        break
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    with open(asked["done"], "w") as done:
        done.write(str(status))
    os._exit(0)
else:
    os._exit(0)
for stream, path in enumerate([os.devnull, asked["out"], asked["errors"]]):
    file = os.open(path, os.O_RDWR)
    os.dup2(file, stream)
    os.close(file)
os.environ.clear()
os.environ.update(asked["env"])
os.chdir(asked["cwd"])
status = 0
try:
    exec(compile(asked["code"], "<string>", "exec"), {{"__name__": "__main__"}})
except SystemExit as ended:
    status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    if isinstance(ended.code, str):
        print(ended.code, file=sys.stderr)
except BaseException:
    traceback.print_exc()
    status = 1
threading._shutdown()
atexit._run_exitfuncs()
sys.stdout.flush()
sys.stderr.flush()
os._exit(status)
"""


def warm_python(code: str, *flags: str, cwd: Path = ROOT, env: dict[str, str] | None = None, check: bool = False):
    """What `python FLAGS -c code` does in this folder, with this environment: its exit status, and what it prints."""
    env = dict(os.environ if env is None else env)
    if not hasattr(os, "fork"):
        command = [sys.executable, *flags, "-c", code]
        return subprocess.run(
            command, cwd=cwd, env=env, check=check, capture_output=True, encoding="utf-8", timeout=600
        )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        out, errors, done = (Path(folder, name) for name in ("out", "errors", "done"))
        out.touch()
        errors.touch()
        os.mkfifo(done)
        asked = {"code": code, "cwd": str(cwd), "env": env, "out": str(out), "errors": str(errors), "done": str(done)}
        with ASKING:
            print(json.dumps(asked), file=_server(flags).stdin, flush=True)
        status = int(done.read_text())  # which waits for it
        said = [file.read_bytes().decode() for file in (out, errors)]
    ran = subprocess.CompletedProcess([sys.executable, *flags, "-c", code], status, *said)
    if check:
        ran.check_returncode()
    return ran


@functools.cache
def _server(flags: tuple[str, ...]) -> subprocess.Popen:
    import torch

    # Without `site` it finds what is installed by this path; nothing of the course's is on it.
    env = os.environ | {"PYTHONPATH": str(Path(torch.__file__).parent.parent), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, *flags, "-c", SERVER.format(theirs=THEIRS)]
    server = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, encoding="utf-8")
    atexit.register(server.communicate)
    return server
