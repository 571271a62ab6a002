"""After the flow: shifts that became known late, and the boxes of inline elements.

The alignment of a line or of a cell's contents is known only once they are laid out. It is noted on the element
and added up here in one pass from the root down, instead of moving subtrees about again and again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from extractors.layout.lines import Piece

if TYPE_CHECKING:
    from extractors.layout.flow import Flow

Edges = tuple[float, float, float, float]  # x0, y0, x1, y1


def settle(flow: Flow) -> dict[int, Edges]:
    """Move what has to move, then give inline elements the box around their pieces.

    Returns the box around each element's own text.
    """
    shift_x, shift_y = _shift_boxes(flow)
    pieces: dict[int, list[Piece]] = {}
    for piece in flow.pieces:
        piece.x += shift_x[piece.element]
        piece.y += shift_y[piece.element]
        pieces.setdefault(piece.element, []).append(piece)
    text_boxes = {index: _around([_edges(piece) for piece in own]) for index, own in pieces.items()}
    for index in reversed(flow.intrinsic.inlines):
        _enclose(flow, index, text_boxes.get(index))
    return text_boxes


def _shift_boxes(flow: Flow) -> tuple[list[float], list[float]]:
    """How far the contents of each element move; its own box has moved already."""
    shift_x = [0.0] * len(flow.elements)
    shift_y = shift_x.copy()
    moved_x, moved_y, contents_y, shown = flow.moved_x, flow.moved_y, flow.contents_y, flow.shown
    for index, element in enumerate(flow.elements):
        if not shown[index]:
            continue
        parent = element.parent
        dx, dy = (0.0, 0.0) if parent is None else (shift_x[parent], shift_y[parent])
        if index in moved_x:
            dx += moved_x[index]
        if index in moved_y:
            dy += moved_y[index]
        if dx:
            flow.x[index] += dx
            shift_x[index] = dx
        if dy:
            flow.y[index] += dy
        shift_y[index] = dy + contents_y[index] if index in contents_y else dy
    return shift_x, shift_y


def _enclose(flow: Flow, index: int, own_text: Edges | None) -> None:
    boxes = [] if own_text is None else [own_text]
    for child in flow.elements[index].children:
        if flow.shown[child] and (flow.width[child] or flow.height[child]):
            x, y = flow.x[child], flow.y[child]
            boxes.append((x, y, x + flow.width[child], y + flow.height[child]))
    if boxes:
        style = flow.styles[index]
        x0, y0, x1, y1 = _around(boxes)
        x0, y0 = x0 - style.border_left - style.padding_left, y0 - style.border_top - style.padding_top
        flow.x[index], flow.y[index] = x0, y0
        flow.width[index] = x1 + style.border_right + style.padding_right - x0
        flow.height[index] = y1 + style.border_bottom + style.padding_bottom - y0


def _edges(piece: Piece) -> Edges:
    return piece.x, piece.y, piece.x + piece.width, piece.y + piece.height


def _around(boxes: Sequence[Edges]) -> Edges:
    if len(boxes) == 1:
        return boxes[0]
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)
