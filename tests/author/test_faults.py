"""What verify says of a misconception or a variant that is not judged as it must be: where, what, what to do next."""

import pytest

from author.verifying import verify_together
from tests.author.new_chapter import KNOWN, STEM, new_chapter
from utils.course import exercises

pytestmark = pytest.mark.prover  # every case proves an exercise

MISCONCEPTION = """

@length.misconception("{name}", "{advice}")
def another(vectors):
    return {answer}
"""
NAME, ADVICE = "the sum of the absolute values", "Add the squares of the numbers, and take the root of their sum."
ONCE = ": change one, or write @exercise.also above the second, if it is another form of the first"
MORE = "by more (longer or shorter vectors, another eps, more positions), or leave it out."


@pytest.fixture
def root(tmp_path, monkeypatch):
    yield from new_chapter(tmp_path, monkeypatch)


def row_with(root, name, advice, answer, arguments="vectors"):
    """The row with one more misconception in the tests, and where that begins."""
    path = root / KNOWN
    known = path.read_text()
    wrong = MISCONCEPTION.format(name=name, advice=advice, answer=answer).replace("(vectors):", f"({arguments}):")
    path.write_text(known + wrong)
    (row,) = verify_together(exercises(STEM, root), root)
    return row, f"{path}:{len(known.splitlines()) + 3}"


SAME = [
    (NAME, "Other.", f"two misconceptions have the name {NAME!r}{ONCE}"),
    ("other", ADVICE, f"two misconceptions have the advice {ADVICE!r}{ONCE}"),
]


@pytest.mark.parametrize(("name", "advice", "said"), SAME)
def test_two_misconceptions_have_two_names_and_two_advices(root, name, advice, said):
    row, _ = row_with(root, name, advice, "vectors.sum(-1)")
    assert row.marks["misconceptions"] == "✘" and said in row.reasons


NOT_APART = {
    "vectors.abs().sum(-1)": f"taken for {NAME!r}: ask a question on which the two differ in the check that stops it, "
    "or make it another form of that one: @exercise.also.",
    "vectors.norm(dim=-1) * 1.000005": "judged 'passed'. Here the solution and it differ by 0.5 of what is allowed: "
    f"ask a question on which the two differ {MORE}",
}


@pytest.mark.parametrize(("answer", "said"), NOT_APART.items())
def test_a_misconception_that_is_not_told_apart_has_its_line_and_a_way_out(root, answer, said):
    row, place = row_with(root, "other", "Other.", answer)
    assert row.marks["misconceptions"] == "✘"
    assert f"{place}: the misconception 'other' is {said}" in row.reasons, row.reasons


def test_a_misconception_that_never_ran_a_line_of_its_own_is_refused(root):
    row, _ = row_with(root, "other", "Other.", "1", arguments="")
    assert "is stopped before a line of its own ran. Is `self` missing?" in row.reasons[0], row.reasons


LACKING = [
    ("vecs.sum(-1)", "other", "vecs"),
    ("torch.nrom(vectors, dim=-1)", "other", "nrom"),
    ("__import__('nowhere').norm(vectors)", "other", "nowhere"),
    ("vecs.sum(-1)", "calling it `vecs`", None),
]


@pytest.mark.parametrize(("answer", "name", "missing"), LACKING)
def test_a_misconception_that_lacks_a_name_is_refused_but_where_that_is_the_mistake(root, answer, name, missing):
    said = f"is stopped by a name that is not there, {missing}. Is it a typing mistake, or an import that is missing?"
    row, _ = row_with(root, name, "Other.", answer)
    found = [reason for reason in row.reasons if f"the misconception {name!r}" in reason]
    assert len(found) == (missing is not None) and all(said in reason for reason in found), row.reasons


@pytest.mark.parametrize(("name", "advice"), [("other", ""), ("other", " "), ("", "Other.")])
def test_a_misconception_without_a_name_or_an_advice_is_refused_where_it_stands(root, name, advice):
    row, place = row_with(root, name, advice, "vectors")
    assert f"{place}: a misconception has a name and an advice: what it is, and what to do." in row.reasons, row.reasons
