"""What is painted behind each element: its effective background and who paints it."""

from __future__ import annotations

from extractors.canonical import TRANSPARENT, WHITE, Rgba, gradient_colour, image_kind, over, rgba
from extractors.document import Document


class Paint:
    """Per element: ``behind`` (the opaque colour seen behind its text) and ``painter`` (whose box shows it)."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.behind: list[Rgba] = []
        self.painter: list[int | None] = []
        for index, element in enumerate(document.elements):
            parent = element.parent
            behind, painter = (WHITE, None) if parent is None else (self.behind[parent], self.painter[parent])
            declared = element.style.own
            if "background-color" in declared or "background-image" in declared:
                own = self.own_colour(index)
                if own[3] > 0 or element.style["background-image"] != "none":
                    behind, painter = over(own, behind), index
            self.behind.append(behind)
            self.painter.append(painter)

    def own_colour(self, index: int) -> Rgba:
        """What the element itself paints: its colour, or the colour its gradient starts with."""
        style = self.document.elements[index].style
        colour = rgba(style["background-color"])
        return (gradient_colour(style["background-image"]) or TRANSPARENT) if colour[3] == 0 else colour

    def outside(self, index: int) -> Rgba:
        """The colour around the element's box."""
        parent = self.document.elements[index].parent
        return WHITE if parent is None else self.behind[parent]

    def stands_out(self, index: int) -> bool:
        """Whether the element paints something unlike its surroundings."""
        if self.painter[index] != index:
            return False
        if image_kind(self.document.elements[index].style["background-image"]) != "none":
            return True
        return self.behind[index] != self.outside(index)
