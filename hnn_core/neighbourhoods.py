"""Sampled neighbourhoods: the part of a hypergraph that decides the embeddings of some nodes, of bounded size.

From the seeds outwards, each node picks at most so many of its hyperedges and each hyperedge at most so many of its
members. What is summed over the picked ones is scaled by |all| / |picked|, and all degrees are those of the whole
hypergraph: each D⁻¹H and D_e⁻¹Hᵀ of the equations is then an unbiased sample mean, and with room for everything the
embeddings of the seeds are those of the whole hypergraph.

A node that picked nothing (the last hop's) hears from the hyperedges through which it was reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numba import njit
from numpy.typing import NDArray
from scipy import sparse

from hnn_core.features.walks import next_random, uniform
from hnn_core.hypergraph import Hypergraph
from hnn_core.nn.propagation import SELF_LOOPS, Propagation, power
from hnn_core.nn.sparse import Rows, SparseMatrix

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Sampling:
    """How large a neighbourhood may be.

    Args:
        hops: steps node → hyperedge → node. A layer of HNN reaches two.
        hyperedges_per_node, members_per_hyperedge: what is picked at most in each step.
        max_nodes: no hop adds nodes beyond this, whatever the seeds are; it bounds memory.
    """

    hops: int = 2
    hyperedges_per_node: int = 10
    members_per_hyperedge: int = 10
    max_nodes: int = 100_000

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value < 1:
                raise ValueError(f"sampling: {name} is {value}, expected 1 or more")


@dataclass(frozen=True)
class Incidence:
    """The two sides of an unweighted incidence; arrays may be files mapped into memory."""

    node_start: Indices
    node_hyperedges: NDArray[np.int32]
    hyperedge_start: Indices
    hyperedge_nodes: NDArray[np.int32]

    @classmethod
    def of(cls, hypergraph: Hypergraph) -> Incidence:
        if (hypergraph.incidence.data != 1).any():
            raise ValueError("neighbourhoods are sampled from hypergraphs without weights; this one has weights")
        H, Ht = hypergraph.incidence, hypergraph.incidence_transpose
        return cls(
            H.indptr.astype(np.int64),
            H.indices.astype(np.int32),
            Ht.indptr.astype(np.int64),
            Ht.indices.astype(np.int32),
        )

    def save(self, folder: Path) -> None:
        """One ``.npy`` file an array."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, array in vars(self).items():
            np.save(folder / f"{name}.npy", array)

    @classmethod
    def open(cls, folder: Path) -> Incidence:
        """What :meth:`save` wrote, mapped: processes of one machine share the pages, and only used ones are read."""
        return cls(*(np.load(folder / f"{name}.npy", mmap_mode="r") for name in cls.__dataclass_fields__))

    @property
    def num_nodes(self) -> int:
        return len(self.node_start) - 1

    @property
    def num_hyperedges(self) -> int:
        return len(self.hyperedge_start) - 1

    def members_of(self, hyperedges: Indices) -> sparse.csr_array:
        """The rows of Hᵀ of some hyperedges."""
        sizes = self.hyperedge_start[hyperedges + 1] - self.hyperedge_start[hyperedges]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        within = np.arange(starts[-1]) - np.repeat(starts[:-1], sizes)
        nodes = self.hyperedge_nodes[np.repeat(self.hyperedge_start[hyperedges], sizes) + within]
        return sparse.csr_array((np.ones(len(nodes)), nodes, starts), shape=(len(hyperedges), self.num_nodes))


@dataclass(frozen=True)
class Neighbourhood:
    """Nodes and hyperedges by their numbers in the hypergraph, both ascending, and H between them."""

    nodes: Indices
    hyperedges: Indices
    H: SampledPropagation

    def sets(self, members: sparse.csr_array) -> sparse.csr_array:
        """Sets of nodes of the hypergraph as sets of nodes of the neighbourhood, which must have them all."""
        local = np.searchsorted(self.nodes, members.indices)
        return sparse.csr_array((members.data, local, members.indptr), shape=(members.shape[0], len(self.nodes)))


