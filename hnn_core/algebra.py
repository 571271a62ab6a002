"""The matrices of section 3.1–3.3 as free functions over a hypergraph.

Square matrices over nodes or hyperedges come as :class:`MatrixChain`, a linear operator that multiplies
through H and Hᵀ and never holds a product: HHᵀ of one hyperedge with a million members has 10¹² entries.
:func:`materialise` builds the sparse matrix where somebody really asks for it. Diagonal matrices are
returned as their diagonal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from hnn_core.hypergraph import Hypergraph

Vector = NDArray[np.float64]
Factor = Any  # a scipy sparse array, or the diagonal of a diagonal matrix as a vector

PRODUCTS_PER_BLOCK = 8_000_000  # intermediate entries of one block of line_graph: about 100 MB


class MatrixChain(LinearOperator):  # type: ignore[misc]
    """The operator F₁F₂…F_k − diag(``minus``), applied from the right, never multiplied out."""

    def __init__(self, *factors: Factor, minus: Vector | None = None) -> None:
        self.factors = factors
        self.minus = minus
        super().__init__(np.float64, (factors[0].shape[0], factors[-1].shape[-1]))

    def _matmat(self, X: NDArray[Any]) -> NDArray[Any]:
        product = X
        for factor in reversed(self.factors):
            product = factor[:, None] * product if factor.ndim == 1 else factor @ product
        return product if self.minus is None else product - self.minus[:, None] * X

    def _matvec(self, x: NDArray[Any]) -> NDArray[Any]:
        return self._matmat(x.reshape(-1, 1)).ravel()

    def _adjoint(self) -> MatrixChain:
        # A vector is its own transpose, so this holds for diagonal factors too.
        return MatrixChain(*(factor.T for factor in reversed(self.factors)), minus=self.minus)


def incidence(hypergraph: Hypergraph) -> sparse.csr_array:
    """H (N×M): H_ik = 1 if v_i ∈ e_k, else 0 (or the weight of the membership, where weights were given)."""
    return hypergraph.incidence


def hyperedge_node_degree(hypergraph: Hypergraph) -> Vector:
    """The diagonal of D = diag(H 1_M): in how many hyperedges each node is."""
    return _row_sums(hypergraph.incidence)


def hyperedge_degree(hypergraph: Hypergraph) -> Vector:
    """The diagonal of D^e = diag(Hᵀ 1_N): the size of each hyperedge."""
    return _row_sums(hypergraph.incidence_transpose)


def node_degree(hypergraph: Hypergraph) -> Vector:
    """The diagonal of D^v = diag(A 1_N): how many nodes a node meets, counted once a shared hyperedge.

    The paper's second form, diag((HHᵀ − D_v) 1), refers to itself; A = HHᵀ − D is what its first form says.
    """
    degree: Vector = adjacency(hypergraph) @ np.ones(hypergraph.num_nodes)
    return degree


def adjacency(hypergraph: Hypergraph) -> MatrixChain:
    """A = HHᵀ − D (N×N): in how many hyperedges two nodes meet."""
    H, Ht = hypergraph.incidence, hypergraph.incidence_transpose
    return MatrixChain(H, Ht, minus=hyperedge_node_degree(hypergraph))


def hyperedge_adjacency(hypergraph: Hypergraph) -> MatrixChain:
    """A^(e) = HᵀH − D^e (M×M): how many nodes two hyperedges share."""
    H, Ht = hypergraph.incidence, hypergraph.incidence_transpose
    return MatrixChain(Ht, H, minus=hyperedge_degree(hypergraph))


def node_transition(hypergraph: Hypergraph) -> MatrixChain:
    """P = H D_e⁻¹ (D⁻¹H)ᵀ (N×N).

    As written it is column-stochastic: column i is where a walk at node i goes next. The column of an
    isolated node is zero, because its degree is inverted to 0.
    """
    H, Ht = hypergraph.incidence, hypergraph.incidence_transpose
    D_inv, De_inv = _inverse_degrees(hypergraph)
    return MatrixChain(H, De_inv, Ht, D_inv)


def hyperedge_transition(hypergraph: Hypergraph) -> MatrixChain:
    """P_e = (D⁻¹H)ᵀ H D_e⁻¹ (M×M), column-stochastic; the column of an empty hyperedge is zero."""
    H, Ht = hypergraph.incidence, hypergraph.incidence_transpose
    D_inv, De_inv = _inverse_degrees(hypergraph)
    return MatrixChain(Ht, D_inv, H, De_inv)


def pseudo_inverse(diagonal: Vector) -> Vector:
    """The pseudo-inverse of a diagonal matrix: 1/d, and 0 (not infinity) where d is 0."""
    return np.divide(1.0, diagonal, out=np.zeros_like(diagonal), where=diagonal != 0)


def materialise(operator: MatrixChain) -> sparse.csr_array:
    """The sparse matrix an operator stands for: up to Σ|e|² entries, for small data and for checking."""
    product = sparse.csr_array(sparse.eye_array(operator.shape[0]))
    for factor in operator.factors:
        product = product @ (sparse.diags_array(factor) if factor.ndim == 1 else factor)
    if operator.minus is not None:
        product = product - sparse.diags_array(operator.minus)
    product = sparse.csr_array(product)
    product.eliminate_zeros()
    product.sort_indices()
    return product


def neighbours(hypergraph: Hypergraph, node: int) -> NDArray[np.integer[Any]]:
    """N_i = ⋃_{e ∈ E_i} e, ascending. By this definition a node in some hyperedge is its own neighbour."""
    reached = [hypergraph.members(int(e)) for e in hypergraph.hyperedges_of(node)]
    return np.unique(np.concatenate(reached)) if reached else np.empty(0, dtype=np.int64)


def hyperedge_neighbourhood(hypergraph: Hypergraph, node: int) -> NDArray[np.integer[Any]]:
    """E_i = {e ∈ E | i ∈ e}, ascending."""
    return hypergraph.hyperedges_of(node)


def line_graph(
    hypergraph: Hypergraph, threshold: float | ArrayLike = 0, *, fraction: float | None = None
) -> sparse.csr_array:
    """E_δ(G_L) = {{v_i, v_j} | i ≠ j, |S_i ∩ S_j| > δ_i} as a symmetric M×M matrix of |S_i ∩ S_j|.

    ``threshold`` is one δ for all or one for each hyperedge; ``fraction`` sets δ_i = fraction·|S_i| instead.
    δ is compared unrounded: half of an odd size 3 asks for at least 2 shared nodes. An unordered pair is an
    edge when either end's threshold is passed. δ = 0 gives the non-zeros of A^(e); a larger δ gives fewer
    edges, never more (the paper's |E_δ| ≥ |E| is reversed).
    """
    sizes = np.diff(hypergraph.incidence_transpose.indptr)
    if fraction is not None:
        # Rounding undoes binary fractions: 0.29 · 100 must be 29, not 28.999999999999996.
        threshold = np.round(fraction * sizes, 9)
    delta = np.broadcast_to(np.asarray(threshold, dtype=np.float64), sizes.shape)
    if not (delta >= 0).all():
        raise ValueError("line graph thresholds must be numbers of at least 0")
    blocks = [_passed(block, start, delta) for start, block in _intersections(hypergraph)]
    return sparse.csr_array(sparse.vstack(blocks)) if blocks else sparse.csr_array((0, 0))


def _intersections(hypergraph: Hypergraph) -> Iterator[tuple[int, sparse.coo_array]]:
    """|S_i ∩ S_j| in blocks of rows i, so that only what passes the threshold is ever kept for all rows."""
    H = sparse.csr_array(hypergraph.incidence.astype(bool), dtype=np.float64)
    Ht = H.T.tocsr()
    work = np.cumsum(Ht @ np.diff(H.indptr).astype(np.float64))
    start = 0
    while start < len(work):
        done = work[start - 1] if start else 0.0
        stop = max(start + 1, int(np.searchsorted(work, done + PRODUCTS_PER_BLOCK)))
        yield start, (Ht[start:stop] @ H).tocoo()
        start = stop


def _passed(block: sparse.coo_array, start: int, delta: Vector) -> sparse.csr_array:
    row, column = block.coords
    i = row + start
    keep = (i != column) & (block.data > np.minimum(delta[i], delta[column]))
    return sparse.csr_array((block.data[keep], (row[keep], column[keep])), shape=block.shape)


def _inverse_degrees(hypergraph: Hypergraph) -> tuple[Vector, Vector]:
    return pseudo_inverse(hyperedge_node_degree(hypergraph)), pseudo_inverse(hyperedge_degree(hypergraph))


def _row_sums(matrix: sparse.csr_array) -> Vector:
    sums: Vector = matrix @ np.ones(matrix.shape[1])
    return sums
