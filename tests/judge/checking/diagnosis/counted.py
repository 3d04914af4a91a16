"""A count to go wrong: the wood of shelves, in boards, with parts that a card may name."""

from typing import Any

from judge.checking import Exercise, check_agrees, line

SIZES = ((3, 5, 2), (7, 4, 3), (2, 13, 5), (11, 6, 1))


def boards(rows: int, columns: int, shelves: int = 1) -> int:
    """The reference solution: each shelf has a back, boards for its rows, and two sides."""
    return shelves * (rows * columns + 3 * rows + 2 * columns)


def parts(rows: int, columns: int, shelves: int = 1) -> dict[str, int]:
    return {
        "the backs (shelves · rows · columns)": shelves * rows * columns,
        "the boards (shelves · 3 · rows)": shelves * 3 * rows,
        "the sides (shelves · 2 · columns)": shelves * 2 * columns,
        "the nails": 0,
    }


counting = Exercise(
    inputs={"rows": "", "columns": "", "shelves": ""}, library="python", solution=__name__, amounts=parts
)


@counting.test
def test_boards(boards):
    with line("counts all boards"):
        for sizes in SIZES:
            check_agrees(boards, *sizes)


def off(error: Any) -> str | None:
    """What a card says of an answer that is off by this, a function of the sizes."""

    def answer(rows, columns, shelves=1):
        return boards(rows, columns, shelves) + error(rows, columns, shelves)

    failure = counting.judge(answer).failure
    assert failure
    return failure.advice
