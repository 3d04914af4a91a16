"""The workflows for learners' forks: their commands are understood, every chapter is in them, and they stay here."""

import re

import pytest

from grader import fork
from utils.course import ROOT, stems

FOLDER = ROOT / "docs" / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))
COMMAND = re.compile(r"python -P -m grader\.fork (.*?)(?=\n\S|\n {0,8}[-\w]|\Z)", re.DOTALL)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_its_command_is_understood(path, monkeypatch):
    """As a shell would give it; what follows `--` is for pytest, whose options are tested elsewhere."""
    asked = []
    monkeypatch.setattr(fork, "judged", lambda *told: asked.append(told) or 0)
    (command,) = COMMAND.findall(path.read_text(encoding="utf-8"))
    words = [word.strip('"') for word in command.split()]
    assert fork.main(words) == 0
    ((learners, course, options),) = asked
    assert (learners.name, course.rpartition("/")[2]) == ("fork", "course")
    assert "--require-sandbox" in options


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_it_lifts_what_ubuntu_refuses(path):
    text = path.read_text(encoding="utf-8")
    assert "runs-on: ubuntu-24.04" in text and "bubblewrap" in text
    assert "kernel.apparmor_restrict_unprivileged_userns=0" in text


def test_the_classroom_has_every_chapter():
    text = (FOLDER / "github-classroom.yml").read_text(encoding="utf-8")
    chapters = [stem.partition("_")[0] for stem in stems()]
    assert re.findall(r"id: (\w+)", text) == chapters
    assert re.findall(r"env\.JUDGE \}\} \"(\w+) and not Cell and not wild\"", text) == chapters
    assert f"runners: {','.join(chapters)}" in text
    assert re.findall(r"(\w+)_RESULTS: \$\{\{ steps\.(\w+)\.", text) == [(one.upper(), one) for one in chapters]


def test_none_of_them_runs_in_the_courses_own_repository():
    own = {path.name for path in (ROOT / ".github" / "workflows").iterdir()}
    assert own & {path.name for path in FILES} == set()


def test_a_runner_obeys_nothing_that_an_answer_prints(monkeypatch, capsys):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    for _ in range(2):
        with fork.deaf_to_what_is_printed():
            print("::error::not for you")
    first, second = capsys.readouterr().out.split("::error::not for you\n")[:2]
    word = first.removeprefix("::stop-commands::").strip()
    assert len(word) >= 32
    assert second.startswith(f"::{word}::\n::stop-commands::") and second.count(word) == 1


def test_elsewhere_nothing_is_said_of_it(monkeypatch, capsys):
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    with fork.deaf_to_what_is_printed():
        pass
    assert capsys.readouterr().out == ""
