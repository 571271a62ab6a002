"""The figures of a split: HR@K, nDCG@K and MRR of every method, by link, by style, and by how near a twin is.

Micro averages count links; macro averages count styles, so that white backgrounds do not decide. The ceiling stands
beside each: the share of held-out links whose style exists in training at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hnn_core.metrics import gains, hits
from hnn_core.recommend.protocols import Split
from hnn_core.recommend.queries import Scores
from hnn_core.recommend.ranking import held_out_ranks
from hnn_core.recommend.twins import TWIN_GROUPS, twin_group, twin_similarity

CUTOFFS = (1, 10, 25, 50)

METRICS = pa.schema(
    [
        pa.field("target", pa.string(), nullable=False),
        pa.field("protocol", pa.string(), nullable=False),
        pa.field("method", pa.string(), nullable=False),
        pa.field("seed", pa.int64(), nullable=False),
        pa.field("metric", pa.string(), nullable=False),  # hr_at_10, ndcg_at_10, mrr; macro_… averages over styles
        pa.field("value", pa.float64(), nullable=False),
        pa.field("ceiling", pa.float64(), nullable=False),  # share of links whose style exists in training
        pa.field("links", pa.int64(), nullable=False),  # held out
    ]
)

TWINS = METRICS.insert(3, pa.field("twin", pa.string(), nullable=False))  # Jaccard similarity to the nearest one

Floats = NDArray[np.float64]


def metric_rows(split: Split, scores: Mapping[str, Scores], seed: int) -> Iterator[dict[str, Any]]:
    """Rows of ``METRICS``."""
    for method, ranks in _ranks(split, scores):
        values = measures(ranks) | {f"macro_{name}": value for name, value in macro(ranks, split.styles).items()}
        for metric, value in values.items():
            yield _row(split, method, seed, ranks, metric, value)


def twin_rows(split: Split, scores: Mapping[str, Scores], seed: int) -> Iterator[dict[str, Any]]:
    """Rows of ``TWINS``: the same for links whose email has a near twin in training, a distant one, or none."""
    corpus = split.training.corpus
    emails, link = np.unique(corpus.email_of[split.fragments], return_inverse=True)
    group = twin_group(twin_similarity(corpus, emails, split.emails))[link]
    for method, ranks in _ranks(split, scores):
        for name, _, _ in TWIN_GROUPS:
            inside = ranks[group == name]
            for metric, value in measures(inside).items() if len(inside) else ():
                yield _row(split, method, seed, inside, metric, value) | {
                    "twin": name,
                    "ceiling": _ceiling(split, group == name),
                }


def measures(ranks: Floats, weights: Floats | None = None) -> dict[str, float]:
    """HR@K and nDCG@K for each cutoff, and MRR; a style that training does not know has an infinite rank."""
    values = {f"hr_at_{k}": hits(ranks, k) for k in CUTOFFS}
    values |= {f"ndcg_at_{k}": gains(ranks, k) for k in CUTOFFS}
    return {name: float(np.average(each, weights=weights)) for name, each in (values | {"mrr": 1 / ranks}).items()}


def macro(ranks: Floats, styles: NDArray[np.int64]) -> dict[str, float]:
    """The same, averaged over styles instead of links: each style's links weigh one together."""
    _, style, counts = np.unique(styles, return_inverse=True, return_counts=True)
    return measures(ranks, 1 / counts[style])


def _ranks(split: Split, scores: Mapping[str, Scores]) -> Iterator[tuple[str, Floats]]:
    fragments = np.unique(split.fragments)
    for method, of_method in scores.items() if len(fragments) else ():
        yield method, held_out_ranks(split, of_method, fragments)


def _ceiling(split: Split, links: NDArray[np.bool_]) -> float:
    return float(np.isin(split.styles[links], split.training.catalogue(split.target)).mean())


def _row(split: Split, method: str, seed: int, ranks: Floats, metric: str, value: float) -> dict[str, Any]:
    return {
        "target": split.target,
        "protocol": split.protocol,
        "method": method,
        "seed": seed,
        "metric": metric,
        "value": value,
        "ceiling": _ceiling(split, np.ones(len(split.styles), dtype=np.bool_)),
        "links": len(ranks),
    }
