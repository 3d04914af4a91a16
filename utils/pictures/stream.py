"""The residual stream as a strip: who wrote what at each position, and the guess after each block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from utils.pictures.picture import Picture

GUESSES = 3  # after each block


@dataclass(frozen=True)
class Reader:
    """The end of the model: its last LayerNorm, with `w`, `b` and `cfg`, its unembedding, and a token as text."""

    ln_final: Any
    unembed: Any
    name: Callable[[Int[Tensor, " token"]], list[str]]


def stream_strip(
    parts: Float[Tensor, "component pos d_model"],
    names: list[str],
    words: list[str],
    *,
    position: int = -1,
    reader: Reader | None = None,
) -> Picture:
    """For a position that is chosen in the text: the norm of each write, and what has become of it at the end.

    `parts` and `names` are as decompose_residual gives them, `words` the tokens of the text. Without a reader a write
    is also measured along the last stream there, in the units of its norm; these shares add up to the stream's norm.
    With one, the stream after each block is read through ln_final and the unembedding (the logit lens, which scales
    each stop by its own standard deviation), and a write is measured by how far it lifts the logit of the final guess
    above the mean of all logits, in nats. There the scale of ln_final is held at the last stream's, so that these
    shares and that of the biases add up to the logit less the mean.
    Raises ValueError where parts, names and words do not fit each other, or the position is none of the text's.
    """
    _check(parts, names, words, position)
    with torch.no_grad():
        whole = parts.cumsum(dim=0)[1::2]  # after the embeddings and after each block
        found = {"norms": parts.norm(dim=-1).T, "stream": whole.norm(dim=-1).T}
        found |= _along_the_end(parts) if reader is None else _in_the_logit(parts, reader)
        guesses = None if reader is None else _guesses(whole, reader)
    norms, shares = found["norms"], found["shares"]
    beyond_first = slice(1, None) if len(words) > 1 else slice(None)
    records = [_record(found, at, guesses) for at in range(len(words))]
    data = {
        "words": words,
        "names": names,
        "position": position % len(words),
        "scale": _rounded(torch.maximum(norms[beyond_first].max(), found["stream"][beyond_first].max()), 1),
        "reach": _rounded(shares[beyond_first].abs().max(), 2),
        "at": records,
    }
    return Picture("stream", data, _in_words(data))


def _check(parts: Tensor, names: list[str], words: list[str], position: int) -> None:
    if parts.shape[:2] != (len(names), len(words)) or len(names) % 2 or not words:
        raise ValueError(
            f"parts has the shape {list(parts.shape)}; it should have one row for each of {len(names)} names, two of "
            f"them for each block, and then one for each of {len(words)} tokens of a single text"
        )
    if not -len(words) <= position < len(words):
        raise ValueError(f"position {position} is not in a text of {len(words)} tokens")


def _along_the_end(parts: Float[Tensor, "component pos d_model"]) -> dict[str, Float[Tensor, "pos ..."]]:
    end = nn.functional.normalize(parts.sum(dim=0), dim=-1)
    return {"shares": (parts * end).sum(dim=-1).T}


def lifts(
    parts: Float[Tensor, "component pos d_model"], tokens: Int[Tensor, " pos"], reader: Reader
) -> Float[Tensor, "component pos"]:
    """How far each write lifts the logit of a token at its position above the mean of all logits.

    The scale of ln_final is held at that of the last stream, the sum of the parts.
    Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits", on direct paths; with ln_final's
    w in each of them.
    """
    w, eps = reader.ln_final.w, reader.ln_final.cfg.layer_norm_eps
    scale = (parts.sum(dim=0).var(dim=-1, unbiased=False) + eps).sqrt()
    centred = parts - parts.mean(dim=-1, keepdim=True)
    return (centred / scale[:, None] * w * _directions(tokens, reader)).sum(dim=-1)


def _directions(tokens: Int[Tensor, " pos"], reader: Reader) -> Float[Tensor, "pos d_model"]:
    W_U = reader.unembed.W_U
    return (W_U[:, tokens] - W_U.mean(dim=1, keepdim=True)).T


def _in_the_logit(parts: Float[Tensor, "component pos d_model"], reader: Reader) -> dict[str, Float[Tensor, "pos ..."]]:
    logits = reader.unembed(reader.ln_final(parts.sum(dim=0)[None]))[0]
    guess, b_U = logits.argmax(dim=-1), reader.unembed.b_U
    mean = logits.mean(dim=-1)
    return {
        "shares": lifts(parts, guess, reader).T,
        "rest": _directions(guess, reader) @ reader.ln_final.b + b_U[guess] - b_U.mean(),
        "above": logits.amax(dim=-1) - mean,
        "mean": mean,
    }


def _guesses(whole: Float[Tensor, "stop pos d_model"], reader: Reader) -> list[list[list[tuple[str, float]]]]:
    """For each position and stop the likeliest next tokens and their probabilities."""
    best = reader.unembed(reader.ln_final(whole)).softmax(dim=-1).topk(GUESSES)
    return [
        [
            list(zip(reader.name(tokens), _rounded(chances, 4), strict=True))
            for tokens, chances in zip(best.indices[:, at], best.values[:, at], strict=True)
        ]
        for at in range(whole.shape[1])
    ]


def _record(found: dict[str, Tensor], at: int, guesses: list[Any] | None) -> dict[str, Any]:
    record = {name: _rounded(values[at], 1 if name in ("norms", "stream") else 2) for name, values in found.items()}
    return record if guesses is None else record | {"guesses": guesses[at]}


def _rounded(values: Tensor, digits: int) -> Any:
    """As plain numbers, without a minus before 0."""
    numbers = values.double().round(decimals=digits) + 0.0
    return numbers.tolist()


def _in_words(data: dict[str, Any]) -> str:
    record = data["at"][data["position"]]
    word, norms = data["words"][data["position"]], record["norms"]
    writes = ", ".join(f"{name} {norm:.1f}" for name, norm in zip(data["names"], norms, strict=True))
    said = (
        f"Where scripts run, one chooses a position here and sees who wrote what into the stream there. At {word!r}, "
        f"position {data['position']}, these norms were written: {writes}. "
    )
    if "guesses" not in record:
        return said + f"The stream ends with a norm of {record['stream'][-1]:.1f}."
    stops = ", ".join(f"{stop[0][0]!r} {stop[0][1]:.2f}" for stop in record["guesses"])
    return said + f"The likeliest next token after the embeddings and after each block: {stops}."
