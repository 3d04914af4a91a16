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


def reasons_with(root, name, advice, answer):
    """The reasons with one more misconception in the tests, and where that stands."""
    path = root / KNOWN
    path.write_text(path.read_text() + MISCONCEPTION.format(name=name, advice=advice, answer=answer))
    (row,) = verify_together(exercises(STEM, root), root)
    assert row.marks["misconceptions"] == "✘"
    return row.reasons, f"{path}:{path.read_text().splitlines().index('def another(vectors):')}"


@pytest.mark.parametrize(
    ("name", "advice", "said"),
    [
        (NAME, "Other.", f"two misconceptions have the name {NAME!r}{ONCE}"),
        ("other", ADVICE, f"two misconceptions have the advice {ADVICE!r}{ONCE}"),
    ],
)
def test_two_misconceptions_have_two_names_and_two_advices(root, name, advice, said):
    assert said in reasons_with(root, name, advice, "vectors.sum(-1)")[0]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            "vectors.abs().sum(-1)",
            f"taken for {NAME!r}: ask a question on which the two differ in the check that stops it, or make it "
            "another form of that one: @exercise.also.",
        ),
        (
            "vectors.norm(dim=-1) * 1.000005",
            "judged 'passed'. Here the solution and it differ by 0.5 of what is allowed: "
            f"ask a question on which the two differ {MORE}",
        ),
    ],
)
def test_a_misconception_that_is_not_told_apart_has_its_line_and_a_way_out(root, answer, said):
    reasons, place = reasons_with(root, "other", "Other.", answer)
    assert f"{place}: the misconception 'other' is {said}" in reasons, reasons


def test_a_misconception_that_never_ran_a_line_of_its_own_is_refused(root):
    path = root / KNOWN
    wrong = MISCONCEPTION.format(name="other", advice="Other.", answer="1").replace("(vectors):", "():")
    path.write_text(path.read_text() + wrong)
    (row,) = verify_together(exercises(STEM, root), root)
    assert "is stopped before a line of its own ran. Is `self` missing?" in row.reasons[0], row.reasons


@pytest.mark.parametrize(
    ("answer", "name", "missing"),
    [
        ("vecs.sum(-1)", "other", "vecs"),
        ("torch.nrom(vectors, dim=-1)", "other", "nrom"),
        ("__import__('nowhere').norm(vectors)", "other", "nowhere"),
        ("vecs.sum(-1)", "calling it `vecs`", None),
    ],
)
def test_a_misconception_that_lacks_a_name_is_refused_but_where_that_is_the_mistake(root, answer, name, missing):
    said = f"is stopped by a name that is not there, {missing}. Is it a typing mistake, or an import that is missing?"
    path = root / KNOWN
    path.write_text(path.read_text() + MISCONCEPTION.format(name=name, advice="Other.", answer=answer))
    (row,) = verify_together(exercises(STEM, root), root)
    found = [reason for reason in row.reasons if f"the misconception {name!r}" in reason]
    assert len(found) == (missing is not None) and all(said in reason for reason in found), row.reasons


@pytest.mark.parametrize(("name", "advice"), [("other", ""), ("other", " "), ("", "Other.")])
def test_a_misconception_without_a_name_or_an_advice_is_refused_where_it_stands(root, name, advice):
    path = root / KNOWN
    path.write_text(path.read_text() + MISCONCEPTION.format(name=name, advice=advice, answer="vectors"))
    (row,) = verify_together(exercises(STEM, root), root)
    line = path.read_text().splitlines().index(f"@length.misconception({name!r}, {advice!r})".replace("'", '"')) + 1
    said = f"{path}:{line}: a misconception has a name and an advice: what it is, and what to do."
    assert said in row.reasons, row.reasons
