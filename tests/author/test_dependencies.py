"""author.dependencies: what a proof depends on, and a digest that changes with it and with nothing else."""

import os
import subprocess
import sys

import nbformat
import pytest

from author import dependencies
from author.dependencies import digest, file_of, imported_by, module_of, modules_ahead, modules_behind
from author.verifying import digests_of, proof_of
from tests.ch04_attention import attention
from tests.grader import test_solutions
from tests.judge.repairing import test_fresh
from tests.judge.running import test_wall
from utils.course import ROOT, all_exercises

MISTAKE = "tests/misconceptions/ch04_attention/softmax.py"
DIGESTS = """
from tests.ch04_attention import attention
from tests.grader import test_solutions
from tests.house import test_journey
from tests.judge.repairing import test_fresh
from tests.judge.running import test_wall
from author import unproved
from author.verifying import digests_of
from utils.course import exercises

stem = "ch04_attention"
print(test_journey.digest_of(stem), unproved.digest_of(stem), digests_of(exercises(stem)))
print(test_solutions.digest_of(stem), test_wall.digest_of(attention), test_fresh.digest_of("softmax"))
"""


def test_what_is_imported_anywhere_or_by_a_name_is_behind_a_module():
    assert "judge.running.records" in modules_behind(["judge.checking"])
    assert "utils.handed_over" in modules_behind(["utils.learner.handed"]), "importlib imports it by its name"
    assert "grader" not in modules_behind(["judge.checking"])


def test_what_imports_a_module_is_ahead_of_it():
    assert {"judge.checking", "tests.ch03_layernorm"} <= modules_ahead(["judge.running.records"])
    assert "judge.running.wire" not in modules_ahead(["utils.learner.cards"])


def test_a_module_has_a_file_and_a_file_a_module():
    for name in ("judge.checking", "utils.config", "tests.misconceptions.ch04_attention.softmax"):
        assert module_of(file_of(name)) == name
    assert module_of(ROOT / "README.md") is None and module_of(ROOT / ".ci" / "install.py") is None


def test_of_a_notebook_the_imports_of_its_code_count():
    cells = [
        nbformat.v4.new_code_cell("%time x = 1\nfrom utils import texts\nimport torch"),
        nbformat.v4.new_markdown_cell("import utils.waiting"),
    ]
    assert imported_by(nbformat.v4.new_notebook(cells=cells)) == {"utils", "utils.texts"}


def test_comments_do_nothing_and_what_only_looks_like_one_does():
    source = 'x = 1  # one\n# %% [markdown]\n# Prose.\n\ny = """\n# a line of a text\n"""\nz = "#"\n'
    assert dependencies.without_comments(source) == 'x = 1\ny = """\n# a line of a text\n"""\nz = "#"'


@pytest.fixture
def changed(monkeypatch):
    """Makes as if this file had changed."""
    before = dependencies.digest_of

    def change(name):
        monkeypatch.setattr(dependencies, "digest_of", lambda path: "" if path == ROOT / name else before(path))

    return change


LAYER_NORM = {
    **dict.fromkeys(("judge/checking/likeness.py", "judge/checking/__init__.py", "constraints.txt"), True),
    "utils/reference_model/config.json": True,
    **dict.fromkeys(("utils/site/building.py", "grader/batch.py", "tests/ch04_attention.py"), False),
}


@pytest.mark.parametrize(("name", "changes"), LAYER_NORM.items())
def test_a_digest_changes_with_what_is_behind_it_alone(changed, name, changes):
    before = digest(["tests.ch03_layernorm"])
    changed(name)
    assert (digest(["tests.ch03_layernorm"]) != before) is changes


def test_a_text_and_a_file_beside_the_modules_count_too(tmp_path):
    config = ["utils.config"]
    assert len({digest(config), digest(config, texts=["a"]), digest(config, [ROOT / "LICENSE"])}) == 3


