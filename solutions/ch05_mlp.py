"""Chapter 5: GPT-2's GELU and the MLP."""

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn

from utils.config import Config


def gelu_new(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """GPT-2's GELU: the tanh approximation, not the exact form.

    Source: openai/gpt-2 src/model.py, gelu(); Hendrycks and Gimpel 2016, section 2.
    """
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


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
        pre = normalized_resid_mid @ self.W_in + self.b_in
        return gelu_new(pre) @ self.W_out + self.b_out
