# %%
from jaxtyping import Float
from torch import Tensor

# %% tags=["active-ipynb"]
# from tests.ch99_template import test_template_symbol

# %% [markdown] exercise="template_symbol" difficulty=1 importance=3 minutes=10 draft=true
# ## Exercise: `template_symbol`
#
# The length of each vector. (Take `draft=true` away from this cell when three misconceptions are written.)
#
# **What goes in?** `vectors`, each of `d_model` numbers, one for each position. **What comes out?** Their lengths.


# %%
def template_symbol(
    vectors: Float[Tensor, "batch pos d_model"],
) -> Float[Tensor, "batch pos"]:
    """The length of each vector.

    Source: Pythagoras. Name here the paper and equation, or the file and function.
    """
    # BEGIN SOLUTION
    return vectors.pow(2).sum(dim=-1).sqrt()
    # END SOLUTION


# %% [markdown] hint="idea"
# Pythagoras, in `d_model` dimensions: the squares of a vector's numbers add up to the square of its length.

# %% [markdown] hint="pseudocode"
# ```text
# square each number; add over d_model; take the root
# ```

# %% tags=["active-ipynb"]
# test_template_symbol(template_symbol)

# %% [markdown]
# ## See it work
#
# Something that moves, made with what the learner wrote.

# %% tags=["active-ipynb"]
# import torch
#
# template_symbol(torch.tensor([[[3.0, 4.0], [1.0, 0.0]]]))

# %% [markdown]
# ## Check your understanding
#
# Which vectors have length 0?
#
# <details>
# <summary>Answer</summary>
#
# Only the one whose numbers are all 0: a sum of squares is 0 when each square is.
#
# </details>
