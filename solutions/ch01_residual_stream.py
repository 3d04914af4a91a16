"""Chapter 1: the residual stream. Source of the chapter and of the solution notebook."""

# %% [markdown]
# # 1 · The residual stream
#
# draft

# %% tags=["active-ipynb", "setup"]
# try:
#     from utils.setup import start
# except ImportError:
#     raise ImportError("This kernel does not have the course. In the course's folder, run: make lab") from None
#
# start("ch01_residual_stream")

# %%
import torch
from jaxtyping import Float
from torch import Tensor, nn

# %% tags=["active-ipynb"]
# from tests.ch01_residual_stream import test_decompose_residual, test_residual_stream

# %% [markdown] exercise="ResidualStream" difficulty=2 importance=5 minutes=10
# ## Exercise: write `ResidualStream`


# %%
class ResidualStream(nn.Module):
    """Run a list of layers: each reads the residual stream, and what it answers is added to the stream.

    Source: He et al. 2015, eq. 1 (y = F(x) + x); openai/gpt-2 src/model.py, block(): x = x + a, then x = x + m.
    """

    def __init__(self, layers: list[nn.Module]):
        super().__init__()
        # BEGIN SOLUTION
        self.layers = nn.ModuleList(layers)
        # END SOLUTION

    def forward(self, resid: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        # BEGIN SOLUTION
        for layer in self.layers:
            resid = resid + layer(resid)
        return resid
        # END SOLUTION


# %% [markdown] hint="idea"
# idea

# %% [markdown] hint="pseudocode"
# ```text
# pseudo
# ```

# %% tags=["active-ipynb"]
# test_residual_stream(ResidualStream)

# %% [markdown] exercise="decompose_residual" difficulty=2 importance=4 minutes=15
# ## Exercise: write `decompose_residual`


# %%
def decompose_residual(cache: dict[str, Tensor]) -> tuple[Float[Tensor, "component batch pos d_model"], list[str]]:
    """Stack everything that was written into the stream, in the order of the model, and name who wrote it.

    The names are embed, pos_embed, then for each layer such as 0: 0_attn_out, 0_mlp_out.
    Source: TransformerLens, ActivationCache.decompose_resid.
    """
    # BEGIN SOLUTION
    parts, names = [cache["hook_embed"], cache["hook_pos_embed"]], ["embed", "pos_embed"]
    n_layers = sum(name.endswith("hook_attn_out") for name in cache)
    for layer in range(n_layers):
        parts += [cache[f"blocks.{layer}.hook_attn_out"], cache[f"blocks.{layer}.hook_mlp_out"]]
        names += [f"{layer}_attn_out", f"{layer}_mlp_out"]
    return torch.stack(parts), names
    # END SOLUTION


# %% [markdown] hint="idea"
# idea

# %% [markdown] hint="pseudocode"
# ```text
# pseudo
# ```

# %% tags=["active-ipynb"]
# test_decompose_residual(decompose_residual)
