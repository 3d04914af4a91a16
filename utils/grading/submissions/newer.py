"""Code that is Python, but of a newer version than this one: ruff knows which syntax came with which."""

import json
import re
import subprocess
import sys
from functools import lru_cache

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
NEWER = re.compile(r"Cannot (?P<what>.+) on Python [\d.]+ \(syntax was added in Python (?P<version>[\d.]+)\)")
RUFF = ["check", "--isolated", "--no-cache", "--exit-zero", "--select=F", "--output-format=json"]
SECONDS = 20.0


@lru_cache(maxsize=1024)
def of_a_newer_python(source: str) -> tuple[str, str] | None:
    """The version that it takes, and what this one can't, such as ("3.12", "use type parameter lists").

    None where it is no Python at all, or ruff is not installed.
    """
    command = [sys.executable, "-m", "ruff", *RUFF, f"--target-version=py{HERE.replace('.', '')}", "-"]
    try:
        done = subprocess.run(command, input=source, capture_output=True, text=True, encoding="utf-8", timeout=SECONDS)
        mistakes = [one["message"] for one in json.loads(done.stdout) if one["code"] in (None, "invalid-syntax")]
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    found = list(map(NEWER.match, mistakes))
    if not found or not all(found):
        return None
    versions = {one["version"]: one["what"] for one in found if one}
    newest = max(versions, key=lambda version: [*map(int, version.split("."))])
    return newest, versions[newest]
