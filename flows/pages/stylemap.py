"""A map of styles: those that live in the same fragments lie close together.

With the model's embeddings the map is their first two principal components. Without them it is the second and
third singular vectors of D_e^-1/2 Hᵀ D_v^-1/2 (fragments by styles, degrees normalised; the first vector is
degree alone), the linear map that keeps styles of the same fragments together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import svds

from flows.pages.corpus import Corpus
from flows.pages.inventory import Entry
from flows.pages.styles import STYLE_TYPES, opaque

WIDTH, HEIGHT, MARGIN = 1000, 620, 28
MOST = 700  # styles drawn, the most used


@dataclass(frozen=True)
class Dot:
    entry: Entry
    x: float
    y: float
    r: float
    fill: str  # its background, or its colour
    ink: str | None  # its text colour, where it has both


def style_map(corpus: Corpus, catalogue: Mapping[str, Sequence[Entry]], embeddings: pa.Table) -> list[Dot]:
    """Dots for the most used styles; larger ones first, so that small ones stay visible."""
    entries = [entry for type in STYLE_TYPES for entry in catalogue.get(type, ()) if entry.style and entry.uses]
    entries = sorted(entries, key=lambda entry: (-entry.uses, entry.entity_id))[:MOST]
    if len(entries) < 4:
        return []
    places = _embedded(entries, embeddings)
    if places is None:
        places = _spectral(corpus, entries)
    xy = _spread(places) * [WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN] + MARGIN
    return [
        Dot(
            entry,
            round(float(x), 1),
            round(float(y), 1),
            round(4 + 2.2 * float(np.log10(entry.uses)), 1),
            fill=opaque((entry.style.background or entry.style.color or "#000000"), entry.ground),
            ink=entry.style.color if entry.style.background else None,
        )
        for entry, (x, y) in zip(entries, xy.tolist(), strict=True)
        if entry.style
    ]


def _embedded(entries: Sequence[Entry], embeddings: pa.Table) -> NDArray[np.float64] | None:
    """The first two principal components of the entries' embeddings, if all entries have one."""
    vector_of = dict(zip(embeddings["entity_id"].to_pylist(), embeddings["vector"].to_pylist(), strict=True))
    if any(entry.entity_id not in vector_of for entry in entries):
        return None
    vectors = np.array([vector_of[entry.entity_id] for entry in entries], np.float64)
    if not np.isfinite(vectors).all():
        return None
    u, s, _ = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    return _oriented(u[:, :2] * s[:2])


def _spectral(corpus: Corpus, entries: Sequence[Entry]) -> NDArray[np.float64]:
    column = {entry.entity_id: number for number, entry in enumerate(entries)}
    code = np.array([column.get(entity_id, -1) for entity_id in corpus.entity_ids], np.int64)[corpus.entity]
    shape = (len(corpus.fragment_ids), len(entries))
    H = csr_array((np.ones((code >= 0).sum()), (corpus.fragment[code >= 0], code[code >= 0])), shape=shape)
    H.data[:] = 1.0
    H = H[np.diff(H.indptr) > 0]
    De, Dv = np.asarray(H.sum(axis=1)).ravel(), np.asarray(H.sum(axis=0)).ravel()
    if min(H.shape) < 4:
        return np.column_stack([np.arange(len(entries)), Dv]).astype(float)
    normalised = csr_array(H / np.sqrt(De)[:, None] / np.sqrt(np.maximum(Dv, 1))[None, :])
    # A fixed starting vector: ARPACK's random one would draw another map each time.
    _, s, vt = svds(normalised, k=3, v0=np.ones(min(normalised.shape)))
    order = np.argsort(-s)
    return _oriented(vt[order[1:]].T / np.sqrt(np.maximum(Dv, 1))[:, None])


def _oriented(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Singular vectors have no sign: the largest coordinate of each axis points up."""
    largest = np.abs(places).argmax(axis=0)
    return places * np.where(places[largest, range(places.shape[1])] < 0, -1.0, 1.0)


def _spread(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Into the unit square, half by value and half by rank, or outliers press the rest into a corner."""
    span = np.ptp(places, axis=0)
    by_value = (places - places.min(axis=0)) / np.where(span > 0, span, 1.0)
    by_rank = places.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable") / max(len(places) - 1, 1)
    return np.asarray((by_value + by_rank) / 2, np.float64)
