"""After an update from a commit of the checkout: git is told, so that what it shows as changed is the learner's."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from utils.releasing.fetching import Coming
from utils.releasing.places import commit_of, git

TO_COMMIT = 'You have commits of your own: git add -A && git commit -m "A newer version of the course"'
LEFT = "git was not told of it ({}): your files are as they should be."


def joined(root: Path, new: Coming, dry_run: bool) -> Iterator[str]:
    """Move the branch to the commit, or begin a merge with it where the learner has commits; no file changes."""
    if not new.commit or dry_run or _has(root, new.commit):
        return
    commit = new.commit
    if git(root, "merge-base", "--is-ancestor", "HEAD", commit) is not None:
        ran = _run(root, "reset", "--quiet", "--mixed", commit)
    else:
        ran = _run(root, "reset", "--quiet") or _run(root, "merge", "--quiet", "--strategy=ours", "--no-commit", commit)
        if not ran:
            yield TO_COMMIT
    if ran:
        yield LEFT.format(ran)


def _has(root: Path, commit: str) -> bool:
    """Whether the branch has the commit already, or is about to."""
    pending = (git(root, "rev-parse", "--verify", "--quiet", "MERGE_HEAD") or "").strip()
    if commit in (commit_of(root), pending):
        return True
    return git(root, "merge-base", "--is-ancestor", commit, "HEAD") is not None


def _run(root: Path, *arguments: str) -> str:
    """What git says against it; "" where all went well."""
    ran = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, encoding="utf-8", errors="replace")
    return ran.stderr.strip() or "git says no" if ran.returncode else ""
