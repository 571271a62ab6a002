"""Lines of inline content, and the floats that narrow them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from extractors.layout.boxstyle import BoxStyle


@dataclass(slots=True)
class Float:
    left: bool
    x0: float
    x1: float
    y0: float
    y1: float


@dataclass(slots=True)
class Piece:
    """A text node on one or more lines, belonging to the element that holds it."""

    element: int
    text: str
    x: float
    y: float
    width: float
    height: float
    indent: float = 0.0  # where its first line starts, if it is broken


class Lines:
    """The inline content of one block container, line after line."""

    __slots__ = ("align", "atoms", "cursor", "floats", "height", "inset", "left", "pieces", "space", "width", "y")

    def __init__(self, left: float, width: float, y: float, align: float, floats: list[Float]) -> None:
        self.left, self.width, self.y, self.align, self.floats = left, width, y, align, floats
        self.pieces: list[Piece] = []
        self.atoms: list[tuple[int, float, BoxStyle]] = []  # element, height with margins, style
        self.cursor = self.height = self.space = self.inset = 0.0

    def band(self) -> tuple[float, float]:
        """Left edge and width that floats leave free on the current line."""
        return band(self.left, self.width, self.y, self.floats)

    def start(self) -> float:
        """Where the next piece begins on the current line; the space and inset before it are spent."""
        start = self.cursor + (self.space if self.cursor else 0.0) + self.inset
        self.space = self.inset = 0.0
        return start


def band(left: float, width: float, y: float, floats: Sequence[Float]) -> tuple[float, float]:
    """Left edge and width that floats leave free at one height."""
    right = left + width
    for f in floats:
        if f.y0 <= y < f.y1 - 0.01:
            if f.left:
                left = max(left, f.x1)
            else:
                right = min(right, f.x0)
    return left, max(0.0, right - left)


def next_end(y: float, floats: Sequence[Float]) -> float:
    """Where the first of the floats beside ``y`` ends: below it there is more room."""
    return min(f.y1 for f in floats if f.y0 <= y < f.y1)


def cleared(y: float, clear: str, floats: Sequence[Float]) -> float:
    """The height at or below ``y`` that ``clear`` asks for."""
    return max([y, *(f.y1 for f in floats if clear == "both" or (clear == "left") == f.left)])
