"""A map of styles: those that live in the same fragments lie close together.

Each style is a vector: the model's embedding where there is one, else its fragments. Principal components reduce the
vectors, and t-SNE, started from the first two components, spreads them over the page so that neighbours stay
neighbours: on two components alone most styles of a corpus lie on top of each other.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.sparse import csr_array
from threadpoolctl import threadpool_limits

from flows.pages.corpus import Corpus, distinct_pairs
from flows.pages.inventory import Entry
from flows.pages.styles import STYLE_TYPES, opaque, shortened

Floats = NDArray[np.float64]

WIDTH, HEIGHT, MARGIN = 1000, 620, 28
DIMENSIONS = 32
SEED = 8.0  # px between dots of one spot
MOST = 500  # styles drawn, the most used
ISLAND = 90.0  # px from the middle of a sender's styles
FEWEST = 4  # styles that make an island


@dataclass(frozen=True)
class Dot:
    entry: Entry
    x: float
    y: float
    r: float
    fill: str  # its background, or its colour
    ink: str | None  # its text colour, where it has both


@dataclass(frozen=True)
class Island:
    """A sender whose styles lie together, and where its name is written."""

    sender: str
    x: float  # the middle of its name
    y: float  # the foot of its name
    half: float  # of its name's width

    def covers(self, other: Island) -> bool:
        return abs(self.x - other.x) < self.half + other.half + 4 and abs(self.y - other.y) < 15

    def hides(self, dot: Dot) -> bool:
        return abs(self.x - dot.x) < self.half + dot.r and -12 - dot.r < dot.y - self.y < dot.r


def style_map(corpus: Corpus, catalogue: Mapping[str, Sequence[Entry]], embeddings: pa.Table) -> list[Dot]:
    """Dots for the most used styles; larger ones first, so that small ones stay visible."""
    entries = [entry for type in STYLE_TYPES for entry in catalogue.get(type, ()) if entry.style and entry.uses]
    entries = sorted(entries, key=lambda entry: (-entry.uses, entry.entity_id))[:MOST]
    if len(entries) < 4:
        return []
    with threadpool_limits(1):  # threads add up in any order, and t-SNE makes another map of the last digit
        vectors = _embedded(entries, embeddings)
        places = _places(_incidences(corpus, entries) if vectors is None else vectors)
    xy = _unfolded(_unit_square(places) * [WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN] + MARGIN)
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


def islands(corpus: Corpus, dots: Sequence[Dot]) -> list[Island]:
    """Names below the places where most styles of one sender lie; those that would cover another are left out."""
    sender_of = dict(zip(corpus.entity_ids, corpus.most_used_with(corpus.sender).tolist(), strict=True))
    places: dict[int, list[Dot]] = defaultdict(list)
    for dot in dots:
        places[sender_of[dot.entry.entity_id]].append(dot)
    if len(places) < 2:
        return []
    found: list[Island] = []
    for sender, own in sorted(places.items(), key=lambda place: (-len(place[1]), place[0])):
        name = shortened(corpus.senders[sender], 28)
        x, y = float(np.median([dot.x for dot in own])), float(np.median([dot.y for dot in own]))
        near = [dot for dot in own if math.hypot(dot.x - x, dot.y - y) <= ISLAND]
        if not name or len(near) < max(FEWEST, len(own) / 2):
            continue
        below, above = max(dot.y + dot.r for dot in near) + 16, min(dot.y - dot.r for dot in near) - 8
        tries = [_island(name, x, foot) for foot in (below, above)]
        tries = [island for island in tries if not any(island.covers(other) for other in found)]
        if tries:
            found.append(min(tries, key=lambda island: sum(island.hides(dot) for dot in dots)))
    return found


def _island(name: str, x: float, y: float) -> Island:
    half = 3.4 * len(name)  # px of 12 px letters
    x, y = min(max(x, half + 6), WIDTH - half - 6), min(max(y, 18.0), HEIGHT - 6.0)
    return Island(name, round(x, 1), round(y, 1), half)


def _embedded(entries: Sequence[Entry], embeddings: pa.Table) -> Floats | None:
    """The entries' embeddings, if all entries have one."""
    vector_of = dict(zip(embeddings["entity_id"].to_pylist(), embeddings["vector"].to_pylist(), strict=True))
    if any(entry.entity_id not in vector_of for entry in entries):
        return None
    vectors = np.array([vector_of[entry.entity_id] for entry in entries], np.float64)
    return vectors if np.isfinite(vectors).all() else None


def _incidences(corpus: Corpus, entries: Sequence[Entry]) -> Floats:
    """Styles by fragments, H D_e^-1/2 (a fragment of many styles says less about each), in its principal axes."""
    row = {entry.entity_id: number for number, entry in enumerate(entries)}
    code = np.array([row.get(entity_id, -1) for entity_id in corpus.entity_ids], np.int64)[corpus.entity]
    style, fragment, _ = distinct_pairs(code[code >= 0], corpus.fragment[code >= 0])
    degree = np.bincount(fragment, minlength=len(corpus.fragment_ids))
    H = csr_array((degree[fragment] ** -0.5, (style, fragment)), shape=(len(entries), len(corpus.fragment_ids)))
    values, vectors = np.linalg.eigh((H @ H.T).toarray())  # of at most MOST styles; ARPACK would start at random
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)), np.float64)


def _places(vectors: Floats) -> Floats:
    from sklearn.manifold import TSNE  # takes a second, which the page of a single email need not wait for

    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = vectors / np.where(length > 0, length, 1.0)  # direction says which fragments, length only how many
    u, s, vt = np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False)
    # Singular vectors have no sign: the largest entry of each is made positive, on every machine.
    sign = np.sign(vt[np.arange(len(vt)), np.abs(vt).argmax(axis=1)])
    components = (u * s * sign)[:, :DIMENSIONS]
    start = components[:, :2] / max(float(components[:, 0].std()), 1e-12) * 1e-4
    perplexity = min(30.0, (len(vectors) - 1) / 3)
    tsne = TSNE(2, perplexity=perplexity, init=start.astype(np.float32), random_state=0, max_iter=500)
    return np.asarray(tsne.fit_transform(components), np.float64)


def _unit_square(places: Floats) -> Floats:
    span = np.ptp(places, axis=0)
    return np.asarray((places - places.min(axis=0)) / np.where(span > 0, span, 1.0), np.float64)


def _unfolded(xy: Floats) -> Floats:
    """Styles that always come together land on one spot: there they are laid out like the seeds of a sunflower."""
    spots: Counter[tuple[int, int]] = Counter()
    moved = xy.copy()
    for number, (x, y) in enumerate(xy.tolist()):
        spot = (round(x / SEED), round(y / SEED))
        angle, distance = spots[spot] * 2.39996, SEED * spots[spot] ** 0.5  # the golden angle
        moved[number] += (distance * math.cos(angle), distance * math.sin(angle))
        spots[spot] += 1
    return np.clip(moved, MARGIN / 2, [WIDTH - MARGIN / 2, HEIGHT - MARGIN / 2])
