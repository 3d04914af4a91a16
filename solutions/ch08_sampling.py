"""Chapter 8: from logits to text. Source of the chapter and of the solution notebook."""

# %% [markdown]
# # 8 · Sampling: your own GPT tells stories
#
# (the chapter's opening)

# %% tags=["active-ipynb", "setup"]
# try:
#     from utils.setup import start
# except ImportError:
#     raise ImportError("This kernel does not have the course. In the course's folder, run: make lab") from None
#
# start("ch08_sampling")

# %%
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from utils.config import Config

# %% [markdown]
# ## Exercise: write `greedy`


# %%
def greedy(logits: Float[Tensor, " d_vocab"]) -> int:
    """The token with the highest logit."""
    # BEGIN SOLUTION
    return int(logits.argmax())
    # END SOLUTION


# %%
def apply_temperature(logits: Float[Tensor, " d_vocab"], temperature: float) -> Float[Tensor, " d_vocab"]:
    """The logits at a temperature above 0: below 1 the distribution grows more peaked, above 1 flatter.

    Source: Ackley, Hinton & Sejnowski 1985, eq. 5, where energies are divided by a temperature.
    """
    # BEGIN SOLUTION
    return logits / temperature
    # END SOLUTION


# %%
def apply_frequency_penalty(
    input_ids: Int[Tensor, " pos"], logits: Float[Tensor, " d_vocab"], freq_penalty: float
) -> Float[Tensor, " d_vocab"]:
    """Each token's logit, less `freq_penalty` for each time that the token stands in `input_ids`.

    Source: the definition of `frequency_penalty` in the OpenAI API's documentation.
    """
    # BEGIN SOLUTION
    counts = torch.bincount(input_ids, minlength=len(logits))
    return logits - freq_penalty * counts
    # END SOLUTION


# %%
def sample_basic(logits: Float[Tensor, " d_vocab"]) -> int:
    """A token, drawn with the probabilities that softmax makes of the logits."""
    # BEGIN SOLUTION
    return int(torch.multinomial(logits.softmax(-1), 1))
    # END SOLUTION


# %%
def sample_top_k(logits: Float[Tensor, " d_vocab"], k: int) -> int:
    """One of the `k` most likely tokens, drawn with their probabilities, scaled up to add up to 1.

    Source: Fan, Lewis & Dauphin 2018, section 5.4.
    """
    # BEGIN SOLUTION
    best, tokens = logits.topk(k)
    return int(tokens[sample_basic(best)])
    # END SOLUTION


# %%
def sample_top_p(logits: Float[Tensor, " d_vocab"], top_p: float, min_tokens_to_keep: int = 1) -> int:
    """One of the fewest most likely tokens whose probabilities add up to `top_p` or more; of `min_tokens_to_keep` at
    least. They are drawn with their probabilities, scaled up to add up to 1.

    Source: Holtzman et al. 2020, eq. 2 and 3.
    """
    # BEGIN SOLUTION
    ranked, tokens = logits.sort(descending=True)
    before = ranked.softmax(-1).cumsum(-1).roll(1)
    before[0] = 0.0  # the probability of all tokens that are more likely
    n_kept = max(int((before < top_p).sum()), min_tokens_to_keep)
    return int(tokens[sample_basic(ranked[:n_kept])])
    # END SOLUTION


# %%
def sample_next_token(
    input_ids: Int[Tensor, " pos"],
    logits: Float[Tensor, " d_vocab"],
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 0.0,
    freq_penalty: float = 0.0,
) -> int:
    """The next token after `input_ids`: the penalty first, then the temperature, then a draw.

    A temperature of 0 is greedy, after the penalty. A `top_k` of 0 and a `top_p` of 0 leave nothing out.
    Raises ValueError where both `top_k` and `top_p` are given.
    """
    # BEGIN SOLUTION
    if top_k and top_p:
        raise ValueError(f"top_k = {top_k} and top_p = {top_p}: choose one of the two.")
    logits = apply_frequency_penalty(input_ids, logits, freq_penalty)
    if temperature == 0:
        return greedy(logits)
    logits = apply_temperature(logits, temperature)
    if top_k:
        return sample_top_k(logits, top_k)
    if top_p:
        return sample_top_p(logits, top_p)
    return sample_basic(logits)
    # END SOLUTION


