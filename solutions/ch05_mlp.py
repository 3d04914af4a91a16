"""Chapter 5: gelu_new and MLP. Source of the chapter and of the solution notebook."""

# %% [markdown]
# # 5 · The MLP

# %% tags=["active-ipynb", "setup"]
# try:
#     from utils.setup import start
# except ImportError:
#     raise ImportError("This kernel does not have the course. In the course's folder, run: make lab") from None
#
# start("ch05_mlp")

# %%
import math

import torch
from jaxtyping import Float
from torch import Tensor, nn

from utils.config import Config


# %% tags=["active-ipynb"]
# from tests.ch05_mlp import test_gelu_new, test_mlp

# %% [markdown] exercise="gelu_new" difficulty=1 importance=3 minutes=8
# ## Exercise: write `gelu_new`


# %%
def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """GPT-2's GELU: the tanh approximation, not the exact form.

    Source: openai/gpt-2 src/model.py, gelu(); Hendrycks and Gimpel 2016, section 2.
    """
    # BEGIN SOLUTION
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    # END SOLUTION


# %% [markdown] hint="idea"
# idea

# %% [markdown] hint="pseudocode"
# p

# %% tags=["active-ipynb"]
# test_gelu_new(gelu_new)

# %% [markdown] exercise="MLP" difficulty=2 importance=5 minutes=12
# ## Exercise: write `MLP`


# %%
class MLP(nn.Module):
    """Read each position alone: widen to `d_mlp`, apply GELU, come back to `d_model`.

    Source: openai/gpt-2 src/model.py, mlp().
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.W_in = nn.Parameter(torch.empty(cfg.d_model, cfg.d_mlp))
        self.b_in = nn.Parameter(torch.zeros(cfg.d_mlp))
        self.W_out = nn.Parameter(torch.empty(cfg.d_mlp, cfg.d_model))
        self.b_out = nn.Parameter(torch.zeros(cfg.d_model))
        nn.init.normal_(self.W_in, std=cfg.init_range)
        nn.init.normal_(self.W_out, std=cfg.init_range)

    def forward(self, normalized_resid_mid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        # BEGIN SOLUTION
        pre = normalized_resid_mid @ self.W_in + self.b_in
        return gelu_new(pre) @ self.W_out + self.b_out
        # END SOLUTION


# %% [markdown] hint="idea"
# idea

# %% [markdown] hint="pseudocode"
# p

# %% tags=["active-ipynb"]
# test_mlp(MLP)
