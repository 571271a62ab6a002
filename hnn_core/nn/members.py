"""Sets of nodes to be scored: hyperedges seen, hyperedges sampled, hyperedges somebody asks about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from scipy import sparse
from torch import Tensor

from hnn_core.nn.layer import Messages
from hnn_core.nn.sparse import SparseMatrix
from hnn_core.nn.spread import spread


class MemberSets:
    """Q sets of nodes as a Q×N matrix of ones, with sums, means, maxima over the members' rows of Z."""

    def __init__(
        self, incidence: sparse.csr_array, device: torch.device | str = "cpu", dtype: torch.dtype = torch.float32
    ) -> None:
        ones = sparse.csr_array((np.ones(incidence.nnz), incidence.indices, incidence.indptr), shape=incidence.shape)
        sizes = np.diff(ones.indptr)
        self._ones = SparseMatrix.from_scipy(ones, dtype, device)
        self.sizes = torch.tensor(sizes, dtype=dtype, device=device)
        #: member nodes of all sets in a row, and the set each belongs to
        self.nodes = torch.tensor(ones.indices, dtype=torch.int64, device=device)
        self.owner = torch.tensor(np.repeat(np.arange(len(sizes)), sizes), dtype=torch.int64, device=device)

    @classmethod
    def from_lists(
        cls, sets: Iterable[Iterable[int]], num_nodes: int, device: torch.device | str = "cpu", **options: Any
    ) -> MemberSets:
        """From lists of node indices; a node named twice in a list counts once."""
        members = [sorted(set(each)) for each in sets]
        flat = [node for each in members for node in each]
        if flat and not 0 <= min(flat) <= max(flat) < num_nodes:
            raise ValueError(f"a member is not one of the {num_nodes} nodes: indices run from 0")
        starts = np.cumsum([0, *map(len, members)])
        matrix = sparse.csr_array((np.ones(len(flat)), flat, starts), shape=(len(members), num_nodes))
        return cls(matrix, device, **options)

    def __len__(self) -> int:
        return self._ones.shape[0]

    def total(self, rows: Tensor) -> Tensor:
        """Σ_{i∈e} rows_i."""
        return self._ones @ rows

    def mean(self, rows: Tensor) -> Tensor:
        """The members' mean row; zeros for an empty set."""
        return self.total(rows) / self.sizes.clamp(min=1).unsqueeze(1)

    def mean_of_members(self, rows: Tensor) -> Tensor:
        """The mean over one row for each (set, member) pair, in the order of :attr:`nodes`."""
        total = rows.new_zeros(len(self), rows.shape[1]).index_add(0, self.owner, rows)
        return total / self.sizes.clamp(min=1).unsqueeze(1)

    def spread(self, rows: Tensor) -> Tensor:
        """max_{i∈e} rows_i − min_{j∈e} rows_j, by column; zeros for an empty set."""
        return spread(rows, self.nodes, self.owner, len(self))

    def gather(self, messages: Messages) -> Tensor:
        """D_e⁻¹Hᵀ·S + Hᵀ·T for these sets: what a hyperedge over these nodes would receive."""
        if messages.mean is None:
            if messages.total is None:
                raise ValueError("there are no messages to gather")
            return self.total(messages.total)
        gathered = self.mean(messages.mean)
        return gathered if messages.total is None else gathered + self.total(messages.total)
