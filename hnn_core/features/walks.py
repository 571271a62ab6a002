"""Random walks of node2vec drawn on the hypergraph itself, so that no clique expansion ever exists.

A step from v picks a hyperedge e ∋ v with probability ∝ |e| and then one of its members uniformly, again if that is v
itself: together exactly P(v → x) ∝ A_vx with A = HHᵀ − D. The second-order bias of node2vec is applied by rejection
(a proposed x is kept with probability α(t, x) / max α), which needs to know of *one* pair whether it shares a
hyperedge, where node2vec as published weighs all neighbours of v at every step.

A proposal is three reads at random places of large arrays, one after another, and a processor waits for each of them.
So several walks go side by side, one proposal each in turn: while one waits for a read it has asked for, others go on.

Weights of incidences play no part. A walk's random numbers depend on the seed and its number only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import sparse

from hnn_core.features.alias import fill
from hnn_core.prefetch import prefetch

Walks = NDArray[np.int32]

#: A place of an alias table: ``hyperedge`` with probability ``cut``, else ``other``; side by side, they are one read.
CHOICE = np.dtype([("cut", np.float32), ("hyperedge", np.int32), ("other", np.int32)])

#: Walks under way at a time: more than a processor has reads under way, few enough to lie in its nearest cache.
SIDE_BY_SIDE = 64
LINE = 16  # int32 numbers of a cache line
FORESEEN = 128  # hyperedges of a node asked for before they are compared with another's; most nodes have fewer


@dataclass(frozen=True)
class WalkGraph:
    """The two sides of the incidence, and an alias table of |e| over the hyperedges of each node."""

    node_start: NDArray[np.int64]
    node_hyperedges: NDArray[np.int32]
    hyperedge_start: NDArray[np.int64]
    hyperedge_nodes: NDArray[np.int32]
    choices: NDArray[np.void]
    """Of type :data:`CHOICE`, one for each of ``node_hyperedges``."""
    degrees: NDArray[np.int64]
    """D^v of each node: how many ways out of it there are."""

    @classmethod
    def of(cls, incidence: sparse.csr_array, transpose: sparse.csr_array) -> WalkGraph:
        """Walks over the rows of ``incidence``; given Hᵀ and H they walk over the hyperedges by A^(e)."""
        start, hyperedges = incidence.indptr.astype(np.int64), incidence.indices.astype(np.int32, copy=False)
        sizes = np.diff(transpose.indptr).astype(np.int64)
        choices = np.empty(len(hyperedges), CHOICE)
        choices["hyperedge"] = hyperedges
        _fill_alias_tables(start, hyperedges, sizes, choices["cut"], choices["other"])
        return cls(
            start,
            hyperedges,
            transpose.indptr.astype(np.int64),
            transpose.indices.astype(np.int32, copy=False),
            choices,
            _sums(start, hyperedges, sizes - 1),
        )


def draw_walks(
    graph: WalkGraph, starts: NDArray[np.int64], length: int, p: float, q: float, seed: int, first: int = 0
) -> Walks:
    """One walk of ``length`` nodes from each of ``starts``, each of which must have a neighbour.

    ``first`` is the number of the first walk, so that walks drawn in portions equal walks drawn at once.
    """
    walks: Walks = _draw(
        graph.node_start,
        graph.node_hyperedges,
        graph.hyperedge_start,
        graph.hyperedge_nodes,
        graph.choices,
        np.ascontiguousarray(starts, dtype=np.int64),
        length,
        1.0 / p,
        1.0 / q,
        np.uint64(seed),
        np.uint64(first),
    )
    return walks


@njit(cache=True, inline="always")
def next_random(state: Any) -> Any:
    """SplitMix64 (Steele, Lea and Flood, 2014): the next state; mix it with :func:`uniform`."""
    return state + np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, inline="always")
def uniform(state: Any) -> Any:
    """A number in [0, 1) from a SplitMix64 state."""
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(cache=True, nogil=True)
def _draw(
    node_start: Any,
    node_hyperedges: Any,
    hyperedge_start: Any,
    hyperedge_nodes: Any,
    choices: Any,
    starts: Any,
    length: Any,
    back: Any,
    away: Any,
    seed: Any,
    first: Any,
) -> Any:
    walks = np.empty((len(starts), length), dtype=np.int32)
    walks[:, 0] = starts
    if length == 1:
        return walks
    highest = max(back, 1.0, away)
    certain = min(1.0, away) / highest  # below this, any x other than the previous node is kept unseen
    possible = max(1.0, away) / highest  # from this on, only the previous node is kept
    count = min(SIDE_BY_SIDE, len(starts))
    number, step = np.empty(count, np.int64), np.empty(count, np.int64)
    state = np.empty(count, np.uint64)
    node, previous = np.empty(count, np.int64), np.empty(count, np.int64)
    place, share = np.empty(count, np.int64), np.empty(count, np.float64)
    e, x = np.empty(count, np.int64), np.empty(count, np.int64)
    u, asked = np.empty(count, np.float64), np.empty(count, np.bool_)
    begun = 0
    for s in range(count):
        number[s], step[s], state[s] = begun, 1, _first_state(seed, first, begun)
        node[s], previous[s] = starts[begun], -1
        begun += 1
    while count > 0:
        # Each loop reads at one random place for each walk and asks memory for what the next loop will read.
        for s in range(count):
            begin = node_start[node[s]]
            state[s] = next_random(state[s])
            drawn = uniform(state[s]) * (node_start[node[s] + 1] - begin)
            place[s], share[s] = begin + np.int64(drawn), drawn - np.int64(drawn)
            prefetch(choices, place[s])
        for s in range(count):
            choice = choices[place[s]]
            e[s] = choice.hyperedge if share[s] < choice.cut else choice.other
            prefetch(hyperedge_start, e[s])
        for s in range(count):
            begin = hyperedge_start[e[s]]
            state[s] = next_random(state[s])
            place[s] = begin + np.int64(uniform(state[s]) * (hyperedge_start[e[s] + 1] - begin))
            prefetch(hyperedge_nodes, place[s])
        for s in range(count):
            x[s] = hyperedge_nodes[place[s]]
            prefetch(node_start, x[s])
        for s in range(count):
            u[s], asked[s] = 0.0, False
            if previous[s] >= 0 and x[s] != node[s]:
                state[s] = next_random(state[s])
                u[s] = uniform(state[s])
                asked[s] = certain <= u[s] < possible and x[s] != previous[s]
                if asked[s]:
                    _foresee(node_start, node_hyperedges, x[s])
                    _foresee(node_start, node_hyperedges, previous[s])
        s = 0
        while s < count:
            if x[s] == node[s]:
                kept = False
            elif x[s] == previous[s]:
                kept = u[s] * highest < back
            elif previous[s] < 0 or u[s] < certain:
                kept = True
            else:
                kept = asked[s] and u[s] * highest < (
                    1.0 if _share(node_start, node_hyperedges, previous[s], x[s]) else away
                )
            if kept:
                walks[number[s], step[s]] = x[s]
                previous[s], node[s] = node[s], x[s]
                step[s] += 1
                if step[s] == length and begun < len(starts):
                    number[s], step[s], state[s] = begun, 1, _first_state(seed, first, begun)
                    node[s], previous[s] = starts[begun], -1
                    begun += 1
                elif step[s] == length:  # the last of the walks under way takes its place
                    count -= 1
                    number[s], step[s], state[s] = number[count], step[count], state[count]
                    node[s], previous[s], x[s] = node[count], previous[count], x[count]
                    u[s], asked[s] = u[count], asked[count]
                    continue
            s += 1
    return walks


@njit(cache=True, inline="always")
def _first_state(seed: Any, first: Any, walk: Any) -> Any:
    """Neighbouring walk numbers must not give neighbouring states, which would be one sequence shifted."""
    mixed = uniform(seed * np.uint64(0x9E3779B97F4A7C15) + first + np.uint64(walk))
    return np.uint64(mixed * 2.0**53) << np.uint64(11)


@njit(cache=True)
def _fill_alias_tables(start: Any, hyperedges: Any, sizes: Any, cut: Any, other: Any) -> None:
    """A table for each node, of its hyperedges by size."""
    longest = 0
    for i in range(len(start) - 1):
        longest = max(longest, start[i + 1] - start[i])
    small, large, share = np.empty(longest, np.int64), np.empty(longest, np.int64), np.empty(longest, np.float64)
    for i in range(len(start) - 1):
        begin, end = start[i], start[i + 1]
        mine, total = share[: end - begin], 0.0
        for k in range(begin, end):
            mine[k - begin] = sizes[hyperedges[k]]
            total += mine[k - begin]
        for k in range(end - begin):
            mine[k] *= (end - begin) / total
        fill(mine, cut[begin:end], other[begin:end], small, large)
        for k in range(begin, end):
            other[k] = hyperedges[begin + other[k]]


@njit(cache=True)
def _sums(start: Any, hyperedges: Any, values: Any) -> Any:
    """Of the values of each node's hyperedges."""
    sums = np.zeros(len(start) - 1, np.int64)
    for i in range(len(sums)):
        for k in range(start[i], start[i + 1]):
            sums[i] += values[hyperedges[k]]
    return sums


@njit(cache=True)
def _share(node_start: Any, node_hyperedges: Any, a: Any, b: Any) -> Any:
    """Whether two nodes are in a common hyperedge: look up each hyperedge of the rarer node in the other's."""
    if node_start[a + 1] - node_start[a] > node_start[b + 1] - node_start[b]:
        a, b = b, a
    low, end = node_start[b], node_start[b + 1]
    for i in range(node_start[a], node_start[a + 1]):
        e = node_hyperedges[i]
        high = end
        while low < high:
            middle = (low + high) >> 1
            if node_hyperedges[middle] < e:
                low = middle + 1
            else:
                high = middle
        if low < end and node_hyperedges[low] == e:
            return True
    return False


@njit(cache=True, inline="always")
def _foresee(node_start: Any, node_hyperedges: Any, node: Any) -> None:
    """Ask memory for the first of a node's hyperedges."""
    for k in range(node_start[node], min(node_start[node + 1], node_start[node] + FORESEEN), LINE):
        prefetch(node_hyperedges, k)
