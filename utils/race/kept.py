"""Keeps a model of the race that has changes, and reads it again: no GPT-2, so under the course's own names."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from safetensors.torch import load_file
from torch import nn

from utils.config import Config
from utils.race.changes import known_changes, named, with_changes
from utils.runs import weights_of, written


def save_changed(
    folder: str | Path,
    model: nn.Module,
    characters: Iterable[str],
    changes: Collection[str],
    history: Iterable[Mapping[str, Any]] = (),
    **settings: Any,
) -> Path:
    """Keep a Transformer with changes of utils/race/changes.py.

    Only `load_changed` reads it: config.json names no model_type that another program knows.
    """
    cfg, known = cast(Config, model.cfg), list(characters)
    config = {"model_type": f"GPT-2 with {named(changes)}", "changes": sorted(changes), "sizes": asdict(cfg)}
    return written(Path(folder), weights_of(model), config, known, cfg.n_ctx, history, settings)


def load_changed(folder: str | Path, Transformer: Callable[[Config], nn.Module]) -> nn.Module:
    """The model that `save_changed` kept. Raises ValueError for another folder."""
    config = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8"))
    if "changes" not in config:
        raise ValueError(f"{folder} holds a GPT-2 without changes: python -m my_gpt --model {folder}")
    model = with_changes(Transformer(Config(**config["sizes"])), known_changes(config["changes"]))
    model.load_state_dict(load_file(Path(folder) / "model.safetensors"))
    return model.eval()
