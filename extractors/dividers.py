"""Horizontal lines on the page: rules, single borders, thin coloured bars."""

from __future__ import annotations

from bisect import bisect_left

from extractors.document import Document
from extractors.layout import Box, Layout
from extractors.paint import Paint

_THICKEST = 6.0  # px
_SHORTEST = 60.0  # px
_CLEAR = "rgba(0, 0, 0, 0)"


class Dividers:
    def __init__(self, document: Document, layout: Layout, paint: Paint) -> None:
        lines: list[tuple[float, float, float]] = []
        for index, element in enumerate(document.elements):
            if not layout.shown[index]:
                continue
            style = layout.styles[index]
            box = None
            if style.border_top >= 1 or style.border_bottom >= 1:
                if style.border_left >= 1 and style.border_right >= 1 and element.tag != "hr":
                    continue  # a frame
                box = layout.box(index)
                if style.border_top >= 1 and element.style["border-top-color"] != _CLEAR:
                    lines.append((box.y0, box.x0, box.x1))
                if style.border_bottom >= 1 and element.style["border-bottom-color"] != _CLEAR:
                    lines.append((box.y1, box.x0, box.x1))
            elif paint.painter[index] == index and not layout.content[index]:
                box = layout.box(index)
                if 0 < box.height <= _THICKEST and paint.stands_out(index):
                    lines.append((box.y0, box.x0, box.x1))
        self._lines = sorted(line for line in lines if line[2] - line[1] >= _SHORTEST)

    def between(self, above: Box, below: Box) -> bool:
        """Whether a line separates two boxes."""
        left, right = min(above.x0, below.x0), max(above.x1, below.x1)
        place = bisect_left(self._lines, (above.y1 - 1,))
        while place < len(self._lines) and self._lines[place][0] <= below.y0 + 1:
            _, x0, x1 = self._lines[place]
            if min(right, x1) - max(left, x0) > 0:
                return True
            place += 1
        return False
