"""`make changed`: of each change what is run, and what is said to be left out."""

import functools
import subprocess

import pytest

from author.unproved import digest_of, name_of
from author.verifying import digests_of, proof_of
from tests.house.test_installing import script
from utils.course import ROOT, all_exercises, stems

changed = script("changed")


@functools.cache
def proved():
    return digests_of(all_exercises()) | {name_of(stem): digest_of(stem) for stem in stems()}


@pytest.fixture
def plan(monkeypatch):
    """What is planned for changes of these files, after which these proofs are open."""

    def planned(*names, open_now=(), does_otherwise=True):
        before = {name: digest for name, digest in proved().items() if not name.startswith(tuple(open_now))}
        monkeypatch.setattr(changed, "digests_that_held", lambda: before)
        monkeypatch.setattr(changed, "does_otherwise", lambda path, since: does_otherwise)
        return changed.planned([ROOT / name for name in names], "HEAD")

    return planned


def files(plan):
    return [part.removeprefix(f"{ROOT}/") for part in plan.commands["tests"] if part.endswith(".py")]


@pytest.mark.slow
def test_of_a_chapters_prose_the_notebooks_are_compared_and_nothing_is_executed(plan):
    found = plan("solutions/ch03_layernorm.py", "chapters/ch03_layernorm.ipynb", does_otherwise=False)
    assert [*found.commands] == ["lint", "formatting", "types", "notebooks", "the house"]
    assert found.commands["notebooks"][-1] == "ch03_layernorm"
    assert found.left_out == ["`make tests` looks at ch03_layernorm in a browser: lines, contrasts, formulas"]


@pytest.mark.slow
def test_of_a_misconception_its_exercise_is_proved(plan):
    mistakes = "tests/misconceptions/ch03_layernorm/layer_norm/variance.py"
    found = plan(mistakes, open_now=["proofs of LayerNorm", "proofs of MLP"])
    assert found.commands["proofs of LayerNorm"][2:] == ["utils", "verify", "--exercise", "LayerNorm"]
    assert found.left_out == ["`make verify` has 1 more exercises to prove: MLP"]


@pytest.mark.slow
def test_of_a_chapters_code_its_notebook_is_run_and_what_imports_it_is_tested(plan):
    opened = ["proofs of LayerNorm", "outputs of ch03", "outputs of ch07"]
    found = plan("solutions/ch03_layernorm.py", open_now=opened)
    assert {"tests/ch03_layernorm.py", "tests/judge/running/test_wall.py"} & {*files(found)} == {
        "tests/judge/running/test_wall.py"
    }
    assert found.commands["outputs of ch03_layernorm"][-1] == "solutions/ch03_layernorm.ipynb"
    assert any("depend on them by way of others" in said for said in found.left_out)
    assert "`make outputs` has 1 more notebooks to run: ch07_transformer" in found.left_out


@pytest.mark.slow
def test_of_the_engine_its_room_is_tested_and_the_rest_is_left_out_by_name(plan):
    found = plan("judge/checking/comparing.py", open_now=["proofs", "outputs"])
    assert "tests/judge/checking/test_comparing.py" in files(found) and "tests/house/test_files.py" not in files(found)
    said = "\n".join(found.left_out)
    assert f"`make verify` has {len(all_exercises())} more" in said
    assert f"`make outputs` has {len(stems())} more" in said
    assert "not slow" in found.commands["tests"] and "slow tests of" in said


@pytest.mark.slow
def test_of_a_test_that_test_is_run_with_its_slow_ones(plan):
    found = plan("tests/course/test_files.py")
    assert files(found) == ["tests/course/test_files.py"] and "not slow" not in found.commands["tests"]


def test_what_has_changed_is_counted_from_the_last_proof(tmp_path, monkeypatch):
    monkeypatch.setattr(changed, "ROOT", tmp_path)

    def git(*command):
        who = ["-c", "user.name=course", "-c", "user.email=course@example.org"]
        subprocess.run(["git", "-C", str(tmp_path), *who, *command], check=True, capture_output=True)

    def commit(name):
        tmp_path.joinpath(name).write_text(name)
        git("add", "-A")
        git("commit", "-qm", name)
        return changed.git("rev-parse", "HEAD")

    git("init", "-q")
    first = commit("a.py")
    assert changed.last_proved() == "HEAD"
    tmp_path.joinpath(".git", "ci-proved").write_text(f"{first}\n")
    commit("b.py")
    tmp_path.joinpath("c.py").touch()
    tmp_path.joinpath("a.py").unlink()
    assert changed.last_proved() == first
    assert [path.name for path in changed.changed_since(first)] == ["b.py", "c.py"]
    tmp_path.joinpath(".git", "ci-proved").write_text("0" * 40)
    assert changed.last_proved() == "HEAD"


def test_a_module_does_otherwise_when_more_than_its_comments_has_changed(tmp_path, monkeypatch):
    monkeypatch.setattr(changed, "ROOT", tmp_path)
    monkeypatch.setattr(changed, "git", lambda *asked: "x = 1  # one" if asked == ("show", "HEAD:a.py") else "")
    path = tmp_path / "a.py"
    for now, does_otherwise in {"# Prose.\nx = 1\n": False, "x = 2\n": True}.items():
        path.write_text(now)
        assert changed.does_otherwise(path, "HEAD") is does_otherwise


def test_a_failure_is_said_and_nothing_after_it_is_left_out(monkeypatch, capsys):
    plan = changed.Plan({"a": ["false"], "b": ["true"]}, ["the moon"])
    monkeypatch.setattr(changed, "planned", lambda *given: plan)
    assert changed.main(["--since", "HEAD"]) == 1
    said = capsys.readouterr().out
    assert "a: failed" in said and "b: holds" in said and "Left out:\n  the moon" in said and "Failed: a" in said
    del plan.commands["a"]
    assert changed.main(["--since", "HEAD"]) == 0


@pytest.mark.slow
def test_every_proof_has_a_name_of_its_own():
    assert len(proved()) == len(all_exercises()) + len(stems())
    assert {proof_of(one) for one in all_exercises()} < proved().keys()
