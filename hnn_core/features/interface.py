"""What every feature method returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Matrix: TypeAlias = NDArray[np.float32] | sparse.csr_array


@dataclass(frozen=True, eq=False)
class Features:
    """X (N×F) for nodes and Y (M×F_e) for hyperedges, float32, with a name for each column.

    A node in no hyperedge has a zero row wherever the method learns from the hypergraph alone.
    """

    nodes: Matrix
    hyperedges: Matrix
    names: tuple[str, ...]
    hyperedge_names: tuple[str, ...]

    def __post_init__(self) -> None:
        for what, matrix, names in (
            ("nodes", self.nodes, self.names),
            ("hyperedges", self.hyperedges, self.hyperedge_names),
        ):
            if matrix.ndim != 2 or matrix.shape[1] != len(names):
                raise ValueError(f"features of {what}: shape {matrix.shape} does not fit {len(names)} column names")
            if matrix.dtype != np.float32:
                raise ValueError(f"features of {what}: {matrix.dtype}, expected float32")
            if not np.isfinite(_stored(matrix)).all():
                raise ValueError(f"features of {what}: contains NaN or infinity")


def numbered(method: str, dim: int) -> tuple[str, ...]:
    """Names for columns that have no meaning of their own."""
    return tuple(f"{method} {column}" for column in range(dim))


def _stored(matrix: Matrix) -> NDArray[Any]:
    return np.asarray(matrix.data if sparse.issparse(matrix) else matrix)
