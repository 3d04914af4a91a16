"""A model of Llama's shape tells a story: your ModernTransformer, and the keys and values that it has made already."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from ..parts import generate as without_cache
from ..parts.bpe_encode import bpe_encode
from .begin import read_begin
from .checkpoint import fill
from .errors import CannotTell
from .library import NOTE, LibrarysTokenizer
from .llama import read, read_ends_of
from .own_gpt import AGREES, OwnGPT
from .threads import fit_threads
from .tokenizer import Tokenizer
from .unreadable import Unreadable

NO_MODEL = (
    "{folder} is told with ModernTransformer, which is chapter 12's, and this package has none yet. "
    "Write it in the course, and it comes along; or give a GPT-2's folder."
)
EACH_ANEW = (
    "Your `project` and `attend` make other logits of a text in two steps: each token reads the whole text anew."
)
NOT_FAST = "The fast loop is for GPT-2's shape alone: your own code tells the story of this model."


class OwnModern(OwnGPT):
    """Your ModernTransformer with a model's weights, and the tokenizer that belongs to it."""

    def fast_loop(self, prompt: str, bits: int = 16) -> str:
        """Why the fast loop can't tell this story."""
        return NOT_FAST

    def _tokens(self, tokens: Tensor, wanted: int, emit: Callable[[int], None], sampling: dict[str, float]) -> None:
        """With your `generate`, a token at a time."""
        for _ in range(wanted):
            tokens = without_cache.generate(self.model, tokens, 1, **sampling)
            emit(int(tokens[-1]))


class Remembering(nn.Module):
    """A model that reads a growing text, and of that only what is new: keys and values of the rest are kept.

    Your model makes all of them, and all else; what is kept goes in where its attention calls `attend`.
    """

    def __init__(self, model: nn.Module):
        super().__init__()
        self.model, self.cfg = model, model.cfg
        self.text = torch.tensor([], dtype=torch.long)
        self.kept: dict[nn.Module, tuple[Tensor, Tensor]] = {}

    def forward(self, tokens: Tensor) -> Tensor:
        """The logits after the last token, in each row, for nobody reads another."""
        (text,) = tokens
        n_read = len(self.text)
        if n_read >= len(text) or not self.text.equal(text[:n_read]):  # another text, or a window that has moved on
            n_read = 0
            self.kept.clear()
        with self._keeping(n_read):
            logits = self.model(tokens[:, n_read:])
        self.text = text
        return logits[:, -1:].expand(-1, len(text), -1)

    @contextmanager
    def _keeping(self, n_read: int) -> Iterator[None]:
        attentions: list[Any] = [block.attn for block in self.model.blocks]
        for attention in attentions:
            attention.forward = self._attending(attention, n_read)
        try:
            yield
        finally:
            for attention in attentions:
                del attention.forward

    def _attending(self, attention: Any, n_read: int) -> Callable[[Tensor], Tensor]:
        def forward(normalized_resid_pre: Tensor) -> Tensor:
            positions = torch.arange(n_read, n_read + normalized_resid_pre.shape[1])
            q, *new = attention.project(normalized_resid_pre, positions)
            kept = self.kept.get(attention)
            k, v = new if kept is None else (torch.cat(pair, dim=1) for pair in zip(kept, new, strict=True))
            self.kept[attention] = k, v
            return attention.attend(q, k, v)

        return forward


def load(folder: Path) -> OwnModern:
    """Your ModernTransformer with the weights in a folder that `is_llama`."""
    try:
        from ..parts.modern_transformer import ModernTransformer
    except ModuleNotFoundError as error:
        if not str(error.name).endswith("parts.modern_transformer"):
            raise
        raise CannotTell(NO_MODEL.format(folder=folder)) from None
    cfg, weights = read(folder)
    fit_threads(cfg.d_model)
    tokenizer, notes = _tokenizer(folder)
    model = fill(ModernTransformer(cfg), weights)
    if _remembers(model):
        model = Remembering(model).eval()
    else:
        notes = [*notes, EACH_ANEW]
    return OwnModern(model, tokenizer, read_ends_of(folder), tuple(notes))


def _tokenizer(folder: Path) -> tuple[Tokenizer | LibrarysTokenizer, list[str]]:
    """Yours where the folder's tokenizer is of GPT-2's kind, else the library's; and what is to be said of it."""
    try:
        tokenizer = Tokenizer.read(folder, bpe_encode, digits=True)
    except Unreadable:
        if not (folder / "tokenizer.json").is_file():
            raise
        return LibrarysTokenizer(folder), [NOTE]
    tokenizer.begin = read_begin(folder)
    return tokenizer, []


def _remembers(model: nn.Module) -> bool:
    """Whether the model makes the same logits of a text in two steps."""
    tokens = torch.arange(min(model.cfg.n_ctx, 6))[None] % model.cfg.d_vocab
    with torch.no_grad():
        whole, twice = model(tokens)[0, -1], Remembering(model)
        try:
            twice(tokens[:, :-2])
            apart = (twice(tokens)[0, -1] - whole).abs().max()
        except Exception:  # of whatever stands in the learner's methods, or is missing there
            return False
    return bool(apart <= AGREES * whole.abs().max().clamp(min=1))
