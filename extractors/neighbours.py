"""Which fragment lies immediately below or beside which, from boxes alone.

``b`` is below ``a`` if it starts where ``a`` has ended and their x-intervals overlap by more than half of the
narrower one; beside if the same holds with the axes exchanged. It is *immediately* so if nothing lies between the
two in the strip they share. The test suite applies the same definition to a browser's boxes.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence

Edges = tuple[float, float, float, float]  # x0, y0, x1, y1

_SLACK = 0.25  # share of the smaller height by which boxes may run into each other and still be one above the other
_HAIR = 1.0  # px: two columns over three share exactly half, which must not depend on rounding
_BETWEEN = 0.1  # share of the strip that something between two boxes must cover
_NEAREST = 64  # boxes looked at below another one, in each strip of the page
_STRIP = 100.0  # px


def below(boxes: Sequence[Edges]) -> list[tuple[int, int]]:
    """Pairs (a, b): box ``b`` is immediately below box ``a``."""
    order = sorted(range(len(boxes)), key=lambda k: (boxes[k][1], boxes[k][0], boxes[k][3], boxes[k][2], k))
    strips = _strips([boxes[k] for k in order]) if len(boxes) > _NEAREST else None
    pairs: list[tuple[int, int]] = []
    for place, a in enumerate(order):
        later = range(place + 1, len(order)) if strips is None else _later(strips, boxes[a], place)
        pairs += [(a, order[b]) for b in _immediate(boxes[a], [(b, boxes[order[b]]) for b in later])]
    return sorted(pairs)


def beside(boxes: Sequence[Edges]) -> list[tuple[int, int]]:
    """Pairs (a, b): box ``b`` is immediately to the right of box ``a``."""
    return below([(y0, x0, y1, x1) for x0, y0, x1, y1 in boxes])


def _immediate(box: Edges, later: Sequence[tuple[int, Edges]]) -> list[int]:
    """Those of the boxes that start later which nothing hides from ``box``."""
    found: list[int] = []
    under: list[Edges] = []
    horizon = math.inf  # below this, everything is hidden behind something as wide
    for name, other in later:
        if other[1] >= horizon:
            break
        left, right = max(box[0], other[0]), min(box[2], other[2])
        if right <= left or not _after(box, other):
            continue
        narrower = min(box[2] - box[0], other[2] - other[0])
        if right - left > narrower / 2 + _HAIR and not any(
            _after(c, other) and min(right, c[2]) - max(left, c[0]) > _BETWEEN * (right - left) for c in under
        ):
            found.append(name)
        under.append(other)
        if other[0] <= box[0] and other[2] >= box[2]:
            horizon = min(horizon, other[3])
    return found


def _after(a: Edges, b: Edges) -> bool:
    """Whether ``b`` starts where ``a`` has ended."""
    return b[1] >= a[3] - _SLACK * min(a[3] - a[1], b[3] - b[1])


def _strips(boxes: Sequence[Edges]) -> dict[int, list[int]]:
    """The boxes in each strip of the page, so that a page of thousands does not compare each with all others."""
    strips: dict[int, list[int]] = {}
    for place, box in enumerate(boxes):
        for strip in range(int(box[0] // _STRIP), int(box[2] // _STRIP) + 1):
            strips.setdefault(strip, []).append(place)
    return strips


def _later(strips: dict[int, list[int]], box: Edges, place: int) -> list[int]:
    nearest: set[int] = set()
    for strip in range(int(box[0] // _STRIP), int(box[2] // _STRIP) + 1):
        start = bisect_right(strips[strip], place)
        nearest.update(strips[strip][start : start + _NEAREST])
    return sorted(nearest)
