"""Chapter 12's ModernTransformer as it is trained: as it stands, compiled, and begun as the bundled GPT-2 was.

It keeps its own parts: compiled, with PyTorch's fused attention a step of neither model took less processor time.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from solutions.ch12_since_gpt2 import ModernTransformer
from utils.config import ModernConfig


class TiedModernTransformer(nn.Module):
    """The course's ModernTransformer, which ties its embedding itself, and the products in `dtype`.

    As in TiedTransformer, what is added to the stream is drawn smaller, the deeper the model.
    """

    def __init__(self, cfg: ModernConfig, dtype: torch.dtype = torch.float32):
        super().__init__()
        self.model, self.dtype = ModernTransformer(cfg), dtype
        residual_scale = (2 * cfg.n_layers) ** -0.5  # Radford et al. 2019, section 2.3
        with torch.no_grad():
            for name, parameter in self.model.named_parameters():
                if name.endswith((".attn.W_O", ".mlp.W_out")):
                    parameter.mul_(residual_scale)

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_vocab"]:
        with torch.autocast("cpu", self.dtype, enabled=self.dtype != torch.float32):
            return self.model(tokens).float()

    def trained_parameters(self) -> dict[str, nn.Parameter]:
        """Every parameter that an optimiser moves, by the chapter's names."""
        return dict(self.model.named_parameters())
