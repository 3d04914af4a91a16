"""What every reader of a folder asks: what config.json says, and tensors by name, each as it was promised."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from utils.model_folder.files import json_object
from utils.model_folder.unreadable import ANOTHER, MERGE, WHAT, Unreadable, as_written

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
OF_ADAPTERS = ("base_model.", ".lora_", ".base_layer.")

OF_LLAMAS_SHAPE = ("llama", "mistral", "qwen3")  # what llama.py reads; the rest is for weights.py


def is_llama(folder: Path) -> bool:
    """Whether config.json names a model of Llama's shape; what else is wrong with it is for its reader to say."""
    try:
        return config_of(folder)[1].get("model_type") in OF_LLAMAS_SHAPE
    except Unreadable:
        return False


def config_of(folder: Path) -> tuple[Path, dict]:
    """The folder's config.json, and what it says. Raises Unreadable where there is none."""
    if not folder.is_dir():
        raise Unreadable(f"There is no folder {folder}; {WHAT}.")
    if (folder / "adapter_config.json").is_file():
        raise Unreadable(f"{folder} holds an adapter (adapter_config.json); {MERGE}.")
    file = folder / "config.json"
    if not file.is_file():
        raise Unreadable(f"{folder} holds no config.json; {WHAT}.")
    return file, json_object(file)


@dataclass(frozen=True)
class Said:
    """What a config.json says, with the values that hold where it is silent."""

    file: Path
    settings: dict
    defaults: dict
    needs: str  # "the course's GPT-2 needs"

    def get(self, key: str) -> Any:
        """The value that holds."""
        return self.settings.get(key, self.defaults.get(key))

    def need(self, key: str, allowed: list[Any]) -> None:
        """Raises Unreadable where another value holds."""
        value = self.get(key)
        if any(value is one or (type(value) is str and value == one) for one in allowed):
            return
        said = f"says {key} is {as_written(value)}" if key in self.settings else f"does not say {key}"
        wanted = " or ".join(map(as_written, allowed))
        raise Unreadable(f"{self.file} {said}; {self.needs} {wanted}: {ANOTHER}.")

    def whole(self, *keys: str) -> None:
        """Raises Unreadable where one of these is no size."""
        for key in keys:
            if type(value := self.get(key)) is not int or value < 1:
                said = f"{self.file} says {key} is {as_written(value)}"
                raise Unreadable(f"{said}, and it must be a whole number from 1 on.")

    def shares(self, *keys: str) -> None:
        """Raises Unreadable where one of these is no number from 0 to 1."""
        for key in keys:
            if type(value := self.get(key)) not in (int, float) or not 0 <= value <= 1:
                raise Unreadable(f"{self.file} says {key} is {as_written(value)}, and it must be a number from 0 to 1.")

    def switch(self, key: str) -> None:
        """Raises Unreadable where this is neither true nor false."""
        if type(value := self.get(key)) is not bool:
            raise Unreadable(f"{self.file} says {key} is {as_written(value)}, and it must be true or false.")


def refuse_other_kinds(folder: Path) -> None:
    """Raises Unreadable where config.json names neither a GPT-2 nor a model of Llama's shape."""
    file, settings = config_of(folder)
    Said(file, settings, {}, "my_gpt reads").need("model_type", ["gpt2", *OF_LLAMAS_SHAPE])


def unprefixed(found: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """By names without the prefix; of two of one name, that which was written with it."""
    return {name.removeprefix(prefix): found[name] for name in sorted(found, key=lambda name: name.startswith(prefix))}


def refuse_adapters(folder: Path, names: Iterable[str]) -> None:
    """Raises Unreadable where one of these tensors is an adapter's."""
    for name in names:
        if any(part in f".{name}" for part in OF_ADAPTERS):
            raise Unreadable(f"The weights in {folder} are an adapter's, such as {name}; {MERGE}.")


@dataclass(frozen=True)
class State:
    """The tensors of a folder, asked for one by one with the shape that config.json promises."""

    folder: Path
    tensors: dict[str, Tensor]
    unsaid: list[str]  # the sizes that config.json leaves to transformers
    what: str = WHAT  # to give instead
    taken: set[str] = field(default_factory=set)

    def take(self, name: str, *shape: int) -> Tensor:
        """A tensor in float32. Raises Unreadable where it is missing, or another than was promised."""
        if name not in self.tensors:
            raise Unreadable(f"The weights in {self.folder} lack {name}; {self.what}.")
        self.taken.add(name)
        weight = self.tensors[name]
        problem = ""
        if not isinstance(weight, Tensor) or weight.dtype not in FLOATS:
            kind = str(getattr(weight, "dtype", type(weight).__name__)).removeprefix("torch.")
            problem = f"is {kind}, and should be numbers such as float32"
        elif weight.layout != torch.strided or weight.is_nested or weight.is_meta:
            problem = "is sparse, nested or without values, and should be an ordinary tensor"
        elif weight.shape != shape:
            problem = f"is {list(weight.shape)}, and by config.json it should be {list(shape)}"
            if self.unsaid:
                problem += f", with transformers' own value for {', '.join(self.unsaid)}, which it leaves out"
        elif not torch.stack(weight.aminmax()).isfinite().all():  # eight times as quick as on all numbers
            problem = "holds numbers that are not finite"
        if problem:
            raise Unreadable(f"The weights in {self.folder} can't be used: {name} {problem}; {self.what}.")
        return weight.float()

    def unembedding(self, tied: bool, *shape: int) -> Tensor | None:
        """The file's own unembedding, which counts even where config.json calls it tied, as in transformers.

        None where there is none, and it is tied to the embedding.
        """
        if "lm_head.weight" in self.tensors:
            return self.take("lm_head.weight", *shape)
        if not tied:
            said = "and config.json says tie_word_embeddings is false"
            raise Unreadable(f"The weights in {self.folder} lack lm_head.weight, {said}; {self.what}.")
        return None
