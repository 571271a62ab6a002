"""The best styles for a fragment, each with the fragments of the corpus that speak for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hnn_core.recommend.corpus import Corpus
from hnn_core.recommend.nearest import NearestFragments
from hnn_core.recommend.queries import Scores

_NEIGHBOURS = 3


@dataclass(frozen=True)
class RankedStyle:
    """A style of the catalogue for a fragment."""

    rank: int  # from 1
    entity_id: str
    signature: str
    score: float  # probability among the catalogue
    neighbours: tuple[str, ...]  # fragments that hold it, the most like this one first


def ranked_styles(
    corpus: Corpus, nearest: NearestFragments, probabilities: Scores, similarity: Scores, top: int
) -> tuple[RankedStyle, ...]:
    """The ``top`` most probable styles of one query: a row of probabilities and one of ``nearest.similarity``."""
    return tuple(
        RankedStyle(
            rank=rank,
            entity_id=str(corpus.entity_ids[nearest.catalogue[style]]),
            signature=str(corpus.signatures[nearest.catalogue[style]]),
            score=float(probabilities[style]),
            neighbours=tuple(corpus.fragment_ids[nearest.holding(similarity, int(style), _NEIGHBOURS)].tolist()),
        )
        for rank, style in enumerate(np.argsort(-probabilities, kind="stable")[:top], start=1)
    )
