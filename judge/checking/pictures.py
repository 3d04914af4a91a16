"""`Picture`: a small table of what is due beside what came, for a matrix that is wrong."""

from dataclasses import dataclass

from judge.checking.wording import number

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Picture:
    """A matrix of a wrong answer: what is due, what came, and where the two differ."""

    of: str  # which matrix: "batch 0, head 1"; "" where there is but one
    rows: str  # the names of its axes
    columns: str
    want: Rows
    got: Rows
    wrong: tuple[tuple[bool, ...], ...]

    @property
    def first(self) -> tuple[int, int]:
        """The first wrong place, row by row."""
        return next((row, line.index(True)) for row, line in enumerate(self.wrong) if True in line)

    @property
    def in_words(self) -> str:
        """What is to be seen, for those who don't see it."""
        row, column = self.first
        amount = sum(map(sum, self.wrong))
        size = f"{len(self.want)} × {len(self.want[0])}"
        which = f" of {self.of}" if self.of else ""
        numbers = f"expected {number(self.want[row][column])}, yours is {number(self.got[row][column])}"
        return (
            f"The {size} matrix{which}, expected and yours: {amount} of {len(self.want) * len(self.want[0])} differ, "
            f"the first at {self.rows} {row}, {self.columns} {column}: {numbers}."
        )
