"""The clique expansion A = HHᵀ − D as an operator: two sparse products with H, never the N×N matrix."""

from __future__ import annotations

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from hnn_core.hypergraph import Hypergraph
from hnn_core.nn.propagation import power
from hnn_core.nn.sparse import SparseMatrix


class Clique:
    """A = HHᵀ − D, where A_ij counts the hyperedges that i and j share, normalised in two ways."""

    def __init__(
        self, hypergraph: Hypergraph, device: torch.device | str = "cpu", dtype: torch.dtype = torch.float32
    ) -> None:
        H = hypergraph.incidence
        loops = np.asarray(H.power(2).sum(axis=1)).ravel()  # the diagonal of HHᵀ
        degrees = H @ np.asarray(H.sum(axis=0)).ravel() - loops
        half = power(degrees + 1, -0.5)
        self._half_H = SparseMatrix.from_scipy(sparse.diags_array(half) @ H, dtype, device)
        self._own = torch.tensor((1 - loops) * half**2, dtype=dtype, device=device).unsqueeze(1)
        self._H = SparseMatrix.from_scipy(H, dtype, device)
        self._loops = torch.tensor(loops, dtype=dtype, device=device).unsqueeze(1)
        self._inverse = torch.tensor(power(degrees, -1), dtype=dtype, device=device).unsqueeze(1)

    def symmetric(self, X: Tensor) -> Tensor:
        """D̃^−½ (A + I) D̃^−½ X."""
        return self._half_H @ (self._half_H.T @ X) + self._own * X

    def mean(self, X: Tensor) -> Tensor:
        """The mean row of each node's neighbours, D_v⁻¹ A X; zeros for a node without any."""
        return self._inverse * (self._H @ (self._H.T @ X) - self._loops * X)
