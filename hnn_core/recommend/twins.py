"""How near a twin each email has: near-duplicate campaigns carry much of any score, so results are split by it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hnn_core.recommend.corpus import Corpus, Indices, Observed

TWIN_GROUPS: tuple[tuple[str, float, float], ...] = (
    ("below 0.4", 0.0, 0.4),
    ("0.4 to 0.8", 0.4, 0.8),
    ("0.8 and more", 0.8, np.inf),
)
"""Name, least and upper bound of the Jaccard similarity to the nearest training email."""


def twin_similarity(corpus: Corpus, emails: Indices, held_out: Indices) -> NDArray[np.float64]:
    """max_j |A_i ∩ A_j| / |A_i ∪ A_j| of each email i over the other emails j that are not held out.

    A is the set of style entities of the whole email, hidden ones too: this describes the test, no method sees it.
    """
    sets = sparse.csr_array((Observed.all_of(corpus).email_incidence > 0).astype(np.float64))
    sizes = np.asarray(sets.sum(axis=1)).ravel()
    others = np.setdiff1d(np.arange(corpus.num_emails), held_out)
    nearest = np.zeros(len(emails))
    for start in range(0, len(emails), 256):
        rows = emails[start : start + 256]
        shared = (sets[rows] @ sets[others].T).toarray()
        union = sizes[rows, None] + sizes[None, others] - shared
        jaccard = np.where(union > 0, shared / np.maximum(union, 1), 0.0)
        jaccard[rows[:, None] == others[None, :]] = 0.0
        nearest[start : start + 256] = jaccard.max(axis=1, initial=0.0)
    return nearest


def twin_group(similarity: NDArray[np.float64]) -> NDArray[np.object_]:
    """The name of the group each similarity falls into."""
    bounds = [least for _, least, _ in TWIN_GROUPS]
    names = np.array([name for name, _, _ in TWIN_GROUPS], dtype=object)
    return np.asarray(names[np.searchsorted(bounds, similarity, side="right") - 1], dtype=object)
