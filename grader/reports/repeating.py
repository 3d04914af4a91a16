"""How a grade is repeated: the command with the seed that it came from."""

import os
import shlex

from grader.grades import Grade


def how_to_repeat(grade: Grade, file: str = "FILE") -> str:
    """For whoever has the submission."""
    return f"python -m utils grade {_quoted(file)} --exercise {grade.symbol} --seed {grade.seed}"


def _quoted(file: str) -> str:
    """A path for a shell; what can't be printed, such as bytes that are no text, as bash and zsh have it."""
    if file.isprintable():
        return shlex.quote(file)
    plain = (chr(byte) if 32 <= byte < 127 and byte not in b"'\\" else f"\\x{byte:02x}" for byte in os.fsencode(file))
    return f"$'{''.join(plain)}'"
