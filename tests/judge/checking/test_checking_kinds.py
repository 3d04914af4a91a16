"""Checks of what is no component: functions, errors that are due, draws, two functions that agree, views."""

import math
import random

import pytest
import torch

from judge import checking
from judge.checking import Exercise
from judge.running.sources import run_cell
from tests.judge.checking.kinds.mask import exercise as MASK
from tests.judge.checking.tiny import X, judged_by_check


def square_mean(x):
    return x.pow(2).mean()


def count(x):
    return x.numel()


SCALAR = Exercise(inputs={"x": "pos d_model"}, solution=__name__)
SCALAR.test(lambda square_mean: None)
WHOLE = Exercise(inputs={"x": "pos d_model"}, solution=__name__)
WHOLE.test(lambda count: None)


def test_functions_are_judged_too():
    for check in (checking.check_shape, checking.check_agrees, checking.check_repeatable, checking.check_gradients):
        right = judged_by_check(check, square_mean, X[0], exercise=SCALAR)
        assert right.status == "passed" and right.error_over_tolerance < 1
    wrong = judged_by_check(checking.check_agrees, lambda x: x.pow(2).sum(), X[0], exercise=SCALAR)
    assert wrong.failure.details[-1] == "got 43.2400, expected 1.8017"
    for check in (checking.check_agrees, checking.check_repeatable):
        assert judged_by_check(check, count, X[0], exercise=WHOLE).status == "passed"
    wrong = judged_by_check(checking.check_agrees, lambda x: [x, x], X[0], exercise=WHOLE)
    assert wrong.failure.details[0].endswith("(list), expected 24 (int)")
    wrong = judged_by_check(checking.check_repeatable, lambda x: torch.rand(1).item(), X[0], exercise=WHOLE)
    assert wrong.failure.details[0] == "on the same input, a later call gives another answer than the first"
    wrong = judged_by_check(checking.check_agrees, lambda: 24, X[0], exercise=WHOLE)
    assert wrong.failure.details[0] == "it is called as `count(x)`, and Python answered"


def lookup(word):
    return {"the": 0, "cat": 1}[word]


LOOKUP = Exercise(inputs={"word": ""}, solution=__name__)
LOOKUP.test(lambda lookup: None)


def raising(error):
    def lookup(word):
        raise error

    return lookup


def test_what_is_kept_in_a_default_is_not_taken_for_chance():
    def counting(x, seen=[]):  # noqa: B006 - the mistake
        seen.append(x)
        return len(seen)

    for before in ([], [(X[0],)]):
        failure = judged_by_check(checking.check_repeatable, counting, X[0], before=before, exercise=WHOLE).failure
        assert failure.advice.endswith("is made once, and keeps what each call puts there: make it inside.")


class UnknownWord(KeyError):
    """A learner's own kind of error, with words of its own."""

    def __str__(self):
        return f"unknown: {self.args[0]}"


@pytest.mark.parametrize(
    ("component", "said"),
    [
        (lambda word: 0, "no error was raised, expected KeyError; got 0"),
        (raising(ValueError("dog")), "got ValueError: dog, expected KeyError"),
        (raising(KeyError("a word")), "the message of the KeyError does not name `dog`: 'a word'"),
        (raising(LookupError("dog")), "got LookupError: dog, expected KeyError"),
        (raising(UnknownWord("a word")), "the message of the KeyError does not name `dog`: 'unknown: a word'"),
    ],
)
def test_an_error_can_be_the_right_answer(component, said):
    def check(component):
        return judged_by_check(checking.check_raises, component, "dog", error="KeyError", naming="dog", exercise=LOOKUP)

    assert check(lookup).status == "passed"
    assert check(raising(UnknownWord("dog"))).status == "passed"
    assert check(component).failure.details == (said,)


