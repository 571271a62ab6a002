"""Skip-gram with negative sampling (Mikolov et al., 2013), trained on walks as they are drawn.

Own kernel instead of gensim: gensim wants every walk as a list of Python objects (over 50 bytes a step against 4
here) and all of them at once, where this trains in place on a portion of walks and forgets it.
One thread: the order of updates, and so the result, is fixed by the seed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hnn_core.features.alias import alias_table
from hnn_core.features.walks import Walks, next_random, uniform

SMOOTHING = 0.75  # negatives are drawn by frequency^0.75
FREQUENT = 0.001  # a node that makes up more than this share of all steps is skipped now and then
LAST_RATE = 0.0001
STREAM = 0xA0761D6478BD642F  # keeps these random numbers apart from those of walks with the same seed


class SkipGram:
    """Vectors of the nodes, and the step by which walks move them."""

    def __init__(
        self,
        frequency: NDArray[Any],
        dim: int,
        seed: int,
        *,
        window: int,
        negatives: int,
        learning_rate: float,
        total_walks: int,
    ) -> None:
        rng = np.random.default_rng(seed)
        self._vectors = (rng.random((len(frequency), dim), dtype=np.float32) - np.float32(0.5)) / np.float32(dim)
        self._contexts = np.zeros_like(self._vectors)
        self._taken, self._other = alias_table(frequency**SMOOTHING)
        # Mikolov's subsampling: hubs teach little about each of the very many nodes they meet.
        share = np.maximum(frequency / frequency.sum(), 1e-12)
        self._kept = np.minimum(np.sqrt(FREQUENT / share) + FREQUENT / share, 1.0).astype(np.float32)
        self._window, self._negatives, self._rate = window, negatives, learning_rate
        self._seed, self._total, self._seen = seed, total_walks, 0

    @property
    def embedding(self) -> NDArray[np.float32]:
        """A node is word and context alike where walks have no direction, so the sum of its two vectors stands for it.

        It predicts held-out links better than the word vectors alone (benchmarks/features.py).
        """
        embedding: NDArray[np.float32] = self._vectors + self._contexts
        return embedding

    def train(self, walks: Walks) -> None:
        """Learn from some of the ``total_walks``; the learning rate falls linearly over all of them."""
        _train(
            walks,
            self._vectors,
            self._contexts,
            self._kept,
            self._taken,
            self._other,
            self._window,
            self._negatives,
            np.float32(self._rate),
            np.float32(LAST_RATE),
            self._seen,
            self._total,
            np.uint64((self._seed * STREAM + self._seen) % 2**64),
        )
        self._seen += len(walks)


@njit(cache=True, nogil=True, fastmath=True)
def _train(
    walks: Any,
    vectors: Any,
    contexts: Any,
    kept: Any,
    taken: Any,
    other: Any,
    window: Any,
    negatives: Any,
    first_rate: Any,
    last_rate: Any,
    seen: Any,
    total: Any,
    seed: Any,
) -> None:
    count = len(walks)
    n, dim = vectors.shape
    step = np.empty(dim, dtype=np.float32)
    walk = np.empty(walks.shape[1], dtype=np.int32)
    state = seed
    for w in range(count):
        rate = first_rate + (last_rate - first_rate) * np.float32((seen + w) / total)
        length = 0
        for node in walks[w]:
            state = next_random(state)
            if uniform(state) < kept[node]:
                walk[length] = node
                length += 1
        for i in range(length):
            centre = walk[i]
            state = next_random(state)
            reach = 1 + int(uniform(state) * window)  # nearer steps count more often
            for j in range(max(0, i - reach), min(length, i + reach + 1)):
                if j == i:
                    continue
                node = walk[j]
                for d in range(dim):
                    step[d] = 0.0
                for k in range(negatives + 1):
                    label = np.float32(1.0)
                    target = centre
                    if k > 0:
                        state = next_random(state)
                        draw = uniform(state) * n
                        target = np.int32(draw)
                        if draw - target >= taken[target]:
                            target = other[target]
                        if target == centre:
                            continue
                        label = np.float32(0.0)
                    score = np.float32(0.0)
                    for d in range(dim):
                        score += vectors[node, d] * contexts[target, d]
                    g = rate * (label - np.float32(1.0) / (np.float32(1.0) + np.exp(-score)))
                    for d in range(dim):
                        step[d] += g * contexts[target, d]
                        contexts[target, d] += g * vectors[node, d]
                for d in range(dim):
                    vectors[node, d] += step[d]
