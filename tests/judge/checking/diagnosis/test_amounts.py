"""judge.checking.diagnosis.amounts: which part a wrong count is off by, where every wrong answer agrees."""

from judge.checking import Exercise, check_agrees, line
from tests.ch10_cost import caching
from tests.judge.checking.diagnosis.counted import SIZES, boards, counting, off, parts

EVERYWHERE = " The same is true of your other wrong answers."


def test_right_answers_do_not_speak_against_a_part():
    """As of what is counted twice only where there are several."""
    text = off(lambda rows, columns, shelves: shelves * 3 * rows if shelves > 1 else 0)
    assert text == "It is too large by exactly 18: the boards (shelves · 3 · rows)." + EVERYWHERE


def test_one_wrong_answer_alone_may_be_an_accident():
    assert off(lambda rows, columns, shelves: -parts(3, 5, 2)["the boards (shelves · 3 · rows)"] * (rows == 3)) is None


def test_nothing_is_said_where_one_wrong_answer_is_off_by_something_else():
    assert off(lambda rows, columns, shelves: -shelves * 3 * rows - (rows == 11)) is None


def test_nothing_is_said_of_two_parts_that_fit_alike():
    same = replace_amounts(
        lambda rows, columns, shelves=1: dict.fromkeys(("the tops", "the floors"), shelves * columns)
    )
    failure = same.judge(lambda rows, columns, shelves=1: boards(rows, columns, shelves) + shelves * columns).failure
    assert failure.advice is None


def test_nothing_is_said_where_the_exercise_names_no_amounts():
    silent = replace_amounts(None)
    assert silent.judge(lambda rows, columns, shelves=1: 2 * boards(rows, columns, shelves)).failure.advice is None


def test_an_answer_that_ends_in_an_error_elsewhere_is_left_out():
    def answer(rows, columns, shelves=1):
        return boards(rows, columns, shelves) - shelves * 2 * columns + 0 * (1 // (rows - 11))

    advice = counting.judge(answer).failure.advice
    assert advice == "It is too small by exactly 20: the sides (shelves · 2 · columns)." + EVERYWHERE


def test_a_count_that_is_a_float_is_a_count():
    advice = replace_amounts(parts, view=float).judge(
        lambda rows, columns, shelves=1: boards(rows, columns, shelves) / 2
    )
    assert advice.failure.advice == "The right answer is twice yours." + EVERYWHERE


def test_a_part_is_not_named_where_nothing_is_counted():
    """0 is too small by all parts together, whatever these are."""
    said = counting.judge(lambda rows, columns, shelves=1: 0).failure.advice
    assert said.startswith("It gives 0 wherever your answer is wrong") and "exactly" not in said
    now_and_then = counting.judge(lambda rows, columns, shelves=1: boards(rows, columns, shelves) * (shelves == 2))
    assert now_and_then.failure.advice == said


def replace_amounts(amounts, **more):
    other = Exercise(inputs=counting.inputs, library="python", solution=counting.solution, amounts=amounts, **more)

    @other.test
    def test_boards(boards):
        with line("counts all boards"):
            for sizes in SIZES:
                check_agrees(boards, *sizes)

    return other


def test_a_count_of_plain_numbers_is_told_what_the_config_calls_its_sizes_too():
    def numbers(cfg, seq, batch=1, bytes_per_value=2):
        return 2 * cfg.num_layers * cfg.n_embd * seq * batch * bytes_per_value * cfg.n_groups

    said = str(caching.judge(numbers))
    assert "`Config` calls this `n_layers`. Of the others in your code, `n_embd` is `d_model`." in said
    assert "It has nothing called `n_groups`." in said
