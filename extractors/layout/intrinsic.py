"""What each element's contents need before any width is known: visibility, text runs, table grids, widths.

One pass down marks what is hidden, one pass up (children have larger indices than their parents, so a loop
in reverse document order) sums minimal and preferred widths. Nothing here recurses, so depth costs nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from extractors.document import Document
from extractors.layout.boxstyle import BoxStyle, TextStyle, text_style
from extractors.layout.columns import Column, natural_width, spread
from extractors.layout.metrics import SPACE, longest_word_units, text_units, visible_text

REPLACED = frozenset({"img", "svg", "video", "iframe", "object", "embed", "canvas", "audio", "picture"})
CONTROLS = frozenset({"input", "select", "textarea"})
_ROW_GROUPS = frozenset({"table-row-group", "table-header-group", "table-footer-group"})
_SPACER = re.compile(
    r"(?:^|[/_.-])(?:spacer?|blank|clear|transparent|pixel|shim|trans|empty)[\w-]*\.(?:gif|png)", re.IGNORECASE
)
_MAX_SPAN = 64  # a spanning cell costs its span in columns; no email has more, a hostile one asks for a million
_PADDING = 20.0  # px: a nameless image no larger than this pads
_ICON = 16.0  # px: the broken-image icon that browsers show before alternative text
_TINY = 2.0  # px: a smaller image is a spacer or a tracker, smaller text a hidden preheader


@dataclass(slots=True)
class Run:
    """One text node: its visible characters, and its width unbroken and broken at every space, in px."""

    text: str
    width: float
    least: float
    content: bool


@dataclass(slots=True)
class Cell:
    element: int
    column: int
    colspan: int
    rowspan: int


@dataclass(slots=True)
class Grid:
    """The cells of a table by row, and what its columns ask for."""

    rows: list[list[Cell]] = field(default_factory=list)
    row_elements: list[int | None] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)
    captions: list[int] = field(default_factory=list)
    columns: list[Column] = field(default_factory=list)
    spacing: float = 0.0


class Intrinsic:
    """Per element (by index): style numbers, whether it is shown, whether it holds anything to see, widths."""

    def __init__(self, document: Document) -> None:
        self.document = document
        elements = document.elements
        count = len(elements)
        self.styles: list[BoxStyle] = []
        self.shown = [True] * count
        self.content = [False] * count
        self.own_text = [False] * count
        self.content_children = [0] * count
        self.least = [0.0] * count
        self.most = [0.0] * count
        self.runs: dict[tuple[int, int], Run] = {}
        self.grids: dict[int, Grid] = {}
        self.alt_widths: dict[int, float] = {}
        self._mark_hidden()
        for index in range(count - 1, -1, -1):
            if self.shown[index]:
                self._measure(index)
                parent = document.elements[index].parent
                if self.content[index] and parent is not None:
                    self.content_children[parent] += 1

    def _mark_hidden(self) -> None:
        boxes: dict[int, BoxStyle] = {}
        texts: dict[int, TextStyle] = {}
        for index, element in enumerate(self.document.elements):
            computed = element.style
            style = boxes.get(id(computed))
            if style is None:
                text = texts.get(id(computed.inherited))
                if text is None:
                    text = texts[id(computed.inherited)] = text_style(computed)
                style = boxes[id(computed)] = BoxStyle(computed, text)
            self.styles.append(style)
            parent = element.parent
            if style.hidden or (parent is not None and not self.shown[parent]):
                self.shown[index] = False

    def _measure(self, index: int) -> None:
        element = self.document.elements[index]
        style = self.styles[index]
        if element.tag in REPLACED:
            self._measure_image(index)
            return
        if element.tag in CONTROLS:
            self.content[index] = element.attributes.get("type") != "hidden"
            self._settle(index, 150.0, 150.0)
            return
        if style.is_table:
            self._measure_table(index)
        elif style.is_flex:
            self._measure_flex(index)
        else:
            self._measure_flow(index)

    def _measure_flow(self, index: int) -> None:
        """A block or inline container: lines of inline pieces, broken by blocks and ``<br>``."""
        style = self.styles[index].text
        least = most = line = 0.0
        for position, node in enumerate(self.document.elements[index].contents):
            if isinstance(node, str):
                run = self._run(index, position, node, style)
                if run is not None:
                    least = max(least, run.least)
                    line += run.width + SPACE * style.unit * (node[0].isspace() or node[-1].isspace())
                continue
            if not self.shown[node]:
                continue
            self.content[index] |= self.content[node]
            child = self.styles[node]
            least = max(least, self.least[node])
            if self.document.elements[node].tag == "br":
                most, line = max(most, line), 0.0
            elif child.inline or child.inline_block or child.float_side != "none":
                line += self.most[node]
            elif not child.out_of_flow:
                most, line = max(most, line, self.most[node]), 0.0
        self._settle(index, least, max(most, line))

    def _run(self, index: int, position: int, node: str, style: TextStyle) -> Run | None:
        text = visible_text(node)
        if not text and "\xa0" not in node:
            return None
        seen = bool(text) and style.font_size > _TINY and style.visible
        shaped = text.upper() if style.uppercase else text
        width = text_units(shaped) * style.unit + len(text) * style.tracking
        least = width
        if not style.nowrap:
            least = longest_word_units(shaped) * style.unit * (1 + style.tracking * 2 / (style.font_size or 1.0))
        if not text:
            width = len(node) * SPACE * style.unit
        run = self.runs[index, position] = Run(text, width, least, seen)
        if seen:
            self.content[index] = self.own_text[index] = True
        return run

    def _measure_image(self, index: int) -> None:
        """An image as it shows before it is fetched, which is never: its stated size or its alternative text."""
        element, style = self.document.elements[index], self.styles[index]
        alt = visible_text(element.attributes.get("alt") or "")
        tiny = min(style.width or 99.0, style.height or 99.0) <= _TINY
        spacer = not alt and self._is_spacer(index, style)
        self.content[index] = not tiny and not spacer and style.text.visible
        width = least = 0.0
        if alt:
            width = _ICON + text_units(alt) * style.text.unit
            least = _ICON if style.width_fraction is None else 0.0
            self.alt_widths[index] = width
        elif style.inline and "alt" not in element.attributes:
            width = least = _ICON
        if self.is_alt_text(index):  # browsers forget the stated size of an inline image they show as text
            self.least[index], self.most[index] = least, width + style.margins_x
        else:
            if style.max_width_fraction is not None and style.width_fraction is None:
                least = 0.0
            self._settle(index, least, width)
            if style.max_width_fraction is not None or style.width_fraction is not None:
                self.least[index] = 0.0

    def _is_spacer(self, index: int, style: BoxStyle) -> bool:
        """An image without a name that leads nowhere: called a spacer, or no larger than padding would be."""
        element = self.document.elements[index]
        if _SPACER.search(element.attributes.get("src") or ""):
            return True
        small = max(style.width or 99.0, style.height or 99.0) <= _PADDING
        return small and (element.parent is None or self.document.elements[element.parent].tag != "a")

    def is_alt_text(self, index: int) -> bool:
        return self.styles[index].inline and index in self.alt_widths and not self.document.quirks

    def _measure_flex(self, index: int) -> None:
        children = [child for child in self.document.elements[index].children if self.shown[child]]
        self._measure_flow(index)
        column = "column" in self.document.elements[index].style.get("flex-direction", "row")
        if children and not column:
            self._settle(index, max(self.least[c] for c in children), sum(self.most[c] for c in children))

    def _measure_table(self, index: int) -> None:
        grid = self.grids[index] = self._grid(index)
        style = self.styles[index]
        grid.spacing = (
            0.0 if style.text.collapse else _pixels(self.document.elements[index].attributes.get("cellspacing"))
        )
        spacing = grid.spacing * (len(grid.columns) + 1)
        least, most = natural_width(grid.columns)
        if style.width is not None:  # a table's width is at least what its columns need
            width = style.width - (0.0 if not style.border_box else style.inset_x)
            least = most = max(least + spacing, width)
            style_inset = style.inset_x
            self.least[index] = self.most[index] = least + style_inset + style.margins_x
            return
        if style.fixed_columns:
            least = 0.0
        self._settle(index, least + spacing, most + spacing)

    def _grid(self, index: int) -> Grid:
        grid = Grid()
        elements, styles = self.document.elements, self.styles
        pending: list[int] = []  # cells without a row of their own

        def add_row(row: int | None, cells: list[int]) -> None:
            grid.rows.append(self._row(cells, occupied))
            grid.row_elements.append(row)
            self.content[index] |= any(self.content[cell] for cell in cells)

        occupied: dict[int, int] = {}  # column -> rows still covered by a cell from above
        stack = list(reversed(elements[index].children))
        while stack:
            child = stack.pop()
            if not self.shown[child]:
                continue
            display = styles[child].display
            if display in _ROW_GROUPS:
                grid.groups.append(child)
                stack.extend(reversed(elements[child].children))
                continue
            if display == "table-caption":
                grid.captions.append(child)
                self.content[index] |= self.content[child]
                continue
            if display != "table-row" and display not in ("table-column", "table-column-group"):
                pending.append(child)
                continue
            if pending:
                add_row(None, pending)
                pending = []
            if display == "table-row":
                add_row(child, [cell for cell in elements[child].children if self.shown[cell]])
        if pending:
            add_row(None, pending)
        self._ask_columns(grid)
        return grid

    def _row(self, cells: list[int], occupied: dict[int, int]) -> list[Cell]:
        row: list[Cell] = []
        column = 0
        begun: list[tuple[int, int, int]] = []
        for element in cells:
            while occupied.get(column, 0) > 0:
                column += 1
            attributes = self.document.elements[element].attributes
            colspan = min(_span(attributes.get("colspan")), _MAX_SPAN)
            rowspan = _span(attributes.get("rowspan"))
            row.append(Cell(element, column, colspan, rowspan))
            begun.append((column, colspan, rowspan))
            column += colspan
        for column in [column for column, left in occupied.items() if left > 0]:
            occupied[column] -= 1
        for column, colspan, rowspan in begun:
            if rowspan > 1:
                for covered in range(column, column + colspan):
                    occupied[covered] = rowspan - 1
        return row

    def _ask_columns(self, grid: Grid) -> None:
        count = max((cell.column + cell.colspan for row in grid.rows for cell in row), default=0)
        columns = grid.columns = [Column() for _ in range(count)]
        spanning: list[Cell] = []
        for row in grid.rows:
            for cell in row:
                if cell.colspan > 1:
                    spanning.append(cell)
                    continue
                style = self.styles[cell.element]
                columns[cell.column].ask(
                    self.least[cell.element],
                    self.most[cell.element],
                    style.width is not None and style.display == "table-cell",
                    style.width_fraction,
                )
        for cell in sorted(spanning, key=lambda c: c.colspan):
            spread(
                columns[cell.column : cell.column + cell.colspan],
                self.least[cell.element],
                self.most[cell.element],
                self.styles[cell.element].width_fraction,
            )

    def _settle(self, index: int, least: float, most: float) -> None:
        """Add padding, border, margin and stated widths to what the contents ask for."""
        style = self.styles[index]
        if style.inline:
            extra = style.inset_x + style.margins_x
            self.least[index], self.most[index] = least, most + extra
            return
        inset = style.inset_x
        if style.width is not None:
            width = style.width + (0.0 if style.border_box else inset)
            if style.display == "table-cell":
                least, most = least + inset, max(width, least + inset)
            else:
                least = most = width
        else:
            least, most = least + inset, most + inset
        if style.max_width is not None:
            limit = style.max_width + (0.0 if style.border_box else inset)
            least, most = min(least, limit), min(most, limit)
        floor = style.min_width + (0.0 if style.border_box else inset) if style.min_width else 0.0
        margins = style.margins_x
        self.least[index] = max(least, floor) + margins
        self.most[index] = max(most, least, floor) + margins


def _span(value: str | None) -> int:
    try:
        return min(max(int(value or 1), 1), 1000)
    except ValueError:
        return 1


def _pixels(value: str | None) -> float:
    digits = (value or "").strip().removesuffix("px")
    return min(float(digits), 100.0) if digits.isdecimal() else 0.0
