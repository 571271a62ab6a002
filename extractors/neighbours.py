"""Which fragment lies immediately below or beside which, from boxes alone.

``b`` is below ``a`` if it starts where ``a`` has ended and their x-intervals overlap by more than half of the
narrower one; beside if the same holds with the axes exchanged. It is *immediately* so if no third fragment
lies between the two in that sense. The test suite applies the same definition to a browser's boxes.
"""

from __future__ import annotations

from collections.abc import Sequence

Edges = tuple[float, float, float, float]  # x0, y0, x1, y1

_SLACK = 0.25  # share of the smaller height by which boxes may run into each other and still be one above the other
_NEAREST = 256  # candidates looked at a fragment: bounds the work on a page of ten thousand fragments


def below(boxes: Sequence[Edges]) -> list[tuple[int, int]]:
    """Pairs (a, b): box ``b`` is immediately below box ``a``."""
    return _follow(boxes)


def beside(boxes: Sequence[Edges]) -> list[tuple[int, int]]:
    """Pairs (a, b): box ``b`` is immediately to the right of box ``a``."""
    return _follow([(y0, x0, y1, x1) for x0, y0, x1, y1 in boxes])


def _follow(boxes: Sequence[Edges]) -> list[tuple[int, int]]:
    order = sorted(range(len(boxes)), key=lambda k: (boxes[k][1], boxes[k][0], k))
    rank = {box: place for place, box in enumerate(order)}
    pairs: list[tuple[int, int]] = []
    for a in range(len(boxes)):
        accepted: list[int] = []
        start = rank[a] + 1
        for b in order[start : start + _NEAREST]:
            if _comes_after(boxes[a], boxes[b]) and not any(_comes_after(boxes[c], boxes[b]) for c in accepted):
                accepted.append(b)
        pairs += [(a, b) for b in accepted]
    return pairs


def _comes_after(a: Edges, b: Edges) -> bool:
    narrower = min(a[2] - a[0], b[2] - b[0])
    overlap = min(a[2], b[2]) - max(a[0], b[0])
    if overlap <= narrower / 2:
        return False
    return b[1] >= a[3] - _SLACK * min(a[3] - a[1], b[3] - b[1])
