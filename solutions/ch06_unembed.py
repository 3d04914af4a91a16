"""Chapter 6: from the residual stream to logits, and from logits to a loss."""

# %% [markdown]
# # 6 · Unembed

# %% tags=["active-ipynb", "setup"]
# try:
#     from utils.setup import start
# except ImportError:
#     raise ImportError("This kernel does not have the course. In the course's folder, run: make lab") from None
#
# start("ch06_unembed")

# %%
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from utils.config import Config


# %% [markdown] exercise="Unembed" difficulty=1 importance=5 minutes=10
# ## Exercise


# %%
class Unembed(nn.Module):
    """Score every token of the vocabulary against each residual vector.

    GPT-2 has no bias here; `b_U` stands frozen at zero because TransformerLens has one.

    Source: openai/gpt-2 src/model.py, model(), the last matmul.
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_U = nn.Parameter(torch.empty(cfg.d_model, cfg.d_vocab))
        self.b_U = nn.Parameter(torch.zeros(cfg.d_vocab), requires_grad=False)
        nn.init.normal_(self.W_U, std=cfg.init_range)

    def forward(self, normalized_resid_final: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_vocab"]:
        # BEGIN SOLUTION
        return normalized_resid_final @ self.W_U + self.b_U
        # END SOLUTION


# %% [markdown] hint="idea"
# Idea.

# %% [markdown] hint="pseudocode"
# ```text
# code
# ```

# %% tags=["active-ipynb"]
# from tests.ch06_unembed import test_cross_entropy_loss, test_unembed
# test_unembed(Unembed)

# %% [markdown] exercise="cross_entropy_loss" difficulty=3 importance=5 minutes=15
# ## Exercise


# %%
def cross_entropy_loss(
    logits: Float[Tensor, "batch pos d_vocab"], tokens: Int[Tensor, "batch pos"]
) -> Float[Tensor, ""]:
    """Mean surprise, in nats, at each next token: position i is judged by token i + 1.

    Source: Radford et al. 2018 (GPT-1), eq. 1, divided by the number of predictions.
    """
    # BEGIN SOLUTION
    log_probs = logits[:, :-1].log_softmax(dim=-1)
    return -log_probs.gather(dim=-1, index=tokens[:, 1:, None]).mean()
    # END SOLUTION


# %% [markdown] hint="idea"
# Idea.

# %% [markdown] hint="pseudocode"
# ```text
# code
# ```

# %% tags=["active-ipynb"]
# test_cross_entropy_loss(cross_entropy_loss)
