"""What was proved before, and of what: tests/proved.json, which git tracks, has a digest for each proof that held.

A proof whose digest is still the same would come out the same, so it is left out, but for a sample that the commit
draws. Whoever changes what a proof depends on proves it again, and commits the new digest with the change.

Solutions' stored outputs are chosen and written down by unproved.py, exercises' proofs by verifying.py, a learner's way
by tests/house/test_journey.py, and all else that pytest proves by tests/proving.py.
"""

import json
import math
import random
import subprocess
from collections.abc import Iterable, Mapping

import filelock

from utils.course import ROOT
from utils.course.files import replacing

FILE = ROOT / "tests" / "proved.json"
# One proof of so many is made though nothing has changed
SHARE = 12


def to_leave_out(digests: Mapping[str, str]) -> set[str]:
    """The names of the proofs that held of the same digest before, but for a sample that the commit draws."""
    before = digests_that_held()
    same = {name for name, digest in digests.items() if before.get(name) == digest}
    return same - drawn(digests, commit())


def drawn(names: Iterable[str], commit: str) -> set[str]:
    """A sample of these proofs, at least one of them, the same for the same commit."""
    known = sorted(names)
    return set(random.Random(commit).sample(known, math.ceil(len(known) / SHARE)))


def commit() -> str:
    """The name of the commit that is checked out; "" where git knows none."""
    command = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def digests_that_held() -> dict[str, str]:
    """Of each proof, such as "outputs of ch04_attention", the digest of which it held last."""
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}


def record(held: Mapping[str, str], failed: Iterable[str] = ()) -> None:
    """Write down which proofs held, with their digests, and forget those that failed.

    Processes that write at once wait for one another: each would put back what it read before the other wrote.
    """
    with filelock.FileLock(f"{FILE}.lock"):
        before = digests_that_held()
        known = {**before, **held}
        kept = {name: known[name] for name in sorted(known) if name not in set(failed)}
        if kept != before:
            with replacing(FILE) as partial:
                partial.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
