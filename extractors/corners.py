"""The rounded corners of an email's boxes other than buttons: cards, panels, badges, pictures.

A brand rounds its boxes alike, so they tell what corner a button of the same email may have. What a button draws
itself is none of it: neither its own box nor a box around nothing but buttons.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from extractors.buttons import Button
from extractors.canonical import radius
from extractors.document import Document
from extractors.layout import REPLACED, Layout

_WIDE = 400.0  # px: a wider box is the sheet or a band of the page, whose corners are another matter
_SQUARE = 0.1  # share of its longer side by which a circle's box may be off


class Corners:
    """Finds the radii of the boxes around content."""

    def __init__(self, document: Document, layout: Layout, buttons: Sequence[Button]) -> None:
        self._elements = document.elements
        self._layout = layout
        self._of_buttons = self._boxes_of(buttons)
        self._around: dict[int, frozenset[int]] = {}

    def of(self, sources: Iterable[int]) -> tuple[int, ...]:
        """The distinct radii, in whole px, of all boxes that hold any of ``sources``."""
        return tuple(sorted(frozenset[int]().union(*map(self._radii_around, sources))))

    def _radii_around(self, source: int) -> frozenset[int]:
        chain: list[int] = []
        index: int | None = source
        while index is not None and index not in self._around:
            chain.append(index)
            index = self._elements[index].parent
        radii = frozenset[int]() if index is None else self._around[index]
        for inner in reversed(chain):
            own = self._radius(inner)
            radii = self._around[inner] = radii | {own} if own else radii
        return radii

    def _radius(self, index: int) -> int:
        """0 for square corners, and for what says nothing about a button's."""
        style = self._elements[index].style
        if "border-top-left-radius" not in style.own or index in self._of_buttons:
            return 0
        written = radius(style["border-top-left-radius"])
        if written.endswith("%"):
            return 0
        pixels = float(written.removesuffix("px"))
        return 0 if self._layout.width(index) > _WIDE or self._is_circle(index, pixels) else round(pixels)

    def _is_circle(self, index: int, pixels: float) -> bool:
        """A portrait or an icon: round whatever the corners of the brand's boxes are."""
        width, height = self._layout.width(index), self._layout.height(index)
        if self._elements[index].tag in REPLACED:  # the height of a picture is seldom known
            return 2 * pixels >= width
        as_wide_as_high = abs(width - height) <= _SQUARE * max(width, height)
        return as_wide_as_high and 2 * pixels >= min(width, height)

    def _boxes_of(self, buttons: Sequence[Button]) -> frozenset[int]:
        """Buttons, and elements around them all of whose visible content is buttons."""
        inside = {button.element for button in buttons}
        missing: dict[int, int] = {}  # parent -> children with content that are no buttons' yet
        waiting = sorted(inside)
        while waiting:
            parent = self._elements[waiting.pop()].parent
            if parent is None or parent in inside:
                continue
            missing[parent] = missing.get(parent, self._layout.content_children[parent]) - 1
            if not missing[parent] and not self._layout.own_text[parent]:
                inside.add(parent)
                waiting.append(parent)
        return frozenset(inside)
