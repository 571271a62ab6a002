"""Which fragment lies immediately below or beside which, from boxes alone.

``b`` is below ``a`` if it starts where ``a`` has ended and their x-intervals overlap by more than half of the
narrower one; beside if the same holds with the axes exchanged. It is *immediately* so if nothing lies between the
two in the strip they share. The test suite applies the same definition to a browser's boxes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Edges = tuple[float, float, float, float]  # x0, y0, x1, y1

_SLACK = 0.25  # share of the smaller height by which boxes may run into each other and still be one above the other
_HAIR = 1.0  # px: two columns over three share exactly half, which must not depend on rounding
_BETWEEN = 0.1  # share of the strip that something between two boxes must cover
_NEAREST = 256  # candidates looked at a fragment: bounds the work on a page of ten thousand fragments


def below(boxes: Sequence[Edges]) -> list[tuple[int, int]]:
    """Pairs (a, b): box ``b`` is immediately below box ``a``."""
    order = sorted(range(len(boxes)), key=lambda k: (boxes[k][1], boxes[k][0], k))
    pairs: list[tuple[int, int]] = []
    for place, a in enumerate(order):
        box = boxes[a]
        under: list[Edges] = []  # what starts below a, nearest first
        horizon = math.inf  # below this, a is hidden behind something as wide
        for b in order[place + 1 : place + 1 + _NEAREST]:
            other = boxes[b]
            if other[1] >= horizon:
                break
            left, right = max(box[0], other[0]), min(box[2], other[2])
            if right <= left or not _after(box, other):
                continue
            narrower = min(box[2] - box[0], other[2] - other[0])
            if right - left > narrower / 2 + _HAIR and not any(
                _after(c, other) and min(right, c[2]) - max(left, c[0]) > _BETWEEN * (right - left) for c in under
            ):
                pairs.append((a, b))
            under.append(other)
            if other[0] <= box[0] and other[2] >= box[2]:
                horizon = min(horizon, other[3])
    return sorted(pairs)


def beside(boxes: Sequence[Edges]) -> list[tuple[int, int]]:
    """Pairs (a, b): box ``b`` is immediately to the right of box ``a``."""
    return below([(y0, x0, y1, x1) for x0, y0, x1, y1 in boxes])


def _after(a: Edges, b: Edges) -> bool:
    """Whether ``b`` starts where ``a`` has ended."""
    return b[1] >= a[3] - _SLACK * min(a[3] - a[1], b[3] - b[1])
