"""Runs the command line: python -m my_gpt "Once upon a time"."""

import sys

from .course.command import main

if __name__ == "__main__":
    sys.exit(main())
