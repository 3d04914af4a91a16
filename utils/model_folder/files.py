"""Reads the JSON files of a HuggingFace folder; whatever is wrong with one is said in a sentence."""

import json
from pathlib import Path

from utils.model_folder.unreadable import WHAT, Unreadable, as_written

POINTER = b"version https://git-lfs"
DAMAGED = "it is damaged, or not whole; is the download complete?"


def json_object(file: Path) -> dict:
    """The object in a JSON file. A whole number is an int, however it is written: 8.0 is 8."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"), parse_float=_number, parse_constant=_refuse)
    except RecursionError:
        raise Unreadable(f"{file} can't be read: it is nested too deeply; {WHAT}.") from None
    except OSError as error:
        raise Unreadable(f"{file} can't be read: {error.strerror or error}.") from None
    except ValueError:
        raise Unreadable(f"{file} can't be read: {damage_of(file)}") from None
    if not isinstance(content, dict):
        raise Unreadable(f"{file} holds no JSON object, but {as_written(content)}; {WHAT}.")
    return content


def _number(text: str) -> int | float:
    number = float(text)
    return int(number) if number.is_integer() else number


def _refuse(constant: str) -> None:
    raise ValueError(f"JSON has no {constant}")


def damage_of(file: Path) -> str:
    """What is the matter with a damaged file, and what to do."""
    return lfs_pointer(file) or DAMAGED


def lfs_pointer(file: Path) -> str:
    """What to do where the file only says where Git LFS keeps it; "" where it is none such."""
    try:
        with file.open("rb") as opened:
            if opened.read(len(POINTER)) == POINTER:
                return "it is a pointer of Git LFS, which stands for the file: run git lfs pull there."
    except OSError:
        pass
    return ""
