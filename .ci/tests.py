"""Runs pytest with what it is given, and what failed once more, by itself: `tests.py --numprocesses auto tests`.

Where a few hundred processes are started beside each other, a clock may run out that nobody would see run out alone.
What then passes by itself is named at the end and is no failure; what fails twice is one.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent
FAILED = 1  # pytest's exit status where tests failed, and nothing worse happened
MOST = 5  # that fail for such a reason; of more the cause is another, and of a file that can't be read


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as cache:
        status = pytest(cache, arguments)
        failed = failures(cache)
        if status != FAILED or not 0 < len(failed) <= MOST or not all("::" in name for name in failed):
            return status
        print(f"\nOnce more, by themselves: {', '.join(failed)}", flush=True)
        again = pytest(cache, [*without_workers(arguments), *again_as(failed)])
    if again == 0:
        print(f"Passed, but beside others these failed, which should be mended: {', '.join(failed)}", flush=True)
    return again


def pytest(cache: str, arguments: Iterable[str]) -> int:
    """Its exit status; what failed is in the cache."""
    command = [sys.executable, "-m", "pytest", "-o", f"cache_dir={cache}", *arguments]
    return subprocess.run(command, cwd=ROOT).returncode


def failures(cache: str) -> list[str]:
    found = Path(cache, "v", "cache", "lastfailed")
    return list(json.loads(found.read_text(encoding="utf-8"))) if found.exists() else []


def without_workers(arguments: list[str]) -> list[str]:
    """The options, without the files and folders, and in one process."""
    kept = [one for one in arguments if not (ROOT / one).exists()]
    return [*kept, "--numprocesses", "0"]


def again_as(failed: Iterable[str]) -> list[str]:
    """A notebook is run as a whole, since each of its cells needs those before it."""
    whole = (name.partition("::")[0] if ".ipynb::" in name else name for name in failed)
    return list(dict.fromkeys(whole))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
