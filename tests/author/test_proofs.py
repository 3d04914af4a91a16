"""The proofs of `verify` that are about the author: their mistakes, the declaration, what the questions depend on."""

import pytest

from author.scaffold import new
from author.verifying import verify_together
from tests.author.new_chapter import STEM, TESTS, forget, new_chapter, spoil
from utils.course import exercises


@pytest.fixture
def root(tmp_path, monkeypatch):
    yield from new_chapter(tmp_path, monkeypatch)


# what the author did: the change, the proofs that it stops, its line, what is said
PROVED = ("declared", "solution", "stub", "questions", "misconceptions", "variants", "mutants")
PAST_THE_STUB = ("solution", "questions", "misconceptions", "variants", "mutants")
AUTHORS = {
    "an axis": (
        *(('output="batch pos"', 'output="batch poss"'), (*PROVED, "hints", "details"), "length = Exercise(inputs"),
        "the output has an axis 'poss', which is neither an input's nor a size of Config; did you mean 'pos'?",
    ),
    "an input": (
        *(("random_tensor(3, 5, 7)", "random_tensor(3, 5)"), PAST_THE_STUB, "        check_agrees(length, vectors)"),
        "`vectors` has shape [3, 5], but inputs= says [batch pos d_model].",
    ),
    "a bare error": (
        *(("    vectors = random", "    {}['d_modle']\n    vectors = random"), PAST_THE_STUB, "    {}['d_modle']"),
        "KeyError: 'd_modle'",
    ),
    "no decorator": (
        *(("@length.test\n", ""), PROVED, "def test_length(length):"),
        "test_length is not the test function of an Exercise; write @exercise.test above it.",
    ),
}


@pytest.mark.parametrize(("change", "proofs", "line", "said"), AUTHORS.values(), ids=AUTHORS.keys())
def test_an_authors_mistake_is_shown_once_with_its_line(root, change, proofs, line, said):
    spoil(root, TESTS, change)
    (row,) = verify_together(exercises(STEM, root), root)
    lines = (root / TESTS).read_text(encoding="utf-8").splitlines()
    number = next(number for number, text in enumerate(lines, 1) if text.startswith(line))
    named = [reason for reason in row.reasons if reason.startswith(f"{root / TESTS}:{number}: {said}")]
    assert len(named) == 1, row.reasons
    assert [proof for proof, mark in row.marks.items() if mark == "✘" and proof != "notebooks"] == list(proofs)


SCALE = "ch92_scale"


@pytest.fixture
def with_a_class(root):
    """A chapter beside the first, whose exercise is a class."""
    new(SCALE, "Scale", root)
    yield root
    forget(SCALE)


WW = "parameters= names 'ww', which {} does not have; did you mean 'w'?"
MISFITS = [
    ("tests", '"w": "d_model"}', '"w": "d_model", "ww": "d_model"}', WW),
    ("tests", '"w": "d_model"},\n    initial={"w": 1.0}', "}", "{} has parameters that parameters= leaves out: w."),
    ("solutions", "cfg.d_model)", "cfg.d_modle)", "{}(cfg) raised AttributeError: 'Config' object has no attribute"),
]


@pytest.mark.parametrize(("folder", "old", "new", "said"), MISFITS)
def test_a_declaration_must_fit_the_solution(with_a_class, folder, old, new, said):
    spoil(with_a_class, f"{folder}/{SCALE}.py", (old, new))
    (row,) = verify_together(exercises(SCALE, with_a_class), with_a_class)
    assert row.marks["declared"] == "✘"
    text = (with_a_class / "tests" / f"{SCALE}.py").read_text(encoding="utf-8").splitlines()
    place = f"{with_a_class / 'tests' / SCALE}.py:{text.index('scale = Exercise(') + 1}"
    said = f"{place}: {said.format(f'solutions.{SCALE}.Scale')}"
    assert sum(reason.startswith(said) for reason in row.reasons) == 1, row.reasons


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "who"),
    [
        ("size = 7 if length.__name__ == 'length' else 8", "the misconception 'the sum of the absolute values'"),
        ("size = next(numbers)", "the solution, asked once more,"),
    ],
)
def test_questions_that_depend_on_more_than_the_seed_are_named(root, line, who):
    asked = ("    vectors = random_tensor(3, 5, 7)\n", f"    {line}\n    vectors = random_tensor(3, 5, size)\n")
    spoil(root, TESTS, ("length =", "import itertools\n\nnumbers = itertools.count(2)\nlength ="), asked)
    (row,) = verify_together(exercises(STEM, root), root)
    assert row.marks["questions"] == "✘"
    said = "is asked 2 questions that the solution is not asked, and not asked 2 that it is: a test's questions must "
    assert f"{who} {said}depend on the seed alone" in row.reasons
