"""Chapter 7: a block, and the whole GPT-2. Source of the chapter and of the solution notebook."""

# %% [markdown]
# # 7 · Transformer
#
# About 60 minutes.

# %% tags=["active-ipynb", "setup"]
# try:
#     from utils.setup import start
# except ImportError:
#     raise ImportError("This kernel does not have the course. In the course's folder, run: make lab") from None
#
# start("ch07_transformer")

# %%
from jaxtyping import Float, Int
from torch import Tensor, nn

from solutions.ch02_embeddings import Embed, PosEmbed
from solutions.ch03_layernorm import LayerNorm
from solutions.ch04_attention import Attention
from solutions.ch05_mlp import MLP
from solutions.ch06_unembed import Unembed
from utils.config import Config

# %% tags=["active-ipynb"]
# from tests.ch07_transformer import test_transformer, test_transformer_block

# %% [markdown] exercise="TransformerBlock" difficulty=2 importance=5 minutes=15
# ## Exercise: write `TransformerBlock`


# %%
class TransformerBlock(nn.Module):
    """Attention, then the MLP; each reads a normalised copy of the residual stream and adds to it.

    Source: openai/gpt-2 src/model.py, block(); Radford et al. 2019, section 2.3 (pre-norm).
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.ln1 = LayerNorm(cfg)
        self.attn = Attention(cfg)
        self.ln2 = LayerNorm(cfg)
        self.mlp = MLP(cfg)

    def forward(self, resid_pre: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        # BEGIN SOLUTION
        resid_mid = resid_pre + self.attn(self.ln1(resid_pre))
        return resid_mid + self.mlp(self.ln2(resid_mid))
        # END SOLUTION


# %% [markdown] hint="idea"
# x

# %% [markdown] hint="pseudocode"
# x

# %% tags=["active-ipynb"]
# test_transformer_block(TransformerBlock)

# %% [markdown] exercise="Transformer" difficulty=3 importance=5 minutes=20
# ## Exercise: write `Transformer`


# %%
class Transformer(nn.Module):
    """GPT-2: tokens in, logits for the next token at every position out.

    The parameter names are TransformerLens's, so `dict(bridge.tl_named_parameters())` loads with `strict=True`.

    Source: openai/gpt-2 src/model.py, model().
    """

    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        # BEGIN SOLUTION
        self.embed = Embed(cfg)
        self.pos_embed = PosEmbed(cfg)
        self.blocks = nn.ModuleList(TransformerBlock(cfg) for _ in range(cfg.n_layers))
        self.ln_final = LayerNorm(cfg)
        self.unembed = Unembed(cfg)
        # END SOLUTION

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_vocab"]:
        # BEGIN SOLUTION
        resid = self.embed(tokens) + self.pos_embed(tokens)
        for block in self.blocks:
            resid = block(resid)
        return self.unembed(self.ln_final(resid))
        # END SOLUTION


# %% [markdown] hint="idea"
# x

# %% [markdown] hint="pseudocode"
# x

# %% tags=["active-ipynb"]
# test_transformer(Transformer)
