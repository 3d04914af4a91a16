"""author.proved and unproved: what was proved of the same files is left out, and nothing else."""

import statistics
import threading
from types import SimpleNamespace

import nbformat
import pytest

from author import proved, unproved
from author.proved import digests_that_held, drawn, record, to_leave_out
from author.verifying import Row, proof_of, remember
from utils.course import exercises

NAMES = [f"proof {number}" for number in range(40)]
ALIKE = dict.fromkeys(NAMES, 1.0)


@pytest.fixture(autouse=True)
def file(monkeypatch, tmp_path):
    monkeypatch.setattr(proved, "FILE", tmp_path / "proved.json")
    monkeypatch.setattr(proved, "commit", lambda: "a commit")
    return tmp_path / "proved.json"


def test_what_held_of_the_same_digest_is_left_out_but_for_the_sample():
    digests = dict.fromkeys(NAMES, "same")
    assert to_leave_out(digests) == set()
    record(digests)
    assert to_leave_out(digests) == set(NAMES) - drawn(ALIKE, "a commit")
    assert to_leave_out(dict.fromkeys(NAMES, "other")) == set()


def test_what_failed_is_forgotten_and_others_stay(file):
    record({"a": "1", "b": "2"})
    record({"c": "3"}, failed=["a", "d"])
    assert digests_that_held() == {"b": "2", "c": "3"}
    assert file.read_text(encoding="utf-8") == '{\n "b": {"digest": "2"},\n "c": {"digest": "3"}\n}\n'


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
    assert drawn(ALIKE, "one") == drawn(dict(reversed(ALIKE.items())), "one") != drawn(ALIKE, "two")
    assert {len(drawn(ALIKE, str(number))) for number in range(9)} == {3}
    assert set().union(*(drawn(ALIKE, str(number)) for number in range(200))) == set(NAMES)
    assert len(drawn(dict.fromkeys("abc", 2.0), "one")) == 1 and drawn({}, "one") == set()


def test_a_sample_takes_a_twelfth_of_the_time_whatever_it_draws():
    seconds = {name: float(number) for number, name in enumerate(NAMES)} | {"long": 500.0, "longer": 900.0}
    samples = [drawn(seconds, str(number)) for number in range(200)]
    took = [sum(seconds[name] for name in sample) for sample in samples]
    share = sum(seconds.values()) / 12
    assert max(took) <= share and statistics.mean(took) > 0.9 * share
    assert set().union(*samples) == set(NAMES)


def test_how_long_a_proof_took_is_kept_until_it_is_another(file):
    record({"a": "1", "b": "1"}, seconds={"a": 12.4})
    record({"a": "1", "b": "1"}, seconds={"a": 15.0, "b": 3.0, "c": 4.0})
    assert file.read_text(encoding="utf-8").count("seconds") == 2 and '"seconds": 12}' in file.read_text(
        encoding="utf-8"
    )
    record({"a": "2"}, seconds={"a": 15.0})
    assert '"a": {"digest": "2", "seconds": 15}' in file.read_text(encoding="utf-8")
    record({"a": "3"})
    assert '"a": {"digest": "3"}' in file.read_text(encoding="utf-8")


def test_the_sample_goes_by_the_time_that_is_known(monkeypatch):
    """Of a proof that has none it is taken to be the others' mean."""
    asked = []
    monkeypatch.setattr(proved, "drawn", lambda seconds, commit: asked.append(seconds) or set())
    record({"a": "1", "b": "1", "c": "1", "elsewhere": "1"}, seconds={"a": 10, "b": 30, "elsewhere": 500})
    to_leave_out({"a": "1", "b": "changed", "c": "1", "new": "1"})
    to_leave_out({"c": "1", "new": "1"})
    assert asked == [{"a": 10, "b": 30, "c": 20, "new": 20}, {"c": 1, "new": 1}]


@pytest.mark.parametrize(
    ("marks", "reasons", "kept"),
    [
        ({"solution": "✔", "mutants": "before"}, [], {"proofs of LayerNorm in ch03_layernorm": "new"}),
        ({"solution": "✔", "mutants": "✘"}, ["a mutant passes"], {}),
        ({"solution": "skipped"}, [], {"proofs of LayerNorm in ch03_layernorm": "old"}),
    ],
)
def test_an_exercise_is_remembered_where_all_its_proofs_hold(marks, reasons, kept):
    layer_norm = next(one for one in exercises("ch03_layernorm") if one.symbol == "LayerNorm")
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
        report = SimpleNamespace(
            nodeid=f"solutions/{name}", when="call", failed=outcome == "failed", skipped=False, duration=1.0
        )
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
