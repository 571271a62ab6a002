"""Random walks of node2vec drawn on the hypergraph itself, so that no clique expansion ever exists.

A step from v picks a hyperedge e ∋ v with probability ∝ |e| and then one of its members uniformly, again if that is v
itself: together exactly P(v → x) ∝ A_vx with A = HHᵀ − D. The second-order bias of node2vec is applied by rejection
(a proposed x is kept with probability α(t, x) / max α), which needs to know of *one* pair whether it shares a
hyperedge, where node2vec as published weighs all neighbours of v at every step.

- max α is that of all x but the previous node t. Where going back weighs more (1/p), what it weighs more is proposed
  apart (KnightKing, Yang et al., 2019): a small p would otherwise refuse most proposals for the sake of one node.
- Whether two nodes share a hyperedge is asked of a filter first, as most do not: see :func:`_share`.

A proposal is several reads at random places of large arrays, one after another, and a processor waits for each of
them. So many walks go side by side, one proposal each in turn: while one waits for a read it has asked for, others go
on.

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

#: Where a node's hyperedges begin, and D^v: how many ways out of it there are. Side by side, they are one read.
NODE = np.dtype([("start", np.int64), ("ways", np.int64)])
#: A place of an alias table: ``hyperedge`` with probability ``cut``, else ``other``.
CHOICE = np.dtype([("cut", np.float32), ("hyperedge", np.int32), ("other", np.int32)])

#: Walks under way at a time: more than a processor has reads under way, few enough to lie in its nearest cache.
SIDE_BY_SIDE = 32
LINE = 16  # int32 numbers of a cache line
FORESEEN = 128  # hyperedges of a node asked for before they are compared with another's; most nodes have fewer
SIFTED = 16  # of these, those whose place in the other's filter is asked for too
PER_WORD = 4  # hyperedges of a node for each of the 64-bit words of its filter


@dataclass(frozen=True)
class WalkGraph:
    """The two sides of the incidence, and an alias table of |e| over the hyperedges of each node."""

    nodes: NDArray[np.void]
    """Of type :data:`NODE`, and one more that tells where the last node's hyperedges end."""
    node_hyperedges: NDArray[np.int32]
    hyperedge_start: NDArray[np.int64]
    hyperedge_nodes: NDArray[np.int32]
    choices: NDArray[np.void]
    """Of type :data:`CHOICE`, one for each of ``node_hyperedges``."""
    filters: NDArray[np.uint64]
    """The hyperedges of each node as bits: see :func:`_words`."""

    @classmethod
    def of(cls, incidence: sparse.csr_array, transpose: sparse.csr_array) -> WalkGraph:
        """Walks over the rows of ``incidence``; given Hᵀ and H they walk over the hyperedges by A^(e)."""
        start, hyperedges = incidence.indptr.astype(np.int64), incidence.indices.astype(np.int32, copy=False)
        sizes = np.diff(transpose.indptr).astype(np.int64)
        nodes = np.zeros(len(start), NODE)
        nodes["start"] = start
        _add_ways(nodes, hyperedges, sizes)
        choices = np.empty(len(hyperedges), CHOICE)
        choices["hyperedge"] = hyperedges
        _fill_alias_tables(start, hyperedges, sizes, choices["cut"], choices["other"])
        filters = np.zeros(len(hyperedges) // PER_WORD + 1, np.uint64)
        _fill_filters(nodes, hyperedges, filters)
        members = transpose.indices.astype(np.int32, copy=False)
        return cls(nodes, hyperedges, transpose.indptr.astype(np.int64), members, choices, filters)

    @property
    def degrees(self) -> NDArray[np.int64]:
        """D^v of each node: how many ways out of it there are."""
        degrees: NDArray[np.int64] = self.nodes["ways"][:-1]
        return degrees


def draw_walks(
    graph: WalkGraph, starts: NDArray[np.int64], length: int, p: float, q: float, seed: int, first: int = 0
) -> Walks:
    """One walk of ``length`` nodes from each of ``starts``, each of which must have a neighbour.

    ``first`` is the number of the first walk, so that walks drawn in portions equal walks drawn at once.
    """
    walks: Walks = _draw(
        graph.nodes,
        graph.node_hyperedges,
        graph.hyperedge_start,
        graph.hyperedge_nodes,
        graph.choices,
        graph.filters,
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


#: A walk under way: ``node`` was reached ``through`` a hyperedge, ``x`` is proposed next. With probability ``back`` the
#: previous node is proposed apart, and kept if ``sought`` (else below 0) is in the hyperedge drawn.
WALK = np.dtype(
    [
        *((name, np.int64) for name in ("number", "step", "node", "previous", "through")),
        *((name, np.int64) for name in ("place", "hyperedge", "x", "sought")),
        *((name, np.float64) for name in ("back", "share", "u")),
        ("state", np.uint64),
        ("asked", np.bool_),
    ],
    align=True,
)


@njit(cache=True, nogil=True)
def _draw(
    nodes: Any,
    node_hyperedges: Any,
    hyperedge_start: Any,
    hyperedge_nodes: Any,
    choices: Any,
    filters: Any,
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
    highest = max(1.0, away)
    certain = min(1.0, away) / highest  # below this, any x other than the previous node is kept unseen
    count = min(SIDE_BY_SIDE, len(starts))
    under_way = np.zeros(count, WALK)
    for s in range(count):
        _begin(under_way[s], s, starts, seed, first)
    begun = count
    while count > 0:
        # Each loop reads at one random place for each walk and asks memory for what the next loop will read.
        for s in range(count):
            w = under_way[s]
            begin, many, w.sought = nodes[w.node].start, _many(nodes, w.node), -1
            if w.back > 0.0:
                w.state = next_random(w.state)
                if uniform(w.state) < w.back:
                    w.sought = w.previous
                    if _many(nodes, w.previous) < many:
                        begin, many, w.sought = nodes[w.previous].start, _many(nodes, w.previous), w.node
            w.state = next_random(w.state)
            drawn = uniform(w.state) * many
            w.place, w.share = begin + np.int64(drawn), drawn - np.int64(drawn)
            prefetch(choices, w.place)
            prefetch(choices, w.place + 1)  # what is read may go on in the next line
        for s in range(count):
            w = under_way[s]
            choice = choices[w.place]
            w.hyperedge = choice.hyperedge if w.sought >= 0 or w.share < choice.cut else choice.other
            prefetch(hyperedge_start, w.hyperedge)
            prefetch(hyperedge_start, w.hyperedge + 1)
        for s in range(count):
            w = under_way[s]
            begin = hyperedge_start[w.hyperedge]
            w.state = next_random(w.state)
            w.place = begin + np.int64(uniform(w.state) * (hyperedge_start[w.hyperedge + 1] - begin))
            prefetch(hyperedge_nodes, w.place)
        for s in range(count):
            w = under_way[s]
            w.x = hyperedge_nodes[w.place] if w.sought < 0 else w.previous
            prefetch(nodes, w.x)
            prefetch(nodes, w.x + 1)
        for s in range(count):
            w = under_way[s]
            w.asked = False
            if w.previous >= 0 and w.sought < 0:
                w.state = next_random(w.state)
                w.u = uniform(w.state)
                # Of a proposal through the hyperedge that led here from the previous node, the answer is known.
                if w.u >= certain and w.x != w.previous and w.x != w.node and w.hyperedge != w.through:
                    w.asked = True
                    _foresee(nodes, node_hyperedges, w.previous, w.x)
        for s in range(count):
            if under_way[s].asked:
                _foresee_filter(nodes, node_hyperedges, filters, under_way[s].previous, under_way[s].x)
        s = 0
        while s < count:
            w = under_way[s]
            if w.sought >= 0:
                kept = _has(hyperedge_nodes, hyperedge_start[w.hyperedge], hyperedge_start[w.hyperedge + 1], w.sought)
            elif w.x == w.node:
                kept = False
            elif w.previous < 0:
                kept = True
            elif w.x == w.previous:
                kept = w.u * highest < back
            elif w.u < certain:
                kept = True
            else:
                near = not w.asked or _share(nodes, node_hyperedges, filters, w.previous, w.x)
                kept = w.u * highest < (1.0 if near else away)
            if kept:
                walks[w.number, w.step] = w.x
                w.previous, w.node, w.through = w.node, w.x, w.hyperedge
                w.step += 1
                if back > highest:
                    apart = (back - highest) * min(_many(nodes, w.previous), _many(nodes, w.node))
                    w.back = apart / (apart + highest * (nodes[w.node].ways + _many(nodes, w.node)))
                if w.step == length and begun < len(starts):
                    _begin(w, begun, starts, seed, first)
                    begun += 1
                elif w.step == length:  # the last of the walks under way takes its place
                    count -= 1
                    under_way[s] = under_way[count]
                    continue
            s += 1
    return walks


@njit(cache=True, inline="always")
def _begin(w: Any, number: Any, starts: Any, seed: Any, first: Any) -> None:
    w.number, w.step, w.state = number, 1, _first_state(seed, first, number)
    w.node, w.previous, w.through, w.back = starts[number], -1, -1, 0.0


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
def _add_ways(nodes: Any, hyperedges: Any, sizes: Any) -> None:
    for i in range(len(nodes) - 1):
        for k in range(nodes[i].start, nodes[i + 1].start):
            nodes[i].ways += sizes[hyperedges[k]] - 1


@njit(cache=True)
def _fill_filters(nodes: Any, hyperedges: Any, filters: Any) -> None:
    for i in range(len(nodes) - 1):
        first, words = _words(nodes, i)
        for k in range(nodes[i].start, nodes[i + 1].start):
            word, bits = _bits(hyperedges[k], words)
            filters[first + word] |= bits


@njit(cache=True, inline="always")
def _many(nodes: Any, node: Any) -> Any:
    """How many hyperedges a node is in."""
    return nodes[node + 1].start - nodes[node].start


@njit(cache=True, inline="always")
def _words(nodes: Any, node: Any) -> Any:
    """The words of a node's filter, the first and how many; neighbours have one in common, which harms neither."""
    first = nodes[node].start // PER_WORD
    return first, (nodes[node + 1].start + PER_WORD - 1) // PER_WORD - first


@njit(cache=True, inline="always")
def _bits(hyperedge: Any, words: Any) -> Any:
    """A blocked Bloom filter (Putze, Sanders and Singler, 2007): a hyperedge's word, and four bits of it."""
    mixed = np.uint64(hyperedge) * np.uint64(0x9E3779B97F4A7C15)
    word = ((mixed >> np.uint64(32)) * np.uint64(words)) >> np.uint64(32)
    one, bit = np.uint64(1), np.uint64(63)
    bits = one << ((mixed >> np.uint64(14)) & bit)
    bits |= one << ((mixed >> np.uint64(20)) & bit)
    bits |= one << ((mixed >> np.uint64(26)) & bit)
    bits |= one << ((mixed >> np.uint64(8)) & bit)
    return np.int64(word), bits


@njit(cache=True, inline="always")
def _rarer_first(nodes: Any, a: Any, b: Any) -> Any:
    return (a, b) if _many(nodes, a) <= _many(nodes, b) else (b, a)


@njit(cache=True)
def _share(nodes: Any, node_hyperedges: Any, filters: Any, a: Any, b: Any) -> Any:
    """Whether two nodes are in a common hyperedge: look up each hyperedge of the rarer node in the other's filter.

    These look-ups do not wait for one another, as the steps of a search would. A search has the last word, but is
    needed for few of those that are not there.
    """
    a, b = _rarer_first(nodes, a, b)
    first, words = _words(nodes, b)
    for k in range(nodes[a].start, nodes[a + 1].start):
        word, bits = _bits(node_hyperedges[k], words)
        if filters[first + word] & bits == bits and _has(
            node_hyperedges, nodes[b].start, nodes[b + 1].start, node_hyperedges[k]
        ):
            return True
    return False


@njit(cache=True)
def _has(sorted_numbers: Any, low: Any, end: Any, number: Any) -> Any:
    """Whether a number is among those from ``low`` to ``end``."""
    high = end
    while low < high:
        middle = (low + high) >> 1
        if sorted_numbers[middle] < number:
            low = middle + 1
        else:
            high = middle
    return low < end and sorted_numbers[low] == number


@njit(cache=True, inline="always")
def _foresee(nodes: Any, node_hyperedges: Any, a: Any, b: Any) -> None:
    """Ask memory for the first hyperedges of the rarer of two nodes."""
    rarer, _ = _rarer_first(nodes, a, b)
    for k in range(nodes[rarer].start, min(nodes[rarer + 1].start, nodes[rarer].start + FORESEEN), LINE):
        prefetch(node_hyperedges, k)


@njit(cache=True, inline="always")
def _foresee_filter(nodes: Any, node_hyperedges: Any, filters: Any, a: Any, b: Any) -> None:
    """Ask memory for the words in which the first of them are looked up."""
    rarer, other = _rarer_first(nodes, a, b)
    first, words = _words(nodes, other)
    for k in range(nodes[rarer].start, min(nodes[rarer + 1].start, nodes[rarer].start + SIFTED)):
        prefetch(filters, first + _bits(node_hyperedges[k], words)[0])
