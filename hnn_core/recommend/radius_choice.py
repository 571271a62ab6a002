"""Which corner for a button: what most senders have, and what like emails and like fragments of others have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hnn_core.recommend.attribute_choice import log_shares, votes_for
from hnn_core.recommend.corpus import Indices, Observed
from hnn_core.recommend.nearest import NearestFragments, largest
from hnn_core.recommend.queries import Queries
from hnn_core.recommend.styles import RADIUS_CLASSES, pixels_of, radius_class

Floats = NDArray[np.float64]

CLASSES: tuple[str, ...] = tuple(name for name, _ in RADIUS_CLASSES)
RADIUS_FEATURES = ("common", "votes of emails", "votes of fragments", "votes of nearest")

_NEAREST = 30
_SHARPNESS = 4.0


@dataclass(frozen=True, eq=False)
class NearestRadii:
    """The radii of the fragments most like a query, over whole entities; ``Votes`` compares their attributes."""

    entities: int  # known to training; a new email may have others
    nearest: NearestFragments
    classes: Floats  # fragments × classes: how many of its buttons have each
    senders: Indices  # of each fragment

    @classmethod
    def of(cls, training: Observed, target: str) -> NearestRadii:
        corpus, nearest = training.corpus, NearestFragments(training, target)
        radius = [radius_class(pixels_of(corpus.attributes[style], "radius")) for style in nearest.catalogue]
        one_hot = np.eye(len(CLASSES))[[CLASSES.index(name) for name in radius]].reshape(-1, len(CLASSES))
        senders = corpus.sender_of[corpus.email_of[nearest.fragments]]
        return cls(corpus.num_entities, nearest, np.asarray(nearest.styles @ one_hot, np.float64), senders)

    def __call__(self, queries: Queries, new_senders: Indices | None = None) -> Floats:
        """Queries × classes, log shares of the votes; ``new_senders`` of each query do not vote on their own."""
        similarity = self.nearest.similarity(queries.over(self.entities))
        if new_senders is not None:
            similarity[new_senders[:, None] == self.senders[None, :]] = 0.0
        return log_shares(largest(similarity, _NEAREST) ** _SHARPNESS @ self.classes)


def radius_features(classes: Sequence[str], common: Floats, votes: Mapping[str, Floats], nearest: Floats) -> Floats:
    """One row a radius class, in the order of ``RADIUS_FEATURES``."""
    rows = [[share, *votes_for(votes, name), near] for name, share, near in zip(classes, common, nearest, strict=True)]
    return np.array(rows, dtype=np.float64)
