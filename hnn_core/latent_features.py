"""Sparse given features as few dense ones: latent semantic analysis (Deerwester et al. 1990).

Bags of words weighted by tf–idf, and the rank-F SVD of that matrix. It sees no label and no hyperedge, but every
node's features, so a handful of labels goes further than with thousands of columns: the paper names SVD as one φ.
HGNN's authors join each node with its nearest in features by a hyperedge; ``neighbours`` does the same to the features
themselves, which reaches nodes that no hyperedge does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hnn_core.models.model import FeatureMatrix


def latent_features(features: sparse.csr_array, dim: int, neighbours: int = 0, seed: int = 0) -> NDArray[np.float32]:
    """X (N×dim), rows of length one; a row without any feature stays zero.

    With ``neighbours`` k, X becomes X + AX + A²X, where A takes the mean over a node's k nearest by cosine.
    """
    from sklearn.decomposition import TruncatedSVD  # a second, which processes that train without it need not wait

    counts = sparse.csr_array(features, dtype=np.float64)
    nodes = np.bincount(counts.indices, minlength=counts.shape[1])
    weighted = counts @ sparse.diags_array(np.log((1 + counts.shape[0]) / (1 + nodes)) + 1)
    X = TruncatedSVD(dim, random_state=seed).fit_transform(unit_rows(weighted))
    X = np.asarray(unit_rows(X))
    if neighbours:
        A = _nearest(X, neighbours)
        near = A @ X
        X = np.asarray(unit_rows(X + near + A @ near))
    return X.astype(np.float32)


def unit_rows(X: FeatureMatrix) -> FeatureMatrix:
    """Rows of length one; zero rows stay."""
    if sparse.issparse(X):
        rows = sparse.csr_array(X)
        lengths = np.sqrt(np.asarray(rows.power(2).sum(axis=1)).ravel())
        return sparse.csr_array(sparse.diags_array(_inverse(lengths)) @ rows)
    return X * _inverse(np.linalg.norm(X, axis=1))[:, None]


def aligned(X: NDArray[Any], reference: NDArray[Any]) -> NDArray[Any]:
    """X turned onto the axes of ``reference``: XR with R the rotation that brings it nearest (Schönemann 1966).

    Factors of two hypergraphs that share most hyperedges span nearly the same space, but by axes whose order, sign
    and, among near-equal singular values, direction are accidental. Cosines between rows do not change.
    """
    left, _, right = np.linalg.svd((X.T @ reference).astype(np.float64))
    return np.asarray(X @ (left @ right).astype(X.dtype))


def _nearest(X: NDArray[Any], k: int, rows_at_once: int = 2048) -> sparse.csr_array:
    """The N×N matrix that takes the mean over each row's k nearest rows by cosine, itself left out."""
    n = len(X)
    chosen = np.empty((n, k), dtype=np.int64)
    for start in range(0, n, rows_at_once):
        likeness = X[start : start + rows_at_once] @ X.T
        own = np.arange(len(likeness))
        likeness[own, start + own] = -np.inf
        chosen[start : start + rows_at_once] = np.argpartition(-likeness, k, axis=1)[:, :k]
    return sparse.csr_array((np.full(n * k, 1 / k), (np.repeat(np.arange(n), k), chosen.ravel())), shape=(n, n))


def _inverse(lengths: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0))
