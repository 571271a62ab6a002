"""Random walks of node2vec drawn on the hypergraph itself, so that no clique expansion ever exists.

A step from v picks a hyperedge e ∋ v with probability ∝ |e| − 1 and then one of its other members uniformly:
together exactly P(v → x) ∝ A_vx with A = HHᵀ − D. The second-order bias of node2vec is applied by rejection
(a proposed x is kept with probability α(t, x) / max α), which needs to know of *one* pair whether it shares a
hyperedge, where node2vec as published weighs all neighbours of v at every step.

Weights of incidences play no part. A walk's random numbers depend on the seed and its number only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import sparse

Walks = NDArray[np.int32]


@dataclass(frozen=True)
class WalkGraph:
    """The two sides of the incidence, and the running sum of |e| − 1 over the hyperedges of each node."""

    node_start: NDArray[np.int64]
    node_hyperedges: NDArray[np.int32]
    hyperedge_start: NDArray[np.int64]
    hyperedge_nodes: NDArray[np.int32]
    running: NDArray[np.int64]

    @classmethod
    def of(cls, incidence: sparse.csr_array, transpose: sparse.csr_array) -> WalkGraph:
        """Walks over the rows of ``incidence``; given Hᵀ and H they walk over the hyperedges by A^(e)."""
        others = np.diff(transpose.indptr) - 1
        running = np.zeros(incidence.nnz + 1, dtype=np.int64)
        np.cumsum(others[incidence.indices], out=running[1:])
        return cls(
            incidence.indptr.astype(np.int64),
            incidence.indices.astype(np.int32, copy=False),
            transpose.indptr.astype(np.int64),
            transpose.indices.astype(np.int32, copy=False),
            running,
        )

    @property
    def degrees(self) -> NDArray[np.int64]:
        """D^v of each node: how many ways out of it there are."""
        return np.diff(self.running[self.node_start])


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
        graph.running,
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
    running: Any,
    starts: Any,
    length: Any,
    back: Any,
    away: Any,
    seed: Any,
    first: Any,
) -> Any:
    walks = np.empty((len(starts), length), dtype=np.int32)
    highest = max(back, 1.0, away)
    certain = min(1.0, away) / highest  # below this, any x other than the previous node is kept unseen
    for w in range(len(starts)):
        # Neighbouring walk numbers must not give neighbouring states, which would be one sequence shifted.
        state = np.uint64(uniform(seed * np.uint64(0x9E3779B97F4A7C15) + first + np.uint64(w)) * 2.0**53) << np.uint64(
            11
        )
        v = starts[w]
        previous = np.int64(-1)
        walks[w, 0] = v
        for step in range(1, length):
            low, high = running[node_start[v]], running[node_start[v + 1]]
            while True:
                state = next_random(state)
                target = low + np.int64(uniform(state) * (high - low))
                k = _last_not_above(running, node_start[v], node_start[v + 1], target)
                e = node_hyperedges[k]
                begin, end = hyperedge_start[e], hyperedge_start[e + 1]
                x = v
                while x == v:
                    state = next_random(state)
                    x = np.int64(hyperedge_nodes[begin + np.int64(uniform(state) * (end - begin))])
                if previous < 0:
                    break
                state = next_random(state)
                u = uniform(state)
                if x == previous:
                    if u * highest < back:
                        break
                elif u < certain:
                    break
                elif u * highest < max(1.0, away):
                    shared = _share(node_start, node_hyperedges, previous, x)
                    if u * highest < (1.0 if shared else away):
                        break
            previous = v
            v = x
            walks[w, step] = v
    return walks


@njit(cache=True, inline="always")
def _last_not_above(running: Any, low: Any, high: Any, target: Any) -> Any:
    """The last k in [low, high) with running[k] ≤ target: the hyperedge into whose share the target falls."""
    while high - low > 1:
        middle = (low + high) >> 1
        if running[middle] <= target:
            low = middle
        else:
            high = middle
    return low


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