def sample_neighbourhood(
    incidence: Incidence,
    seeds: Indices,
    sampling: Sampling,
    seed: int,
    self_loops: str = "none",
    device: torch.device | str = "cpu",
    dtype: torch.dtype = torch.float32,
) -> Neighbourhood:
    """The neighbourhood of the ``seeds``; the same arguments give the same one."""
    nodes = frontier = np.unique(seeds).astype(np.int64)
    hyperedges = np.empty(0, dtype=np.int64)
    to_nodes: list[tuple[Indices, Indices, NDArray[np.float64]]] = []
    to_hyperedges: list[tuple[Indices, Indices, NDArray[np.float64]]] = []
    rng = np.random.default_rng(seed)
    for _ in range(sampling.hops):
        picked = _pick(incidence.node_start, incidence.node_hyperedges, frontier, sampling.hyperedges_per_node, rng)
        to_nodes.append(picked)
        new = np.setdiff1d(picked[1], hyperedges)
        hyperedges = np.union1d(hyperedges, new)
        found = _pick(incidence.hyperedge_start, incidence.hyperedge_nodes, new, sampling.members_per_hyperedge, rng)
        frontier = np.setdiff1d(found[1], nodes)
        room = max(0, sampling.max_nodes - len(nodes))
        if len(frontier) > room:
            frontier = np.sort(rng.choice(frontier, room, replace=False))
        nodes = np.union1d(nodes, frontier)
        to_hyperedges.append(_only(found, nodes, incidence.hyperedge_start))
    to_nodes.append(_heard(to_hyperedges[-1], frontier, incidence.node_start))
    return Neighbourhood(
        nodes,
        hyperedges,
        SampledPropagation(
            Gathering.of(to_nodes, nodes, hyperedges),
            Gathering.of(to_hyperedges, hyperedges, nodes),
            _sizes(incidence.node_start, nodes),
            _sizes(incidence.hyperedge_start, hyperedges),
            self_loops,
            device,
            dtype,
        ),
    )


class Gathering:
    """Which senders each receiver sums over and how much each counts, ordered by receiver and by sender."""

    def __init__(
        self, receivers: Indices, senders: Indices, scale: NDArray[np.float64], shape: tuple[int, int]
    ) -> None:
        self.receivers, self.senders, self.scale, self.shape = receivers, senders, scale, shape
        self._by_receiver = np.lexsort((senders, receivers))
        self._by_sender = np.lexsort((receivers, senders))

    @classmethod
    def of(
        cls, picked: list[tuple[Indices, Indices, NDArray[np.float64]]], receivers: Indices, senders: Indices
    ) -> Gathering:
        who, whom, scale = (np.concatenate(parts) for parts in zip(*picked, strict=True))
        shape = (len(receivers), len(senders))
        return cls(np.searchsorted(receivers, who), np.searchsorted(senders, whom), scale, shape)

    def extended(self, receivers: Indices, senders: Indices, shape: tuple[int, int]) -> Gathering:
        """With pairs more, each counted once."""
        return Gathering(
            np.concatenate([self.receivers, receivers]),
            np.concatenate([self.senders, senders]),
            np.concatenate([self.scale, np.ones(len(receivers))]),
            shape,
        )

    def matrix(
        self, of_receiver: NDArray[Any], of_sender: NDArray[Any], dtype: torch.dtype, device: torch.device
    ) -> SparseMatrix:
        """The matrix with ``scale · of_receiver · of_sender`` at each pair."""
        values = self.scale * of_receiver[self.receivers] * of_sender[self.senders]
        return SparseMatrix(
            _rows(self.receivers, self.senders, values, self._by_receiver, self.shape[0], dtype, device),
            _rows(self.senders, self.receivers, values, self._by_sender, self.shape[1], dtype, device),
            self.shape,
        )


class SampledPropagation(Propagation):
    """H of a neighbourhood, to stand where a layer expects H of a hypergraph.

    H and Hᵀ are two samples here: ``H(a, b) @ X`` sums over the hyperedges a node picked, ``H(a, b).T @ X`` over
    the members a hyperedge picked. Degrees are given, not counted.
    """

    def __init__(
        self,
        to_nodes: Gathering,
        to_hyperedges: Gathering,
        node_degrees: NDArray[np.float64],
        hyperedge_degrees: NDArray[np.float64],
        self_loops: str = "none",
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
    ) -> None:
        if self_loops not in SELF_LOOPS:
            raise ValueError(f"self_loops is {self_loops!r}, expected one of {', '.join(SELF_LOOPS)}")
        self.num_nodes, self.num_hyperedges = to_nodes.shape
        self.device, self.dtype = torch.device(device), dtype
        alone = np.flatnonzero(node_degrees == 0) if self_loops == "isolated" else np.arange(self.num_nodes)
        looped = alone if self_loops != "none" else alone[:0]
        loops = self.num_hyperedges + np.arange(len(looped))
        columns = self.num_hyperedges + len(looped)
        self._to_nodes = to_nodes.extended(looped, loops, (self.num_nodes, columns))
        self._to_hyperedges = to_hyperedges.extended(loops, looped, (columns, self.num_nodes))
        self._node_degrees = node_degrees.copy()
        self._node_degrees[looped] += 1
        self._hyperedge_degrees = np.concatenate([hyperedge_degrees, np.ones(len(looped))])
        self._scaled = {}

    @property
    def num_columns(self) -> int:
        return self._to_nodes.shape[1]

    def H(self, node_power: float = 0, hyperedge_power: float = 0) -> SparseMatrix:
        key = (node_power, hyperedge_power)
        if key not in self._scaled:
            left, right = power(self._node_degrees, node_power), power(self._hyperedge_degrees, hyperedge_power)
            self._scaled[key] = _TwoSided(
                self._to_nodes.matrix(left, right, self.dtype, self.device),
                self._to_hyperedges.matrix(right, left, self.dtype, self.device),
            )
        return self._scaled[key]


