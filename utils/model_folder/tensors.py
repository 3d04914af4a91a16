"""Reads the weights of a HuggingFace folder, in one file or several; what is odd in one is said in a sentence."""

import pickle
import warnings
from pathlib import Path

import torch
from safetensors.torch import load, load_file
from torch import Tensor

from utils.model_folder.files import damage_of, json_object, lfs_pointer
from utils.model_folder.unreadable import WHAT, Unreadable, as_written

WHOLE = ("model.safetensors", "pytorch_model.bin")


def tensors(folder: Path, what: str = WHAT) -> dict[str, Tensor]:
    """Every tensor of the folder's weights: of model.safetensors, in one file or several, else of pytorch_model.bin.

    `what` to give instead is said of a folder that holds none.
    """
    for whole in WHOLE:
        if files := _files(folder, whole, what):
            found: dict[str, Tensor] = {}
            for file in files:
                found |= _read(file, what)
            return found
    raise Unreadable(f"{folder} holds no weights (model.safetensors); {what}.")


def _files(folder: Path, whole: str, what: str) -> list[Path]:
    if (folder / whole).is_file():
        return [folder / whole]
    index = folder / f"{whole}.index.json"
    if not index.is_file():
        stem, _, suffix = whole.rpartition(".")
        return sorted(folder.glob(f"{stem}-*.{suffix}"))
    places = json_object(index).get("weight_map")
    if not isinstance(places, dict) or not all(isinstance(name, str) for name in places.values()):
        raise Unreadable(f"{index} has no weight_map; {what}.")
    files = [folder / name for name in sorted(set(places.values()))]
    if missing := [file.name for file in files if not file.is_file()]:
        raise Unreadable(f"{folder} lacks {', '.join(missing)}, which {index.name} names; is the download complete?")
    return files


def _read(file: Path, what: str) -> dict[str, Tensor]:
    try:
        if file.suffix == ".safetensors":
            return load_file(file) if _is_unicode(file) else load(file.read_bytes())
        with warnings.catch_warnings(action="ignore"):  # of kinds of tensors that are refused later
            found = torch.load(file, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        # torch says so of what is no tensor, and pickle of what is cut off
        others = "Unsupported" in str(error) or "Weights only" in str(error)
        said = f"it is damaged, or holds more than tensors; {what}." if others else damage_of(file)
        raise Unreadable(f"{file} can't be read: {lfs_pointer(file) or said}") from None
    except (PermissionError, MemoryError) as error:
        raise Unreadable(f"{file} can't be read: {str(error) or type(error).__name__}.") from None
    except Exception:  # safetensors and torch have several errors for a damaged file
        raise Unreadable(f"{file} can't be read: {damage_of(file)}") from None
    if not isinstance(found, dict):
        raise Unreadable(f"{file} holds no tensors by name, but {type(found).__name__}; {what}.")
    if others := [name for name in found if not isinstance(name, str)]:
        raise Unreadable(
            f"{file} holds tensors under names that are no texts, such as {as_written(others[0])}; {what}."
        )
    return found


def _is_unicode(file: Path) -> bool:
    """Whether safetensors, which is not written in Python, can open a file of this name."""
    try:
        return bool(str(file).encode())
    except UnicodeEncodeError:
        return False
