"""f(e): the score of a hyperedge from its members' embeddings (section 3.5.1).

Every score ends in a learned scale and bias, f = a·s(e) + b: a mean cosine lies in [−1, 1], where ρ(f) cannot
come near 0 or 1. Neither changes the order of scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from hnn_core.nn.members import MemberSets


class Affine(nn.Module):
    """a·s + b with a > 0, so that a larger s always means a likelier hyperedge."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.log_scale = nn.Parameter(torch.tensor(math.log(scale)))
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, score: Tensor) -> Tensor:
        return self.log_scale.exp() * score + self.bias


class MeanCosine(nn.Module):
    """f(e) = 1/T Σ_{i>j ∈ e} x_iᵀx_j over rows of length one: the paper's mean cosine similarity."""

    def __init__(self) -> None:
        super().__init__()
        self.affine = Affine(5.0)

    def forward(self, nodes: Tensor, sets: MemberSets) -> Tensor:
        scored: Tensor = self.affine(mean_pair_product(F.normalize(nodes, eps=1e-6), sets))
        return scored


class MeanProduct(nn.Module):
    """f(e) = 1/T Σ_{i>j ∈ e} x_iᵀx_j as the formula is written, lengths kept: a short row says "unlikely"."""

    def __init__(self) -> None:
        super().__init__()
        self.affine = Affine(1.0)

    def forward(self, nodes: Tensor, sets: MemberSets) -> Tensor:
        scored: Tensor = self.affine(mean_pair_product(nodes, sets))
        return scored


class MaxMin(nn.Module):
    """f(e) = −mean_d(max_i x_id − min_j x_jd).

    The paper's difference is a vector and grows with *dis*similarity: it is reduced by the mean over dimensions
    and its sign is turned. Rows have length one, as for the mean cosine, or shrinking Z would win.
    """

    def __init__(self) -> None:
        super().__init__()
        self.affine = Affine(10.0)

    def forward(self, nodes: Tensor, sets: MemberSets) -> Tensor:
        scored: Tensor = self.affine(-sets.spread(F.normalize(nodes, eps=1e-6)).mean(dim=1))
        return scored


SCORES: dict[str, Callable[[], nn.Module]] = {
    "mean_cosine": MeanCosine,
    "mean_product": MeanProduct,
    "max_min": MaxMin,
}


def mean_pair_product(rows: Tensor, sets: MemberSets) -> Tensor:
    """1/T Σ_{i<j} x_iᵀx_j without visiting pairs: Σ_{i<j} x_iᵀx_j = (‖Σx‖² − Σ‖x‖²)/2. Zero for |e| < 2."""
    together = sets.total(rows).square().sum(dim=1)
    alone = sets.total(rows.square().sum(dim=1, keepdim=True)).squeeze(1)
    return (together - alone) / (sets.sizes * (sets.sizes - 1)).clamp(min=1)
