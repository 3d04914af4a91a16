"""Runs source text as a notebook runs a cell: errors in it can show its lines."""

import linecache
from typing import Any

from utils.running.wire import digest


def run_cell(source: str, names: dict[str, Any]) -> None:
    """Run it with these names, among which it leaves what it defines. Raises what the source raises."""
    file = f"<{digest(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)  # for what is said of an error
    exec(compile(source, file, "exec", dont_inherit=True), names)
