"""The hypergraph G = (V, E) of section 3.1: typed nodes, typed hyperedges, and the incidence between them.

``Hypergraph`` is data and never changes after it was built; everything computed from it lives in
:mod:`hnn_core.algebra`, reading and writing in :mod:`hnn_core.io`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

Ids = Sequence[Any] | NDArray[Any]
Types = Sequence[str] | NDArray[Any]


@dataclass(frozen=True, eq=False)
class Hypergraph:
    """Nodes V, hyperedges E ⊆ 2^V and the incidence matrix H (N×M) with H_ik > 0 iff v_i ∈ e_k.

    Isolated nodes and empty hyperedges are legal. H holds ones unless weights were given. Types are small
    integer codes into ``*_type_names``; a homogeneous hypergraph has one type of each.
    """

    incidence: sparse.csr_array
    node_ids: NDArray[Any]
    hyperedge_ids: NDArray[Any]
    node_types: NDArray[np.int16]
    node_type_names: tuple[str, ...]
    hyperedge_types: NDArray[np.int16]
    hyperedge_type_names: tuple[str, ...]

    @classmethod
    def from_pairs(
        cls,
        nodes: ArrayLike,
        hyperedges: ArrayLike,
        num_nodes: int | None = None,
        num_hyperedges: int | None = None,
        weights: ArrayLike | None = None,
        *,
        node_ids: Ids | None = None,
        hyperedge_ids: Ids | None = None,
        node_types: Types | None = None,
        node_type_names: Sequence[str] | None = None,
        hyperedge_types: Types | None = None,
        hyperedge_type_names: Sequence[str] | None = None,
    ) -> Hypergraph:
        """Build from parallel arrays: ``nodes[k]`` is a member of ``hyperedges[k]``.

        A repeated pair counts once, with the largest of its weights. Types are names, or codes into
        ``*_type_names``; sizes default to the number of ids or types given, else to the largest index + 1.
        """
        node = _indices(nodes, "nodes")
        edge = _indices(hyperedges, "hyperedges")
        if len(node) != len(edge):
            raise ValueError(f"nodes has {len(node)} entries and hyperedges {len(edge)}: pairs need as many of each")
        n = _size(num_nodes, node, node_ids, node_types, "node")
        m = _size(num_hyperedges, edge, hyperedge_ids, hyperedge_types, "hyperedge")
        node_codes, node_names = _type_codes(node_types, node_type_names, n, "node")
        edge_codes, edge_names = _type_codes(hyperedge_types, hyperedge_type_names, m, "hyperedge")
        return cls(
            incidence=_collapse(node, edge, weights, (n, m)),
            node_ids=_ids(node_ids, n, "node"),
            hyperedge_ids=_ids(hyperedge_ids, m, "hyperedge"),
            node_types=node_codes,
            node_type_names=node_names,
            hyperedge_types=edge_codes,
            hyperedge_type_names=edge_names,
        )

    @classmethod
    def from_hyperedges(
        cls,
        hyperedges: Iterable[Iterable[int]] | Mapping[Any, Iterable[int]],
        num_nodes: int | None = None,
        **ids_and_types: Any,
    ) -> Hypergraph:
        """Build from lists of node indices, one list a hyperedge; the keys of a mapping become the ids.

        Takes the same ids and types as :meth:`from_pairs`.
        """
        if isinstance(hyperedges, Mapping):
            ids_and_types.setdefault("hyperedge_ids", list(hyperedges))
            hyperedges = hyperedges.values()
        members = [_members(e, position) for position, e in enumerate(hyperedges)]
        sizes = np.fromiter(map(len, members), dtype=np.int64, count=len(members))
        nodes = _flat(members) if sizes.sum() else np.empty(0, np.int64)
        edges = np.repeat(np.arange(len(members)), sizes)
        return cls.from_pairs(nodes, edges, num_nodes, len(members), **ids_and_types)

    def __post_init__(self) -> None:
        H = self.incidence
        if not isinstance(H, sparse.csr_array) or not H.has_canonical_format:
            raise ValueError("incidence must be a csr_array with sorted, unique entries: use Hypergraph.from_pairs")
        if len(H.data) and not (np.isfinite(H.data).all() and (H.data > 0).all()):
            at = int(np.flatnonzero(~(np.isfinite(H.data) & (H.data > 0)))[0])
            raise ValueError(f"weight {H.data[at]} of incidence {at} is not a finite number above zero")
        for what, size, ids, codes, names in (
            ("node", self.num_nodes, self.node_ids, self.node_types, self.node_type_names),
            (
                "hyperedge",
                self.num_hyperedges,
                self.hyperedge_ids,
                self.hyperedge_types,
                self.hyperedge_type_names,
            ),
        ):
            _check_ids(ids, size, what)
            _check_types(codes, names, size, what)
        for array in (H.data, H.indices, H.indptr, self.node_ids, self.hyperedge_ids, self.node_types):
            array.setflags(write=False)
        self.hyperedge_types.setflags(write=False)

    @property
    def num_nodes(self) -> int:
        """N = |V|."""
        return int(self.incidence.shape[0])

    @property
    def num_hyperedges(self) -> int:
        """M = |E|."""
        return int(self.incidence.shape[1])

    @property
    def num_incidences(self) -> int:
        """Σ_k |e_k|, the stored entries of H."""
        return int(self.incidence.nnz)

    @cached_property
    def incidence_transpose(self) -> sparse.csr_array:
        """Hᵀ (M×N), by rows: a product with Hᵀ, and the members of a hyperedge, come from here."""
        transposed = self.incidence.T.tocsr()
        for array in (transposed.data, transposed.indices, transposed.indptr):
            array.setflags(write=False)
        return transposed

    def members(self, hyperedge: int) -> NDArray[np.integer[Any]]:
        """The nodes of hyperedge e_k, ascending."""
        return _row(self.incidence_transpose, hyperedge, "hyperedge")

    def hyperedges_of(self, node: int) -> NDArray[np.integer[Any]]:
        """E_i = {e ∈ E | i ∈ e}, ascending."""
        return _row(self.incidence, node, "node")

    def nodes_of_type(self, name: str) -> NDArray[np.intp]:
        """Indices of the nodes of one type."""
        return np.flatnonzero(self.node_types == _type_code(name, self.node_type_names, "node"))

    def hyperedges_of_type(self, name: str) -> NDArray[np.intp]:
        """Indices of the hyperedges of one type."""
        return np.flatnonzero(self.hyperedge_types == _type_code(name, self.hyperedge_type_names, "hyperedge"))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hypergraph):
            return NotImplemented
        mine, theirs = self.incidence, other.incidence
        return (
            mine.shape == theirs.shape
            and self.node_type_names == other.node_type_names
            and self.hyperedge_type_names == other.hyperedge_type_names
            and all(
                np.array_equal(a, b)
                for a, b in (
                    (mine.indptr, theirs.indptr),
                    (mine.indices, theirs.indices),
                    (mine.data, theirs.data),
                    (self.node_ids, other.node_ids),
                    (self.hyperedge_ids, other.hyperedge_ids),
                    (self.node_types, other.node_types),
                    (self.hyperedge_types, other.hyperedge_types),
                )
            )
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"Hypergraph({self.num_nodes} nodes of {len(self.node_type_names)} types, {self.num_hyperedges} "
            f"hyperedges of {len(self.hyperedge_type_names)} types, {self.num_incidences} incidences)"
        )


def keep_hyperedges(hypergraph: Hypergraph, selection: ArrayLike) -> Hypergraph:
    """All the nodes but only the selected hyperedges: a mask, or indices in their new order."""
    chosen = np.arange(hypergraph.num_hyperedges)[np.asarray(selection)]
    kept = hypergraph.incidence_transpose[chosen].T.tocsr()
    kept.sort_indices()
    return replace(
        hypergraph,
        incidence=kept,
        hyperedge_ids=hypergraph.hyperedge_ids[chosen],
        hyperedge_types=hypergraph.hyperedge_types[chosen],
    )


def _collapse(
    node: NDArray[np.int64], edge: NDArray[np.int64], weights: ArrayLike | None, shape: tuple[int, int]
) -> sparse.csr_array:
    """H from pairs, a repeated pair once."""
    if weights is None:
        H = sparse.coo_array((np.ones(len(node)), (node, edge)), shape=shape).tocsr()
        H.sum_duplicates()
        H.data.fill(1.0)
        return H
    weight = np.asarray(weights, dtype=np.float64)
    if weight.shape != node.shape:
        raise ValueError(f"weights has shape {weight.shape}, expected one weight for each of {len(node)} pairs")
    bad = np.flatnonzero(~(np.isfinite(weight) & (weight > 0)))
    if len(bad):
        raise ValueError(f"weights[{bad[0]}] is {weight[bad[0]]}: expected a finite number above zero")
    order = np.lexsort((weight, edge, node))
    node, edge, weight = node[order], edge[order], weight[order]
    last = np.ones(len(node), dtype=bool)
    last[:-1] = (node[1:] != node[:-1]) | (edge[1:] != edge[:-1])
    H = sparse.coo_array((weight[last], (node[last], edge[last])), shape=shape).tocsr()
    H.sum_duplicates()
    return H


def _members(hyperedge: Iterable[int], position: int) -> list[int]:
    try:
        return list(hyperedge)
    except TypeError:
        raise ValueError(f"hyperedges[{position}] is {hyperedge!r}: expected a list of node indices") from None


def _flat(members: list[list[int]]) -> NDArray[np.integer[Any]]:
    """All members in a row; a wrong one is named by its hyperedge, not by a place in this row."""
    try:
        nodes = np.array(list(chain.from_iterable(members)))  # no dtype: 1.5 must be refused, not cast
    except ValueError:  # a list among the members
        nodes = np.empty(0)
    if not np.issubdtype(nodes.dtype, np.integer) or nodes.min() < 0:
        for position, hyperedge in enumerate(members):
            for node in hyperedge:
                if isinstance(node, bool) or not isinstance(node, int | np.integer) or node < 0:
                    raise ValueError(
                        f"hyperedges[{position}] has the member {node!r}: expected indices of nodes, from 0 on; "
                        "names of nodes go into node_ids"
                    )
    return nodes


def _indices(values: ArrayLike, what: str) -> NDArray[np.int64]:
    array = np.asarray(values)
    if array.size == 0:
        return np.empty(0, dtype=np.int64)
    if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{what} must be a flat list of integer indices, got {array.dtype} of shape {array.shape}")
    if array.min() < 0:
        raise ValueError(f"{what}[{int(array.argmin())}] is {array.min()}: indices start at 0")
    return array.astype(np.int64, copy=False)


def _size(given: int | None, index: NDArray[np.int64], ids: Ids | None, types: Types | None, what: str) -> int:
    known = {f"{what}_{name}": len(values) for name, values in (("ids", ids), ("types", types)) if values is not None}
    size = given if given is not None else next(iter(known.values()), int(index.max(initial=-1)) + 1)
    if size < 0:
        raise ValueError(f"num_{what}s is {size}, expected 0 or more")
    if index.max(initial=-1) >= size:
        at = int(np.flatnonzero(index >= size)[0])
        counted = f" by the length of {next(iter(known))}" if given is None else ""
        raise ValueError(f"{what}s[{at}] is {index[at]}, but there are only {size} {what}s (0 to {size - 1}){counted}")
    return size


def _ids(ids: Ids | None, size: int, what: str) -> NDArray[Any]:
    if ids is None:
        return np.arange(size)
    if isinstance(ids, np.ndarray) and np.issubdtype(ids.dtype, np.integer):
        return ids.astype(np.int64)
    values = list(ids)
    if values and all(isinstance(value, int | np.integer) for value in values):
        return np.array(values, dtype=np.int64)
    array = np.empty(len(values), dtype=object)
    array[:] = [str(value) for value in values]
    return array


def _check_ids(ids: NDArray[Any], size: int, what: str) -> None:
    if ids.shape != (size,):
        raise ValueError(f"{what}_ids has shape {ids.shape}, expected one id for each of {size} {what}s")
    if np.issubdtype(ids.dtype, np.integer) and bool(np.all(ids[1:] > ids[:-1])):
        return  # the usual 0, 1, 2, …: no need to hash millions of them
    if len(set(ids.tolist())) < size:
        twice = Counter(ids.tolist()).most_common(1)[0][0]
        raise ValueError(f"{what}_ids names {twice!r} more than once: ids must be unique")


def _type_codes(
    types: Types | None, names: Sequence[str] | None, size: int, what: str
) -> tuple[NDArray[np.int16], tuple[str, ...]]:
    """Codes and names from names or codes; without types, all are of the one type called ``what``."""
    if types is None:
        if names is not None and len(names) != 1:
            raise ValueError(f"{what}_type_names has {len(names)} names: also give {what}_types")
        return np.zeros(size, dtype=np.int16), tuple(names or (what,))
    if isinstance(types, str):
        raise ValueError(f"{what}_types is the text {types!r}: expected a list, one type for each {what}")
    if len(types) and isinstance(types[0], str):
        odd = next((i for i, name in enumerate(types) if not isinstance(name, str)), None)
        if odd is not None:
            raise ValueError(f"{what}_types[{odd}] is {types[odd]!r}: expected a name, as the first one is")
        order = tuple(names) if names is not None else tuple(dict.fromkeys(str(name) for name in types))
        code = {name: i for i, name in enumerate(order)}
        unknown = next((name for name in types if name not in code), None)
        if unknown is not None:
            raise ValueError(f"{what}_types has {unknown!r}, which is not one of {what}_type_names {order}")
        return np.fromiter((code[name] for name in types), dtype=np.int16, count=len(types)), order
    if names is None:
        if len(types):
            raise ValueError(f"{what}_types are codes: also give {what}_type_names, what each code means")
        names = (what,)
    codes = np.asarray(types) if len(types) else np.empty(0, np.int16)
    if not np.issubdtype(codes.dtype, np.integer):  # a cast would make 0 of 0.5
        raise ValueError(f"{what}_types must be names, or integer codes into {what}_type_names; got {codes.dtype}")
    _check_types(codes, tuple(names), size, what)
    return codes.astype(np.int16), tuple(names)


def _check_types(codes: NDArray[np.integer[Any]], names: tuple[str, ...], size: int, what: str) -> None:
    if codes.shape != (size,):
        raise ValueError(f"{what}_types has length {len(codes)}, expected one type for each of {size} {what}s")
    if len(set(names)) != len(names):
        raise ValueError(f"{what}_type_names {names} repeats a name")
    if size and not 0 <= int(codes.min()) <= int(codes.max()) < len(names):
        at = int(np.flatnonzero((codes < 0) | (codes >= len(names)))[0])
        raise ValueError(f"{what}_types[{at}] is {codes[at]}, expected a code below {len(names)} ({names})")


def _type_code(name: str, names: tuple[str, ...], what: str) -> int:
    if name not in names:
        raise KeyError(f"no {what} type {name!r}; this hypergraph has {', '.join(names)}")
    return names.index(name)


def _row(matrix: sparse.csr_array, row: int, what: str) -> NDArray[np.integer[Any]]:
    if not 0 <= row < matrix.shape[0]:
        raise IndexError(f"{what} {row} does not exist: there are {matrix.shape[0]} {what}s")
    indices: NDArray[np.integer[Any]] = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
    return indices
