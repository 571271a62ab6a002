"""A table's cells by row and column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from extractors.layout.boxstyle import BoxStyle
from extractors.layout.columns import Column, spread
from extractors.tree import Element

ROW_GROUPS = frozenset({"table-row-group", "table-header-group", "table-footer-group"})
_COLUMNS = frozenset({"table-column", "table-column-group"})
_MAX_SPAN = 64  # a spanning cell costs its span in columns; no email has more, a hostile one asks for a million

_MAX_COLUMNS = 1000  # cells pushed further to the right by cells from above only exist to waste time


@dataclass(slots=True)
class Cell:
    element: int
    column: int
    colspan: int
    rowspan: int


class Grid:
    """``row_elements`` has None for cells that stand in the table without a row."""

    __slots__ = ("captions", "columns", "groups", "row_elements", "rows", "spacing")

    def __init__(self) -> None:
        self.rows: list[list[Cell]] = []
        self.row_elements: list[int | None] = []
        self.groups: list[int] = []
        self.captions: list[int] = []
        self.columns: list[Column] = []
        self.spacing = 0.0

    def ask(self, styles: Sequence[BoxStyle], least: Sequence[float], most: Sequence[float]) -> None:
        """Sum up what the cells ask of their columns."""
        count = max([row[-1].column + row[-1].colspan for row in self.rows if row], default=0)
        columns = self.columns = [Column() for _ in range(count)]
        spanning: list[Cell] = []
        for row in self.rows:
            for cell in row:
                if cell.colspan > 1:
                    spanning.append(cell)
                    continue
                style = styles[cell.element]
                fixed = style.width is not None and style.display == "table-cell"
                columns[cell.column].ask(least[cell.element], most[cell.element], fixed, style.width_fraction)
        for cell in sorted(spanning, key=lambda c: c.colspan):
            within = columns[cell.column : cell.column + cell.colspan]
            spread(within, least[cell.element], most[cell.element], styles[cell.element].width_fraction)


def build_grid(elements: Sequence[Element], styles: Sequence[BoxStyle], shown: Sequence[bool], table: int) -> Grid:
    grid = Grid()
    covered: dict[int, int] = {}  # column -> rows still covered by a cell from above
    for row, cells in _rows(elements, styles, shown, table, grid):
        grid.rows.append(_place_cells(elements, cells, covered))
        grid.row_elements.append(row)
    return grid


def _rows(
    elements: Sequence[Element], styles: Sequence[BoxStyle], shown: Sequence[bool], table: int, grid: Grid
) -> Iterator[tuple[int | None, list[int]]]:
    """(row, its cells); what stands between rows becomes a row without an element. Notes groups and captions."""
    loose: list[int] = []
    stack = elements[table].children[::-1]
    while stack:
        child = stack.pop()
        if not shown[child]:
            continue
        display = styles[child].display
        if display == "table-row":
            if loose:
                yield None, loose
                loose = []
            yield child, [cell for cell in elements[child].children if shown[cell]]
        elif display in ROW_GROUPS:
            grid.groups.append(child)
            stack += elements[child].children[::-1]
        elif display == "table-caption":
            grid.captions.append(child)
        elif display not in _COLUMNS:
            loose.append(child)
    if loose:
        yield None, loose


def _place_cells(elements: Sequence[Element], cells: Sequence[int], covered: dict[int, int]) -> list[Cell]:
    row: list[Cell] = []
    spans_rows = False
    column = 0
    for element in cells:
        while covered and covered.get(column, 0) and column < _MAX_COLUMNS:
            column += 1
        attributes = elements[element].attributes
        colspan = min(_span(attributes["colspan"]), _MAX_SPAN) if "colspan" in attributes else 1
        rowspan = _span(attributes["rowspan"]) if "rowspan" in attributes else 1
        row.append(Cell(element, column, colspan, rowspan))
        column += colspan
        spans_rows = spans_rows or rowspan > 1
    if covered:
        for column in [column for column, left in covered.items() if left]:
            covered[column] -= 1
    if spans_rows:
        for cell in row:
            if cell.rowspan > 1:
                covered.update(dict.fromkeys(range(cell.column, cell.column + cell.colspan), cell.rowspan - 1))
    return row


def _span(value: str) -> int:
    try:
        return min(max(int(value), 1), 1000)
    except ValueError:
        return 1
