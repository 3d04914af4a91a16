"""What tying the embedding to the unembedding costs a model that has nothing between the two; chapter 6 quotes it.

Each model gives the next token's logits from the token before it alone: an embedding, then an unembedding. Trained on
train.txt and judged on valid.txt of the corpus (training/corpus.md says how to make it): ten minutes, on one core.

    python benchmarks/tying.py PATH_OF_THE_CORPUS
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from utils.reference import encode, reference, str_tokens

STEPS, BATCH, LEARNING_RATE = 1200, 2048, 0.01
PROBE = (" of", " the")


def bigrams(path: Path, size: int) -> Tensor:
    """Every pair of neighbours, [pair 2], in the first `size` bytes of a file."""
    tokens = torch.cat([encode(document)[0] for document in path.read_text()[:size].split("<|endoftext|>")])
    return torch.stack([tokens[:-1], tokens[1:]], dim=1)


def models(d_model: int, d_vocab: int) -> dict[str, tuple[list[Tensor], Callable[[Tensor], Tensor]]]:
    """Each way to read a vector out: its parameters, and the logits [batch d_vocab] for a batch of tokens."""
    torch.manual_seed(0)

    def table(*shape: int, std: float = 0.02) -> Tensor:
        return nn.Parameter(torch.randn(shape) * std)

    embed, unembed = table(d_vocab, d_model), table(d_model, d_vocab)
    small, small_out = table(d_vocab, d_model // 2), table(d_model // 2, d_vocab)
    tied, tied_b, bias = table(d_vocab, d_model), table(d_vocab, d_model), nn.Parameter(torch.zeros(d_vocab))
    turned, square = table(d_vocab, d_model), table(d_model, d_model, std=d_model**-0.5)
    return {
        "untied": ([embed, unembed], lambda tokens: embed[tokens] @ unembed),
        "untied, half the d_model": ([small, small_out], lambda tokens: small[tokens] @ small_out),
        "tied": ([tied], lambda tokens: tied[tokens] @ tied.T),
        "tied, with a bias": ([tied_b, bias], lambda tokens: tied_b[tokens] @ tied_b.T + bias),
        "tied, a square matrix between": ([turned, square], lambda tokens: turned[tokens] @ square @ turned.T),
    }


def train(parameters: list[Tensor], logits_of: Callable[[Tensor], Tensor], pairs: Tensor) -> None:
    """Adam on random pairs, its learning rate falling in a straight line."""
    optimiser, dice = torch.optim.Adam(parameters, LEARNING_RATE), torch.Generator().manual_seed(0)
    for step in range(STEPS):
        optimiser.param_groups[0]["lr"] = LEARNING_RATE * (1 - step / STEPS)
        first, second = pairs[torch.randint(len(pairs), (BATCH,), generator=dice)].T
        loss = F.cross_entropy(logits_of(first), second)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()


@torch.no_grad()
def report(name: str, logits_of: Callable[[Tensor], Tensor], held_out: Tensor) -> None:
    """One row: the loss on held-out pairs, how many tokens predict themselves, and one pair read both ways."""
    every = torch.arange(reference().cfg.d_vocab)
    loss = torch.stack([F.cross_entropy(logits_of(a), b) for a, b in (chunk.T for chunk in held_out.split(4096))])
    logits = torch.cat([logits_of(chunk) for chunk in every.split(512)])
    itself = (logits.argmax(dim=-1) == every).float().mean()
    of, the = (next(i for i, word in enumerate(str_tokens(every)) if word == probe) for probe in PROBE)
    chances = logits.softmax(dim=-1)
    print(f"{name:30} {loss.mean():.3f} nats, likeliest is itself {itself:4.0%},", end=" ")
    print(f"P(the | of) {chances[of, the]:.2g}, P(of | the) {chances[the, of]:.2g}", flush=True)


def unigram_loss(pairs: Tensor, held_out: Tensor, d_vocab: int) -> Tensor:
    """The loss of one who knows only how often each token comes, each count raised by a half."""
    counts = pairs[:, 1].bincount(minlength=d_vocab) + 0.5
    return -(counts / counts.sum()).log()[held_out[:, 1]].mean()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, help="the folder that holds train.txt and valid.txt")
    folder = parser.parse_args().corpus
    pairs, held_out = bigrams(folder / "train.txt", 14_000_000), bigrams(folder / "valid.txt", 150_000)
    print(f"{len(pairs):,} pairs to train on, {len(held_out):,} held out")
    cfg = reference().cfg
    print(f"{'unigrams':30} {unigram_loss(pairs, held_out, cfg.d_vocab):.3f} nats", flush=True)
    for name, (parameters, logits_of) in models(cfg.d_model, cfg.d_vocab).items():
        train(parameters, logits_of, pairs)
        report(name, logits_of, held_out)


if __name__ == "__main__":
    main()
