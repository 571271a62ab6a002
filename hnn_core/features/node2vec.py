"""φ = node2vec (Grover and Leskovec, 2016): skip-gram over second-order walks on the hypergraph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hnn_core.features.interface import Features, numbered
from hnn_core.features.skipgram import SkipGram
from hnn_core.features.walks import WalkGraph, Walks, draw_walks
from hnn_core.hypergraph import Hypergraph

STEPS_PER_PORTION = 4_000_000  # walks drawn before they are learned from: 16 MB


#: The nodes some walks start from, and the number of the first of these walks.
Portion = tuple[NDArray[np.int64], int]
#: ``map_batches(function, batches, *shared)``: function(batch, *shared) of each batch, in order, wherever it runs.
MapBatches = Callable[..., Iterator[Any]]


def in_order(function: Callable[..., Any], batches: Iterable[Any], *shared: Any) -> Iterator[Any]:
    """One batch after the other, here."""
    return (function(batch, *shared) for batch in batches)


def node2vec(
    hypergraph: Hypergraph,
    dim: int,
    seed: int,
    *,
    p: float = 1.0,
    q: float = 1.0,
    walks: int = 10,
    length: int = 40,
    window: int = 5,
    negatives: int = 5,
    learning_rate: float = 0.025,
    map_batches: MapBatches = in_order,
) -> Features:
    """X from walks over nodes by A = HHᵀ − D, Y from walks over hyperedges by A^(e) = HᵀH − D^e.

    A small ``p`` makes a walk return more often, a small ``q`` makes it leave the neighbourhood. ``walks`` of
    ``length`` nodes start at every node; a node without a neighbour keeps a zero row. ``map_batches`` draws
    portions of walks, perhaps on other machines: a walk depends on its number, not on where it is drawn.
    """
    for name, value in {"p": p, "q": q, "window": window, "walks": walks, "negatives": negatives}.items():
        if not value > 0:
            raise ValueError(f"node2vec: {name} is {value}, expected a number above 0")
    H, Ht = hypergraph.incidence, hypergraph.incidence_transpose
    settings = (p, q, walks, length, window, negatives, learning_rate, map_batches)
    names = numbered("node2vec", dim)
    return Features(
        _embedding(WalkGraph.of(H, Ht), dim, seed, *settings),
        _embedding(WalkGraph.of(Ht, H), dim, seed, *settings),
        names,
        names,
    )


def draw_portion(portion: Portion, graph: WalkGraph, length: int, p: float, q: float, seed: int) -> Walks:
    """The walks of one portion."""
    starts, first = portion
    return draw_walks(graph, starts, length, p, q, seed, first)


def _embedding(
    graph: WalkGraph,
    dim: int,
    seed: int,
    p: float,
    q: float,
    walks: int,
    length: int,
    window: int,
    negatives: int,
    learning_rate: float,
    map_batches: MapBatches,
) -> NDArray[np.float32]:
    degrees = graph.degrees
    connected = np.flatnonzero(degrees)
    X = np.zeros((len(degrees), dim), dtype=np.float32)
    if not len(connected):
        return X
    rng = np.random.default_rng(seed)

    def rounds(count: int, first: int) -> Iterator[Walks]:
        """``count`` walks from every node in a new order each, some at a time; ``first`` numbers the walks."""
        return map_batches(draw_portion, portions(count, first), graph, length, p, q, seed)

    def portions(count: int, first: int) -> Iterator[Portion]:
        portion = max(1, STEPS_PER_PORTION // length)
        for _ in range(count):
            starts = rng.permutation(connected)
            for begin in range(0, len(starts), portion):
                yield starts[begin : begin + portion], first
                first += len(starts[begin : begin + portion])

    # How often walks visit each node: counted in one round of its own, so that no walks need to be kept.
    visits = np.zeros(len(degrees), dtype=np.int64)
    for drawn in rounds(1, first=walks * len(connected)):
        visits += np.bincount(drawn.ravel(), minlength=len(visits))
    model = SkipGram(
        visits,
        dim,
        seed,
        window=window,
        negatives=negatives,
        learning_rate=learning_rate,
        total_walks=walks * len(connected),
    )
    for drawn in rounds(walks, first=0):
        model.train(drawn)
    X[connected] = model.embedding[connected]
    return X
