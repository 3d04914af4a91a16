"""An update of a git checkout: to what its branch has, with commits of the learner's own, or without."""

import subprocess

import pytest

from tests.releasing.courses import ANSWER, CHAPTER, chapter, course, sources, work
from utils.course import CourseError
from utils.releasing.updating import update


def answered():
    return [{**one, "source": ANSWER} if one["id"].endswith("double-2") else one for one in chapter()]


def git(root, *arguments):
    command = ["git", "-C", str(root), "-c", "user.name=A", "-c", "user.email=a@b", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def upstream(tmp_path):
    """A repository of the course, without a manifest; and a learner's clone of its first commit."""
    root = course(tmp_path / "upstream")
    (root / "release.json").unlink()
    git(tmp_path, "init", "--quiet", "--initial-branch=main", str(root))
    git(root, "add", "-A")
    git(root, "commit", "--quiet", "-m", "One")
    git(tmp_path, "clone", "--quiet", str(root), str(tmp_path / "clone"))
    return root


def moved_on(upstream):
    cells = [{**one, "source": "# 90 · Mini, once more"} if place == 0 else one for place, one in enumerate(chapter())]
    work(upstream, cells)
    (upstream / "utils" / "tool.py").write_text("TWO = 2\n")
    git(upstream, "commit", "--quiet", "-am", "Two")


def test_a_clone_follows_its_branch_and_git_shows_what_is_the_learners(upstream, tmp_path):
    clone = tmp_path / "clone"
    work(clone, answered())
    moved_on(upstream)
    said = list(update(None, clone))
    assert f"{CHAPTER}: 1 answer kept, 1 given cell renewed" in said
    assert sources(clone)[3] == ANSWER and (clone / "utils" / "tool.py").read_text() == "TWO = 2\n"
    assert git(clone, "rev-parse", "HEAD") == git(upstream, "rev-parse", "HEAD")
    assert git(clone, "status", "--porcelain", "--untracked-files=no") == f"M {CHAPTER}"
    assert list(update(None, clone))[-1].endswith("nothing to do.")


def test_a_clone_with_commits_of_its_own_begins_a_merge(upstream, tmp_path):
    clone = tmp_path / "clone"
    work(clone, answered())
    git(clone, "commit", "--quiet", "-am", "My answer")
    moved_on(upstream)
    said = list(update("origin/main", clone))
    assert f"{CHAPTER}: 1 answer kept, 1 given cell renewed" in said
    assert any(line.startswith("You have commits of your own: git add -A") for line in said)
    git(clone, "add", "-A")
    git(clone, "commit", "--quiet", "-m", "A newer version")
    assert git(clone, "merge-base", "HEAD", "origin/main") == git(upstream, "rev-parse", "HEAD")
    assert list(update(None, clone))[-1].endswith("nothing to do.") and sources(clone)[3] == ANSWER


def test_an_unknown_branch_is_said(upstream, tmp_path):
    with pytest.raises(CourseError, match="v9 is no folder, no file, and no commit or branch of this checkout"):
        list(update("v9", tmp_path / "clone"))
