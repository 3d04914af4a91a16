"""Runs source text as a notebook runs a cell: errors in it can show its lines."""

import hashlib
import linecache
from typing import Any


def run_cell(source: str, names: dict[str, Any]) -> None:
    """Run it with these names, among which it leaves what it defines. Raises what the source raises."""
    name = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()
    file = f"<{name[:16]}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)  # for what is said of an error
    exec(compile(source, file, "exec", dont_inherit=True), names)
