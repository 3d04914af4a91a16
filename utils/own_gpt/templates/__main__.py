"""Runs the command line: python -m my_gpt "Once upon a time"."""

import sys

if not __package__:  # as `python my_gpt` has it
    sys.exit('Call it as a module, in the folder that holds this one: python -m my_gpt "Once upon a time"')

from .course.command import main

if __name__ == "__main__":
    sys.exit(main())
