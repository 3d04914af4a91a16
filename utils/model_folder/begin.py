"""The tokens that a model of Llama's shape reads before every text: Llama's own has one, Qwen's none."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from utils.model_folder.files import json_object
from utils.model_folder.unreadable import Unreadable, as_written
from utils.model_folder.vocabulary import AS_TRAINED


def read_begin(folder: Path) -> list[int]:
    """What the post-processor of tokenizer.json puts before a text; nothing where there is none.

    As transformers does: where there is a tokenizer.json, add_bos_token of tokenizer_config.json is not asked.
    """
    file = folder / "tokenizer.json"
    processor = json_object(file).get("post_processor") if file.is_file() else None
    try:
        return list(_before(processor))
    except (KeyError, TypeError):
        said = f"{file} has a post_processor that can't be read: {as_written(processor)}"
        raise Unreadable(f"{said}; {AS_TRAINED}.") from None


def _before(processor: Any) -> Iterator[int]:
    match processor:
        case {"type": "Sequence"}:
            for one in processor["processors"]:
                yield from _before(one)
        case {"type": "TemplateProcessing"}:
            for piece in processor["single"]:
                if "SpecialToken" not in piece:
                    return
                yield from processor["special_tokens"][piece["SpecialToken"]["id"]]["ids"]
        case {"type": "BertProcessing" | "RobertaProcessing"}:
            yield processor["cls"][1]
