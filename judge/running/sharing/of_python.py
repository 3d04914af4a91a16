"""What all code shares of Python itself."""

import gc
import os
import random
import sys
import threading
from typing import Any

from judge.running.sharing.setting import Setting, Shared


def _trace_threads(function: Any) -> None:
    threading.settrace(function)


def _profile_threads(function: Any) -> None:
    threading.setprofile(function)


def _collect(on: bool) -> None:
    if on:
        gc.enable()
    else:
        gc.disable()


SHARED = Shared(
    (),
    (
        Setting(sys.gettrace, sys.settrace),
        Setting(sys.getprofile, sys.setprofile),
        Setting(threading.gettrace, _trace_threads),
        Setting(threading.getprofile, _profile_threads),
        Setting(sys.getrecursionlimit, sys.setrecursionlimit),
        Setting(gc.isenabled, _collect),
        Setting(os.getcwd, os.chdir),
    ),
    Setting(random.getstate, random.setstate),
    random.seed,
)
