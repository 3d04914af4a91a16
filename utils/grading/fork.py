"""`python -P -m utils.grading.fork`, as workflows have it: grader.fork."""

import sys

from grader.fork import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