def test_the_message_of_an_error_says_what_it_is_about():
    failure = judged_by_check(
        checking.check_raises, raising(KeyError()), "dog", error="KeyError", naming="dog", exercise=LOOKUP
    ).failure
    assert failure.advice == "Say what it was about: put it into the message of the KeyError."


def test_an_error_of_another_type_that_is_raised_on_purpose_is_told_so():
    def unknown(word):
        raise LookupError(word)

    failure = judged_by_check(checking.check_raises, unknown, "dog", error="KeyError", exercise=LOOKUP).failure
    assert failure.advice == "Raising an error is right here, but not this one: write `raise KeyError(...)`."


class Register:
    """Keeps its words, and can forget them all at once."""

    def __init__(self, words):
        self.words = words

    def word(self, index):
        return self.words[index]


REGISTER = Exercise(inputs={"words": ""}, drive="methods", solution=__name__)
REGISTER.test(lambda Register: None)


def test_another_one_made_beside_it_must_not_disturb_it():
    class Shared(Register):
        def __init__(self, words):
            Shared.words = words

    def check(component, **options):
        return judged_by_check(
            checking.check_agrees, component, [["a", "b"]], ("word", 1), exercise=REGISTER, **options
        )

    assert check(Register, beside=[["c", "d"]]).status == "passed"
    assert check(Shared).status == "passed"
    assert check(Shared, beside=[["c", "d"]]).failure.details[0].startswith("they first differ at call 1, `word`")


class WithoutWord:
    def __init__(self, words):
        self.words = words


class Misspelt(WithoutWord):
    def wrod(self, index):
        return self.words[index]


class ByName(WithoutWord):
    @property
    def word(self):
        return self.wrods[0]


class FromElsewhere(WithoutWord):
    def word(self, index):
        return self.words.at(index)


class Inside:
    def __init__(self, words):
        def word(self, index):
            return words[index]


class InsideAnother:
    def __init__(self, words):
        def word(index):
            return words[index]


def outside(methods):
    """A class in a cell, with what stands below it there."""
    names = {}
    run_cell(f"class Outside:\n    def __init__(self, words):\n        self.words = words\n{methods}", names)
    return names["Outside"]


def function_in_its_place(words):
    return words


def without_return(words):
    Register(words)


def of_other_arguments(words, index):
    return words[index]


def one_that_makes_it(words):
    return Register(words)


def one_that_makes_another(words):
    return WithoutWord(words)


def one_that_fails(words):
    return Register(words["a"])


DUE = "A class is due here, and this is a function"


def lacking(name):
    return f"Your {name} has no method `word`"


STUB = "Keep the stub's line that begins with `class`, and write the methods below it."


@pytest.mark.parametrize(
    ("made_by", "said"),
    [
        (WithoutWord, f"{lacking('WithoutWord')}: define it in the class."),
        (Misspelt, f"{lacking('Misspelt')}, but it has `wrod`: if that is meant, rename it."),
        (
            Inside,
            f"{lacking('Inside')}: its `def` stands inside of `__init__`. Indent it only as far as that of `__init__`.",
        ),
        (InsideAnother, f"{lacking('InsideAnother')}: define it in the class."),
        (
            outside("def word(self, index): return 1"),
            f"{lacking('Outside')}: its `def` stands outside of the class. Indent it as far as that of `__init__`.",
        ),
        (outside("def word(words, index): return 1"), f"{lacking('Outside')}: define it in the class."),
        (ByName, "AttributeError: 'ByName' object has no attribute 'wrods'"),
        (FromElsewhere, "AttributeError: 'list' object has no attribute 'at'"),
        (function_in_its_place, f"{DUE}, which gives a value of type list. {STUB}"),
        (without_return, f"{DUE}, which gives None. {STUB}"),
        (of_other_arguments, f"{DUE}. {STUB}"),
        (one_that_makes_another, "Your WithoutWord has no method `word`: define it in the class."),
        (one_that_fails, "TypeError: list indices must be integers or slices, not str"),
    ],
)
def test_a_method_that_is_not_there_and_a_function_in_the_place_of_a_class_are_told(made_by, said):
    check = checking.check_agrees
    failure = judged_by_check(check, made_by, [["a", "b"]], ("word", 1), exercise=REGISTER).failure
    (told,) = failure.details
    assert told.removesuffix(". Did you mean: 'words'?") == said


