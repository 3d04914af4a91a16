"""Runs source text as a notebook runs a cell: errors in it can show its lines."""

import hashlib
import io
import linecache
from typing import Any


def lines_of(source: str) -> list[str]:
    """Its lines with their ends, as Python counts them: a form feed ends none, nor does what Unicode has for that."""
    return io.StringIO(source, newline=None).readlines()


def run_cell(source: str, names: dict[str, Any]) -> None:
    """Run it with these names, among which it leaves what it defines. Raises what the source raises."""
    name = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()
    file = f"<{name[:16]}>"
    linecache.cache[file] = (len(source), None, lines_of(source), file)  # for what is said of an error
    exec(compile(source, file, "exec", dont_inherit=True), names)
