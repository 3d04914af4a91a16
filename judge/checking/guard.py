"""Of which code a misconception is said: equal answers don't prove equal acts, so the source has to show the act."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Guard:
    """Patterns that are looked for in an answer's source, without its comments, docstrings and decorators."""

    said_of: str = ""  # is found in the code that it is said of
    not_of: str = ""  # is not found there
    otherwise: str = ""  # what is true of any code with these answers, and said in its place

    @property
    def is_there(self) -> bool:
        """Whether anything is asked of the source."""
        return bool(self.said_of or self.not_of)

    def admits(self, source: str) -> bool:
        """Whether this source, "" where it can't be read, is known to be what the words are about."""
        if not self.is_there:
            return True
        if not source:
            return False
        return bool(re.search(self.said_of, source)) and not (self.not_of and re.search(self.not_of, source))

    @property
    def mistake(self) -> str:
        """The mistake in its patterns; "" where there is none."""
        if self.otherwise and not self.is_there:
            return "otherwise= is said where the source shows something else: say of what code, by said_of= or not_of=."
        for pattern in (self.said_of, self.not_of):
            try:
                re.compile(pattern)
            except re.error as error:
                return f"{pattern!r} is no regular expression: {error}."
        return ""


ALWAYS = Guard()