def test_a_function_may_make_an_object_of_a_class():
    verdict = judged_by_check(checking.check_agrees, one_that_makes_it, [["a", "b"]], ("word", 1), exercise=REGISTER)
    assert verdict.status == "passed"


def test_a_stub_or_a_wrong_signature_is_no_error_that_was_asked_for():
    def check(component):
        return judged_by_check(checking.check_raises, component, "dog", error="KeyError", exercise=LOOKUP)

    assert check(raising(NotImplementedError("lookup: write this part"))).status == "not yet"
    assert check(lambda: 0).failure.details[0] == "it is called as `lookup(word)`, and Python answered"


def test_two_of_the_learners_functions_must_agree():
    def check(component, other):
        return judged_by_check(checking.check_equal_to, component, other, X[0], exercise=SCALAR)

    assert check(square_mean, lambda x: (x * x).mean()).status == "passed"
    assert check(square_mean, None).status == "passed"
    assert check(square_mean, lambda x: x.mean()).failure.details[-1] == "got 1.8017, expected 1.1500"
    assert "division by zero" in check(square_mean, lambda x: 1 / 0).failure.details[0]


def draw(p):
    return int(torch.multinomial(p, 1))


DRAW = Exercise(inputs={"p": "d_vocab"}, solution=__name__)
DRAW.test(lambda draw: None)
P = torch.tensor([0.5, 0.0, 0.3, 0.2])


@pytest.mark.parametrize(
    ("component", "said"),
    [
        (lambda p: int(p.argmax()), "index 0 was drawn 2000 times in 2000, expected about 1000"),
        (lambda p: 1, "index 1 was drawn 2000 times in 2000, expected about 0"),
        (lambda p: torch.multinomial(p, 1), "got tensor([2]) (Tensor), expected an int from 0 to 3"),
        (lambda p: 4, "got 4 (int), expected an int from 0 to 3"),
        (lambda p: True, "got True (bool), expected an int from 0 to 3"),
    ],
)
def test_draws_must_come_as_often_as_they_should(component, said):
    assert judged_by_check(checking.check_draws, draw, P, want=P, exercise=DRAW).status == "passed"
    bad = judged_by_check(checking.check_draws, component, P, want=P, exercise=DRAW)
    assert bad.failure.details[0] == said and bad.error_over_tolerance > 1


def draw_longer(p):
    return torch.cat([torch.zeros(2), p.multinomial(1)])


LONGER = Exercise(inputs={"p": "d_vocab"}, solution=__name__)
LONGER.test(lambda draw_longer: None)


def test_draws_that_are_too_even_or_stick_together_are_none():
    called = [0]

    def counted(p):
        called[0] += 1
        return int((p.cumsum(0) <= called[0] * 0.6180339887 % 1).sum())

    def sticky(p, last=[0]):  # noqa: B006 - keeps what it drew
        last[0] = last[0] if torch.rand(()) < 0.6 else draw(p)
        return last[0]

    for component, said in ((counted, "are too even"), (sticky, "are too uneven")):
        bad = judged_by_check(checking.check_draws, component, P, want=P, exercise=DRAW)
        assert said in bad.failure.details[0]


def test_draws_come_again_where_all_random_numbers_are_seeded_alike():
    even, called = torch.full((10_000,), 1e-4), [0]

    def seeded_by_a_count(p):
        called[0] += 1
        return int(p.multinomial(1, generator=torch.Generator().manual_seed(called[0])))

    def by_python(p):
        return random.randrange(len(p))

    def judged(component):
        return judged_by_check(checking.check_repeatable, component, even, all_seeds=7, exercise=DRAW)

    assert judged(draw).status == judged(by_python).status == "passed"
    bad = judged(seeded_by_a_count).failure
    assert bad.details[0].startswith("after all random numbers are seeded alike")
    assert bad.advice == "It makes a generator of its own, which no seed from outside reaches: leave it out."


