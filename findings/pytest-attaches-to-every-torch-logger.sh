#!/usr/bin/env bash
# Once torch is imported, pytest 9.2 attaches handlers to loggers 258 times around a test that logs nothing; pytest 8.4
# does so six times. pytest 9.2 captures loggers that do not propagate too, each anew in the set-up, the call and the
# tear-down, with two handlers; torch 2.13 makes 42 such loggers when it is imported. Of 1,443 short tests of a suite
# that imports torch this was 9 % of the time, which `-p no:logging` gives back.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/test_nothing.py" <<'END'
import importlib.metadata
import logging

import torch


def test_nothing():
    loggers = [one for one in logging.Logger.manager.loggerDict.values() if isinstance(one, logging.Logger)]
    silent = sum(not one.propagate for one in loggers)
    print(f"torch {importlib.metadata.version('torch')}: {silent} loggers that do not propagate")
END
cat >"$folder/counting.py" <<'END'
import logging

import pytest

attached, whole = [], logging.Logger.addHandler


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol():
    logging.Logger.addHandler = lambda self, handler: (attached.append(self), whole(self, handler))[1]
    done = yield
    logging.Logger.addHandler = whole
    return done


def pytest_unconfigure():
    print(f"attached {len(attached)} handlers around one test")
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0 numpy
attached() {
  "$folder/venv/bin/pip" install --quiet "pytest==$1"
  (cd "$folder" && PYTHONPATH=. venv/bin/python -m pytest -q -s -p counting test_nothing.py) >"$folder/said"
  echo "pytest $1, $(grep '^torch' "$folder/said")" >&2
  grep '^attached' "$folder/said" | cut -d' ' -f2
}
before=$(attached 8.4.2)
now=$(attached 9.2.0)
echo "pytest 8.4.2 attaches $before handlers around one test, pytest 9.2.0 attaches $now"
if [ "$before" -gt 20 ] || [ "$now" -lt 200 ]; then
  echo "This has changed." >&2
  exit 1
fi
