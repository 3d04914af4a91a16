"""What was measured by runs too long for a chapter, by benchmarks/training_experiments.py, and what it is made of."""

import json
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).with_name("recorded.json")
CHANGES = Path(__file__).with_name("changes.json")  # by benchmarks/changes.py


def recorded(name: str) -> dict[str, Any]:
    """What one experiment found, with the command that ran it. Raises LookupError for one that is not there."""
    found = json.loads(RECORDED.read_text(encoding="utf-8"))
    if name not in found:
        raise LookupError(f"no experiment is called {name}; there are {', '.join(found)}")
    return found[name]
