"""Puts the learner's own components into the running reference model; it reads and tells stories with them."""

import contextlib
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from judge.running.parameters import load_weights
from utils.config import Config
from utils.gpt.model import GPT
from utils.reference import encode, reference, str_tokens

if TYPE_CHECKING:
    from transformers.models.gpt2 import GPT2LMHeadModel

Part = Callable[[Tensor], Tensor]  # what stands in the place of a part of the model

# Written for this course, so the reference model has not read it.
TALE = (
    "There was once a miller who had three daughters and one grey goose. Every evening the goose walked down to the "
    "river and came back with a story, and every morning the youngest daughter wrote it down. One winter the river "
    'froze. "What shall we do for stories now?" asked the girl. "We shall walk on the ice," said the goose, "and '
    'look for the place where the river keeps them." So they set out together, and the snow fell behind them.'
)


def layer_norm_names(cfg: Config) -> list[str]:
    """TransformerLens's names of all LayerNorms, as the stream meets them: `blocks.0.ln1`, ..., `ln_final`."""
    names: list[str] = []
    for layer in range(cfg.n_layers):
        names += [f"blocks.{layer}.ln1", f"blocks.{layer}.ln2"]
    return [*names, "ln_final"]


def with_weights(component: Callable[[Config], nn.Module], name: str) -> nn.Module:
    """The component made at the reference model's sizes and given the model's weights of that name."""
    model = reference()
    module = component(model.cfg)
    prefix = f"{name}."
    own = [key for key in model.weights if key.startswith(prefix)]
    weights = {key.removeprefix(prefix): model.weights[key] for key in own}
    load_weights(module, weights)
    return module


def scaled_and_shifted(name: str, normalise: Part) -> Part:
    """`normalise` and then the trained `w` and `b` of the LayerNorm of that name: another first half, the same second.

    Raises KeyError when no LayerNorm has the name.
    """
    w, b = (reference().weights[f"{name}.{part}"] for part in "wb")
    return lambda residual: normalise(residual) * w + b


def logits_with(replacements: dict[str, Part], tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_vocab"]:
    """The reference model's logits when each named submodule's output is what its replacement makes of its input.

    The names are TransformerLens's: `embed`, `pos_embed`, `blocks.0.ln1`, `blocks.0.attn`, ..., `ln_final`, `unembed`.
    Raises AttributeError for another one.
    """
    model = _model()
    with contextlib.ExitStack() as until_then, torch.no_grad():
        for name, replacement in replacements.items():
            answering = model.get_submodule(name).register_forward_hook(_answering(replacement))
            until_then.callback(answering.remove)
        return model(tokens)


def _answering(replacement: Part) -> Callable[[nn.Module, tuple[Tensor], Tensor], Tensor]:
    return lambda module, given, answer: replacement(*given)


def given_to(parts: dict[str, Part], tokens: Int[Tensor, "batch pos"]) -> dict[str, Float[Tensor, "batch pos d_model"]]:
    """What each of these parts is given while the reference model runs with them in place of its own, by their names.

    A part may be there only to listen: with the model's own weights it changes nothing.
    """
    given: dict[str, Tensor] = {}

    def listening(name: str) -> Part:
        def answer(vectors: Tensor) -> Tensor:
            given[name] = vectors
            return parts[name](vectors)

        return answer

    logits_with({name: listening(name) for name in parts}, tokens)
    return given


def tell(
    prompt: str, replacements: dict[str, Part], *, new_tokens: int = 40, temperature: float = 0.7, seed: int = 0
) -> str:
    """The prompt and how the reference model goes on, with the replacements in place."""
    generator = torch.Generator().manual_seed(seed)
    tokens = encode(prompt)
    for _ in range(new_tokens):
        logits = logits_with(replacements, tokens)[0, -1]
        probabilities = (logits / temperature).softmax(dim=-1)
        following = torch.multinomial(probabilities, 1, generator=generator)
        tokens = torch.cat([tokens, following[None]], dim=1)
    return "".join(str_tokens(tokens[0, 1:]))


def loss_on(text: str, replacements: dict[str, Part]) -> float:
    """How badly the reference model guesses each next token of a text: the mean of -log(probability), in nats."""
    tokens = encode(text)
    return next_token_loss(logits_with(replacements, tokens), tokens).item()


def next_token_loss(logits: Float[Tensor, "1 pos d_vocab"], tokens: Int[Tensor, "1 pos"]) -> Float[Tensor, ""]:
    """The mean of -log(probability) at each next token; position i is judged by token i + 1."""
    return nn.functional.cross_entropy(logits[0, :-1], tokens[0, 1:])


def untrained(make_ln: Callable[[Config], nn.Module], *, init_range: float, seed: int = 0) -> "GPT2LMHeadModel":
    """A fresh GPT-2 of the reference model's sizes, as `transformers` makes it, with `make_ln(cfg)` as each LayerNorm.

    Its random weights have a standard deviation of `init_range`; those that write into the residual stream have less
    by the root of their number (Radford et al. 2019, section 2.3). Importing transformers takes seconds.
    """
    from transformers.models.gpt2 import GPT2Config, GPT2LMHeadModel

    cfg = reference().cfg
    sizes = {
        "n_positions": cfg.n_ctx,
        "n_embd": cfg.d_model,
        "n_layer": cfg.n_layers,
        "n_head": cfg.n_heads,
        "n_inner": cfg.d_mlp,
        "vocab_size": cfg.d_vocab,
        "bos_token_id": 0,
        "eos_token_id": 0,
        "initializer_range": init_range,
    }
    config = GPT2Config.from_dict(sizes)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = GPT2LMHeadModel(config).eval()
    transformer: Any = model.transformer
    transformer.ln_f = make_ln(cfg)
    for block in transformer.h:
        block.ln_1, block.ln_2 = make_ln(cfg), make_ln(cfg)
    return model


@cache
def _model() -> GPT:
    """The reference model without TransformerLens, which takes seconds to load."""
    model = GPT(reference().cfg)
    load_weights(model, reference().weights)
    return model
