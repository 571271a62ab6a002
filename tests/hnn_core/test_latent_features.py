"""Latent features keep what tells nodes apart, in few columns of length-one rows."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from hnn_core.latent_features import aligned, latent_features, unit_rows


def test_two_topics_are_told_apart_in_two_columns() -> None:
    rng = np.random.default_rng(0)
    topic = np.arange(60) % 2
    words = rng.random((60, 40)) < np.where((np.arange(40) // 20)[None, :] == topic[:, None], 0.5, 0.05)
    words[5] = False
    X = latent_features(sparse.csr_array(words.astype(float)), dim=2)
    assert X.shape == (60, 2) and X.dtype == np.float32 and (X[5] == 0).all()
    lengths = np.linalg.norm(X, axis=1)
    np.testing.assert_allclose(np.delete(lengths, 5), 1, atol=1e-5)
    cosine = X @ X.T
    same = topic[:, None] == topic[None, :]
    assert cosine[same].mean() > cosine[~same].mean() + 0.5
    np.testing.assert_array_equal(X, latent_features(sparse.csr_array(words.astype(float)), dim=2))


def test_neighbours_bring_a_node_closer_to_its_nearest() -> None:
    features = sparse.csr_array((np.random.default_rng(1).random((60, 40)) < 0.2).astype(float))
    alone, together = (latent_features(features, dim=8, neighbours=k) for k in (0, 5))
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    cosine = alone @ alone.T
    np.fill_diagonal(cosine, -1)
    nearest = cosine.argmax(axis=1)
    assert (together * together[nearest]).sum(axis=1).mean() > (alone * alone[nearest]).sum(axis=1).mean()


def test_unit_rows_of_sparse_and_dense_agree_and_leave_zero_rows() -> None:
    X = np.array([[3.0, 4.0], [0.0, 0.0], [0.0, 2.0]])
    expected = [[0.6, 0.8], [0, 0], [0, 1]]
    np.testing.assert_allclose(unit_rows(X), expected)
    np.testing.assert_allclose(unit_rows(sparse.csr_array(X)).toarray(), expected)


def test_factors_are_turned_onto_the_axes_of_others_of_nearly_the_same_space() -> None:
    rng = np.random.default_rng(0)
    reference = rng.normal(size=(50, 6))
    turned = (reference + 1e-3 * rng.normal(size=(50, 6))) @ np.linalg.qr(rng.normal(size=(6, 6)))[0]
    assert np.abs(turned - reference).max() > 1
    back = aligned(turned, reference)
    np.testing.assert_allclose(back, reference, atol=0.01)
    np.testing.assert_allclose(back @ back.T, turned @ turned.T, atol=1e-9)