class _TwoSided(SparseMatrix):
    """A matrix whose transpose is another sample. Each of the two has its true adjoint for the backward pass."""

    def __init__(self, matrix: SparseMatrix, other: SparseMatrix) -> None:
        super().__init__(matrix._rows, matrix._columns, matrix.shape)
        self._this, self._other = matrix, other

    @property
    def T(self) -> SparseMatrix:
        return _TwoSided(self._other, self._this)


def _rows(
    rows: Indices,
    columns: Indices,
    values: NDArray[np.float64],
    order: NDArray[np.intp],
    count: int,
    dtype: torch.dtype,
    device: torch.device,
) -> Rows:
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=count))])
    return Rows(
        torch.tensor(starts, dtype=torch.int64, device=device),
        torch.tensor(columns[order], dtype=torch.int64, device=device),
        torch.tensor(values[order], dtype=dtype, device=device),
    )


def _sizes(start: Indices, rows: Indices) -> NDArray[np.float64]:
    return (start[rows + 1] - start[rows]).astype(np.float64)


def _pick(
    start: Indices, index: NDArray[np.int32], rows: Indices, most: int, rng: np.random.Generator
) -> tuple[Indices, Indices, NDArray[np.float64]]:
    """At most ``most`` entries of each row, uniformly without repetition: (row, entry, |all| / |picked|)."""
    sizes = start[rows + 1] - start[rows]
    picked = np.minimum(sizes, most)
    entries = _draw(start[rows], sizes, picked, index, np.uint64(rng.integers(2**63)))
    return np.repeat(rows, picked), entries, np.repeat(sizes / np.maximum(picked, 1), picked)


def _only(
    found: tuple[Indices, Indices, NDArray[np.float64]], nodes: Indices, start: Indices
) -> tuple[Indices, Indices, NDArray[np.float64]]:
    """The picked members that are among the nodes, scaled anew where some are not."""
    kept = np.isin(found[1], nodes, assume_unique=False)
    if kept.all():
        return found
    owner, member = found[0][kept], found[1][kept]
    _, position, count = np.unique(owner, return_inverse=True, return_counts=True)
    return owner, member, (start[owner + 1] - start[owner]) / count[position]


def _heard(
    members: tuple[Indices, Indices, NDArray[np.float64]], frontier: Indices, start: Indices
) -> tuple[Indices, Indices, NDArray[np.float64]]:
    """For the nodes of the last hop, the hyperedges of that hop which picked them."""
    kept = np.isin(members[1], frontier)
    node, hyperedge = members[1][kept], members[0][kept]
    _, position, count = np.unique(node, return_inverse=True, return_counts=True)
    return node, hyperedge, (start[node + 1] - start[node]) / count[position]


@njit(cache=True, nogil=True)
def _draw(first: Any, sizes: Any, picked: Any, index: Any, seed: Any) -> Any:
    """Floyd's algorithm: k of n without repetition in k draws, so that a row of millions costs no more."""
    out = np.empty(picked.sum(), dtype=np.int64)
    at = 0
    state = seed
    for row in range(len(first)):
        n, k = sizes[row], picked[row]
        if k == n:
            for j in range(n):
                out[at + j] = index[first[row] + j]
        else:
            for j in range(k):
                top = n - k + j
                state = next_random(state)
                chosen = np.int64(uniform(state) * (top + 1))
                for earlier in range(j):
                    if out[at + earlier] == chosen:
                        chosen = top
                        break
                out[at + j] = chosen
            for j in range(k):
                out[at + j] = index[first[row] + out[at + j]]
        at += k
    return out
