"""A course of plain Python, that of judge/README.md with two exercises more: neither torch nor NumPy is needed here."""

from judge import Exercise, check_agrees, check_inputs_unchanged, check_raises, line


def longest(words):
    """The longest word; of several, the first."""
    return max(words, key=len)


longest_exercise = Exercise(inputs={"words": ""}, library="python", solution=__name__)


@longest_exercise.test
def test_longest(longest):
    with line("gives the longest word"):
        check_agrees(longest, ["a", "moon", "saw"])
        check_agrees(longest, ["foxes", "the", "moon"])
    with line("of several, gives the first"):
        check_agrees(longest, ["the", "fox", "saw"])


@longest_exercise.misconception(
    "the alphabet", "This is the word that the alphabet has last. Compare lengths: `max(words, key=len)`."
)
def last_of_the_alphabet(words):
    return max(words)


def shares(counts):
    """How large a part of all each count is, by its name."""
    total = sum(counts.values())
    if not total:
        raise ValueError("nothing was counted")
    return {name: count / total for name, count in counts.items()}


shares_exercise = Exercise(inputs={"counts": ""}, library="python", solution=__name__)


@shares_exercise.test
def test_shares(shares):
    with line("gives each count as a share of all"):
        check_agrees(shares, {"fox": 3, "hen": 1})
        check_agrees(shares, {"moon": 2})
    with line("leaves the counts as they were"):
        check_inputs_unchanged(shares, {"fox": 3, "hen": 1})
    with line("refuses counts of nothing"):
        check_raises(shares, {"fox": 0}, error="ValueError")


class Shelf:
    """Books in the order of their arrival; the last comes off first."""

    def __init__(self, books):
        self.books = list(books)

    def put(self, book):
        self.books.append(book)
        return len(self.books)

    def take(self):
        return self.books.pop()


shelf_exercise = Exercise(inputs={"books": ""}, drive="methods", solution=__name__)


@shelf_exercise.test
def test_shelf(Shelf):
    with line("`take` gives the last book"):
        check_agrees(Shelf, [["Emma", "Dune"]], ("take",), ("take",))
    with line("`put` gives the number of books"):
        check_agrees(Shelf, [["Emma"]], ("put", "Dune"), ("take",), ("put", "Ulysses"))


@shelf_exercise.misconception(
    "first in, first out", "`take` gives the first book: `pop()` without an index gives the last."
)
class Queue(Shelf):
    def take(self):
        return self.books.pop(0)
