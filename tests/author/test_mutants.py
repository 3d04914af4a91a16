"""Mutants: every small mistake in a solution is judged apart from all else; what an author reads of those that pass."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from author import mutants
from author.mutants import LEFT_OUT, Place, fates, mutants_of, outcome_of, unnamed
from judge.checking import Exercise, check_agrees, line, random_tensor
from judge.running.children import can_fork, in_children
from tests.ch00_tokens import space_tokenizer
from tests.judge.checking.kinds import mask, optimiser, softmax
from tests.judge.checking.marked import marked_line
from utils.course import CourseError

pytestmark = pytest.mark.prover  # each mutant is a process of its own

needs_fork = pytest.mark.skipif(not can_fork(), reason="a process can't be forked here")


def total(x):
    """What the exercise asks for: the sum of the squares."""
    squares = x**2  # here
    return squares.sum(dim=-1)


def counted(x):
    steps = 2
    while steps > 0:
        x = x + 1
        steps = steps - 1
    return x


def exercise_of(solution, *shapes):
    """An exercise of this module's, whose test asks for the answers on vectors of these shapes, without gradients."""
    exercise = Exercise(inputs={"x": "..."}, output="...", solution=__name__)

    def body(component):
        with line("agrees"):
            for shape in shapes:
                check_agrees(component, random_tensor(*shape))

    exercise.test(body)
    exercise.symbol = solution.__name__
    return exercise


def place(**changes):
    here = Place(Path("solutions/ch91_total.py"), Path("tests/ch91_total.py"), "total_exercise", ())
    return replace(here, **changes)


def passing(exercise):
    found = mutants_of(exercise)
    return {one.change for one, fate in zip(found, fates(exercise, found), strict=True) if not fate.rejected}


IN_PLACE = "squares = x ** 2 → x **= 2; squares = x"  # which nothing here looks for


def test_a_mutant_is_one_change_in_a_line_of_the_file_and_no_two_are_alike():
    found = mutants_of(exercise_of(total, (3,)))
    assert len({one.text for one in found}) == len(found) > 20
    assert all(ast.parse(one.text) for one in found)
    first = marked_line(total)
    assert {one.line for one in found} == {first, first + 1}
    changes = {one.change: one for one in found}
    assert changes["2 → 3"].text == "def total(x):\n    pass\n    squares = x ** 3\n    return squares.sum(dim=-1)"
    assert changes[f"squares = x ** 2 → {LEFT_OUT}"].line == first
    assert not any(one.startswith("def total") for one in changes)


def test_what_a_test_does_not_ask_passes_it():
    assert passing(exercise_of(total, (3, 4))) == {IN_PLACE, "-1 → 1"}
    assert passing(exercise_of(total, (4,))) == {IN_PLACE, "-1 → 0", "squares.sum(dim=-1) → squares.sum()"}
    assert passing(exercise_of(total, (3, 4), (2, 3, 4))) == {IN_PLACE}


def test_gradients_are_cut_only_where_they_are_asked_for():
    assert not any("detach" in one.change for one in mutants_of(exercise_of(total, (3,))))
    assert any("detach" in one.change for one in mutants_of(softmax.exercise))


def test_a_survivor_is_an_error_with_the_line_that_declares_it():
    outcome = outcome_of(exercise_of(total, (3, 4)), place())
    number = marked_line(total) + 1
    assert len(outcome.reasons) == 2 and outcome.counted == outcome.rejected + 2 and not outcome.notes
    assert outcome.reasons[1] == (
        f"solutions/ch91_total.py:{number}: no check tells `-1 → 1` from the solution. Ask a question on which the two "
        'differ; or, if they never do, write in tests/ch91_total.py: total_exercise.equivalent("-1 → 1", "why")'
    )


def test_what_is_declared_equivalent_is_neither_an_error_nor_counted():
    exercise = exercise_of(total, (3, 4), (2, 3, 4))
    exercise.equivalent(IN_PLACE, "Nobody needs the input any more.")
    outcome = outcome_of(exercise, place())
    assert outcome.reasons == outcome.notes == []
    assert outcome.rejected == outcome.counted == len(mutants_of(exercise)) - 1


def test_a_survivor_in_a_line_that_the_stub_gives_is_a_note():
    first = marked_line(total)
    outcome = outcome_of(exercise_of(total, (3, 4)), place(written=[first + 1]))
    assert len(outcome.reasons) == 1 and outcome.counted == outcome.rejected + 1
    assert outcome.notes == [f"mutants of lines that the stub gives pass the test: line {first}, `{IN_PLACE}`"]


