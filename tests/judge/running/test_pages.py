"""judge.running.confined.pages: a process's memory in large pages, and nothing in it changed."""

import os
import platform
import subprocess
import sys

import pytest

from utils.course import ROOT

LOOKING = """
import hashlib, os
from judge.running.confined import pages

def in_large_pages():
    (kilo,) = [line.split()[1] for line in open("/proc/self/smaps_rollup") if line.startswith("AnonHugePages")]
    return int(kilo) * 1024

held = bytearray(os.urandom(16 * pages.LARGE))
before, large = hashlib.sha256(held).digest(), in_large_pages()
pages.collapse()
assert hashlib.sha256(held).digest() == before
pages.collapse()
print(in_large_pages() - large)
"""
LINUX = "6.1"  # the first that does so when asked


def can_be_asked():
    if not os.path.exists("/sys/kernel/mm/transparent_hugepage"):
        return False
    return [*map(int, platform.release().split(".")[:2])] >= [*map(int, LINUX.split("."))]


@pytest.mark.skipif(not can_be_asked(), reason=f"no Linux from {LINUX} on that has large pages")
def test_memory_is_put_into_large_pages_and_holds_what_it_held():
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    ran = subprocess.run([sys.executable, "-c", LOOKING], capture_output=True, text=True, env=environment, timeout=120)
    assert int(ran.stdout or 0) > 0, ran.stderr
