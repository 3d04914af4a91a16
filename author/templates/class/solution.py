# %%
import torch
from jaxtyping import Float
from torch import Tensor, nn

from utils.config import Config

# %% tags=["active-ipynb"]
# from tests.ch99_template import test_template_symbol

# %% [markdown] exercise="TemplateSymbol" difficulty=1 importance=3 minutes=10 draft=true
# ## Exercise: `TemplateSymbol`
#
# A component that scales each dimension. (Take `draft=true` away from this cell when six misconceptions are written.)
#
# **What goes in?** `residual`, a vector of `d_model` numbers for each position. **What comes out?** The same shape.


# %%
class TemplateSymbol(nn.Module):
    """Scale each dimension of each vector by a learned number.

    Source: name here the paper and equation, or the file and function, of yours.
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.w = nn.Parameter(torch.ones(cfg.d_model))

    def forward(
        self,
        residual: Float[Tensor, "batch pos d_model"],
    ) -> Float[Tensor, "batch pos d_model"]:
        # BEGIN SOLUTION
        return residual * self.w
        # END SOLUTION


# %% [markdown] hint="idea"
# `w` has one number for each dimension, and PyTorch lines up the last axes of two tensors.

# %% [markdown] hint="pseudocode"
# ```text
# multiply each number of each vector by the number of w for its dimension
# ```

# %% tags=["active-ipynb"]
# test_template_symbol(TemplateSymbol)

# %% [markdown]
# ## See it work
#
# Something that moves, made with what the learner wrote.

# %% tags=["active-ipynb"]
# scaled = TemplateSymbol(Config(d_model=3))
# scaled.w.data = torch.tensor([1.0, 10.0, 100.0])
# scaled(torch.ones(1, 2, 3)).tolist()

# %% [markdown]
# ## Check your understanding
#
# How many numbers does this component learn?
#
# <details>
# <summary>Answer</summary>
#
# `d_model`: one for each dimension, however many positions there are.
#
# </details>
