"""φ = SVD: the rank-F factors of A = HHᵀ − D and of A^(e) = HᵀH − D^e, through the operator.

Randomised subspace iteration (Halko, Martinsson and Tropp, 2011, algorithm 4.4) asks only for products A·Q,
which cost two sparse products with H; A itself, with up to Σ|e|² entries, never exists. Both matrices are
symmetric, so one kind of product serves for A and Aᵀ.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from hnn_core.features.interface import Features, numbered
from hnn_core.hypergraph import Hypergraph

Dense = NDArray[np.float32]

ROWS_PER_BLOCK = 4_096  # rows turned into float64 at a time: a few MB


def svd(hypergraph: Hypergraph, dim: int, seed: int, *, products: int = 14, oversampling: int = 10) -> Features:
    """X = UΣ^½ of the rank-F SVD A ≈ UΣVᵀ, and Y from A^(e) likewise.

    The root shares Σ evenly between the two factors and keeps one large hub from drowning all other columns.
    Where there are fewer than F nodes the remaining columns are zero.
    """
    H = hypergraph.incidence.astype(np.float32)
    Ht = hypergraph.incidence_transpose.astype(np.float32)
    nodes = _embedding(*truncated_svd(H, Ht, dim, seed, products=products, oversampling=oversampling), dim)
    hyperedges = _embedding(*truncated_svd(Ht, H, dim, seed, products=products, oversampling=oversampling), dim)
    names = numbered("svd", dim)
    return Features(nodes, hyperedges, names, names)


def truncated_svd(
    left: sparse.csr_array,
    right: sparse.csr_array,
    rank: int,
    seed: int,
    *,
    products: int = 14,
    oversampling: int = 10,
) -> tuple[Dense, Dense]:
    """U and Σ of A = ``left @ right`` − diag(row sums of ``left``), the first ``rank``; V is AUΣ⁻¹.

    ``left`` and ``right`` are each other's transpose. ``products`` is how often A is multiplied: with 14 the error of
    the reconstruction is that of scikit-learn's ``TruncatedSVD``, which by default multiplies 13 times. Tiny data has
    fewer than ``rank``.
    """
    if products < 2:
        raise ValueError(f"svd: products is {products}, expected at least 2: one for the basis, one for the SVD in it")
    # A row of A without a hyperedge is zero, and so is its row of U: leave it out of all the dense work.
    active = np.flatnonzero(np.diff(left.indptr))
    everything = left.shape[0]
    if len(active) < everything:
        left, right = left[active], right[:, active]
    degree = np.asarray(left.sum(axis=1), dtype=np.float32)[:, None]

    def multiply(Q: Dense) -> Dense:
        """A·Q. Q is used up: subtracting D·Q in its place saves one block of memory."""
        product: Dense = left @ (right @ Q)
        Q *= degree
        product -= Q
        return product

    width = min(rank + oversampling, len(active))
    Q: Dense = np.random.default_rng(seed).standard_normal((len(active), width), dtype=np.float32)
    for _ in range(products - 1):
        Q = _orthonormal(multiply(Q))
    Q = _orthonormal(Q)  # once more: the first pass leaves the rounding of an ill-conditioned basis
    # A ≈ QQᵀA = Q(AQ)ᵀ, because A is symmetric; and the SVD of the tall AQ is the eigenproblem of its Gram matrix.
    eigenvalues, Z = linalg.eigh(_gram(multiply(Q.copy())))
    largest = np.argsort(-eigenvalues, kind="stable")[:rank]
    sigma = np.sqrt(np.maximum(eigenvalues[largest], 0)).astype(np.float32)
    return _with_zero_rows(_signed(Q @ Z[:, largest].astype(np.float32)), active, everything), sigma


def _orthonormal(Y: Dense) -> Dense:
    """An orthonormal basis of the columns of Y, but for rounding: Y R⁻¹ with YᵀY = RᵀR (Cholesky).

    This takes a quarter of the work of a QR decomposition. With the Gram matrix in float64 it keeps directions that
    are 10⁷ times weaker than the strongest, which is all that float32 can hold.
    """
    try:
        R = linalg.cholesky(_gram(Y), check_finite=False)
    except linalg.LinAlgError:  # A has a lower rank than the basis has columns
        return np.ascontiguousarray(linalg.qr(Y, mode="economic", overwrite_a=True, check_finite=False)[0])
    inverse = linalg.solve_triangular(R, np.eye(len(R)), check_finite=False)
    Q: Dense = Y @ inverse.astype(np.float32)
    return Q


def _gram(Y: Dense) -> NDArray[np.float64]:
    """YᵀY, summed in float64."""
    gram = np.zeros((Y.shape[1], Y.shape[1]))
    for start in range(0, len(Y), ROWS_PER_BLOCK):
        block = Y[start : start + ROWS_PER_BLOCK].astype(np.float64)
        gram += block.T @ block
    return gram


def _signed(U: Dense) -> Dense:
    """A singular vector is as good as its negative: make the largest entry of each column positive."""
    if U.size:
        U *= np.where(U[np.abs(U).argmax(axis=0), np.arange(U.shape[1])] < 0, np.float32(-1), np.float32(1))
    return U


def _with_zero_rows(rows: Dense, at: NDArray[np.intp], height: int) -> Dense:
    if len(rows) == height:
        return rows
    full = np.zeros((height, rows.shape[1]), dtype=np.float32)
    full[at] = rows
    return full


def _embedding(U: Dense, sigma: Dense, dim: int) -> Dense:
    X = np.zeros((len(U), dim), dtype=np.float32)
    X[:, : len(sigma)] = U * np.sqrt(sigma)
    return X