def test_a_declaration_that_excuses_nothing_is_an_error_with_its_own_line():
    exercise = exercise_of(total, (3, 4))
    exercise.equivalent(IN_PLACE, "Nobody needs the input any more.")
    exercise.equivalent("-1 → 1", "So it is for two axes.")
    exercise.equivalent("-1 → 2", "So it is for three axes.")  # here
    (reason,) = outcome_of(exercise, place()).reasons
    number = marked_line(test_a_declaration_that_excuses_nothing_is_an_error_with_its_own_line)
    assert reason == (
        f"tests/author/test_mutants.py:{number}: no mutant with the change '-1 → 2' passes the test; "
        "did you mean '-1 → 1'? If nothing is left to excuse, take the declaration away."
    )


def test_a_declaration_without_a_reason_or_made_twice_is_refused_where_it_stands():
    exercise = exercise_of(total, (3,))
    with pytest.raises(CourseError, match=rf"{__file__}:\d+: say why '-1 → 0' makes no difference: equivalent\("):
        exercise.equivalent("-1 → 0", " ")
    exercise.equivalent("-1 → 0", "There is one axis.")
    with pytest.raises(CourseError, match="'-1 → 0' is declared equivalent already; take one of the two away"):
        exercise.equivalent("-1 → 0", "There is one axis.")


@pytest.fixture
def endless(monkeypatch):
    """An exercise with one mutant, which never comes to an end."""
    exercise = exercise_of(counted, (3,))
    found = [one for one in mutants_of(exercise) if one.change == "steps - 1 → steps + 1"]
    monkeypatch.setattr(mutants, "LEAST", 0.2)
    monkeypatch.setattr(mutants, "mutants_of", lambda one: found)
    return exercise


@needs_fork
def test_a_mutant_without_an_end_is_stopped_and_counts_as_rejected(endless):
    outcome = outcome_of(endless, place())
    assert (outcome.rejected, outcome.counted, outcome.reasons) == (1, 1, [])
    (note,) = outcome.notes
    stopped = "mutants that did not come to an end, or took too much memory, count as rejected: line "
    assert note.startswith(stopped) and note.endswith(", `steps - 1 → steps + 1`")
    (line, share) = unnamed(endless, Path("solutions/ch91_total.py"))
    assert line.endswith(": `steps - 1 → steps + 1`: it did not come to an end, or took too much memory")
    assert share.startswith("counted: 0 of 1 rejected mutants are named (0 %)")


def test_without_fork_mutants_are_judged_here_within_their_time(monkeypatch, endless):
    monkeypatch.setattr(mutants, "can_fork", lambda: False)
    assert passing(exercise_of(total, (3, 4), (2, 3, 4))) == {IN_PLACE}
    assert outcome_of(endless, place()).rejected == 1


def test_where_the_solution_itself_is_not_accepted_nothing_is_proved(monkeypatch):
    exercise = exercise_of(total, (3,))
    monkeypatch.setattr(mutants, "_annotated", lambda one: ast.parse("def total(x):\n    return x"))
    with pytest.raises(RuntimeError, match="the solution is not accepted where its mutants are judged"):
        fates(exercise, [])


LEFT_BEHIND = []


@needs_fork
def test_what_one_child_does_reaches_neither_another_nor_us():
    def leave():
        LEFT_BEHIND.append(1)
        torch.manual_seed(0)
        return len(LEFT_BEHIND)

    before = torch.get_rng_state()
    assert in_children([leave] * 3, 5, 2) == [1, 1, 1]
    assert LEFT_BEHIND == [] and torch.equal(before, torch.get_rng_state())


@needs_fork
def test_a_child_that_takes_too_much_or_breaks_says_nothing_and_the_others_go_on():
    def breaks():
        raise ValueError("broken")

    works = [lambda: len(bytearray(2**34)), breaks, lambda: torch.ones(2**34).shape[0], lambda: "fine"]
    assert in_children(works, 5, 2) == [None, None, None, "fine"]


def test_what_nobody_could_name_is_listed_with_the_first_that_the_card_says():
    exercise = exercise_of(total, (3, 4), (2, 3, 4))
    *lines, share = unnamed(exercise, Path("solutions/ch91_total.py"))
    number = marked_line(total)
    listed = f"solutions/ch91_total.py:{number}: `2 → 3`: 3 of 3 values differ, most at [0]: got "
    assert any(one.startswith(listed) for one in lines)
    assert not any("(left out)" in one for one in lines)  # which are explained
    rejected = len(mutants_of(exercise)) - 1
    named = rejected - len(lines)
    assert share == (
        f"total: {named} of {rejected} rejected mutants are named ({100 * named / rejected:.0f} %), "
        f"0 by a misconception and {named} by an advice alone"
    )


@pytest.mark.parametrize(
    "exercise", [mask.exercise, space_tokenizer, optimiser.exercise], ids=["function", "methods", "optimiser"]
)
def test_mutants_of_every_kind_of_exercise_can_be_judged(exercise):
    every = mutants_of(exercise)
    found = every[:: len(every) // 20]
    became = fates(exercise, found)
    assert all(one.ended for one in became)
    assert sum(one.rejected for one in became) >= 0.7 * len(found)
