"""The one error of a folder that can't be read, and what its sentences end with."""

import json
from typing import Any

WHAT = "give the folder that GPT2LMHeadModel.save_pretrained made"
ANOTHER = "give another model's folder"
MERGE = "merge it into its model (PEFT's merge_and_unload), and give the folder that save_pretrained makes of that"
LONGEST = 60  # characters of a value that is shown


class Unreadable(Exception):
    """What is wrong with a model's folder, where, and what to do."""


def as_written(value: Any) -> str:
    """A value as JSON has it, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
