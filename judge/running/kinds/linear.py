"""The layers that a stream is made of."""

from jaxtyping import Float
from torch import Tensor, nn


class LinearLayer(nn.Module):
    """x @ weight, without a bias; one that looks `across` an axis, "pos" or "batch", reads its mean instead."""

    def __init__(self, matrix: Float[Tensor, "d_in d_out"], across: str = ""):
        super().__init__()
        self.weight = nn.Parameter(matrix.detach().clone())
        self.across = across

    def forward(self, x: Float[Tensor, "batch pos d_in"]) -> Float[Tensor, "batch pos d_out"]:
        return self.read(x) @ self.weight

    def read(self, x: Tensor) -> Tensor:
        """The part of x that it reads, which a stream may have cut up before."""
        if self.across == "pos":
            return x.mean(dim=-2, keepdim=True).expand_as(x)
        if self.across == "batch":
            return x.reshape(-1, *x.shape[-2:]).mean(dim=0).expand_as(x)
        return x
