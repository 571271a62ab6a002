"""The rank of a held-out style among all it competes with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hnn_core.recommend.corpus import Indices
from hnn_core.recommend.protocols import Split
from hnn_core.recommend.queries import Scores


def held_out_ranks(split: Split, scores: Scores, fragments: Indices) -> NDArray[np.float64]:
    """Rank of each held-out link's style, from 1; infinite where the catalogue does not hold it.

    ``scores`` has a row for each of ``fragments`` (ascending) and a column for each style of the catalogue.
    "Filtered": a style that the same fragment truly holds besides is no competitor, else being right twice
    would count as an error. Ties get the mean of the best and the worst rank.
    """
    catalogue = split.training.catalogue(split.target)
    ranks = np.full(len(split.fragments), np.inf)
    at = np.minimum(np.searchsorted(catalogue, split.styles), max(len(catalogue) - 1, 0))
    known = catalogue[at] == split.styles if len(catalogue) else np.zeros(len(at), dtype=bool)
    rows, columns = np.searchsorted(fragments, split.fragments[known]), at[known]

    competitors = ~true_styles(split, fragments, catalogue).toarray()[rows]
    truth = scores[rows, columns][:, None]
    above = np.count_nonzero((scores[rows] > truth) & competitors, axis=1)
    level = np.count_nonzero((scores[rows] == truth) & competitors, axis=1)
    ranks[known] = 1 + above + level / 2
    return ranks


def true_styles(split: Split, fragments: Indices, catalogue: Indices) -> sparse.csr_array:
    """Fragments × catalogue: every link of these fragments, held out or visible."""
    corpus = split.training.corpus
    links = corpus.is_target(split.target)[corpus.entity] & np.isin(corpus.entity, catalogue)
    links &= np.isin(corpus.fragment, fragments)
    where = (
        np.searchsorted(fragments, corpus.fragment[links]),
        np.searchsorted(catalogue, corpus.entity[links]),
    )
    shape = (len(fragments), len(catalogue))
    return sparse.csr_array((np.ones(len(where[0]), dtype=bool), where), shape=shape)
