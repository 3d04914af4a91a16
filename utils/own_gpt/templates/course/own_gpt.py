"""Your model and your tokenizer together: a story, token by token, as it is made."""

import codecs
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from ..parts import generate as without_cache
from ..parts import generate_with_cache as with_cache
from ..parts.sample_next_token import sample_next_token
from .dice import seed_all
from .errors import CannotTell
from .fast import FastGPT2

AGREES = 1e-4  # of the largest logit
ROUNDED_AGREES = 0.1  # the same with weights rounded to 8 bits: 0.02 is usual, and 0.05 the most of 97 texts
CHUNK = 8  # tokens that one call makes where a call can't be listened to


@dataclass(frozen=True)
class OwnGPT:
    """Your Transformer with a model's weights, the tokenizer that belongs to it, and the tokens that end a story."""

    model: nn.Module
    tokenizer: Any
    ends: frozenset[int]
    notes: tuple[str, ...] = ()  # what is to be said of it before the story

    def text(self, prompt: str, tokens: int = 150, seed: int | None = None, **sampling: float) -> str:
        """The prompt and how it goes on."""
        pieces = list[str]()
        self.tell(prompt, pieces.append, tokens, seed, **sampling)
        return "".join(pieces)

    def tell(
        self,
        prompt: str,
        write: Callable[[str], Any],
        tokens: int = 150,
        seed: int | None = None,
        fast: FastGPT2 | None = None,
        **sampling: float,
    ) -> int:
        """Give `write` the prompt, then each piece of text as soon as it is made; return how many tokens were made.

        The story ends after `tokens` of them, or where the model ends it. `fast` is the loop that makes them in place
        of yours, and `sampling` is for `sample_next_token`.
        """
        if sampling.get("top_k", 0) > self.model.cfg.d_vocab:
            raise CannotTell(f"top_k is {sampling['top_k']}, and the model has {self.model.cfg.d_vocab} tokens.")
        start = self._start(prompt)
        write(prompt)
        seed_all(seed)
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")  # a token may end within a character
        emitted = 0
        make = partial(self._fast_tokens, fast) if fast else self._tokens

        def emit(token: int) -> None:
            nonlocal emitted
            emitted += 1
            if token in self.ends:
                raise _Ended
            if text := decoder.decode(self.tokenizer.bytes_of(token)):
                write(text)

        try:
            with torch.no_grad():
                make(start, tokens, emit, sampling)
        except _Ended:
            pass
        if rest := decoder.decode(b"", final=True):
            write(rest)
        return emitted

    def agrees(self, prompt: str, loop: FastGPT2) -> float:
        """The largest difference between the fast loop's logits and your Transformer's, over what is a large logit."""
        tokens = self._start(prompt)[-self.model.cfg.n_ctx :]
        loop.n_read = 0
        with torch.no_grad():
            yours, fast = self.model(tokens[None])[0, -1], loop.logits(tokens)
        return float((yours - fast).abs().max() / yours.abs().max().clamp(min=1))

    def fast_loop(self, prompt: str, bits: int = 16) -> FastGPT2 | str:
        """The fast loop over the model's weights, or why it can't tell this story; `bits` as for FastGPT2."""
        loop = FastGPT2(self.model, bits)
        if (apart := self.agrees(prompt, loop)) <= (ROUNDED_AGREES if bits == 8 else AGREES):
            return loop
        return f"The fast loop's logits differ from yours by {apart:.1g} of the largest: yours go on."

    def _start(self, prompt: str) -> Tensor:
        """The prompt's tokens, after what stands before every text that the model was trained on."""
        ids, begin = self.tokenizer.encode(prompt), self.tokenizer.begin
        ids = ids if ids[: len(begin)] == begin else [*begin, *ids]
        if not ids:
            raise CannotTell("The prompt is empty, and this model has no token to begin with.")
        if max(ids) >= self.model.cfg.d_vocab:
            n_known = self.model.cfg.d_vocab
            raise CannotTell(f"The tokenizer makes token {max(ids)}, and the model has {n_known}: they don't fit.")
        return torch.tensor(ids)

    def _tokens(self, tokens: Tensor, wanted: int, emit: Callable[[int], None], sampling: dict[str, float]) -> None:
        """With `generate_with_cache` while the text fits in n_ctx, with `generate` from there on."""
        end, count, live = len(tokens) + wanted, 1, False
        while len(tokens) < end:
            room = min(end, self.model.cfg.n_ctx) - len(tokens)
            if room > 0:
                longer, heard = _listened(self.model, tokens, min(room, count), emit if live else None, sampling)
                for new in longer[len(tokens) + (len(heard) if live else 0) :].tolist():
                    emit(new)
                live = heard == longer[len(tokens) :].tolist()
                count = room if live else CHUNK
            else:
                longer = without_cache.generate(self.model, tokens, 1, **sampling)
                emit(int(longer[-1]))
            tokens = longer

    def _fast_tokens(
        self, loop: FastGPT2, tokens: Tensor, wanted: int, emit: Callable[[int], None], sampling: dict
    ) -> None:
        loop.n_read = 0
        for new in loop.tokens(tokens, wanted, lambda *seen: sample_next_token(*seen, **sampling)):
            emit(new)


class _Ended(Exception):
    """The model has ended the story."""


def _listened(
    model: nn.Module, tokens: Tensor, count: int, emit: Callable[[int], None] | None, sampling: dict
) -> tuple[Tensor, list[int]]:
    """One call of `generate_with_cache`, and what was heard: the tokens that it had `sample_next_token` choose."""
    choose: Any = getattr(with_cache, "sample_next_token", None)
    heard = list[int]()

    def listening(*seen: Any, **settings: Any) -> Any:
        new = choose(*seen, **settings)
        heard.append(int(new))
        if emit:
            emit(heard[-1])
        return new

    if choose:
        with_cache.sample_next_token = listening
    try:
        return with_cache.generate_with_cache(model, tokens, count, **sampling), heard
    finally:
        if choose:
            with_cache.sample_next_token = choose
