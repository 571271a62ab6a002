"""The simple methods a recommender has to beat. Each takes what is visible and gives a scorer of queries.

They are strong: on near-duplicate campaigns, looking up what stood beside the same text style is hard to beat.
Where a method knows nothing about a candidate, popularity breaks the tie.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy import sparse

from hnn_core import seeds
from hnn_core.recommend.corpus import Observed
from hnn_core.recommend.nearest import NearestFragments
from hnn_core.recommend.queries import Queries, Scorer, Scores


def random(training: Observed, target: str, seed: int) -> Scorer:
    """A uniformly random order for each query (the paper's Random)."""
    styles, generator = len(training.catalogue(target)), seeds.generator(seed, "random", target)
    return lambda queries: generator.random((len(queries), styles))


def popularity(training: Observed, target: str, seed: int) -> Scorer:
    """n_s, the number of fragments that hold style s (the paper's Pop.)."""
    counts = link_counts(training, target)
    return lambda queries: np.tile(counts, (len(queries), 1))


def same_email(training: Observed, target: str, seed: int) -> Scorer:
    """In how many fragments of the same email the style is seen."""
    return _counting(training, target, lambda queries: queries.email)


def neighbours(training: Observed, target: str, seed: int) -> Scorer:
    """In how many of the fragments above, below and beside the style is seen."""
    return _counting(training, target, lambda queries: queries.neighbours)


def co_occurrence(training: Observed, target: str, seed: int) -> Scorer:
    """Σ_{a ∈ f} n_{as} / n_a: how often s stands in a fragment with each entity a that f shows."""
    catalogue, counts = training.catalogue(target), link_counts(training, target)
    H = training.incidence
    together = (H.T @ H[:, catalogue]).tocsr()
    given = sparse.csr_array(sparse.diags_array(1 / np.maximum(_column_sums(H), 1)) @ together)
    return lambda queries: _tie_broken((queries.own @ given).toarray(), counts)


def knn_context(training: Observed, target: str, seed: int) -> Scorer:
    """Fragment kNN with the email as context: Σ_{g ∈ kNN(f)} sim(f, g)^p [s ∈ g]."""
    nearest, counts = NearestFragments(training, target), link_counts(training, target)
    return lambda queries: _tie_broken(nearest.votes(queries), counts)


def svd(training: Observed, target: str, seed: int, rank: int = 128) -> Scorer:
    """Rank-k reconstruction of the incidence, x_f V Vᵀ (PureSVD: a fragment needs no factor of its own)."""
    from sklearn.utils.extmath import randomized_svd  # a second, which who measures no rival need not wait

    catalogue, counts = training.catalogue(target), link_counts(training, target)
    # A full-rank reconstruction is the input again, and knows nothing of what it lacks.
    rank = max(1, min(rank, min(training.incidence.shape) // 4))
    _, _, Vt = randomized_svd(training.incidence, rank, n_iter=4, random_state=seeds.derive(seed, "svd") & 0xFFFFFFFF)
    return lambda queries: _tie_broken((queries.own @ Vt.T) @ Vt[:, catalogue], counts)


Rival = Callable[[Observed, str, int], Scorer]

RIVALS: Mapping[str, Rival] = {
    "random": random,
    "popularity": popularity,
    "same-email": same_email,
    "neighbours": neighbours,
    "co-occurrence": co_occurrence,
    "knn-context": knn_context,
    "svd": svd,
}


def link_counts(training: Observed, target: str) -> Scores:
    """How many fragments hold each style of the catalogue."""
    return _column_sums(training.incidence[:, training.catalogue(target)])


def sender_counts(training: Observed, target: str) -> Scores:
    """How many senders use each style of the catalogue."""
    corpus, links = training.corpus, training.links(target)
    where = (corpus.sender_of[corpus.email_of[corpus.fragment[links]]], corpus.entity[links])
    shape = (len(corpus.sender_names), corpus.num_entities)
    used = sparse.csr_array((np.ones(len(links)), where), shape=shape) > 0
    return _column_sums(used[:, training.catalogue(target)])


def _counting(training: Observed, target: str, rows: Callable[[Queries], sparse.csr_array]) -> Scorer:
    catalogue, counts = training.catalogue(target), link_counts(training, target)
    return lambda queries: _tie_broken(rows(queries)[:, catalogue].toarray(), counts)


def _tie_broken(scores: Scores, counts: Scores) -> Scores:
    """Popularity, too small to change an order that the scores themselves decide."""
    return np.asarray(scores + 1e-9 * counts / max(counts.max(initial=1), 1), np.float64)


def _column_sums(matrix: sparse.csr_array) -> Scores:
    return np.asarray(matrix.sum(axis=0), np.float64).ravel()
