"""What `python -m utils` makes of its arguments (a command, the list of them, or what is wrong), and of its streams.

And the commands that are a learner's alone: `progress` and `hint`.
"""

import argparse
import io
import os
import sys
from collections.abc import Mapping

from utils.learner.parsing import Parser, did_you_mean

PROGRAM = "python -m utils"
LEARNERS = ("progress", "hint", "generate", "race", "update")  # the other commands are an author's


def understood(arguments: list[str], commands: Mapping[str, Parser]) -> argparse.Namespace:
    """The options of the command that was called; stops with 0 where help was asked for, with 2 at a mistake."""
    name, *rest = arguments or ["help"]
    if name in ("-h", "--help", "help"):
        print(_overview(commands))
        sys.exit(0)
    if name not in commands:
        guess = did_you_mean(name, commands) or f" The commands are: {', '.join(commands)}."
        print(f"There is no command {name}.{guess}", file=sys.stderr)
        sys.exit(2)
    return commands[name].parse_args(rest)


def speak_utf8() -> None:
    """✔ and ✘ on Windows too."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


def fall_silent() -> None:
    """Nobody reads on: what is still to be written goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _overview(commands: Mapping[str, Parser]) -> str:
    """The commands with what each does, the learner's first."""
    width = max(map(len, commands))
    lines = {name: f"  {name:{width}}  {parser.description}" for name, parser in commands.items()}
    learners = [lines.pop(name) for name in LEARNERS]
    parts = [
        f"usage: {PROGRAM} COMMAND ...",
        "\n".join(["For learners", *learners]),
        "\n".join(["For authors", *lines.values()]),
        f"{PROGRAM} COMMAND -h says more.",
    ]
    return "\n\n".join(parts)


def progress(options: argparse.Namespace) -> int:
    """How far the learner has come, and what is next: the start page as text."""
    from utils.learner.hints import COMMAND
    from utils.learner.progress import next_open
    from utils.learner.welcome import welcome

    print(welcome())
    if following := next_open():
        print(f"\nStuck on {following.symbol}? {COMMAND}")
    return 0


def hint(options: argparse.Namespace) -> int:
    """An exercise's hints, no further than was asked for."""
    from utils.learner.hints import hint

    furthest = "pseudocode" if options.more else "idea"
    if options.solution:
        furthest = "solution"
    print(hint(options.symbol, furthest))
    return 0
