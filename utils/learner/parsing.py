"""A command line that says what is wrong first, and then how it is called; the course and my_gpt both have it."""

import argparse
import re
from collections.abc import Iterable
from typing import NoReturn

from judge.running.spelling import nearest


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
    names = list(dict.fromkeys(known))
    close = nearest(word, names, guess=True)
    part = word.lower().strip("-")
    meant = [close] if close else [name for name in names if part in name.lower()]
    return f" Did you mean {' or '.join(meant[:3])}?" if meant else ""
