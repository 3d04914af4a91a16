"""How a grade is repeated: the command with the seed that it came from."""

from utils.grading.grades import Grade


def how_to_repeat(grade: Grade, file: str = "FILE") -> str:
    """For whoever has the submission."""
    return f"python -m utils grade {file} --exercise {grade.symbol} --seed {grade.seed}"
