"""What was proved before, and of what: tests/proved.json, which git tracks, has a digest for each proof that held.

A proof whose digest is still the same would come out the same, so it is left out, but for a sample that the commit
draws. Whoever changes what a proof depends on proves it again, and commits the new digest with the change. Beside the
digest stands how long it took, where proofs differ so much that a sample of so many would take now one minute, now ten.

Solutions' stored outputs are chosen and written down by unproved.py, exercises' proofs by verifying.py, a learner's way
by tests/house/test_journey.py, what is marked `proves` by tests/proving.py and all other slow tests by
tests/proved_files.py.
"""

import json
import random
import statistics
from collections.abc import Iterable, Mapping
from typing import Any

import filelock

from utils.course import ROOT, git
from utils.course.files import replacing

FILE = ROOT / "tests" / "proved.json"
# The sample takes at most this share of the time of all proofs
SHARE = 1 / 12


def to_leave_out(digests: Mapping[str, str]) -> set[str]:
    """The names of the proofs that held of the same digest before, but for a sample that the commit draws."""
    before = _read()
    same = {name for name, digest in digests.items() if before.get(name, {}).get("digest") == digest}
    known = [before[name]["seconds"] for name in digests if "seconds" in before.get(name, {})]
    usual = statistics.mean(known) if known else 1.0
    return same - drawn({name: before.get(name, {}).get("seconds", usual) for name in digests}, commit())


def drawn(seconds: Mapping[str, float], commit: str) -> set[str]:
    """A sample of the proofs that take so long, the same for the same commit: at least one, and else a twelfth at most.

    A proof that takes longer than a twelfth of all is left to the weekly run, which leaves nothing out.
    """
    names = random.Random(commit).sample(sorted(seconds), len(seconds))
    left, chosen = SHARE * sum(seconds.values()), set[str]()
    for name in names:
        if seconds[name] <= left:
            left -= seconds[name]
            chosen.add(name)
    return chosen or {*sorted(names, key=lambda name: seconds[name])[:1]}


def commit() -> str:
    """The name of the commit that is checked out; "" where git knows none."""
    return (git.printed(ROOT, "rev-parse", "HEAD") or "").strip()


def digests_that_held() -> dict[str, str]:
    """Of each proof, such as "outputs of ch04_attention", the digest of which it held last."""
    return {name: proof["digest"] for name, proof in _read().items()}


def record(held: Mapping[str, str], failed: Iterable[str] = (), seconds: Mapping[str, float] | None = None) -> None:
    """Write down which proofs held, with their digests and how long they took, and forget those that failed.

    The seconds stay as they are while the digest does: else each run would change the file. Processes that write at
    once wait for one another: each would put back what it read before the other wrote.
    """
    with filelock.FileLock(f"{FILE}.lock"):
        before = _read()
        known = dict(before)
        for name, digest in held.items():
            took = {"seconds": max(1, round(seconds[name]))} if seconds and name in seconds else {}
            same = before.get(name, {}).get("digest") == digest
            known[name] = {"digest": digest, **took, **(before[name] if same else {})}
        kept = {name: known[name] for name in sorted(known) if name not in set(failed)}
        if kept != before:
            rows = ",\n".join(f" {json.dumps(name)}: {json.dumps(proof)}" for name, proof in kept.items())
            with replacing(FILE) as partial:
                partial.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")


def _read() -> dict[str, dict[str, Any]]:
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
