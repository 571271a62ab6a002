"""Training fragments that are alike in attributes, though they share no style with the one asked about.

Two brands have no text style in common, but both write grey 14 px on white. Over attribute nodes their fragments are
neighbours, and the styles of one are evidence for the other.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse

from hnn_core.recommend.attribute_nodes import AttributeNodes
from hnn_core.recommend.corpus import Corpus, Observed
from hnn_core.recommend.nearest import largest, unit_rows
from hnn_core.recommend.queries import Queries, Scores

_CONTEXT = 0.3  # weight of the emails' likeness beside that of the fragments
_NEAREST = 60  # alike is vague: more of them must say the same
_SHARPNESS = 4.0


class AlikeFragments:
    """Votes of the fragments most alike over attribute nodes, each sender's fragments together having √n votes."""

    def __init__(self, training: Observed, target: str) -> None:
        corpus = training.corpus
        links = sparse.csr_array(training.incidence[:, training.catalogue(target)])
        fragments = np.flatnonzero(np.diff(links.indptr))
        senders = corpus.sender_of[corpus.email_of[fragments]]
        weight = 1 / np.sqrt(np.bincount(senders)[senders]) if len(senders) else np.zeros(0)
        self._styles = sparse.csr_array(sparse.diags_array(weight) @ links[fragments])
        self._target = target
        nodes = AttributeNodes.of(corpus)
        self._names = nodes.names
        self._known: WeakKeyDictionary[Corpus, sparse.csr_array] = WeakKeyDictionary({corpus: nodes.of_entity})
        counts = np.asarray((training.incidence @ nodes.of_entity > 0).sum(axis=0)).ravel()
        self._weights = sparse.diags_array(np.log1p(corpus.num_fragments / np.maximum(counts, 1)))
        own, email = self._hyperedges(corpus, training.incidence[fragments], training.email_incidence)
        self._own, self._email = own, sparse.csr_array(email[corpus.email_of[fragments]])

    def __call__(self, queries: Queries) -> Scores:
        """Queries × catalogue."""
        parts = [self._votes(batch) for batch in queries.batches()]
        return np.concatenate(parts) if parts else np.empty((0, self._styles.shape[1]))

    def _votes(self, queries: Queries) -> Scores:
        own, email = self._hyperedges(queries.corpus, queries.own, queries.email)
        similarity: Scores = (1 - _CONTEXT) * (own @ self._own.T).toarray()
        similarity += _CONTEXT * (email @ self._email.T).toarray()
        return np.asarray(largest(similarity, _NEAREST) ** _SHARPNESS @ self._styles, np.float64)

    def _hyperedges(
        self, corpus: Corpus, own: sparse.csr_array, email: sparse.csr_array
    ) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Fragments and emails over attribute nodes; a fragment's own style of the target is what is asked for."""
        if corpus not in self._known:
            self._known[corpus] = AttributeNodes.of(corpus, self._names).of_entity
        nodes = sparse.csr_array(self._known[corpus] @ self._weights)
        others = sparse.csr_array(sparse.diags_array((~corpus.is_target(self._target)).astype(np.float64)) @ nodes)
        return unit_rows(own @ others), unit_rows(np.sqrt(email) @ nodes)
