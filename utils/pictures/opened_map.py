"""One prompt through the whole model: the map, whose boxes open the numbers that the model has there.

`python -m utils.pictures.opened_map` writes the numbers of the start page's prompt anew.
"""

import json
from base64 import b64encode
from collections.abc import Mapping
from math import ceil
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from utils.gpt.model import GPT
from utils.model_map import Drawing
from utils.pictures.map_picture import ONE_PROMPT, picture_of
from utils.pictures.picture import Picture
from utils.reference import encode, reference, str_tokens

PROMPT = "\nOnce upon a time there was a little"
COLUMNS = 64  # at most, of a strip
STRONGEST = 7  # the level of full colour, on both sides of 0
FULL = 2.5  # full colour begins at so many times the root mean square of the median position
AFTER_EACH, AT_THE_END = 3, 8  # tokens that are told
OF_A_BLOCK = {"ln1": "ln1.hook_out", "Attention": "hook_attn_out", "ln2": "ln2.hook_out", "MLP": "hook_mlp_out"}


def opened_map(model: nn.Module, tokens: Int[Tensor, "1 pos"], drawing: Drawing) -> Picture:
    """The map, opened at what a Transformer of the course has in each part when it reads these tokens.

    The model has the names of the course's Transformer and the reference model's vocabulary.
    Raises KeyError for a part that is not there.
    """
    return picture_of(drawing, numbers_of(seen_in(model, tokens), tokens))


def seen_in(model: nn.Module, tokens: Int[Tensor, "1 pos"]) -> dict[str, Tensor]:
    """What each part gives, and what LayerNorms are given, by TransformerLens's names.

    The parts are called here, in GPT-2's order: a right `forward` may read their weights without calling them.
    """
    parts = dict(model.named_modules())
    with torch.no_grad():
        seen = {"hook_embed": parts["embed"](tokens), "hook_pos_embed": parts["pos_embed"](tokens)}
        resid = seen["hook_embed"] + seen["hook_pos_embed"]
        for at in [name.removesuffix(".mlp") for name in parts if name.endswith(".mlp")]:
            for part, ln, end in (("attn", "ln1", "pre"), ("mlp", "ln2", "mid")):
                seen[f"{at}.hook_resid_{end}"] = resid
                seen[f"{at}.{ln}.hook_out"] = parts[f"{at}.{ln}"](resid)
                seen[f"{at}.hook_{part}_out"] = parts[f"{at}.{part}"](seen[f"{at}.{ln}.hook_out"])
                resid = resid + seen[f"{at}.hook_{part}_out"]
        seen["ln_final.hook_in"], seen["ln_final.hook_out"] = resid, parts["ln_final"](resid)
        seen["unembed.hook_out"] = parts["unembed"](seen["ln_final.hook_out"])
    return seen


def numbers_of(seen: Mapping[str, Tensor], tokens: Int[Tensor, "1 pos"]) -> dict[str, Any]:
    """What the picture is drawn of: `seen` has the first row of each activation, by TransformerLens's names."""
    n_layers = sum(name.endswith(".hook_resid_mid") for name in seen)
    logits = seen["unembed.hook_out"][0]
    counts = [AFTER_EACH] * (len(logits) - 1) + [AT_THE_END]
    guesses = map(_likeliest, logits, counts)
    return {
        "words": str_tokens(tokens[0]),
        "ids": tokens[0].tolist(),
        "d_model": seen["hook_embed"].shape[-1],
        "d_vocab": logits.shape[-1],
        "layers": n_layers,
        "parts": _parts(seen, n_layers),
        "guesses": list(guesses),
    }


def _parts(seen: Mapping[str, Tensor], n_layers: int) -> dict[str, Any]:
    blocks = [f"blocks.{layer}" for layer in range(n_layers)]
    stream = [seen[f"{at}.hook_resid_{end}"] for at in blocks for end in ("pre", "mid")]
    stream.append(seen["ln_final.hook_in"])
    in_blocks = {label: [_part(seen[f"{at}.{hook}"]) for at in blocks] for label, hook in OF_A_BLOCK.items()}
    return {
        "Embed": _part(seen["hook_embed"]),
        "PosEmbed": _part(seen["hook_pos_embed"]),
        "stream": list(map(_part, stream)),
        "ln_final": _part(seen["ln_final.hook_out"]),
        **in_blocks,
    }


def one_prompt() -> dict[str, Any]:
    """The numbers of the start page's prompt, which begins with a line break, as most texts of the training did."""
    model = GPT(reference().cfg)
    model.load_state_dict(dict(reference().weights))
    tokens = encode(PROMPT)
    return numbers_of(seen_in(model, tokens), tokens)


def _part(values: Float[Tensor, "... pos d_model"]) -> dict[str, Any]:
    """One part's answer: norms, the range, and a strip of every so many-th number as signs and levels."""
    d_model = values.shape[-1]
    rows = values.detach().reshape(-1, *values.shape[-2:])[0]
    norms = rows.norm(dim=-1)
    middle = float(norms.median())
    full = FULL * middle / d_model**0.5
    drawn = rows[:, :: ceil(d_model / COLUMNS)]
    levels = (drawn / full * STRONGEST).round()
    return {
        "norms": list(map(_rounded, norms)),
        "middle": _rounded(middle),
        "range": [_rounded(rows.min()), _rounded(rows.max())],
        "full": _rounded(full),
        "strip": _nibbles(levels.clamp(-STRONGEST, STRONGEST)),
    }


def _nibbles(levels: Float[Tensor, "pos column"]) -> str:
    """Levels from -7 to 7, two a byte, in base64; a position's begin with a whole byte."""
    whole = nn.functional.pad(levels, (0, levels.shape[1] % 2))
    first, second = whole.int()[:, ::2] + 8, whole.int()[:, 1::2] + 8
    both = (16 * first + second).byte()
    return b64encode(both.numpy().tobytes()).decode()


def _likeliest(logits: Float[Tensor, " d_vocab"], count: int) -> list[tuple[str, float]]:
    """The likeliest next tokens with their probabilities."""
    best = logits.softmax(dim=-1).topk(count)
    tokens = str_tokens(best.indices)
    return list(zip(tokens, map(_rounded, best.values), strict=True))


def _rounded(value: float | Tensor) -> float:
    """Three digits: the others differ from machine to machine."""
    return float(f"{float(value):.3g}")


def write() -> None:
    """Write the start page's numbers anew."""
    text = json.dumps(one_prompt(), ensure_ascii=False, separators=(",", ":"))
    ONE_PROMPT.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
