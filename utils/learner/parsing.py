"""A command line that says what is wrong first, and then how it is called; the course and my_gpt both have it."""

import argparse
import difflib
import re
from collections.abc import Iterable
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """argparse's, but for what it says of a mistake: the fault, the option that was meant, and the usage below."""

    def error(self, message: str) -> NoReturn:
        """Say it, and stop with 2."""
        self.exit(2, f"{self._in_words(message)}\n\n{self.format_usage()}")

    def _in_words(self, message: str) -> str:
        unknown = message.removeprefix("unrecognized arguments: ")
        if unknown == message:
            said = message.removeprefix("argument ")
            return f"{said[0].upper()}{said[1:]}."
        word = unknown.split()[0]
        if not word.startswith("-"):
            return f"This is too much: {unknown}."
        options = re.findall(r"--[a-z][a-z-]*", self.format_help())
        return f"There is no option {word}.{did_you_mean(word, options)}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The names that are like a mistyped word, or hold it, as a question; "" where there is none."""
    by_letters = {one.lower(): one for one in known}
    letters = word.lower()
    close = difflib.get_close_matches(letters, by_letters, n=1)
    holding = [one for one in by_letters if letters.strip("-") in one]
    meant = (close or holding)[:3]
    if not meant:
        return ""
    names = " or ".join(map(by_letters.__getitem__, meant))
    return f" Did you mean {names}?"
