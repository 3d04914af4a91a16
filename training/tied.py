"""The course's Transformer with `W_U` tied to `W_E`, and the two optimisers that move it."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from solutions.ch07_transformer import Transformer
from solutions.ch09_training import AdamW
from training.recipe import Recipe
from training.tied_modern import TiedModernTransformer
from utils.config import Config


class TiedTransformer(nn.Module):
    """The course's Transformer with `W_U` read from `W_E`, as GPT-2 ties them, and the products in `dtype`."""

    def __init__(self, cfg: Config, dtype: torch.dtype = torch.float32):
        super().__init__()
        self.model, self.dtype = Transformer(cfg), dtype
        residual_scale = (2 * cfg.n_layers) ** -0.5  # Radford et al. 2019, section 2.3
        with torch.no_grad():
            for name, parameter in self.model.named_parameters():
                if name.endswith((".attn.W_O", ".mlp.W_out")):
                    parameter.mul_(residual_scale)
        self.model.unembed.requires_grad_(False)  # W_U is W_E transposed, and GPT-2 has no b_U

    def forward(self, tokens: Int[Tensor, "batch pos"]) -> Float[Tensor, "batch pos d_vocab"]:
        tied = {"unembed.W_U": self.model.embed.W_E.T}
        with torch.autocast("cpu", self.dtype, enabled=self.dtype != torch.float32):
            return torch.func.functional_call(self.model, tied, (tokens,)).float()

    def trained_parameters(self) -> dict[str, nn.Parameter]:
        """Every parameter that an optimiser moves, by TransformerLens's names."""
        return {name: parameter for name, parameter in self.model.named_parameters() if parameter.requires_grad}


def make_optimisers(tied: TiedTransformer | TiedModernTransformer, recipe: Recipe) -> list[AdamW]:
    """One AdamW for the matrices, which it decays, and one that leaves biases and LayerNorm's `w` as large as they are.

    Source: train.py of nanoGPT, where what has one axis is not decayed.
    """
    trained = tied.trained_parameters()
    is_vector = {name: name.split(".")[-1].startswith(("b", "w")) for name in trained}
    decayed = [parameter for name, parameter in trained.items() if not is_vector[name]]
    kept = [parameter for name, parameter in trained.items() if is_vector[name]]
    betas = (0.9, recipe.beta2)
    return [
        AdamW(decayed, recipe.lr_max, betas, weight_decay=recipe.weight_decay),
        AdamW(kept, recipe.lr_max, betas, weight_decay=0.0),
    ]
