"""Negative hyperedges: sets of nodes that look like a hyperedge but are none (section 4.1).

From each hyperedge e a negative f of the same size: a share α of e's nodes stays, the others come from V − e.
α is the difficulty; the paper's half-replacement is α = ½. |e|·α is not whole for a third of all hyperedges: it
is rounded up or down at random, up with the probability of its fraction, so that α is kept exactly on average at
every size. At least one node is always replaced.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

_ATTEMPTS = 100


def sample_negatives(
    hyperedges: sparse.csr_array,
    rng: np.random.Generator,
    difficulty: float = 0.5,
    known: KnownHyperedges | None = None,
) -> sparse.csr_array:
    """One negative for each row of ``hyperedges`` (Q×N), none of them in ``known``.

    ``known`` holds the hyperedges that may be looked at: under an inductive protocol the training ones only.
    """
    if not 0 <= difficulty <= 1:
        raise ValueError(f"difficulty is {difficulty}: it is the share of nodes kept, between 0 and 1")
    negatives = _replace_members(hyperedges, rng, difficulty)
    if known is None:
        return negatives
    for _ in range(_ATTEMPTS):
        wrong = np.flatnonzero(known.contain(negatives))
        if not len(wrong):
            return negatives
        again = _replace_members(hyperedges[wrong], rng, difficulty)
        negatives = _with_rows(negatives, wrong, again)
    raise ValueError(f"{len(wrong)} hyperedges have no negative: nearly every set of their size is a hyperedge already")


class KnownHyperedges:
    """Which sets of nodes are hyperedges, by a 64-bit sum of one random key a node."""

    def __init__(self, hyperedges: sparse.csr_array) -> None:
        self._keys = np.random.default_rng(0).integers(2**64, size=hyperedges.shape[1], dtype=np.uint64)
        self._known = np.unique(self._hash(hyperedges))

    def extend(self, parts: Iterable[sparse.csr_array]) -> None:
        """Know more hyperedges, given some at a time: of each only its hash is kept."""
        self._known = np.unique(np.concatenate([self._known, *map(self._hash, parts)]))

    def contain(self, sets: sparse.csr_array) -> NDArray[np.bool_]:
        """For each row, whether it is a known hyperedge."""
        return np.isin(self._hash(sets), self._known)

    def _hash(self, sets: sparse.csr_array) -> NDArray[np.uint64]:
        sums = np.concatenate([[np.uint64(0)], np.cumsum(self._keys[sets.indices], dtype=np.uint64)])
        return np.asarray(sums[sets.indptr[1:]] - sums[sets.indptr[:-1]])  # modulo 2⁶⁴ on purpose


def _replace_members(hyperedges: sparse.csr_array, rng: np.random.Generator, difficulty: float) -> sparse.csr_array:
    sizes = np.diff(hyperedges.indptr)
    n = hyperedges.shape[1]
    kept = np.floor(difficulty * sizes + rng.random(len(sizes))).astype(np.int64)
    kept = np.minimum(kept, sizes - 1)
    kept = np.maximum(kept, 2 * sizes - n)  # V − e must have enough nodes for the rest
    owner = np.repeat(np.arange(len(sizes)), sizes)
    # A random order within each hyperedge; the first `kept` stay.
    order = np.lexsort((rng.random(len(owner)), owner))
    place = np.arange(len(owner)) - np.repeat(hyperedges.indptr[:-1], sizes)
    stays = place < kept[owner]
    members = owner * n + hyperedges.indices[order]  # a pair (set, node) as one number
    taken = np.sort(owner * n + hyperedges.indices)
    chosen = members[stays]
    wanted = owner[~stays]
    while len(wanted):
        drawn = wanted * n + rng.integers(n, size=len(wanted))
        fresh = ~_in_sorted(drawn, taken)
        first = np.zeros(len(drawn), dtype=bool)
        first[np.unique(drawn, return_index=True)[1]] = True
        good = fresh & first
        chosen = np.concatenate([chosen, drawn[good]])
        taken = np.sort(np.concatenate([taken, drawn[good]]))
        wanted = wanted[~good]
    chosen.sort()
    return sparse.csr_array((np.ones(len(chosen)), chosen % n, hyperedges.indptr), shape=hyperedges.shape)


def _in_sorted(values: NDArray[np.int64], ordered: NDArray[np.int64]) -> NDArray[np.bool_]:
    at = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    return np.asarray(ordered[at] == values)


def _with_rows(matrix: sparse.csr_array, rows: NDArray[np.intp], replacement: sparse.csr_array) -> sparse.csr_array:
    """``matrix`` with some rows replaced; a replacement has as many entries as the row it replaces."""
    indices = matrix.indices.copy()
    for row, start, end in zip(rows, replacement.indptr[:-1], replacement.indptr[1:], strict=True):
        indices[matrix.indptr[row] : matrix.indptr[row + 1]] = replacement.indices[start:end]
    return sparse.csr_array((matrix.data, indices, matrix.indptr), shape=matrix.shape)
