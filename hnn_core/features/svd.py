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

ROWS_PER_BLOCK = 16_384  # rows turned into float64 at a time: about 10 MB


def svd(hypergraph: Hypergraph, dim: int, seed: int, *, products: int = 14, oversampling: int = 10) -> Features:
    """X = UΣ^½ of the rank-F SVD A ≈ UΣVᵀ, and Y from A^(e) likewise.

    The root shares Σ evenly between the two factors and keeps one large hub from drowning all other columns.
    Where there are fewer than F nodes the remaining columns are zero.
    """
    H = hypergraph.incidence.astype(np.float32)
    Ht = hypergraph.incidence_transpose.astype(np.float32)
    nodes, hyperedges = (
        _embedding(*truncated_svd(*factors, dim, seed, products=products, oversampling=oversampling)[:2], dim)
        for factors in ((H, Ht), (Ht, H))
    )
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
) -> tuple[Dense, Dense, Dense]:
    """U, Σ, Vᵀ of A = ``left @ right`` − diag(row sums of ``left``), the first ``rank`` of them.

    ``left`` and ``right`` are each other's transpose. ``products`` is how often A is multiplied: with 14 the error of
    the reconstruction is that of scikit-learn's ``TruncatedSVD``, which by default multiplies 13 times. Tiny data has
    fewer than ``rank``.
    """
    if products < 2:
        raise ValueError(f"svd: products is {products}, expected at least 2: one for the basis, one for the SVD in it")
    # A row of A without a hyperedge is zero, and so is its row of U: leave it out of all the dense work.
    active = np.flatnonzero(np.diff(left.indptr))
    left, right, whole = left[active], right[:, active], left.shape[0]
    degree = np.asarray(left.sum(axis=1), dtype=np.float32)[:, None]
    n = len(active)

    def A(Q: Dense) -> Dense:
        product: Dense = left @ (right @ Q)
        product -= degree * Q
        return product

    Q: Dense = np.random.default_rng(seed).standard_normal((n, min(rank + oversampling, n)), dtype=np.float32)
    for _ in range(products - 2):
        Q = _well_conditioned(A(Q))
    Q = _orthonormal(A(Q))[0]
    # A ≈ QQᵀA = Q(AQ)ᵀ, because A is symmetric; the SVD of the tall AQ is that of its small triangle.
    V, triangle = _orthonormal(A(Q))
    W, sigma, Zt = linalg.svd(triangle, full_matrices=False, check_finite=False)
    U, sigma, Vt = _signed(Q @ Zt[:rank].T, sigma[:rank], W[:, :rank].T @ V.T)
    return _with_zero_rows(U, active, whole), sigma, _with_zero_rows(Vt.T, active, whole).T


def _well_conditioned(Y: Dense) -> Dense:
    """A basis of the columns of Y, orthonormal but for rounding: Y R⁻¹ with YᵀY = RᵀR (Cholesky).

    Between two products the span is all that matters. This takes a quarter of the work of a QR decomposition;
    the Gram matrix in float64 keeps directions that are 10⁷ times weaker than the strongest.
    """
    gram = np.zeros((Y.shape[1], Y.shape[1]))
    for start in range(0, len(Y), ROWS_PER_BLOCK):
        block = Y[start : start + ROWS_PER_BLOCK].astype(np.float64)
        gram += block.T @ block
    try:
        R = linalg.cholesky(gram, check_finite=False)
    except linalg.LinAlgError:  # A has a lower rank than the basis has columns
        return _orthonormal(Y)[0]
    inverse, _ = linalg.lapack.dtrtri(R)
    Q: Dense = Y @ inverse.astype(np.float32)
    return Q


def _orthonormal(Y: Dense) -> tuple[Dense, Dense]:
    Q, R = linalg.qr(Y, mode="economic", overwrite_a=True, check_finite=False)
    return Q, R


def _signed(U: Dense, sigma: Dense, Vt: Dense) -> tuple[Dense, Dense, Dense]:
    """A singular vector is as good as its negative: make the largest entry of each column of U positive."""
    if not U.size:
        return U, sigma, Vt
    sign = np.where(U[np.abs(U).argmax(axis=0), np.arange(U.shape[1])] < 0, np.float32(-1), np.float32(1))
    return U * sign, sigma, Vt * sign[:, None]


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
