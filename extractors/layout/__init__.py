"""Approximate layout: which elements can be seen, and the box each would get at the document's width."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from extractors.document import Document
from extractors.layout.flow import Flow
from extractors.layout.intrinsic import CONTROLS, REPLACED, Intrinsic, Run
from extractors.layout.lines import Piece

__all__ = ["CONTROLS", "REPLACED", "Box", "Layout", "Piece", "Run", "lay_out"]


class Box(NamedTuple):
    """Left, top, right and bottom edge in px."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    @classmethod
    def around(cls, boxes: Iterable[Box]) -> Box:
        boxes = list(boxes)
        if len(boxes) == 1:
            return boxes[0]
        edges = list(zip(*boxes, strict=True))
        return cls(min(edges[0]), min(edges[1]), max(edges[2]), max(edges[3])) if edges else cls(0, 0, 0, 0)


class Layout:
    """One document's boxes, by element index."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._intrinsic = Intrinsic(document)
        self._flow = Flow(self._intrinsic, document.width)
        self.shown = self._intrinsic.shown  # not display:none, transparent or clipped to nothing
        self.content = self._intrinsic.content  # holds text or an image that can be seen
        self.own_text = self._intrinsic.own_text  # of which some is in a text node of its own
        self.content_children = self._intrinsic.content_children  # how many children have content
        self.first_content = self._intrinsic.first_content  # the first of these
        self.styles = self._intrinsic.styles
        self.pieces = self._flow.pieces  # the text nodes where they are set

    def box(self, index: int) -> Box:
        flow = self._flow
        x, y = flow.x[index], flow.y[index]
        return Box(x, y, x + flow.width[index], y + flow.height[index])

    def ink(self, index: int) -> Box:
        """The box around what the element itself shows: its own text, or all of it if it has none."""
        own = self._flow.text_boxes.get(index)
        return self.box(index) if own is None else Box(*own)

    def width(self, index: int) -> float:
        return self._flow.width[index]

    def height(self, index: int) -> float:
        return self._flow.height[index]

    def preferred_width(self, index: int) -> float:
        """Border-box width the element would have with all the room it wants."""
        return self._intrinsic.most[index] - self.styles[index].margins_x

    def runs(self, index: int) -> list[Run]:
        """The text nodes of ``index`` itself that can be seen."""
        return [run for _, run in self.runs_in_place(index)]

    def runs_in_place(self, index: int) -> list[tuple[int, Run]]:
        """:meth:`runs`, each with its place in the element's contents."""
        if not self.own_text[index]:
            return []
        return [(place, run) for place, run in self._intrinsic.runs[index].items() if run.content]

    def run(self, index: int, place: int) -> Run | None:
        """The text node at one place of an element's contents, if it can be seen."""
        run = self._intrinsic.runs.get(index, {}).get(place)
        return run if run is not None and run.content else None


def lay_out(document: Document) -> Layout:
    return Layout(document)
