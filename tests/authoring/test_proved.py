"""utils.authoring.proved and unproved: what was proved of the same files is left out, and nothing else."""

import threading
from types import SimpleNamespace

import nbformat
import pytest

from utils.authoring import proved, unproved
from utils.authoring.proved import digests_that_held, drawn, record, to_leave_out
from utils.authoring.verifying import Row, proof_of, remember
from utils.course import exercises

NAMES = [f"proof {number}" for number in range(40)]


@pytest.fixture(autouse=True)
def file(monkeypatch, tmp_path):
    monkeypatch.setattr(proved, "FILE", tmp_path / "proved.json")
    monkeypatch.setattr(proved, "commit", lambda: "a commit")
    return tmp_path / "proved.json"


def test_what_held_of_the_same_digest_is_left_out_but_for_the_sample():
    digests = dict.fromkeys(NAMES, "same")
    assert to_leave_out(digests) == set()
    record(digests)
    assert to_leave_out(digests) == set(NAMES) - drawn(NAMES, "a commit")
    assert to_leave_out(dict.fromkeys(NAMES, "other")) == set()


def test_what_failed_is_forgotten_and_others_stay(file):
    record({"a": "1", "b": "2"})
    record({"c": "3"}, failed=["a", "d"])
    assert digests_that_held() == {"b": "2", "c": "3"}
    assert file.read_text(encoding="utf-8") == '{\n "b": "2",\n "c": "3"\n}\n'


def test_a_file_that_need_not_change_is_not_written(file):
    record({"a": "1"})
    file.chmod(0o400)
    before = file.stat().st_ino
    record({"a": "1"})
    assert file.stat().st_ino == before


def test_two_processes_that_write_at_once_lose_nothing(monkeypatch):
    """The second begins while the first writes, and has time to end if it does not wait."""
    second = threading.Thread(target=lambda: record({"b": "2"}))
    whole = proved.replacing

    def writing(path):
        monkeypatch.setattr(proved, "replacing", whole)
        second.start()
        second.join(0.5)
        return whole(path)

    monkeypatch.setattr(proved, "replacing", writing)
    record({"a": "1"})
    second.join()
    assert digests_that_held() == {"a": "1", "b": "2"}


def test_each_commit_draws_a_sample_of_its_own_and_in_time_everything():
    assert drawn(NAMES, "one") == drawn(reversed(NAMES), "one") != drawn(NAMES, "two")
    assert {len(drawn(NAMES, str(number))) for number in range(9)} == {4}
    assert set().union(*(drawn(NAMES, str(number)) for number in range(200))) == set(NAMES)
    assert len(drawn(NAMES[:12], "one")) == 1 and drawn(NAMES[:1], "one") == {NAMES[0]} and drawn([], "one") == set()


@pytest.mark.parametrize(
    ("marks", "reasons", "kept"),
    [
        ({"solution": "✔", "mutants": "before"}, [], {"proofs of LayerNorm in ch03_layernorm": "new"}),
        ({"solution": "✔", "mutants": "✘"}, ["a mutant passes"], {}),
        ({"solution": "skipped"}, [], {"proofs of LayerNorm in ch03_layernorm": "old"}),
    ],
)
def test_an_exercise_is_remembered_where_all_its_proofs_hold(marks, reasons, kept):
    (layer_norm,) = exercises("ch03_layernorm")
    name = proof_of(layer_norm)
    record({name: "old"})
    remember(Row(layer_norm, marks, reasons), {name: "new"})
    assert digests_that_held() == kept


CELLS = {"ch90_a": 2, "ch91_b": 1}


@pytest.fixture
def outputs(monkeypatch, tmp_path):
    """Makes the plugin of a run over two notebooks; digests are the notebooks' stems."""
    cell = nbformat.v4.new_code_cell("pass")
    monkeypatch.setattr(unproved, "ROOT", tmp_path)
    monkeypatch.setattr(unproved, "FOLDER", tmp_path / "solutions")
    monkeypatch.setattr(unproved, "stems", lambda: list(CELLS))
    monkeypatch.setattr(unproved, "digest_of", lambda stem: stem)
    monkeypatch.setattr(unproved, "cells_of", lambda stem: [cell] * CELLS[stem])
    monkeypatch.setattr(proved, "drawn", lambda names, commit: set())

    def made(leaves_out=True, **told):
        return unproved.StoredOutputs(SimpleNamespace(option=SimpleNamespace(unproved=leaves_out), **told))

    return made


def ran(plugin, *cells):
    """Report these cells' outcomes."""
    for name, outcome in cells:
        report = SimpleNamespace(nodeid=f"solutions/{name}", when="call", failed=outcome == "failed", skipped=False)
        plugin.pytest_runtest_logreport(report)


def left_out(plugin):
    return [stem for stem in CELLS if plugin.pytest_ignore_collect(unproved.FOLDER / f"{stem}.ipynb")]


def test_a_notebook_all_of_whose_cells_hold_is_left_out_from_then_on(outputs):
    assert left_out(outputs()) == []
    whole = [("ch90_a.ipynb::Cell 0", "passed"), ("ch90_a.ipynb::Cell 1", "passed"), ("ch91_b.ipynb::Cell 0", "failed")]
    ran(outputs(), *whole)
    assert digests_that_held() == {"outputs of ch90_a": "ch90_a"}
    assert left_out(outputs()) == ["ch90_a"] and left_out(outputs(leaves_out=False)) == []
    assert outputs().pytest_ignore_collect(unproved.ROOT / "chapters" / "ch90_a.ipynb") is None


def test_of_a_part_of_a_notebook_nothing_is_written_and_a_failure_takes_back_what_was(outputs):
    ran(outputs(), ("ch90_a.ipynb::Cell 1", "passed"))
    assert digests_that_held() == {}
    record({"outputs of ch90_a": "ch90_a"})
    ran(outputs(), ("ch90_a.ipynb::Cell 0", "failed"), ("ch90_a.ipynb::Cell 1", "passed"))
    assert digests_that_held() == {}


def test_a_worker_leaves_out_what_it_is_told_and_writes_nothing(outputs):
    record({"outputs of ch90_a": "ch90_a"})
    node = SimpleNamespace(workerinput={})
    outputs().pytest_configure_node(node)
    worker = outputs(workerinput=node.workerinput)
    assert left_out(worker) == ["ch90_a"]
    ran(worker, ("ch91_b.ipynb::Cell 0", "passed"))
    assert digests_that_held() == {"outputs of ch90_a": "ch90_a"}