def test_caches_that_tools_leave_are_no_data_of_a_room(monkeypatch, tmp_path):
    monkeypatch.setattr(dependencies, "ROOT", tmp_path)
    left = ["judge/checking/.ruff_cache/one", "utils/.vscode/settings.json", "judge/checking/__pycache__/one.pyc"]
    for name in [*left, "judge/checking/sentences.txt"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    kept = tmp_path / "judge" / "checking" / "sentences.txt"
    assert dependencies._all_data.__wrapped__() == [("judge.checking", kept)]


@pytest.mark.slow
def test_a_mistake_that_is_edited_opens_the_proof_of_its_exercise_and_of_those_that_use_it(changed):
    before = digests_of(all_exercises())
    changed(MISTAKE)
    after = digests_of(all_exercises())
    opened = {name for name in before if before[name] != after[name]}
    (softmax,) = [proof_of(one) for one in all_exercises() if one.symbol == "softmax"]
    assert softmax in opened and len(opened) < 4


@pytest.mark.slow
def test_a_digest_is_the_same_in_every_process(capsys):
    """A set has another order in each, as in this one beside one with another seed."""
    exec(DIGESTS, {})
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    command, environment = [sys.executable, "-c", DIGESTS], os.environ | {"PYTHONHASHSEED": seed}
    assert subprocess.check_output(command, cwd=ROOT, env=environment, text=True) == capsys.readouterr().out


ATTENTION = {
    "judge/checking/likeness.py": True,
    "tests/judge/checking/test_kinds.py": False,
    "tests/ch04_attention.py": True,
    MISTAKE: True,
    "solutions/ch04_attention.py": True,
    "solutions/ch03_layernorm.py": True,
    "constraints.txt": True,
    "utils/site/building.py": False,
    "tests/ch05_mlp.py": False,
    "tests/misconceptions/ch05_mlp/gelu_new.py": False,
    "solutions/ch05_mlp.py": False,
}


def grades_and_verdicts():
    """The digests of what is proved of chapter 4 in the grader, and behind the wall."""
    return test_solutions.digest_of("ch04_attention"), test_wall.digest_of(attention)


@pytest.fixture(scope="module")
def before():
    return grades_and_verdicts()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "changes"), ATTENTION.items())
def test_a_chapters_proofs_are_opened_by_its_own_files_and_the_engines(before, changed, name, changes):
    assert (ROOT / name).is_file()
    changed(name)
    assert [new != old for new, old in zip(grades_and_verdicts(), before, strict=True)] == [changes, changes]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["grader/judging.py", "grader/sandbox/forking_box.py"])
def test_the_grader_opens_the_grades_and_no_verdicts(before, changed, name):
    changed(name)
    assert [new != old for new, old in zip(grades_and_verdicts(), before, strict=True)] == [True, False]


AFRESH = {
    **dict.fromkeys(("judge/repairing/fresh.py", "judge/checking/likeness.py", MISTAKE), True),
    "tests/judge/repairing/test_fresh.py": True,
    **dict.fromkeys(("grader/judging.py", "tests/misconceptions/ch05_mlp/gelu_new.py"), False),
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "changes"), AFRESH.items())
def test_what_is_asked_afresh_opens_what_stands(changed, name, changes):
    before = test_fresh.digest_of("softmax")
    changed(name)
    assert (test_fresh.digest_of("softmax") != before) is changes


@pytest.mark.slow
def test_a_cell_opens_the_grades_of_its_chapter_and_of_later_ones(monkeypatch):
    def digests():
        return [test_solutions.digest_of(stem) for stem in ("ch03_layernorm", "ch04_attention", "ch05_mlp")]

    before, whole = digests(), test_solutions.chapter
    monkeypatch.setattr(test_solutions, "chapter", lambda stem: [*whole(stem), *["1"] * (stem == "ch04_attention")])
    assert [new == old for new, old in zip(digests(), before, strict=True)] == [True, False, False]
