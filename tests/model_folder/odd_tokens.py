"""Random added tokens and random texts that hold them, by a seed."""

import json
import random

from utils.course import ROOT
from utils.model_folder.added import SPACES

PIECES = [*"aé½² ＿_-.'1٣Ⓐ\u0301\u200d\u200b\ufeff\x1c\x1f\x85\xa0\u3000\n\t<>|", "  ", "the", "<m>", " x ", "🦊", "木"]


def tokenizer_json():
    """A tokenizer of the reference model's kind with fewer tokens: the bytes, and the first hundred merges."""
    content = json.loads((ROOT / "utils" / "reference_model" / "tokenizer.json").read_text(encoding="utf-8"))
    model = content["model"]
    model["vocab"] = {name: index for name, index in model["vocab"].items() if index < 357}
    model["merges"] = model["merges"][:100]
    return content


def with_added(seed):
    """A tokenizer.json with a few added tokens, and twenty texts; whether two of the tokens may overlap."""
    dice = random.Random(seed)
    content = tokenizer_json()
    names = {"".join(dice.choices(PIECES, k=dice.randint(1, 3))) for _ in range(dice.randint(1, 6))}
    for name in sorted(names - {token["content"] for token in content["added_tokens"]}):
        known = content["model"]["vocab"].get(name)
        following = max(357, *(token["id"] + 1 for token in content["added_tokens"]))
        flags = {flag: dice.random() < 0.4 for flag in ("single_word", "lstrip", "rstrip", "normalized")}
        token = {"id": following if known is None else known, "content": name, "special": dice.random() < 0.5}
        content["added_tokens"].append(token | flags)
    added = content["added_tokens"]
    greedy = any(token["rstrip"] for token in added)
    overlap = greedy and any(token["content"][0] in SPACES for token in added)
    said = [*PIECES, *(token["content"] for token in content["added_tokens"])]
    texts = ["".join(dice.choices(said, k=dice.randint(1, 14))) for _ in range(20)]
    return content, texts, overlap
