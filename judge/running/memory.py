"""How much memory this process holds, where the system says so."""

import contextlib
import os
import sys

STATM = "/proc/self/statm"  # of Linux: sizes in pages, the second of what is held in memory


def memory_used() -> float:
    """Bytes: on macOS the most that it ever held, on Windows 0, since only a library could tell."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, ValueError), open(STATM) as file:
            return int(file.read().split()[1]) * float(os.sysconf("SC_PAGE_SIZE"))
    if sys.platform == "darwin":
        import resource  # not on Windows

        return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return 0.0
