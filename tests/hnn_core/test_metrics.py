"""Measures equal their definitions, ties included."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from hnn_core.metrics import accuracy, auc, hit_rate, macro_auc, ndcg, rank, ranks_of


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=4, max_size=40))
def test_auc_is_that_of_scikit_learn_with_ties(pairs: list[tuple[bool, int]]) -> None:
    labels, scores = np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs], dtype=float)
    if labels.all() or not labels.any():
        with pytest.raises(ValueError, match="both"):
            auc(labels, scores)
    else:
        assert auc(labels, scores) == pytest.approx(roc_auc_score(labels, scores))


def test_macro_auc_is_the_mean_of_one_against_the_rest() -> None:
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(3, size=60), rng.random((60, 3))
    scores /= scores.sum(axis=1, keepdims=True)
    assert macro_auc(labels, scores) == pytest.approx(roc_auc_score(labels, scores, multi_class="ovr", average="macro"))
    assert accuracy(labels, np.eye(3)[labels]) == 1.0


def test_a_tie_has_the_mean_of_its_best_and_worst_place() -> None:
    assert rank([5, 4, 4, 4, 1], item=2) == 3.0
    assert rank([1, 1], item=0) == 1.5
    assert ranks_of([[3, 2, 1], [1, 1, 1]], [0, 2]).tolist() == [1.0, 2.0]


def test_hit_rate_and_ndcg_are_functions_of_one_rank() -> None:
    ranks = [1, 3, 11]
    assert hit_rate(ranks, 10) == pytest.approx(2 / 3)
    assert ndcg(ranks, 10) == pytest.approx((1 + 1 / 2) / 3)


def test_scores_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="diverged"):
        auc([0, 1], [float("nan"), 1.0])
