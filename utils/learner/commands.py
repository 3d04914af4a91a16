"""What a learner types in a terminal: `python -m utils progress` and `hint`."""

import argparse


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