@pytest.mark.slow
def test_a_draw_may_be_looked_for_in_the_answer():
    def check(component):
        last = {"want": P, "view": lambda answer: int(answer[-1])}
        return judged_by_check(checking.check_draws, component, P, **last, exercise=LONGER)

    assert check(draw_longer).status == "passed"
    assert check(lambda p: p.argmax(keepdim=True)).failure.details[0].startswith("index 0 was drawn 2000 times")
    assert check(lambda p: p.new_tensor([])).failure.details[0].startswith("got tensor([]) (Tensor), expected an int")


def draws(p, library):
    return torch.rand(3) if library == "torch" else torch.tensor([random.random()] * 3)


DRAWS = Exercise(inputs={"p": "d_vocab", "library": ""}, solution=__name__)
DRAWS.test(lambda draws: None)


def test_draws_are_the_same_again_after_torchs_manual_seed():
    def check(library, **options):
        return judged_by_check(checking.check_repeatable, draws, P, library, exercise=DRAWS, **options)

    assert check("torch", manual_seed=3).status == "passed"
    of_a_function = "they are drawn anew in each call, and nothing is to be random here."
    assert check("torch").failure.advice == f"The answer depends on random numbers: {of_a_function}"
    said = check("random", manual_seed=3).failure
    assert said.details[0] == "after `torch.manual_seed`, a later call gives another answer than the first"
    assert said.advice.startswith("Not all of its random numbers are torch's: ")


def draws_by_its_own(p, library):
    dice = torch.Generator()
    dice.seed()
    return torch.rand(3, generator=dice)


def test_a_generator_of_torchs_is_not_said_to_be_another_librarys():
    options = {"exercise": DRAWS, "manual_seed": 3}
    said = judged_by_check(checking.check_repeatable, draws_by_its_own, P, "torch", **options).failure
    assert said.advice.startswith("It makes a generator of its own, ")
    assert "torch's" not in said.advice


def sorted_items(items):
    return sorted(items)


VIEWED = Exercise(inputs={"items": ""}, view=lambda answer: sorted(answer, key=str), solution=__name__)
VIEWED.test(lambda sorted_items: None)


def test_answers_are_compared_in_the_exercises_view():
    def check(component):
        return judged_by_check(checking.check_agrees, component, [2, 1, 3], exercise=VIEWED)

    assert check(lambda items: items).status == "passed"
    assert check(lambda items: [1, 2]).failure.details[0].startswith("yours ends too early: 3 is missing at index 2")
    none = check(lambda items: None)  # the view can't look at it
    assert none.failure.details == ("the result is None, expected [1, 2, 3]",)


def test_what_a_view_takes_for_infinite_is_told_as_it_came():
    def said(number):
        wrong = judged_by_check(
            checking.check_agrees, filled_from_the_diagonal_on(number), X[:, None, :, :3], exercise=MASK
        )
        return wrong.failure.details[0], wrong.failure.picture.got[0]

    low, row = said(-1e9)
    assert low == (
        "6 of 18 values differ, most at batch 0, head_index 0, query_pos 0, key_pos 0: got -1e+09, expected 0.0000"
    )
    assert row == (-1e9, -math.inf, -math.inf)  # where it is right, as what is due
    infinite, row = said(-math.inf)
    assert infinite.startswith("6 of 18 values are infinite, the first at batch 0, head_index 0, ")
    assert row == (-math.inf,) * 3


def filled_from_the_diagonal_on(number):
    return lambda scores: scores.masked_fill(torch.ones(scores.shape[-2:]).triu().bool(), number)
