"""Verifying: a new chapter is proved as it is, and every way to spoil it is named."""

import pytest

from author.scaffold import new, snake_case
from author.verifying import table, verify_exercise, verify_together
from benchmarks.answers import wrong_answers
from tests.author.new_chapter import KNOWN, SOLUTION, STEM, TESTS, new_chapter, spoil
from utils.course import CourseError, exercises

pytestmark = pytest.mark.prover  # every case proves an exercise


@pytest.fixture
def root(tmp_path, monkeypatch):
    yield from new_chapter(tmp_path, monkeypatch)


def test_a_new_chapter_holds_and_its_draft_is_noted(root):
    (row,) = verify_together(exercises(STEM, root), root)
    again = f"{STEM}.ipynb is missing. Make it again: python -m utils build {STEM}"
    assert [row.marks.pop("notebooks"), *row.reasons] == ["✘", f"chapters/{again}", f"solutions/{again}"]
    assert row.marks == dict.fromkeys(("declared", "solution", "stub", "hints"), "✔") | {
        **{"questions": "✔ 12", "misconceptions": "✔ 1", "variants": "✔ 1"},
        **{"mutants": "✔ 31/31", "details": "✔ 10 min"},
    }
    assert row.notes == ["misconceptions: 1 of the 3 that such an exercise needs"]


NAME = "the sum of the absolute values"
AGREES = (
    '    with line("agrees with the reference solution on random vectors"):\n        check_agrees(length, vectors)\n'
)
GRADIENTS = '    with line("passes gradients back to `vectors`"):\n        check_gradients(length, vectors)\n'
UNLIKE_ITSELF = [
    ("import torch\n", "import itertools\n\nimport torch\n\nnumbers = itertools.count()\n"),
    ("vectors.abs().sum(dim=-1)", "vectors[..., 0] * 7.0 ** next(numbers)"),
]
REASONS = [
    (SOLUTION, [(".sqrt()", "")], "variants", "variant 'vector_norm' is judged 'failed' with seed 1:\n✘ length"),
    (SOLUTION, [(".sqrt()", "")], "variants", f"{KNOWN}:"),
    (SOLUTION, [("sum(dim=-1)", "sum(dim=0)")], "solution", "the solution is judged 'failed':\n✘ length"),
    (SOLUTION, [("vectors.pow", "vectors.power")], "solution", "power"),
    (
        *(SOLUTION, [(' hint="idea"', "")], "hints"),
        f'{SOLUTION}:27: after the stub of length there is no cell `# %% [markdown] hint="idea"`',
    ),
    (SOLUTION, [(" minutes=10", "")], "details", "minutes missing from the exercise's cell"),
    (SOLUTION, [(" draft=true", "")], "misconceptions", "misconceptions: 1 of the 3 that such an exercise needs"),
    (SOLUTION, [("    # END SOLUTION\n", "")], "solution", f"{SOLUTION}:"),
    (
        *(TESTS, [(AGREES, ""), (GRADIENTS, "")], "misconceptions"),
        f"the misconception {NAME!r} is judged 'passed'. Here no check tells it from the solution: ask",
    ),
    (KNOWN, UNLIKE_ITSELF, "misconceptions", "is rejected, but not named"),
    (KNOWN, [("@length.correct", "@staticmethod")], "variants", "no correct variant shows"),
    (TESTS, [("from judge.checking", "import nowhere\nfrom judge.checking")], "stub", "No module named 'nowhere'"),
    (
        *(KNOWN, [("import torch\n", "import torch\n\nimport nowhere\n")], "misconceptions"),
        f"{KNOWN}:5: ModuleNotFoundError: No module named 'nowhere'",
    ),
    (KNOWN, [("import torch\n", "import torch torch\n")], "variants", f"{KNOWN}:3: invalid syntax"),
    (TESTS, [("    vectors =", "    raise SystemExit('gone')\n    vectors =")], "solution", "SystemExit: gone"),
]


@pytest.mark.parametrize(("file", "changes", "proof", "said"), REASONS, ids=[said[:40] for *_, said in REASONS])
def test_what_does_not_hold_is_named(root, file, changes, proof, said):
    spoil(root, file, *changes)
    (one,) = exercises(STEM, root)
    row = verify_exercise(one, root, thorough=False)
    assert row.marks[proof] == "✘"
    assert any(said in reason for reason in row.reasons), row.reasons


