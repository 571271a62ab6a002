"""Measures of a ranking: AUC, ranks with ties, hit rate, nDCG, accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def auc(labels: ArrayLike, scores: ArrayLike) -> float:
    """The probability that a positive scores above a negative, a tie counting one half."""
    positive, score = np.asarray(labels).astype(bool), np.asarray(scores, dtype=np.float64)
    if positive.shape != score.shape or positive.ndim != 1:
        raise ValueError(f"labels {positive.shape} and scores {score.shape} must be flat and of one length")
    if not np.isfinite(score).all():
        raise ValueError("scores contain nan or inf: the model has diverged")
    positives, negatives = int(positive.sum()), int((~positive).sum())
    if not positives or not negatives:
        raise ValueError("AUC needs both positives and negatives")
    # scipy.stats has ranks with ties too, and would cost every process that trains a second to import.
    ordered = np.sort(score[~positive])
    below = np.searchsorted(ordered, score[positive], "left")
    not_above = np.searchsorted(ordered, score[positive], "right")
    return float((below.sum() + not_above.sum()) / 2 / (positives * negatives))


def macro_auc(labels: ArrayLike, scores: ArrayLike) -> float:
    """The mean over classes of one-against-the-rest AUC; classes without members are left out."""
    label, score = np.asarray(labels), np.asarray(scores, dtype=np.float64)
    present = [c for c in range(score.shape[1]) if 0 < int((label == c).sum()) < len(label)]
    return float(np.mean([auc(label == c, score[:, c]) for c in present]))


def accuracy(labels: ArrayLike, scores: ArrayLike) -> float:
    """The share of rows whose largest score is at their label."""
    return float((np.asarray(scores).argmax(axis=1) == np.asarray(labels)).mean())


def rank(scores: ArrayLike, item: int) -> float:
    """Rank (1 = best) of one item among all scored; a tie has the mean of its best and its worst place."""
    score = np.asarray(scores, dtype=np.float64)
    return float(ranks_of(score[None, :], np.array([item]))[0])


def ranks_of(scores: ArrayLike, items: ArrayLike) -> NDArray[np.float64]:
    """One rank a row: that of ``items[r]`` among ``scores[r]``, ties at their mean place."""
    score = np.asarray(scores, dtype=np.float64)
    own = np.take_along_axis(score, np.asarray(items)[:, None], axis=1)
    above, tied = (score > own).sum(axis=1), (score == own).sum(axis=1)
    return np.asarray(above + (tied + 1) / 2, dtype=np.float64)


def hits(ranks: ArrayLike, k: int) -> NDArray[np.float64]:
    """1 for each held-out item ranked among the first k, else 0."""
    return (np.asarray(ranks, dtype=np.float64) <= k).astype(np.float64)


def gains(ranks: ArrayLike, k: int) -> NDArray[np.float64]:
    """1/log₂(1 + rank) for each held-out item within the first k, else 0: nDCG where one item is relevant."""
    r: NDArray[Any] = np.asarray(ranks, dtype=np.float64)
    return np.where(r <= k, 1 / np.log2(1 + r), 0.0)


def hit_rate(ranks: ArrayLike, k: int) -> float:
    """HR@k: the share of held-out items ranked among the first k."""
    return float(hits(ranks, k).mean())


def ndcg(ranks: ArrayLike, k: int) -> float:
    """nDCG@k with one relevant item."""
    return float(gains(ranks, k).mean())
