"""What is known of a fragment that needs a style: its own entities, its email's, and its neighbours'.

A query is rows of sparse matrices over the corpus's entities, so a fragment of an email nobody has seen is asked
about in the same way as one of the corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hnn_core.recommend.corpus import Corpus, Indices, Observed

Scores = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Queries:
    """One row a fragment, one column an entity of the corpus."""

    corpus: Corpus
    fragments: Indices  # which of the corpus's fragments are asked about
    own: sparse.csr_array  # 1 where the fragment holds it
    email: sparse.csr_array  # in how many fragments of the email, this one among them
    neighbours: sparse.csr_array  # in how many of the fragments above, below and beside

    @classmethod
    def of(cls, observed: Observed, fragments: Indices) -> Queries:
        """Ask about fragments of the corpus, with what is visible of them."""
        return cls(
            corpus=observed.corpus,
            fragments=fragments,
            own=observed.incidence[fragments],
            email=observed.email_incidence[observed.corpus.email_of[fragments]],
            neighbours=sparse.csr_array(observed.corpus.neighbours[fragments] @ observed.incidence),
        )

    def __len__(self) -> int:
        return int(self.own.shape[0])

    def __getitem__(self, rows: slice | Indices) -> Queries:
        return Queries(self.corpus, self.fragments[rows], self.own[rows], self.email[rows], self.neighbours[rows])

    def over(self, entities: int) -> Queries:
        """The same without entities from ``entities`` on: those only a new email has, which no method was fitted to."""
        if self.own.shape[1] == entities:
            return self
        rows = (sparse.csr_array(matrix[:, :entities]) for matrix in (self.own, self.email, self.neighbours))
        return Queries(self.corpus, self.fragments, *rows)

    def batches(self, size: int = 1024) -> Iterator[Queries]:
        """Pieces that keep dense query × fragment matrices small."""
        for start in range(0, len(self), size):
            yield self[start : start + size]


Scorer = Callable[[Queries], Scores]
"""Scores of queries × the styles of a catalogue; higher is better."""


class NonFiniteScoresError(ArithmeticError):
    """A method gave NaN or infinity: every comparison with NaN is false, so its ranks would look excellent."""


def finite(scores: Scores, method: str) -> Scores:
    """The scores, or an error that says which method diverged."""
    bad = int(np.size(scores) - np.count_nonzero(np.isfinite(scores)))
    if bad:
        raise NonFiniteScoresError(
            f"{bad} of {np.size(scores)} scores of {method!r} are not finite: training diverged; "
            "lower the learning rate"
        )
    return scores
