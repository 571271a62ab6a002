"""The matrices that HNN's equations chain: D^a H D_e^b, each with its transpose, built once for a hypergraph.

P, P², H P_e Hᵀ and H Hᵀ are never built (P² of DBLP has 7.5 million entries, H has 0.1): a layer writes them as
products of these. Zero degrees have a pseudo-inverse of 0, never inf.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor

from hnn_core.hypergraph import Hypergraph
from hnn_core.nn.sparse import SparseMatrix

SELF_LOOPS = ("none", "isolated", "all")


class Propagation:
    """H of one hypergraph with its degrees, as sparse operators on a device.

    ``self_loops`` adds hyperedges {i}: for nodes in no hyperedge (``isolated``), for ``all``, or for ``none``.
    They come after the hypergraph's own, so the first ``num_hyperedges`` rows of Y stay what they were.
    """

    _features: Tensor | None = None
    _of_features: dict[str, Tensor]

    def __init__(
        self,
        hypergraph: Hypergraph,
        self_loops: str = "none",
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.num_nodes, self.num_hyperedges = hypergraph.num_nodes, hypergraph.num_hyperedges
        self.device, self.dtype = torch.device(device), dtype
        self._incidence = with_self_loops(hypergraph.incidence, self_loops)
        self._node_degrees = np.asarray(self._incidence.sum(axis=1)).ravel()
        self._hyperedge_degrees = np.asarray(self._incidence.sum(axis=0)).ravel()
        self._scaled: dict[tuple[float, float], SparseMatrix] = {}

    @property
    def num_columns(self) -> int:
        """Hyperedges and self-loops together."""
        return int(self._incidence.shape[1])

    def H(self, node_power: float = 0, hyperedge_power: float = 0) -> SparseMatrix:
        """D^node_power H D_e^hyperedge_power (N×M): ``H(-1, 0)`` is D⁻¹H, ``H(0, -1).T`` is D_e⁻¹Hᵀ."""
        key = (node_power, hyperedge_power)
        if key not in self._scaled:
            left = sparse.diags_array(power(self._node_degrees, node_power))
            right = sparse.diags_array(power(self._hyperedge_degrees, hyperedge_power))
            self._scaled[key] = SparseMatrix.from_scipy(left @ self._incidence @ right, self.dtype, self.device)
        return self._scaled[key]

    def remember(self, features: Tensor) -> None:
        """What is computed of these features alone may be kept: they are the same in every epoch."""
        if not features.requires_grad:
            self._features, self._of_features = features, {}

    def once(self, name: str, X: Tensor, compute: Callable[[], Tensor]) -> Tensor:
        """``compute()``, a function of H and X alone; where X is what :meth:`remember` was given, only once."""
        if X is not self._features:
            return compute()
        if name not in self._of_features:
            self._of_features[name] = compute()
        return self._of_features[name]


def with_self_loops(incidence: sparse.csr_array, self_loops: str) -> sparse.csr_array:
    """H with one hyperedge {i} more for each chosen node."""
    if self_loops not in SELF_LOOPS:
        raise ValueError(f"self_loops is {self_loops!r}, expected one of {', '.join(SELF_LOOPS)}")
    if self_loops == "none":
        return incidence
    n = incidence.shape[0]
    chosen = np.arange(n) if self_loops == "all" else np.flatnonzero(np.diff(incidence.indptr) == 0)
    loops = sparse.csr_array((np.ones(len(chosen)), (chosen, np.arange(len(chosen)))), shape=(n, len(chosen)))
    return sparse.csr_array(sparse.hstack([incidence, loops], format="csr"))


def power(degrees: NDArray[np.float64], exponent: float) -> NDArray[np.float64]:
    """degrees^exponent, where zero to a negative power is zero (the pseudo-inverse), not inf."""
    out = np.zeros_like(degrees)
    np.power(degrees, exponent, out=out, where=(degrees > 0) | (exponent >= 0))
    return out