# %%
@torch.no_grad()
def generate(
    model: nn.Module, tokens: Int[Tensor, " pos"], max_new_tokens: int, eos: int | None = None, **sampling: float
) -> Int[Tensor, " all_pos"]:
    """The text and up to `max_new_tokens` more, each chosen by `sample_next_token(..., **sampling)`.

    The model reads the last `model.cfg.n_ctx` tokens at most. The text ends after a token `eos`, which it keeps.
    """
    # BEGIN SOLUTION
    for _ in range(max_new_tokens):
        logits = model(tokens[None, -model.cfg.n_ctx :])[0, -1]
        new = sample_next_token(tokens, logits, **sampling)  # type: ignore[arg-type]
        tokens = torch.cat([tokens, torch.tensor([new])])
        if new == eos:
            break
    return tokens
    # END SOLUTION


# %%
@torch.no_grad()
def beam_search(
    model: nn.Module, tokens: Int[Tensor, " pos"], max_new_tokens: int, num_beams: int
) -> list[tuple[float, Int[Tensor, " all_pos"]]]:
    """The `num_beams` likeliest texts that the search found, best first, each with its summed log-probability.

    At every step each text is continued by every token, and the `num_beams` best of these are kept.
    """
    # BEGIN SOLUTION
    beams = [(0.0, tokens)]
    for _ in range(max_new_tokens):
        longer = []
        for score, text in beams:
            log_probs = model(text[None, -model.cfg.n_ctx :])[0, -1].log_softmax(-1)
            best, next_tokens = log_probs.topk(min(num_beams, len(log_probs)))
            for more, token in zip(best, next_tokens, strict=True):
                longer.append((score + float(more), torch.cat([text, token[None]])))
        beams = sorted(longer, key=lambda beam: beam[0], reverse=True)[:num_beams]
    return beams
    # END SOLUTION


# %%
def attend_with_cache(
    attn: nn.Module,
    normalized_resid_pre: Float[Tensor, "batch new_pos d_model"],
    keys: Float[Tensor, "batch old_pos head_index d_head"],
    values: Float[Tensor, "batch old_pos head_index d_head"],
) -> tuple[
    Float[Tensor, "batch new_pos d_model"],
    Float[Tensor, "batch all_pos head_index d_head"],
    Float[Tensor, "batch all_pos head_index d_head"],
]:
    """What an attention layer writes at the new positions, and the keys and values of all positions so far."""

    # BEGIN SOLUTION
    def project(weight: Tensor, bias: Tensor) -> Tensor:
        return torch.einsum("bpm,hmd->bphd", normalized_resid_pre, weight) + bias

    queries = project(attn.W_Q, attn.b_Q)
    keys = torch.cat([keys, project(attn.W_K, attn.b_K)], dim=1)
    values = torch.cat([values, project(attn.W_V, attn.b_V)], dim=1)
    scores = torch.einsum("bqhd,bkhd->bhqk", queries, keys) / keys.shape[-1] ** 0.5
    n_new, n_all = scores.shape[-2:]
    later = torch.ones(n_new, n_all, dtype=torch.bool).triu(n_all - n_new + 1)
    pattern = scores.masked_fill(later, -torch.inf).softmax(dim=-1)
    z = torch.einsum("bhqk,bkhd->bqhd", pattern, values)
    return torch.einsum("bqhd,hdm->bqm", z, attn.W_O) + attn.b_O, keys, values
    # END SOLUTION


# %%
@torch.no_grad()
def generate_with_cache(
    model: nn.Module, tokens: Int[Tensor, " pos"], max_new_tokens: int, **sampling: float
) -> Int[Tensor, " all_pos"]:
    """What `generate` gives, while the text fits in `n_ctx`; but each position's keys and values are computed once."""
    # BEGIN SOLUTION
    cfg: Config = model.cfg
    empty = torch.zeros(1, 0, cfg.n_heads, cfg.d_head)
    kept = [(empty, empty) for _ in model.blocks]
    n_read = 0
    for _ in range(max_new_tokens):
        resid = model.embed.W_E[tokens[None, n_read:]] + model.pos_embed.W_pos[n_read : len(tokens)]
        n_read = len(tokens)
        for layer, block in enumerate(model.blocks):
            written, *kept[layer] = attend_with_cache(block.attn, block.ln1(resid), *kept[layer])
            resid = resid + written
            resid = resid + block.mlp(block.ln2(resid))
        logits = model.unembed(model.ln_final(resid[:, -1:]))[0, -1]
        new = sample_next_token(tokens, logits, **sampling)  # type: ignore[arg-type]
        tokens = torch.cat([tokens, torch.tensor([new])])
    return tokens
    # END SOLUTION
