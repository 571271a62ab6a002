"""Where the rows and cells of a table go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from extractors.layout.columns import distribute, fixed_widths
from extractors.layout.grid import Cell, Grid

if TYPE_CHECKING:
    from extractors.layout.flow import Flow

_CELL_ALIGN = {"middle": 0.5, "bottom": 1.0}  # share of a cell's spare height that goes above its contents

Held = tuple[int, float, float, int]  # a cell, its top, its height, its last row


def place_table(flow: Flow, index: int, grid: Grid, left: float, top: float, inner: float) -> float:
    """Lay out captions, rows and cells below each other; returns the height of all of them."""
    y = top
    for caption in grid.captions:
        y += flow.place(caption, left, y, inner, None)
    spacing = grid.spacing
    lefts = _lefts(flow, index, grid, left, inner)
    open_cells: list[Held] = []  # of rows above, that reach into this one
    last = len(grid.rows) - 1
    for number, (row, element) in enumerate(zip(grid.rows, grid.row_elements, strict=True)):
        y += spacing
        ending = [held for held in open_cells if held[3] == number] if open_cells else []
        open_cells = [held for held in open_cells if held[3] > number] if open_cells else []
        for cell in row:
            x = lefts[cell.column]
            width = lefts[min(cell.column + cell.colspan, len(lefts) - 1)] - spacing - x
            height = flow.place(cell.element, x, y, max(width, 0.0), None)
            end = number if cell.rowspan == 1 else min(number + cell.rowspan - 1, last)
            (ending if end == number else open_cells).append((cell.element, y, height, end))
        row_height = 0.0 if element is None else flow.styles[element].height or 0.0
        for _, cell_top, height, _ in ending:
            row_height = max(row_height, cell_top + height - y)
        if element is not None:
            flow.x[element], flow.y[element] = left, y
            flow.width[element], flow.height[element] = inner, row_height
        y += row_height
        for held in ending:
            _stretch(flow, held, y)
    for group in grid.groups:
        _enclose_group(flow, group, left, inner)
    return y + spacing - top


def _lefts(flow: Flow, index: int, grid: Grid, left: float, inner: float) -> list[float]:
    """The left edge of each column, and of one more."""
    style = flow.styles[index]
    count, spacing = len(grid.columns), grid.spacing
    room = inner - spacing * (count + 1)
    if count == 1:
        widths = [max(room, 0.0 if style.fixed_columns else grid.columns[0].least)]
    elif style.fixed_columns and grid.rows:
        first = [_stated(flow, cell) for cell in grid.rows[0]]
        widths = (fixed_widths(first, room) + [0.0] * count)[:count]
    else:
        widths = distribute(grid.columns, room)
    lefts = [left + spacing]
    for width in widths:
        lefts.append(lefts[-1] + width + spacing)
    return lefts


def _stated(flow: Flow, cell: Cell) -> tuple[int, float | None, float | None]:
    style = flow.styles[cell.element]
    width = style.width
    if width is not None and not style.border_box:
        width += style.inset_x
    return cell.colspan, width, style.width_fraction


def _stretch(flow: Flow, held: Held, bottom: float) -> None:
    """A cell is as high as the rows it stands in; what is in it moves as ``vertical-align`` says."""
    cell, top, height, _ = held
    flow.height[cell] = bottom - top
    align = _CELL_ALIGN.get(flow.styles[cell].vertical_align)
    if align is not None:
        flow.contents_y[cell] = (bottom - top - flow.cell_heights.get(cell, height)) * align


def _enclose_group(flow: Flow, group: int, left: float, inner: float) -> None:
    rows = [row for row in flow.elements[group].children if flow.shown[row]]
    if rows:
        first, last = rows[0], rows[-1]
        flow.x[group], flow.y[group], flow.width[group] = left, flow.y[first], inner
        flow.height[group] = flow.y[last] + flow.height[last] - flow.y[first]
