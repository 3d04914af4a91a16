"""The texts that stand in templates/, and what is filled into them."""

import re
from collections.abc import Mapping
from pathlib import Path

TEMPLATES = Path(__file__).with_name("templates")


def template(name: str) -> str:
    """The text of a template, without the end of its last line."""
    return (TEMPLATES / name).read_text(encoding="utf-8").removesuffix("\n")


def filled(text: str, names: Mapping[str, str]) -> str:
    """The text with each of these names replaced, at once; of two that begin alike the first is found."""
    return re.sub("|".join(map(re.escape, names)), lambda found: names[found[0]], text)
