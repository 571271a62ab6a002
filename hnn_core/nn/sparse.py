"""Constant sparse matrices with a stored transpose, and their differentiable product with a dense matrix.

Autograd's own backward of a CSR product transposes the matrix again in every step. Here both A and Aᵀ are kept
by rows: the forward pass is A·X, the backward pass Aᵀ·∂, each the same fast kernel. That kernel is
``embedding_bag``: a row of A·X is a weighted bag of rows of X, and torch's bag kernel is about five times as
fast on a CPU as its CSR product at the widths used here, and exists on every device.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import torch
from scipy import sparse
from torch import Tensor
from torch.nn.functional import embedding_bag

from hnn_core.nn.randomness import dropout


@dataclass(frozen=True)
class Rows:
    """The rows of a sparse matrix: row r holds ``values`` at columns ``columns[starts[r]:starts[r + 1]]``."""

    starts: Tensor
    columns: Tensor
    values: Tensor

    @classmethod
    def of(cls, matrix: sparse.csr_array, dtype: torch.dtype, device: torch.device) -> Rows:
        return cls(
            torch.tensor(matrix.indptr, dtype=torch.int64, device=device),
            torch.tensor(matrix.indices, dtype=torch.int64, device=device),
            torch.tensor(matrix.data, dtype=dtype, device=device),
        )

    def times(self, dense: Tensor) -> Tensor:
        """The product with a dense matrix; an empty row gives zeros."""
        return embedding_bag(
            self.columns,
            dense.contiguous(),
            self.starts,
            mode="sum",
            per_sample_weights=self.values,
            include_last_offset=True,
        )


class SparseMatrix:
    """A constant sparse matrix A; ``A @ X`` is differentiable in X, ``A.T`` costs nothing."""

    def __init__(self, rows: Rows, columns: Rows, shape: tuple[int, int]) -> None:
        self._rows, self._columns, self.shape = rows, columns, shape

    @classmethod
    def from_scipy(
        cls,
        matrix: Any,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
    ) -> SparseMatrix:
        """Store ``matrix`` (anything scipy can turn into CSR) and its transpose."""
        csr = sparse.csr_array(matrix)
        where = torch.device(device)
        shape = (int(csr.shape[0]), int(csr.shape[1]))
        return cls(Rows.of(csr, dtype, where), Rows.of(csr.T.tocsr(), dtype, where), shape)

    @property
    def T(self) -> SparseMatrix:
        """The transpose, sharing all storage."""
        return SparseMatrix(self._columns, self._rows, self.shape[::-1])

    @property
    def device(self) -> torch.device:
        return self._rows.values.device

    def __matmul__(self, dense: Tensor) -> Tensor:
        if dense.shape[0] != self.shape[1]:
            raise ValueError(f"cannot multiply {self.shape} by {tuple(dense.shape)}")
        return cast(Tensor, _Product.apply(dense, self._rows, self._columns))  # type: ignore[no-untyped-call]

    def dropout(self, probability: float) -> SparseMatrix:
        """Each stored entry zeroed with this probability, the others scaled to keep the expectation."""
        values = dropout(self._rows.values, probability)
        return SparseMatrix(
            Rows(self._rows.starts, self._rows.columns, values),
            Rows(self._columns.starts, self._columns.columns, values[self._transposition]),
            self.shape,
        )

    @cached_property
    def _transposition(self) -> Tensor:
        """Which entry of the rows each entry of the columns is: both must drop the same ones."""
        return torch.argsort(self._rows.columns, stable=True)

    def to_dense(self) -> Tensor:
        """The dense matrix, for tests and small examples."""
        return self._rows.times(
            torch.eye(self.shape[1], dtype=self._rows.values.dtype, device=self._rows.values.device)
        )


class _Product(torch.autograd.Function):
    """A·X forward, Aᵀ·∂ backward."""

    @staticmethod
    def forward(ctx: Any, dense: Tensor, rows: Rows, columns: Rows) -> Tensor:
        ctx.columns = columns
        return rows.times(dense.detach())  # else torch's kernel prepares a backward pass that is not used

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, None, None]:
        return (ctx.columns.times(gradients[0]) if ctx.needs_input_grad[0] else None), None, None
