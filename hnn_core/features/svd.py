"""φ = SVD: the rank-F factors of A = HHᵀ − D and of A^(e) = HᵀH − D^e, through the operator.

Randomised subspace iteration (Halko, Martinsson and Tropp, 2011, algorithm 4.4) asks only for products A·Q,
which cost two sparse products with H; A itself, with up to Σ|e|² entries, never exists. Both matrices are
symmetric, so one kind of product serves for A and Aᵀ. One dense block Q is all that is ever held in full: it is
multiplied in its own memory, a few columns at a time.

A product reads rows at random places. Where no cache holds them their length is its price, so all products but the last
two read them rounded to bfloat16. That changes what the basis holds of A far less than another seed does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import linalg, sparse

from hnn_core.bfloat16 import lower, pair, upper
from hnn_core.features.interface import Features, numbered
from hnn_core.hypergraph import Hypergraph
from hnn_core.prefetch import prefetch

Dense = NDArray[np.float32]

COLUMNS_PER_BLOCK = 25  # columns multiplied by A at a time: three times for 64 + 10
AHEAD = 16  # memberships between asking for a row and reading it
FAR_AHEAD = 32  # the same where a row is one cache line
LINE = 16  # float32 numbers of a cache line
CACHED = 2**17  # nodes and hyperedges whose rows, all together, the caches of a processor may hold
EXACT = 2  # products in full precision at the end: one for the basis, one for the SVD in it
ROWS_PER_BLOCK = 256  # rows turned into float64, or replaced, at a time
DEPENDENT = 1e-5  # a column that adds less than this to the others is mostly float32's rounding
ROUNDING = 1e-6  # singular values below this share of the largest are what float32 leaves of zero


def svd(
    hypergraph: Hypergraph,
    dim: int,
    seed: int,
    *,
    products: int = 13,
    oversampling: int = 10,
    rounded: bool | None = None,
) -> Features:
    """X = UΣ^½ of the rank-F SVD A ≈ UΣVᵀ, and Y from A^(e) likewise.

    The root shares Σ evenly between the two factors and keeps one large hub from drowning all other columns.
    Where there are fewer than F nodes the remaining columns are zero.
    """
    H, Ht = hypergraph.incidence, hypergraph.incidence_transpose
    options: dict[str, Any] = {"products": products, "oversampling": oversampling, "rounded": rounded}
    nodes = _embedding(*truncated_svd(H, Ht, dim, seed, **options), dim)
    hyperedges = _embedding(*truncated_svd(Ht, H, dim, seed, **options), dim)
    names = numbered("svd", dim)
    return Features(nodes, hyperedges, names, names)


def truncated_svd(
    left: sparse.csr_array,
    right: sparse.csr_array,
    rank: int,
    seed: int,
    *,
    products: int = 13,
    oversampling: int = 10,
    rounded: bool | None = None,
) -> tuple[Dense, Dense]:
    """U and Σ of A = ``left @ right`` − diag(row sums of ``left``), the first ``rank``; V is AUΣ⁻¹.

    ``left`` and ``right`` are each other's transpose. ``products`` is how often A is multiplied; 13 is what
    scikit-learn's ``TruncatedSVD`` does by default, and gives at most its error. Tiny data has fewer than ``rank``.
    ``rounded`` says whether all products but the last two read rounded numbers; by default where no cache holds them.
    """
    if products < 2:
        raise ValueError(f"svd: products is {products}, expected at least 2: one for the basis, one for the SVD in it")
    height = left.shape[0]
    degree = np.asarray(left.sum(axis=1), dtype=np.float32)
    sides = (left.indptr, left.indices, left.data, right.indptr, right.indices, right.data)
    # A row of A without a hyperedge is zero, and makes the row of Q zero at the first product.
    width = min(rank + oversampling, int(np.count_nonzero(np.diff(left.indptr))))
    Q: Dense = np.random.default_rng(seed).standard_normal((height, width), dtype=np.float32)
    exact = products
    if rounded or (rounded is None and sum(left.shape) > CACHED):
        exact = EXACT
        of_left, of_right = _whole_lines(left.shape[0]), _whole_lines(left.shape[1])
        for _ in range(products - exact):
            multiply_rounded(*sides, degree, Q, of_left, of_right)
            _orthonormalise(Q)
        del of_left, of_right
    between = np.empty((left.shape[1], COLUMNS_PER_BLOCK), dtype=np.float32)
    for _ in range(exact - 1):
        multiply_in_place(*sides, degree, Q, between)
        _orthonormalise(Q)
    _orthonormalise(Q)  # again: the first pass leaves the rounding of an ill-conditioned basis
    multiply_in_place(*sides, degree, Q, between)
    # AQ = UΣZᵀ by the eigenproblem of its Gram matrix; A is symmetric, so this U is also the U of A ≈ (AQ)Qᵀ.
    eigenvalues, Z = linalg.eigh(_gram(Q))
    largest = np.argsort(-eigenvalues, kind="stable")[:rank]
    sigma = np.sqrt(np.maximum(eigenvalues[largest], 0.0))
    inverse = np.divide(1.0, sigma, out=np.zeros_like(sigma), where=sigma > ROUNDING * sigma.max(initial=0.0))
    U = _signed(_turned(Q, (Z[:, largest] * inverse).astype(np.float32)))
    return U, sigma.astype(np.float32)


@njit(cache=True, nogil=True, fastmath=True)
def multiply_in_place(
    left_start: Any,
    left_indices: Any,
    left_data: Any,
    right_start: Any,
    right_indices: Any,
    right_data: Any,
    degree: Any,
    Q: Any,
    between: Any,
) -> None:
    """Q ← left·(right·Q) − degree·Q, a block of columns at a time.

    Once ``between`` holds right·Q, a row of the result needs only its own row of Q, and takes its place.
    """
    height, width = Q.shape
    foreseen = len(left_indices) - AHEAD
    for first in range(0, width, between.shape[1]):
        last = min(first + between.shape[1], width)
        for e in range(len(between)):
            row = between[e, : last - first]
            row[:] = 0.0
            for k in range(right_start[e], right_start[e + 1]):
                if k < foreseen:
                    for c in range(first, last, LINE):
                        prefetch(Q, (right_indices[k + AHEAD], c))
                    prefetch(Q, (right_indices[k + AHEAD], last - 1))
                weight, other = np.float32(right_data[k]), Q[right_indices[k], first:last]
                for c in range(len(row)):
                    row[c] += weight * other[c]
        for i in range(height):
            row = Q[i, first:last]
            for c in range(len(row)):
                row[c] *= -degree[i]
            for k in range(left_start[i], left_start[i + 1]):
                if k < foreseen:
                    for c in range(0, last - first, LINE):
                        prefetch(between, (left_indices[k + AHEAD], c))
                    prefetch(between, (left_indices[k + AHEAD], last - first - 1))
                weight, other = np.float32(left_data[k]), between[left_indices[k]]
                for c in range(len(row)):
                    row[c] += weight * other[c]


@njit(cache=True, nogil=True, fastmath=True)
def multiply_rounded(
    left_start: Any,
    left_indices: Any,
    left_data: Any,
    right_start: Any,
    right_indices: Any,
    right_data: Any,
    degree: Any,
    Q: Any,
    of_left: Any,
    of_right: Any,
) -> None:
    """Q ← left·(right·Q) − degree·Q, where what is read at random places is rounded to bfloat16.

    32 columns at a time are rows of one cache line. Sums are taken, and Q is kept, in float32.
    """
    height, width = Q.shape
    half = of_left.shape[1]
    total = np.zeros(2 * half, np.float32)
    for first in range(0, width, 2 * half):
        last = min(first + 2 * half, width)
        total[:] = 0.0
        for i in range(height):
            total[: last - first] = Q[i, first:last]
            for c in range(half):
                of_left[i, c] = pair(total[c], total[half + c])
        for e in range(len(of_right)):
            _add_up(right_start[e], right_start[e + 1], right_indices, right_data, of_left, total)
            for c in range(half):
                of_right[e, c] = pair(total[c], total[half + c])
        for i in range(height):
            _add_up(left_start[i], left_start[i + 1], left_indices, left_data, of_right, total)
            for c in range(last - first):
                Q[i, first + c] = total[c] - degree[i] * Q[i, first + c]


@njit(cache=True, fastmath=True, inline="always")
def _add_up(begin: Any, end: Any, indices: Any, data: Any, rows: Any, total: Any) -> None:
    """The weighted sum of some of the rows of pairs: the first of each pair, then the second."""
    half = rows.shape[1]
    firsts, seconds = total[:half], total[half:]
    total[:] = 0.0
    foreseen = len(indices) - FAR_AHEAD
    for k in range(begin, end):
        if k < foreseen:
            prefetch(rows, (indices[k + FAR_AHEAD], 0))
        weight, row = np.float32(data[k]), rows[indices[k]]
        for c in range(half):
            firsts[c] += weight * lower(row[c])
            seconds[c] += weight * upper(row[c])


def _whole_lines(length: int) -> NDArray[np.uint32]:
    """Room for rows of pairs that are a cache line each."""
    room = np.empty((length + 1) * LINE, dtype=np.uint32)
    start = -room.ctypes.data % (LINE * room.itemsize) // room.itemsize
    return room[start : start + length * LINE].reshape(length, LINE)


def _orthonormalise(Y: Dense) -> None:
    """Make the columns of Y orthonormal in place, but for rounding: Y ← Y R⁻¹ with YᵀY = RᵀR (Cholesky).

    This takes a quarter of the work of a QR decomposition, which is kept for a Y of lower rank than it has columns
    and for one whose columns are too nearly dependent.
    """
    try:
        R = linalg.cholesky(_gram(Y), check_finite=False)
    except linalg.LinAlgError:
        R = np.zeros((1, 1))
    if R.diagonal().min(initial=np.inf) <= DEPENDENT * R.diagonal().max(initial=0.0):
        Y[:] = linalg.qr(Y, mode="economic", check_finite=False)[0]
        return
    inverse = linalg.solve_triangular(R, np.eye(len(R)), check_finite=False).astype(np.float32)
    for rows in _blocks(len(Y)):
        Y[rows] = Y[rows] @ inverse


def _gram(Y: Dense) -> NDArray[np.float64]:
    """YᵀY, summed in float64."""
    gram = np.zeros((Y.shape[1], Y.shape[1]))
    for rows in _blocks(len(Y)):
        block = Y[rows].astype(np.float64)
        gram += block.T @ block
    return gram


def _turned(Q: Dense, turn: Dense) -> Dense:
    """Q·turn in the memory of Q: ``turn`` makes rows shorter, so a row is read before anything is written over it."""
    n, width = len(Q), turn.shape[1]
    turned = Q.reshape(-1)[: n * width].reshape(n, width)
    for rows in _blocks(n):
        turned[rows] = Q[rows] @ turn
    return turned


def _blocks(rows: int) -> Iterator[slice]:
    return (slice(start, start + ROWS_PER_BLOCK) for start in range(0, rows, ROWS_PER_BLOCK))


def _signed(U: Dense) -> Dense:
    """A singular vector is as good as its negative: make the largest entry of each column positive."""
    if U.size:
        U *= np.where(-U.min(axis=0) > U.max(axis=0), np.float32(-1), np.float32(1))
    return U


def _embedding(U: Dense, sigma: Dense, dim: int) -> Dense:
    U *= np.sqrt(sigma)
    return np.pad(U, ((0, 0), (0, dim - len(sigma)))) if len(sigma) < dim else U
