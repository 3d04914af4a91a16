"""The course's command line: what it lists, what it says of a mistake, how it tells of progress and gives hints."""

import importlib
import json
import os
import subprocess
import sys

import pytest

from author.building import build
from tests.author.mini_course import STEM, write_course
from utils.course import ROOT, CourseError, exercises, stems
from utils.learner.hints import KINDS, hint
from utils.learner.parsing import did_you_mean
from utils.learner.progress import next_open, record_pass
from utils.learner.terminal import LEARNERS
from utils.learner.welcome import welcome

main = importlib.import_module("utils.__main__").main


def stopped(*arguments):
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    return caught.value.code


@pytest.fixture
def state(tmp_path, monkeypatch):
    """Nothing has passed."""
    monkeypatch.setenv("COURSE_STATE", str(tmp_path / "state"))


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A small course, its chapter built without being executed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("author.building.execute", lambda *given: None)
        root = write_course(tmp_path_factory.mktemp("course"))
        list(build(STEM, root))
    return root


@pytest.mark.parametrize("asked", [[], ["-h"], ["--help"], ["help"]], ids=str)
def test_the_commands_are_listed_the_learners_first(asked, capsys):
    assert stopped(*asked) == 0
    said = capsys.readouterr().out
    assert max(map(len, said.splitlines())) <= 80
    learners, authors = said.split("For learners\n")[1].split("\n\nFor authors\n")
    assert [line.split()[0] for line in learners.splitlines()] == list(LEARNERS)
    names = [line.split()[0] for line in authors.split("\n\n")[0].splitlines()]
    assert {"build", "check", "new", "verify"} <= set(names) and not set(names) & set(LEARNERS)


