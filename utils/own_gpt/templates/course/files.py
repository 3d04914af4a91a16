"""Opens the files of a HuggingFace folder; whatever is wrong with one is said in a sentence."""

import json
import pickle
import warnings
from pathlib import Path
from reprlib import repr as short

import torch
from safetensors.torch import load, load_file
from torch import Tensor

from .errors import CannotTell

WHAT = "give the folder that GPT2LMHeadModel.save_pretrained made"
WHOLE = ("model.safetensors", "pytorch_model.bin")
POINTER = b"version https://git-lfs"


def json_object(file: Path) -> dict:
    """The object in a JSON file."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except RecursionError:
        raise CannotTell(f"{file} can't be read: it is nested too deeply; {WHAT}.") from None
    except (OSError, ValueError) as error:
        raise CannotTell(f"{file} can't be read: {error}; {_again(file)}") from None
    if not isinstance(content, dict):
        raise CannotTell(f"{file} holds no JSON object, but {type(content).__name__}; {_again(file)}")
    return content


def tensors(folder: Path) -> dict[str, Tensor]:
    """Every tensor of the folder's weights: of model.safetensors, in one file or several, else of pytorch_model.bin."""
    for whole in WHOLE:
        if files := _files(folder, whole):
            found: dict[str, Tensor] = {}
            for file in files:
                found |= _read(file)
            return found
    raise CannotTell(f"{folder} holds no weights (model.safetensors); {WHAT}.")


def _files(folder: Path, whole: str) -> list[Path]:
    if (folder / whole).is_file():
        return [folder / whole]
    index = folder / f"{whole}.index.json"
    if not index.is_file():
        stem, _, suffix = whole.rpartition(".")
        return sorted(folder.glob(f"{stem}-*.{suffix}"))
    places = json_object(index).get("weight_map")
    if not isinstance(places, dict) or not all(isinstance(name, str) for name in places.values()):
        raise CannotTell(f"{index} has no weight_map; {_again(index)}")
    files = [folder / name for name in sorted(set(places.values()))]
    if missing := [file.name for file in files if not file.is_file()]:
        raise CannotTell(f"{folder} lacks {', '.join(missing)}, which {index.name} names; is the download complete?")
    return files


def _read(file: Path) -> dict[str, Tensor]:
    try:
        if file.suffix == ".safetensors":
            return load_file(file) if _is_unicode(file) else load(file.read_bytes())
        with warnings.catch_warnings(action="ignore"):  # of kinds of tensors that are refused later
            found = torch.load(file, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError:
        raise CannotTell(f"{file} can't be read: it is damaged, or holds more than tensors; {WHAT}.") from None
    except Exception as error:  # safetensors and torch have several errors for a damaged file
        raise CannotTell(f"{file} can't be read: {str(error).partition(chr(10))[0]}; {_again(file)}") from None
    if not isinstance(found, dict):
        raise CannotTell(f"{file} holds no tensors by name, but {type(found).__name__}; {WHAT}.")
    if others := [name for name in found if not isinstance(name, str)]:
        raise CannotTell(f"{file} holds tensors under names that are no texts, such as {short(others[0])}; {WHAT}.")
    return found


def _is_unicode(file: Path) -> bool:
    """Whether safetensors, which is not written in Python, can open a file of this name."""
    try:
        return bool(str(file).encode())
    except UnicodeEncodeError:
        return False


def _again(file: Path) -> str:
    """What to do about a damaged file."""
    try:
        with file.open("rb") as opened:
            if opened.read(len(POINTER)) == POINTER:
                return "it is a pointer of Git LFS: run git lfs pull there."
    except OSError:
        pass
    return "is the download complete?"
