"""Which corner for a button: that of the email's other boxes, else what most senders have.

What like emails and like fragments of others have is known too, and starts without a weight.
"""

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
RADIUS_FEATURES = (
    "common", "votes of emails", "votes of fragments", "votes of nearest", "corners of email", "corners of fragment",
)  # fmt: skip

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


def corner_shares(queries: Queries) -> Floats:
    """Queries × classes × (email, fragment): log shares of the boxes' corners, alike for all where none is rounded.

    Each fragment counts once for each class its boxes have. Buttons are not among the boxes, hidden or not.
    """
    corpus = queries.corpus
    of_fragment = np.zeros((corpus.num_fragments, len(CLASSES)))
    for fragment, radii in enumerate(corpus.corners_of):
        of_fragment[fragment, [CLASSES.index(radius_class(radius)) for radius in radii]] = 1.0
    of_email = np.asarray(corpus.membership @ of_fragment)[corpus.email_of[queries.fragments]]
    return np.stack([log_shares(of_email), log_shares(of_fragment[queries.fragments])], axis=-1)


def radius_features(
    classes: Sequence[str], common: Floats, votes: Mapping[str, Floats], nearest: Floats, corners: Floats
) -> Floats:
    """One row a radius class, in the order of ``RADIUS_FEATURES``."""
    rows = [
        [share, *votes_for(votes, name), near, *corner]
        for name, share, near, corner in zip(classes, common, nearest, corners, strict=True)
    ]
    return np.array(rows, dtype=np.float64)