def test_a_stub_that_does_not_stop_is_named(root):
    code = "    # BEGIN SOLUTION\n    return vectors.pow(2).sum(dim=-1).sqrt()\n    # END SOLUTION\n"
    branch = "    if vectors.ndim == 0:\n        # BEGIN SOLUTION\n        return vectors\n        # END SOLUTION\n"
    spoil(root, SOLUTION, (code, branch + code.splitlines()[1] + "\n"))
    (row,) = verify_together(exercises(STEM, root), root)
    assert row.marks["stub"] == "✘"
    assert "the chapter's stub is judged 'passed', not 'not yet'" in row.reasons


SECOND_EXERCISE = """\
# %% [markdown] exercise="second"
# ## Second


# %%
def second(vectors):
    # BEGIN SOLUTION
    return vectors
    # END SOLUTION


# %% tags=["active-ipynb"]
# test_second(second)

"""


SECOND_TEST = """

@Exercise(inputs={"vectors": "batch pos d_model"}).test
def test_second(second):
    raise KeyError('second')
"""


def test_one_exercise_that_crashes_leaves_the_others_their_row(root):
    spoil(root, SOLUTION, ("# %% [markdown]\n# ## See it work", SECOND_EXERCISE + "# %% [markdown]\n# ## See it work"))
    (root / TESTS).write_text((root / TESTS).read_text() + SECOND_TEST)
    first, second = verify_together(exercises(STEM, root), root)
    assert verify_together(exercises(STEM, root), root) == [first, second]
    assert [first.marks[proof] for proof in ("solution", "stub", "misconceptions")] == ["✔", "✔", "✔ 1"]
    assert [second.marks[proof] for proof in ("solution", "misconceptions", "hints")] == ["✘", "✘", "✘"]
    (crash,) = (reason for reason in second.reasons if "KeyError" in reason)
    place = f"{root / TESTS}:{len((root / TESTS).read_text().splitlines())}"
    assert crash == f"{place}: KeyError: 'second'"
    lines = table([first, second]).splitlines()
    assert lines[0].split() == ["exercise", *first.marks]
    assert lines[1].startswith(f"{STEM} length  ✔         ✔         ✔     ✔ 12       ✔ 1 ")
    assert lines[2].startswith(f"{STEM} second  ✔         ✘ ")
    assert f"✘ second: {crash}" in lines
    assert "note: length: misconceptions: 1 of the 3 that such an exercise needs" in lines


@pytest.mark.parametrize("symbol", ["Scale", "length"])
def test_new_writes_a_wrong_answer_of_its_own_misconception(symbol, tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.answers.ROOT", tmp_path)
    *_, misconceptions, wrong = new("ch92_other", symbol, tmp_path)
    (answer,) = wrong_answers(tmp_path / wrong)
    (cause,) = answer.causes
    assert answer.symbol == symbol and f'"{cause}"' in (tmp_path / misconceptions).read_text()


def test_new_refuses_what_would_overwrite_or_mislead(root):
    before = (root / TESTS).read_text()
    with pytest.raises(CourseError, match=f"{SOLUTION} is there already; nothing was written"):
        new(STEM, "other", root)
    (root / "chapters").mkdir()
    (root / "chapters" / "ch92_left.ipynb").touch()
    with pytest.raises(CourseError, match=r"ch92_left\.ipynb is there already"):
        new("ch92_left", root=root)
    for stem in ("rotary", "ch1_rotary", "ch12_Rotary", "ch12_", "../ch12_rotary", "ch12_rotary.py"):
        with pytest.raises(CourseError, match="is no stem of a chapter; write chNN_word"):
            new(stem, root=root)
    for symbol in ("two words", "class", "_hidden", "1st"):
        with pytest.raises(CourseError, match="can't be a name in Python"):
            new("ch92_other", symbol, root)
    with pytest.raises(CourseError, match=f"{STEM} has the number of ch91_other; choose another"):
        new("ch91_other", root=root)
    with pytest.raises(CourseError, match=f"length is an exercise of {STEM} already"):
        new("ch92_other", "length", root)
    assert (root / TESTS).read_text() == before
    assert not (root / "tests" / "ch92_other.py").exists()


def test_a_symbol_gives_its_test_function_the_usual_name():
    names = {"LayerNorm": "layer_norm", "MLP": "mlp", "softmax": "softmax", "gpt2_numpy": "gpt2_numpy"}
    assert {symbol: snake_case(symbol) for symbol in names} == names