def test_every_command_says_what_it_takes_in_80_columns(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    stopped("help")
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    for name in names:
        assert stopped(name, "-h") == 0
        said = capsys.readouterr().out
        assert said.startswith(f"usage: python -m utils {name} ") and max(map(len, said.splitlines())) <= 80


FAULTS = {
    "a command": (["biuld"], "There is no command biuld. Did you mean build?\n"),
    "no command": (["xyz"], "There is no command xyz. The commands are: progress, hint, generate, "),
    "an option": (
        ["build", "--froce"],
        "There is no option --froce. Did you mean --force?\n\nusage: python -m utils b",
    ),
    "no option": (["check", "--xyz=1"], "There is no option --xyz=1.\n\nusage: python -m utils check "),
    "too much": (["hint", "MLP", "GELU"], "This is too much: GELU.\n\nusage: python -m utils hint "),
    "too little": (["new"], "The following arguments are required: STEM.\n\nusage: python -m utils new "),
    "a value": (["generate", "--top-p", "2"], "--top-p: 2 is not at least 0 and at most 1.\n\nusage: "),
}


@pytest.mark.parametrize(("arguments", "said"), FAULTS.values(), ids=FAULTS)
def test_the_fault_comes_first_then_the_usage(arguments, said, capsys):
    assert stopped(*arguments) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(said) and printed.out == ""


def test_a_chapter_that_is_not_there_is_guessed(capsys):
    assert main(["build", "ch03"]) == main(["check", "layernrom"]) == main(["verify", "xyz"]) == 1
    first, second, third = capsys.readouterr().err.splitlines()
    assert first == "There is no chapter ch03. Did you mean ch03_layernorm?"
    assert second.startswith("There is no chapter layernrom.")
    assert third.startswith("There is no chapter xyz. The chapters are: ch00_tokens, ch01_")


def test_what_no_card_names_is_listed_of_the_exercise_that_is_named(monkeypatch, capsys):
    monkeypatch.setattr("author.verifying.unnamed_mutants", lambda infos: (info.symbol for info in infos))
    assert main(["verify", "--unnamed", "--exercise", "SwiGLU", "RMSNorm"]) == 0
    assert capsys.readouterr().out == "RMSNorm\nSwiGLU\n"
    assert main(["verify", "--unnamed", "--exercise", "SwiGUL"]) == 1
    assert "Did you mean SwiGLU?" in capsys.readouterr().err


def test_names_are_guessed_by_their_letters_or_a_part():
    known = ["ch03_layernorm", "LayerNorm", "TransformerBlock", "Transformer"]
    assert did_you_mean("layernrom", known) == " Did you mean LayerNorm?"
    assert did_you_mean("block", known) == " Did you mean TransformerBlock?"
    assert did_you_mean("xyz", known) == did_you_mean("", []) == ""


def test_progress_is_the_start_page_as_text_and_leads_to_a_hint(state, capsys):
    record_pass("ch00_tokens", "SpaceTokenizer")
    assert main(["progress"]) == 0
    said = capsys.readouterr().out
    assert said == f"{welcome()!r}\n\nStuck on {next_open().symbol}? python -m utils hint\n"
    assert said.startswith("1 of ") and "Next: 0 · Tokens" in said
    for stem in stems():
        for one in exercises(stem):
            record_pass(stem, one.symbol)
    assert main(["progress"]) == main(["hint"]) == 0
    said = capsys.readouterr().out
    assert "Stuck" not in said and "Every exercise has passed. The hints of any are still there: " in said


def test_hints_come_one_after_another_and_the_solution_only_when_asked_for(state, root):
    assert next_open(root).symbol == "double"
    where = f"double, in chapters/{STEM}.ipynb\n\n"
    idea, pseudocode = "Hint 1: the idea\n\nAdd.\n\n", "Hint 2: pseudocode\n\nnumber plus number\n\n"
    assert hint(None, "idea", root) == f"{where}{idea}For pseudocode: python -m utils hint double --more"
    assert hint("Double", "pseudocode", root) == (
        f"{where}{idea}{pseudocode}For the solution: python -m utils hint double --solution"
    )
    solution = "Hint 3: the solution\n\n    # by adding\n    return number + number"
    assert hint("double", "solution", root) == where + idea + pseudocode + solution
    record_pass(STEM, "double")
    assert next_open(root).symbol == "Counter"


def test_a_hint_that_cannot_be_shown_is_said(state, root, tmp_path):
    with pytest.raises(CourseError, match=r"There is no exercise duoble\. Did you mean double\?"):
        hint("duoble", "idea", root)
    with pytest.raises(CourseError, match=r"There is no exercise xyz\. `python -m utils progress` names them all\."):
        hint("xyz", "idea", root)
    path = root / "chapters" / f"{STEM}.ipynb"
    whole = path.read_text(encoding="utf-8")
    notebook = json.loads(whole)
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] != f"{STEM}-double-solution"]
    try:
        path.write_text(json.dumps(notebook), encoding="utf-8")
        assert "--solution" not in hint("double", "pseudocode", root)
        with pytest.raises(CourseError, match=rf"chapters/{STEM}\.ipynb holds no such hint for double: solution\."):
            hint("double", "solution", root)
        path.write_text("no notebook", encoding="utf-8")
        with pytest.raises(CourseError, match=rf"chapters/{STEM}\.ipynb can't be read: JSONDecodeError"):
            hint("double", "idea", root)
    finally:
        path.write_text(whole, encoding="utf-8")


@pytest.mark.parametrize("symbol", [one.symbol for stem in stems() for one in exercises(stem)])
def test_every_exercise_has_all_its_hints_and_they_read_well(symbol, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    told = hint(symbol, "solution")
    assert [told.count(f"\nHint {number}: ") for number in range(1, len(KINDS) + 1)] == [1] * len(KINDS)
    prose = [line for line in told.splitlines() if not line.startswith(" ")]
    assert max(map(len, prose)) <= 80 and not any(mark in line for line in prose for mark in ("<", "```", "**"))


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="pipes end otherwise elsewhere")
def test_a_pipe_that_nobody_reads_on_is_no_error(tmp_path):
    command = f"{sys.executable} -u -m utils progress | true"
    environment = os.environ | {"COURSE_STATE": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, shell=True, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.stderr == ""
