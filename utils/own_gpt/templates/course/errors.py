"""The error of a story that can't be told, and what to do where a library is missing."""

import os
import sys
from pathlib import Path

from .unreadable import Unreadable

REQUIREMENTS = Path(__file__).parent.parent / "requirements.txt"


class CannotTell(Unreadable):
    """What is wrong with the prompt, an option or a part of yours, and what to do."""


def missing(error: ModuleNotFoundError) -> str:
    """What this Python lacks, and how to get it: from this folder's own Python, or with pip."""
    lacks = f"This Python has no module {error.name}."
    here = Path.cwd() / ".venv"
    beside = Path(".venv", "Scripts" if os.name == "nt" else "bin", "python")
    is_there = beside.exists() or beside.with_suffix(".exe").exists()
    if is_there and Path(sys.prefix) != here:
        return f"{lacks} Try the one of this folder: {beside} -m my_gpt"
    return f'{lacks} Install what my_gpt needs: "{sys.executable}" -m pip install -r "{REQUIREMENTS}"'
