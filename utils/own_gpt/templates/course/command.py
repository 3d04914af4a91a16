"""The command line: python -m my_gpt "Once upon a time"."""

import argparse
import contextlib
import io
import os
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

from .errors import missing
from .options import add_options, prompt_of, sampling_of
from .parsing import Parser
from .terminal import Lines, Unheard
from .unreadable import Unreadable

DESCRIPTION = "Your own GPT-2 tells a story; README.md in its folder says which parts of it are yours."


def main(arguments: list[str] | None = None) -> int:
    """Read the options and tell the story."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    parser = Parser(prog=f"python -m {__package__.partition('.')[0]}", description=DESCRIPTION)
    add_options(parser)
    return tell(parser.parse_args(arguments))


def tell(options: argparse.Namespace) -> int:
    """Print the story as it is made: 0 if all is well, 1 if it can't be told, 130 if it was interrupted."""
    try:
        _tell(options)
        return 0
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # as of `| head`: nobody reads on
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if not (said := _said(error)):
            raise
        print(said, file=sys.stderr)
        return 1


def _tell(options: argparse.Namespace) -> None:
    story, prompt, printed = _Story(sys.stdout), prompt_of(options), Unheard()
    try:
        with contextlib.redirect_stdout(printed):
            load = _load()
            gpt = load(options.model)
            notes, fast = list(gpt.notes), None
            if options.fast or options.bits:
                fast = gpt.fast_loop(prompt, options.bits or 16)
            if isinstance(fast, str):
                notes.append(fast)
                fast = None
            for note in notes:
                print(note, file=sys.stderr)
            started = time.perf_counter()
            made = gpt.tell(prompt, story.write, options.tokens, options.seed, fast, **sampling_of(options))
            seconds = time.perf_counter() - started
    except KeyboardInterrupt:
        story.begun = True  # the line of ^C ends here
        raise
    finally:
        story.end()
        if said := str(printed):
            print(f"({said})", file=sys.stderr)
    if sys.stderr.isatty():
        print(f"\n({made} tokens, {made / seconds:.0f} a second)", file=sys.stderr)


def _load() -> Any:
    """`load`, which imports torch: not for --help. That torch misses NumPy, which nothing here needs, is no news."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Failed to initialize NumPy")
        from .telling import load
    return load


class _Story:
    """Where the story goes: on a terminal, lines break between words."""

    def __init__(self, stream: Any):
        terminal = stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"
        self.out: Any = Lines(stream) if terminal else stream or Unheard()  # None: it was closed
        self.begun = False

    def write(self, text: str) -> None:
        self.begun = True
        self.out.write(text)
        self.out.flush()

    def end(self) -> None:
        """End the line, if there is one."""
        if self.begun:
            self.write("\n")


def _said(error: Exception) -> str:
    """What to tell of an error, and where it is; "" for one that only a programmer of the course could mend."""
    if isinstance(error, Unreadable):
        return str(error)
    if isinstance(error, ModuleNotFoundError):
        return missing(error)
    package = Path(__file__).parent.parent
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if Path(frame.filename).parent == package / "parts":
            where = f"{package.name}/parts/{Path(frame.filename).name}, line {frame.lineno}"
            return f"The story stops with {type(error).__name__}: {error}\nIt is in {where}:\n    {frame.line}"
    return f"The story stops with {type(error).__name__}: {error}" if isinstance(error, OSError) else ""
