"""The command line: python -m my_gpt "Once upon a time"."""

import argparse
import io
import os
import sys
import time

from .errors import CannotTell
from .options import add_options, prompt_of, sampling_of

DESCRIPTION = "Your own GPT-2 tells a story; README.md in its folder says which parts of it are yours."
AGREES = 1e-4  # of the largest logit


def main(arguments: list[str] | None = None) -> int:
    """Read the options and tell the story."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    parser = argparse.ArgumentParser(prog=f"python -m {__package__.partition('.')[0]}", description=DESCRIPTION)
    add_options(parser)
    return tell(parser.parse_args(arguments))


def tell(options: argparse.Namespace) -> int:
    """Print the story as it is made: 0 if all is well, 1 if it can't be told, 130 if it was interrupted."""
    try:
        _tell(options)
        return 0
    except CannotTell as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print()
        return 130
    except BrokenPipeError:  # as of `| head`: nobody reads on
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _tell(options: argparse.Namespace) -> None:
    from .telling import load  # which imports torch: not for --help

    gpt, prompt = load(options.model), prompt_of(options)
    fast = options.fast
    if fast and not (apart := gpt.agrees(prompt)) <= AGREES:
        fast = False
        print(f"The fast loop's logits differ from yours by {apart:.1g} of the largest: yours go on.", file=sys.stderr)

    def write(text: str) -> None:
        print(text, end="", flush=True)

    started = time.perf_counter()
    made = gpt.tell(prompt, write, options.tokens, options.seed, fast, **sampling_of(options))
    seconds = time.perf_counter() - started
    print(flush=True)
    if sys.stderr.isatty():
        print(f"\n({made} tokens, {made / seconds:.0f} a second)", file=sys.stderr)
