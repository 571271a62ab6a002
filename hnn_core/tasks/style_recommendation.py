"""Style recommendation: which of all known styles goes into this fragment? (Section 5.)

``fit`` learns from everything and gives the recommender that answers for new emails; ``evaluate`` holds links out as
a protocol says and measures that recommender beside its rivals.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.special import softmax

from hnn_core.recommend.cold_start import cold_start_rows
from hnn_core.recommend.composed import ComposedTraining
from hnn_core.recommend.corpus import Corpus, EmailTables, Observed
from hnn_core.recommend.evaluation import metric_rows, twin_rows
from hnn_core.recommend.methods import RECOMMENDER, Methods, Scored, score_methods
from hnn_core.recommend.nearest import NearestFragments
from hnn_core.recommend.protocols import Split, hold_out, unit
from hnn_core.recommend.ranked import ranked_styles
from hnn_core.recommend.recommender import Recommender, RecommenderTraining

RECOMMENDATIONS = pa.schema(
    [
        pa.field("fragment_id", pa.string(), nullable=False),
        pa.field("target", pa.string(), nullable=False),
        pa.field("rank", pa.int64(), nullable=False),  # from 1
        pa.field("entity_id", pa.string(), nullable=False),  # "" for a composed style, which no catalogue holds
        pa.field("signature", pa.string(), nullable=False),
        pa.field("score", pa.float64(), nullable=False),  # probability among the catalogue
        pa.field("truth", pa.bool_(), nullable=False),  # the held-out style of this fragment
        pa.field("explanation", pa.list_(pa.string()), nullable=False),  # fragments that hold it, the most like first
    ]
)


@dataclass(frozen=True)
class StyleRecommendation:
    """Settings of the task.

    Args:
        target: the entity type that is recommended, e.g. ``button-style``.
        protocol: what is held out, see :mod:`hnn_core.recommend.protocols`.
        top: styles kept for each held-out fragment; 0 keeps none.
        methods: settings of the recommender and of what it is compared with.
        composed: how styles are composed for unknown senders.
    """

    target: str = "button-style"
    protocol: str = "link"
    top: int = 0
    methods: Methods = field(default_factory=Methods)
    composed: ComposedTraining = field(default_factory=ComposedTraining)


@dataclass(frozen=True)
class Evaluation:
    """The figures of one target, protocol and seed, as rows of the declared schemas."""

    metrics: tuple[dict[str, Any], ...] = ()  # recommend.evaluation.METRICS
    twins: tuple[dict[str, Any], ...] = ()  # recommend.evaluation.TWINS
    composed: tuple[dict[str, Any], ...] = ()  # recommend.cold_start.COMPOSED_METRICS
    recommendations: tuple[dict[str, Any], ...] = ()  # RECOMMENDATIONS


def observe(tables: EmailTables) -> Observed:
    """The tables of an extraction, with every link visible."""
    return Observed.all_of(Corpus.from_tables(tables))


def fit(tables: EmailTables, training: RecommenderTraining | None = None) -> Recommender:
    """The recommender, learned from all that the tables hold."""
    return Recommender.fit(tables, training)


def evaluate(observed: Observed, task: StyleRecommendation, seed: int) -> Evaluation:
    """Hold links out, fit every method to the rest, and measure; nothing where there is too little to hold out."""
    split = hold_out(observed, task.target, task.protocol, seed)
    if not len(split.fragments) or not len(split.training.catalogue(task.target)):
        return Evaluation()
    scored = score_methods(split, task.methods, seed)
    return Evaluation(
        metrics=tuple(metric_rows(split, scored.scores, seed)),
        twins=tuple(twin_rows(split, scored.scores, seed)),
        composed=tuple(cold_start_rows(split, task.composed, seed)) if unit(task.protocol) == "sender" else (),
        recommendations=tuple(_recommendations(split, scored, task.top)),
    )


def _recommendations(split: Split, scored: Scored, top: int) -> Iterator[dict[str, Any]]:
    """Rows of ``RECOMMENDATIONS``: the best styles for each fragment whose own was hidden."""
    corpus, nearest = split.training.corpus, NearestFragments(split.training, split.target)
    hidden = set(zip(corpus.fragment_ids[split.fragments], corpus.entity_ids[split.styles], strict=True))
    probabilities = softmax(scored.scores[RECOMMENDER], axis=1)
    for start in range(0, len(scored.queries) if top else 0, 1024):
        rows = np.arange(start, min(start + 1024, len(scored.queries)))
        similarity = nearest.similarity(scored.queries[rows])
        for row in rows:
            fragment_id = corpus.fragment_ids[scored.queries.fragments[row]]
            for style in ranked_styles(corpus, nearest, probabilities[row], similarity[row - start], top):
                yield {
                    "fragment_id": fragment_id,
                    "target": split.target,
                    "rank": style.rank,
                    "entity_id": style.entity_id,
                    "signature": style.signature,
                    "score": style.score,
                    "truth": (fragment_id, style.entity_id) in hidden,
                    "explanation": list(style.neighbours),
                }
