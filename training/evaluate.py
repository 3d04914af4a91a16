"""What an exported model can do: held-out bits per byte, its previous-token and induction heads, samples, sinks."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional as F

from solutions.ch07_transformer import Transformer
from training.data import END_OF_TEXT, encode_file
from utils import passages
from utils.reference import boot
from utils.reference.folders import read

if TYPE_CHECKING:
    from transformer_lens.model_bridge import TransformerBridge

REPEATED_SEQUENCES, REPEATED_TOKENS = 32, 50
SAMPLES, SAMPLE_TOKENS, TEMPERATURE = 3, 120, 0.8
SEED = 0


@dataclass(frozen=True)
class Evaluation:
    """The figures of the model card, all taken from the exported float16 weights."""

    bits_per_byte: float
    valid_tokens: int
    valid_bytes: int
    previous_token: Float[Tensor, "layer head_index"]
    induction: Float[Tensor, "layer head_index"]
    samples: list[str]


def evaluate(directory: Path, valid: Path) -> Evaluation:
    """Measure the GPT-2 in `directory`; `valid` is a text that it was not trained on."""
    cfg, weights = read(directory)
    model = Transformer(cfg)
    model.load_state_dict(weights)
    return measure(model, cfg.n_ctx, directory, valid, boot(str(directory)))


def measure(model: nn.Module, n_ctx: int, directory: Path, valid: Path, bridge: "TransformerBridge") -> Evaluation:
    """Measure a model and the bridge to it, with the tokenizer in `directory`."""
    tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
    data, n_bytes = encode_file(tokenizer, valid), valid.stat().st_size
    previous_token, induction = head_scores(bridge)
    return Evaluation(
        bits_per_byte=bits_per_byte(model, data, n_ctx, n_bytes),
        valid_tokens=len(data) - 1,
        valid_bytes=n_bytes,
        previous_token=previous_token,
        induction=induction,
        samples=samples(model, tokenizer, n_ctx),
    )


@torch.no_grad()
def bits_per_byte(
    model: nn.Module, data: Int[Tensor, " n_tokens"], n_ctx: int, n_bytes: int, batch_size: int = 32
) -> float:
    """Summed surprise at every token of `data` but the first, in bits, for each of the text's `n_bytes` bytes.

    Consecutive windows: `n_ctx` tokens go in and the `n_ctx` that follow each of them are predicted, none twice.
    """
    inputs, targets = data[:-1].long(), data[1:].long()
    whole = len(inputs) // n_ctx * n_ctx
    batches = list(
        zip(
            inputs[:whole].view(-1, n_ctx).split(batch_size),
            targets[:whole].view(-1, n_ctx).split(batch_size),
            strict=True,
        )
    )
    if whole < len(inputs):
        batches.append((inputs[None, whole:], targets[None, whole:]))
    nats = sum(F.cross_entropy(model(x).flatten(0, 1), y.flatten(), reduction="sum").item() for x, y in batches)
    return nats / math.log(2) / n_bytes


def repeated_tokens(d_vocab: int) -> Int[Tensor, "batch pos"]:
    """Rows of `<|endoftext|>` (token 0), then random tokens, then the same ones again."""
    generator = torch.Generator().manual_seed(SEED)
    once = torch.randint(1, d_vocab, (REPEATED_SEQUENCES, REPEATED_TOKENS), generator=generator)
    return torch.cat([torch.zeros(len(once), 1, dtype=torch.long), once, once], dim=1)


def head_scores(
    bridge: "TransformerBridge",
) -> tuple[Float[Tensor, "layer head_index"], Float[Tensor, "layer head_index"]]:
    """Each head's mean attention, on twice-repeated random tokens: to the token before, and behind the earlier copy.

    The first is taken over all positions but the first, the second over the positions of the second copy.

    Source: Olsson et al. 2022 (induction heads), "prefix matching" and "previous token head".
    """
    patterns = _patterns(bridge, repeated_tokens(bridge.cfg.d_vocab)).mean(1)
    previous_token = patterns.diagonal(-1, dim1=-2, dim2=-1).mean(-1)
    behind_copy = patterns.diagonal(1 - REPEATED_TOKENS, dim1=-2, dim2=-1)  # query q, key q - REPEATED_TOKENS + 1
    return previous_token, behind_copy[..., -REPEATED_TOKENS:].mean(-1)


def passage_tokens(tokenizer: Tokenizer, n_ctx: int) -> Int[Tensor, "batch pos"]:
    """The 48 passages as tokens, each after `<|endoftext|>` and a line break, cut to the same number."""
    rows = [tokenizer.encode(f"{END_OF_TEXT}\n{text}").ids for text in passages.texts()]
    pos = min(n_ctx, *map(len, rows))
    return torch.tensor([row[:pos] for row in rows])


def attention_to_the_first(
    bridge: "TransformerBridge", tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, "layer head_index batch"]:
    """Each head's attention to the first token on each text, the mean over all positions but the first.

    A head that gave all alike would have what `alike` says.
    """
    parts = [_patterns(bridge, some)[..., 1:, 0].mean(-1) for some in tokens.split(8)]
    return torch.cat(parts, dim=1).transpose(1, 2)


def alike(pos: int) -> float:
    """What a head gives to the first of `pos` tokens, in the same mean, that looks at all it may see alike."""
    return sum(1 / seen for seen in range(2, pos + 1)) / (pos - 1)


def _patterns(
    bridge: "TransformerBridge", tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, "layer batch head_index query_pos key_pos"]:
    with torch.no_grad():
        _, seen = bridge.run_with_cache(tokens, names_filter=lambda name: name.endswith("hook_pattern"))
    return torch.stack([seen[f"blocks.{layer}.attn.hook_pattern"] for layer in range(bridge.cfg.n_layers)])


@torch.no_grad()
def samples(model: nn.Module, tokenizer: Tokenizer, n_ctx: int) -> list[str]:
    """Texts drawn from the model at TEMPERATURE, token by token from `<|endoftext|>` on, each up to its own end."""
    generator = torch.Generator().manual_seed(SEED)
    tokens = torch.tensor([tokenizer.encode(END_OF_TEXT).ids] * SAMPLES)
    for _ in range(SAMPLE_TOKENS):
        probs = (model(tokens[:, -n_ctx:])[:, -1] / TEMPERATURE).softmax(dim=-1)
        tokens = torch.cat([tokens, torch.multinomial(probs, 1, generator=generator)], dim=1)
    texts = [tokenizer.decode(row, skip_special_tokens=False) for row in tokens[:, 1:].tolist()]
    return [text.partition(END_OF_TEXT)[0].strip() for text in texts]
