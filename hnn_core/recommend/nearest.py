"""The training fragments most like a query: what kNN votes with, and what explains a recommendation."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from hnn_core.recommend.corpus import Indices, Observed
from hnn_core.recommend.queries import Queries, Scores

_CONTEXT = 0.3  # weight of the emails' likeness beside that of the fragments
_NEAREST = 30
_SHARPNESS = 4.0


class NearestFragments:
    """Fragments with a known style of the target, and how like them a query is.

    sim(f, g) = .7 cos(f, g) + .3 cos(email of f, email of g), entities weighted by log(1 + F / n_a): a style that
    every fragment shows says little.
    """

    def __init__(self, training: Observed, target: str) -> None:
        self.catalogue = training.catalogue(target)
        links = sparse.csr_array(training.incidence[:, self.catalogue])
        self.fragments: Indices = np.flatnonzero(np.diff(links.indptr))
        self.styles = sparse.csr_array(links[self.fragments])  # fragments × catalogue
        corpus = training.corpus
        counts = np.asarray(training.incidence.sum(axis=0)).ravel()
        weights = np.log1p(corpus.num_fragments / np.maximum(counts, 1))
        self._of_email = sparse.diags_array(weights)
        # A fragment's own style of the target is what is asked for.
        self._of_fragment = sparse.diags_array(weights * ~corpus.is_target(target))
        self._own = unit_rows(training.incidence[self.fragments] @ self._of_fragment)
        emails = unit_rows(np.sqrt(training.email_incidence) @ self._of_email)
        self._emails = emails[corpus.email_of[self.fragments]]

    def similarity(self, queries: Queries) -> Scores:
        """Queries × ``fragments``."""
        own = unit_rows(queries.own @ self._of_fragment)
        email = unit_rows(np.sqrt(queries.email) @ self._of_email)
        similarity: Scores = (1 - _CONTEXT) * (own @ self._own.T).toarray()
        similarity += _CONTEXT * (email @ self._emails.T).toarray()
        return similarity

    def votes(self, queries: Queries) -> Scores:
        """Queries × catalogue: sim^p of the nearest fragments that hold the style."""
        parts = [largest(self.similarity(batch), _NEAREST) ** _SHARPNESS @ self.styles for batch in queries.batches()]
        return np.concatenate(parts) if parts else np.empty((0, len(self.catalogue)))

    def holding(self, similarity: Scores, style: int, count: int) -> Indices:
        """The ``count`` fragments most like one query (a row of ``similarity``) that hold a style of the catalogue."""
        holders = self.styles[:, [style]].nonzero()[0]
        best = np.lexsort((self.fragments[holders], -similarity[holders]))[:count]
        return np.asarray(self.fragments[holders[best]], np.int64)


def largest(similarity: Scores, k: int) -> Scores:
    """Each row's k largest entries, the rest zero; ties at the border all stay, so order cannot matter."""
    if similarity.shape[1] <= k:
        return similarity
    border = np.partition(similarity, -k, axis=1)[:, -k, None]
    return np.asarray(np.where(similarity >= border, similarity, 0.0), np.float64)


def unit_rows(matrix: sparse.csr_array) -> sparse.csr_array:
    """Each row divided by its length."""
    norms = np.sqrt(np.asarray((matrix * matrix).sum(axis=1)).ravel())
    return sparse.csr_array(sparse.diags_array(1 / np.where(norms > 0, norms, 1)) @ matrix)
