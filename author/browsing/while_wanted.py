"""Runs a command of the shell for as long as whoever started this lives: `python while_wanted.py COMMAND`.

A server whose starter was killed would go on for ever: nothing else tells it. This ends it, and all of its group,
within seconds. The code that the command ends with is handed on.
"""

import os
import signal
import subprocess
import sys

# s between two looks at whether the starter lives
EVERY = 1
# s from asking to end to ending
GRACE = 10


def main(command: str) -> int:
    """Run it; this process leads a group of its own, to which a SIGTERM may go."""
    starter = os.getppid()
    # for the others of the group: this one waits for their end
    signal.signal(signal.SIGTERM, lambda *_: None)
    process = subprocess.Popen(command, shell=True)
    while os.getppid() == starter:
        try:
            return process.wait(EVERY)
        except subprocess.TimeoutExpired:
            pass
    os.killpg(0, signal.SIGTERM)
    try:
        return process.wait(GRACE)
    except subprocess.TimeoutExpired:
        os.killpg(0, signal.SIGKILL)
        raise


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
