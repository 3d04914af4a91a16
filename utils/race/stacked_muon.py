"""Muon with the matrices of all layers in one stack: chapter 9's step, to float32's noise, in half of its time.

Each of the five steps multiplies X from the left by a polynomial P of A = X Xᵀ. P and A commute, so that A becomes
P A P. The steps can thus be taken on A, and on the product of all P, which are 128 by 128 where X is 128 by 512. Each
step makes the rounding errors of small singular values up to 12 times as large, the square of 3.4445; so after RESTART
steps A is taken anew from X.
"""

from collections.abc import Iterable

import torch
from jaxtyping import Float
from torch import Tensor, nn

STEPS, RESTART = 5, 3
LINEAR, CUBIC, QUINTIC = 3.4445, -4.7750, 2.0315  # Jordan et al. 2024


def orthogonalised(matrices: Float[Tensor, "stack rows columns"]) -> Float[Tensor, "stack rows columns"]:
    """Each matrix by its Frobenius norm, then five Newton-Schulz steps; no matrix has more rows than columns."""
    sizes = matrices.norm(dim=(-2, -1), keepdim=True)
    begun = _steps(matrices / (sizes + 1e-7), RESTART)
    return _steps(begun, STEPS - RESTART)


def _steps(x: Float[Tensor, "stack rows columns"], count: int) -> Float[Tensor, "stack rows columns"]:
    gram = x @ x.mT
    whole = torch.eye(len(gram[0])).expand_as(gram)
    for step in range(count):
        factor = torch.baddbmm(gram, gram, gram, beta=CUBIC, alpha=QUINTIC)
        factor.diagonal(dim1=-2, dim2=-1).add_(LINEAR)
        whole = factor @ whole if step else factor
        if step < count - 1:
            gram = factor @ gram @ factor
    return whole @ x


class StackedMuon:
    """Chapter 9's Muon for parameters that all have gradients. `lr` is read anew in each step."""

    def __init__(self, params: Iterable[nn.Parameter], lr: float = 0.02, momentum: float = 0.95) -> None:
        self.params = [*params]
        self.lr = lr
        self.momentum = momentum
        self._alike: dict[tuple[int, ...], list[nn.Parameter]] = {}
        for parameter in self.params:
            size = tuple(sorted(parameter.shape[-2:]))
            self._alike.setdefault(size, []).append(parameter)
        self._buffers = {size: torch.zeros_like(_stacked(alike)) for size, alike in self._alike.items()}

    @torch.no_grad()
    def step(self) -> None:
        """Move every parameter; leave the gradients as they are."""
        for size, alike in self._alike.items():
            gradients = _stacked([_gradient(one) for one in alike])
            buffer = self._buffers[size].mul_(self.momentum).add_(gradients)
            ahead = gradients.add_(buffer, alpha=self.momentum)
            steps = orthogonalised(ahead).split([len(_wide(one)) for one in alike])
            for parameter, wide in zip(alike, steps, strict=True):
                n_rows, n_columns = parameter.shape[-2:]
                step = wide.mT if n_rows > n_columns else wide
                longer = max(1, n_rows / n_columns) ** 0.5
                parameter.sub_(step.reshape(parameter.shape), alpha=self.lr * longer)

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for parameter in self.params:
            parameter.grad = None


def _gradient(parameter: nn.Parameter) -> Tensor:
    if parameter.grad is None:
        raise ValueError("StackedMuon moves every parameter, and one has no gradient")
    return parameter.grad


def _wide(values: Tensor) -> Float[Tensor, "stack rows columns"]:
    """Its matrices, transposed where they have more rows than columns."""
    rows, columns = values.shape[-2:]
    matrices = values.reshape(-1, rows, columns)
    return matrices.mT if rows > columns else matrices


def _stacked(alike: Iterable[Tensor]) -> Float[Tensor, "stack rows columns"]:
    return torch.cat([_wide(values) for values in alike])
