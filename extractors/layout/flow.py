"""Where boxes go: block and inline flow, floats, tables and simple flex rows, in absolute px.

A browser's layout without its last per cent: margins collapse between siblings only, lines break between
words of average length, and a shift that becomes known late (the alignment of a line, of a cell's contents)
is noted on the element and added up in one pass at the end instead of moving subtrees about.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from extractors.layout.boxstyle import BoxStyle, TextStyle, length
from extractors.layout.columns import distribute, fixed_widths
from extractors.layout.grid import Cell, Grid
from extractors.layout.intrinsic import CONTROLS, REPLACED, Intrinsic, Run
from extractors.layout.metrics import SPACE

_CELL_ALIGN = {"middle": 0.5, "bottom": 1.0}  # share of a cell's spare height that goes above its contents

_NO_RUNS: dict[int, Run] = {}
_ATOMS = REPLACED | CONTROLS


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
        self.atoms: list[tuple[int, float, BoxStyle]] = []
        self.cursor = self.height = self.space = self.inset = 0.0

    def band(self) -> tuple[float, float]:
        """Left edge and width that floats leave free on the current line."""
        return _band(self.left, self.width, self.y, self.floats)


class Flow:
    """Lays out one document; afterwards ``x, y, width, height`` hold every shown element's border box."""

    def __init__(self, intrinsic: Intrinsic, viewport: float) -> None:
        self.intrinsic = intrinsic
        self.elements = intrinsic.document.elements
        self.styles = intrinsic.styles
        self.shown = intrinsic.shown
        count = len(self.elements)
        self.x = [0.0] * count
        self.y = [0.0] * count
        self.width = [0.0] * count
        self.height = [0.0] * count
        self._moved_x: dict[int, float] = {}  # the box and what is in it
        self._moved_y: dict[int, float] = {}
        self._cell_heights: dict[int, float] = {}  # of a cell's contents, before it grows with its row
        self._contents_y: dict[int, float] = {}  # only what is in it
        self.pieces: list[Piece] = []
        self.text_boxes: dict[int, tuple[float, float, float, float]] = {}  # around an element's own text
        if count:
            self._place(0, 0.0, 0.0, viewport, [])
            self._settle()

    def _place(self, index: int, x: float, y: float, width: float, floats: list[Float] | None) -> float:
        """Give ``index`` its border box at (x, y) and lay out its contents; returns its height."""
        style = self.styles[index]
        self.x[index], self.y[index], self.width[index] = x, y, width
        left = x + style.border_left + style.padding_left
        top = y + style.border_top + style.padding_top
        inner = max(0.0, width - style.inset_x)
        grid = self.intrinsic.grids.get(index)
        display = style.display
        if grid is not None:
            height = self._table(index, grid, left, top, inner)
        elif self.elements[index].tag in REPLACED:
            height = self._image_height(index, style, inner)
        elif style.is_flex:
            height = self._flex(index, left, top, inner)
        else:
            context = [] if style.new_context or floats is None else floats
            height = self._contents(index, left, top, inner, context)
            if context and context is not floats:
                height = max(height, max(f.y1 for f in context) - top)
        height += style.inset_y
        if display == "table-cell":
            self._cell_heights[index] = height
        if style.height is not None and not self.intrinsic.is_alt_text(index):
            stated = style.height + (0.0 if style.border_box else style.inset_y)
            grows = grid is not None or display == "table-cell"
            height = max(height, stated) if grows else stated
        if style.max_height is not None:
            height = min(height, style.max_height + (0.0 if style.border_box else style.inset_y))
        self.height[index] = height
        return height

    def _image_height(self, index: int, style: BoxStyle, inner: float) -> float:
        """As high as its alternative text is in the room it has; nothing without any."""
        width = self.intrinsic.alt_widths.get(index)
        if width is None:
            return 16.0 if style.inline and "alt" not in self.elements[index].attributes else 0.0
        line = max(style.text.line_height, style.text.font_size * 1.15)
        return max(16.0, line * math.ceil(width / max(inner, 16.0)))

    # Block and inline flow

    def _contents(self, index: int, left: float, top: float, width: float, floats: list[Float]) -> float:
        style = self.styles[index].text
        children = self.elements[index].children
        if len(children) == 1 and not floats and index not in self.intrinsic.runs:
            only = self.styles[children[0]]
            if self.shown[children[0]] and only.in_flow:  # a wrapper: no lines to keep
                box = self._block_width(children[0], only, width)
                x = left + self._indent(only, width, box, style.block_align)
                inside = None if only.is_table else floats
                height = self._place(children[0], x, top + only.margin_top, box, inside)
                return only.margin_top + height + only.margin_bottom
        lines = Lines(left, width, top, style.align, floats)
        margin = self._walk(index, lines, 0.0)
        self._end_line(lines)
        return lines.y - top + margin

    def _walk(self, index: int, lines: Lines, margin: float) -> float:
        """Lay out the nodes in ``index`` one after the other; returns the bottom margin left open."""
        style = self.styles[index].text
        runs = self.intrinsic.runs.get(index, _NO_RUNS)
        for place, node in enumerate(self.elements[index].contents):
            if isinstance(node, str):
                run = runs.get(place)
                if run is None:
                    lines.space = max(lines.space, SPACE * style.unit)
                else:
                    lines.y += margin
                    margin = 0.0
                    self._text(index, node, run, style, lines)
                continue
            if not self.shown[node]:
                continue
            child = self.styles[node]
            tag = self.elements[node].tag
            if tag == "br":
                lines.y += margin
                margin = 0.0
                lines.height = max(lines.height, style.line_height)
                self._end_line(lines)
                if child.clear != "none":
                    lines.y = _cleared(lines.y, child.clear, lines.floats)
            elif child.out_of_flow:
                width = child.outer_width(lines.width, self._shrink(node))
                self._place(node, lines.left, lines.y, width, None)
            elif child.float_side != "none":
                self._float(node, child, lines)
            elif child.inline_block or (child.inline and tag in _ATOMS):
                lines.y += margin
                margin = 0.0
                self._atom(node, child, lines)
            elif child.inline:
                lines.inset += child.border_left + child.padding_left + (child.margin_left or 0.0)
                margin = self._walk(node, lines, margin)
                lines.cursor += child.border_right + child.padding_right + (child.margin_right or 0.0)
            else:
                self._end_line(lines)
                margin = self._block(node, child, lines, margin, style.block_align)
        return margin

    def _text(self, index: int, node: str, run: Run, style: TextStyle, lines: Lines) -> None:
        if node[0].isspace():
            lines.space = max(lines.space, SPACE * style.unit)
        left, available = lines.band()
        start = lines.cursor + (lines.space if lines.cursor else 0.0) + lines.inset
        lines.space = lines.inset = 0.0
        if lines.cursor and start + min(run.width, run.least) > available + 0.5:
            self._end_line(lines)
            left, available = lines.band()
            start = 0.0
        line_height = style.line_height
        width = run.width
        if start + width <= available + 0.5 or style.nowrap or available <= 0:
            piece = Piece(index, run.text, left + start, lines.y, width, line_height)
            lines.height = max(lines.height, line_height)
            lines.cursor = start + width
            lines.pieces.append(piece)
        else:
            # Every broken line wastes about half a word at its end.
            waste = min(run.least * 0.4, available * 0.2)
            usable = max(available - waste, 1.0)
            first = max(available - start - waste, 0.0)
            count = 1 + int((width - first) / usable) + (1 if (width - first) % usable else 0)
            first_height = max(lines.height, line_height)
            total = first_height + (count - 1) * line_height
            self.pieces.append(Piece(index, run.text, left, lines.y, available, total, start))
            self._align_line(lines)
            lines.y += total - line_height
            lines.height = line_height
            lines.cursor = min((width - first) % usable, available)
        if node[-1].isspace():
            lines.space = SPACE * style.unit

    def _atom(self, index: int, style: BoxStyle, lines: Lines) -> None:
        """An image, an inline-block, a control: one unbreakable box on the line."""
        left, available = lines.band()
        if self.intrinsic.is_alt_text(index):
            width = min(self._shrink(index)[1], lines.width)
        else:
            width = style.outer_width(lines.width, self._shrink(index))
        outer = width + style.margins_x
        start = lines.cursor + (lines.space if lines.cursor else 0.0) + lines.inset
        lines.space = lines.inset = 0.0
        if start and start + outer > available + 0.5:
            self._end_line(lines)
            left, available = lines.band()
            start = 0.0
        while outer > available + 0.5 and available < lines.width:  # no room beside the floats: below them
            lines.y = min(f.y1 for f in lines.floats if f.y0 <= lines.y < f.y1)
            left, available = lines.band()
        top = lines.y + style.margin_top
        height = self._place(index, left + start + (style.margin_left or 0.0), top, width, None)
        height += style.margin_top + style.margin_bottom
        lines.height = max(lines.height, height)
        lines.cursor = start + outer
        lines.atoms.append((index, height, style))

    def _end_line(self, lines: Lines) -> None:
        self._align_line(lines)
        lines.y += lines.height
        lines.height = lines.cursor = lines.space = lines.inset = 0.0

    def _align_line(self, lines: Lines) -> None:
        if not lines.atoms and not lines.pieces:
            return
        _, available = lines.band()
        shift = max(0.0, available - lines.cursor) * lines.align
        for piece in lines.pieces:
            piece.x += shift
            if lines.atoms:  # text stands on the line's bottom, atoms on the same
                piece.y += lines.height - piece.height
        for index, height, style in lines.atoms:
            if shift:
                self._moved_x[index] = shift
            spare = lines.height - height
            if spare > 0.5 and style.vertical_align not in ("top", "text-top"):
                self._moved_y[index] = spare * (0.5 if style.vertical_align == "middle" else 1.0)
        self.pieces += lines.pieces
        lines.pieces = []
        lines.atoms = []

    def _block(self, index: int, style: BoxStyle, lines: Lines, margin: float, align: float) -> float:
        """A block-level child below what came before; returns its bottom margin."""
        floats = lines.floats
        y = lines.y + max(margin, style.margin_top)
        if style.clear != "none":
            y = _cleared(y, style.clear, floats)
        left, available = lines.left, lines.width
        width = self._block_width(index, style, available)
        if floats and (style.is_table or style.new_context or self.elements[index].tag in REPLACED):
            stated = style.is_table or style.width is not None or style.width_fraction is not None
            while True:
                left, available = _band(lines.left, lines.width, y, floats)
                if width <= available + 0.5 or available >= lines.width:
                    break
                if not stated and available > self.intrinsic.least[index]:
                    width = available
                    break
                y = min(f.y1 for f in floats if f.y0 <= y < f.y1)
        x = left + self._indent(style, available, width, align)
        height = self._place(index, x, y, width, None if style.is_table else floats)
        lines.y = y + height
        return style.margin_bottom

    def _block_width(self, index: int, style: BoxStyle, available: float) -> float:
        if style.is_table:
            width = style.outer_width(available, self._shrink(index))
            return width if style.fixed_columns else max(width, self.intrinsic.least[index] - style.margins_x)
        if self.elements[index].tag in REPLACED and index not in self.intrinsic.alt_widths:
            return style.outer_width(available, self._shrink(index))
        return style.outer_width(available)

    def _indent(self, style: BoxStyle, available: float, width: float, align: float) -> float:
        """Distance from the container's left edge: auto margins, else what <center> or align= says."""
        spare = max(0.0, available - width)
        if style.margin_left is None:
            return spare / 2 if style.margin_right is None else max(0.0, spare - style.margin_right)
        if align and style.margin_right is not None and not style.margins_x:
            return spare * align
        return style.margin_left

    def _float(self, index: int, style: BoxStyle, lines: Lines) -> None:
        width = style.outer_width(lines.width, self._shrink(index))
        if style.is_table:
            width = max(width, self.intrinsic.least[index] - style.margins_x)
        outer = width + style.margins_x
        floats = lines.floats
        y = max([lines.y, *(f.y0 for f in floats)])
        if style.clear != "none":
            y = _cleared(y, style.clear, floats)
        left, available = _band(lines.left, lines.width, y, floats)
        while outer > available + 0.5 and available < lines.width:
            y = min(f.y1 for f in floats if f.y0 <= y < f.y1)
            left, available = _band(lines.left, lines.width, y, floats)
        x = left if style.float_side == "left" else left + available - outer
        top = y + style.margin_top
        height = self._place(index, x + (style.margin_left or 0.0), top, width, None)
        bottom = top + height + style.margin_bottom
        # What ends above this float can narrow no line any more.
        floats[:] = [f for f in floats if f.y1 > y]
        floats.append(Float(style.float_side == "left", x, x + outer, y, max(bottom, y)))

    def _shrink(self, index: int) -> tuple[float, float]:
        """(narrowest, preferred) border-box width of the element's contents."""
        margins = self.styles[index].margins_x
        return self.intrinsic.least[index] - margins, self.intrinsic.most[index] - margins

    # Tables

    def _table(self, index: int, grid: Grid, left: float, top: float, inner: float) -> float:
        style = self.styles[index]
        y = top
        for caption in grid.captions:
            y += self._place(caption, left, y, inner, None)
        count = len(grid.columns)
        spacing = grid.spacing
        room = inner - spacing * (count + 1)
        if count == 1:
            widths = [max(room, 0.0 if style.fixed_columns else grid.columns[0].least)]
        elif style.fixed_columns and grid.rows:
            first = [self._stated(cell) for cell in grid.rows[0]]
            widths = (fixed_widths(first, room) + [0.0] * count)[:count]
        else:
            widths = distribute(grid.columns, room)
        lefts = [left + spacing]
        for width in widths:
            lefts.append(lefts[-1] + width + spacing)
        open_cells: list[tuple[int, float, float, int]] = []  # (cell, its top, its height, last row)
        last = len(grid.rows) - 1
        for number, (row, element) in enumerate(zip(grid.rows, grid.row_elements, strict=True)):
            y += spacing
            row_height = 0.0 if element is None else self.styles[element].height or 0.0
            for cell in row:
                x = lefts[cell.column]
                width = lefts[min(cell.column + cell.colspan, count)] - spacing - x
                height = self._place(cell.element, x, y, max(width, 0.0), None)
                open_cells.append((cell.element, y, height, min(number + cell.rowspan - 1, last)))
            for _, cell_top, height, end in open_cells:
                if end == number:
                    row_height = max(row_height, cell_top + height - y)
            if element is not None:
                self.x[element], self.y[element] = left, y
                self.width[element], self.height[element] = inner, row_height
            y += row_height
            still_open = []
            for cell_index, cell_top, height, end in open_cells:
                if end > number:
                    still_open.append((cell_index, cell_top, height, end))
                    continue
                self.height[cell_index] = y - cell_top
                align = _CELL_ALIGN.get(self.styles[cell_index].vertical_align)
                if align is not None:
                    spare = y - cell_top - self._cell_heights.get(cell_index, height)
                    self._contents_y[cell_index] = spare * align
            open_cells = still_open
        for group in grid.groups:
            rows = [row for row in self.elements[group].children if self.shown[row]]
            if rows:
                top_row, last_row = rows[0], rows[-1]
                self.x[group], self.y[group], self.width[group] = left, self.y[top_row], inner
                self.height[group] = self.y[last_row] + self.height[last_row] - self.y[top_row]
        return y + spacing - top

    def _stated(self, cell: Cell) -> tuple[int, float | None, float | None]:
        style = self.styles[cell.element]
        width = style.width
        if width is not None and not style.border_box:
            width += style.inset_x
        return cell.colspan, width, style.width_fraction

    # Flex rows and grids, as far as emails use them

    def _flex(self, index: int, left: float, top: float, inner: float) -> float:
        css = self.elements[index].style
        children = [child for child in self.elements[index].children if self.shown[child]]
        gap = length(css.get("column-gap", "normal"))[0] or 0.0
        row_gap = length(css.get("row-gap", "normal"))[0] or 0.0
        tracks = _track_count(css.get("grid-template-columns", "none"))
        if self.styles[index].display.endswith("flex"):
            tracks = 1 if "column" in css.get("flex-direction", "row") else 0
        rows = [children[k : k + tracks] for k in range(0, len(children), tracks)] if tracks else [children]
        if not tracks and css.get("flex-wrap", "nowrap") == "wrap":
            rows = self._wrap(children, inner, gap)
        y = top
        for row in rows:
            room = inner - gap * (len(row) - 1)
            if tracks:
                widths = [(inner - gap * (tracks - 1)) / tracks] * len(row)
            else:
                widths = self._flex_widths(row, room)
            spare = max(0.0, room - sum(widths))
            justify = css.get("justify-content", "normal")
            x = left + spare * {"center": 0.5, "flex-end": 1.0, "end": 1.0, "space-around": 0.25}.get(justify, 0.0)
            between = spare / (len(row) - 1) if justify == "space-between" and len(row) > 1 else 0.0
            row_height = 0.0
            for child, width in zip(row, widths, strict=True):
                style = self.styles[child]
                border_box = max(0.0, width - style.margins_x)
                height = self._place(child, x + (style.margin_left or 0.0), y + style.margin_top, border_box, None)
                row_height = max(row_height, height + style.margin_top + style.margin_bottom)
                x += width + gap + between
            align = {"center": 0.5, "flex-end": 1.0, "end": 1.0}.get(css.get("align-items", "normal"), 0.0)
            for child in row:
                self._moved_y[child] = (row_height - self.height[child]) * align
            y += row_height + row_gap
        return max(0.0, y - row_gap - top)

    def _wrap(self, children: list[int], inner: float, gap: float) -> list[list[int]]:
        rows: list[list[int]] = []
        used = 0.0
        for child in children:
            width = self._basis(child, inner)
            if not rows or used + gap + width > inner + 0.5:
                rows.append([])
                used = -gap
            rows[-1].append(child)
            used += gap + width
        return rows

    def _basis(self, child: int, inner: float) -> float:
        style = self.styles[child]
        px, fraction = length(self.elements[child].style.get("flex-basis", "auto"))
        if px is None and fraction is not None:
            px = fraction * inner
        if px is not None and px > 0:
            return px + style.margins_x
        return style.outer_width(inner, self._shrink(child)) + style.margins_x

    def _flex_widths(self, row: list[int], room: float) -> list[float]:
        widths = [self._basis(child, room) for child in row]
        spare = room - sum(widths)
        if spare < 0:
            scale = room / sum(widths)
            return [width * scale for width in widths]
        grow = [_number(self.elements[child].style.get("flex-grow", "0")) for child in row]
        total = sum(grow)
        return [w + spare * g / total for w, g in zip(widths, grow, strict=True)] if total else widths

    # Late shifts

    def _settle(self) -> None:
        """Add up the shifts from the root down, then give inline elements the box around their pieces."""
        count = len(self.elements)
        shift_x = [0.0] * count
        shift_y = [0.0] * count
        moved_x, moved_y, contents_y = self._moved_x, self._moved_y, self._contents_y
        for index, element in enumerate(self.elements):
            if not self.shown[index]:
                continue
            parent = element.parent
            dx, dy = (0.0, 0.0) if parent is None else (shift_x[parent], shift_y[parent])
            if index in moved_x:
                dx += moved_x[index]
            if index in moved_y:
                dy += moved_y[index]
            if dx:
                self.x[index] += dx
                shift_x[index] = dx
            if dy:
                self.y[index] += dy
            shift_y[index] = dy + contents_y[index] if index in contents_y else dy
        pieces: dict[int, list[Piece]] = {}
        for piece in self.pieces:
            piece.x += shift_x[piece.element]
            piece.y += shift_y[piece.element]
            pieces.setdefault(piece.element, []).append(piece)
        self.text_boxes = {index: _around(own) for index, own in pieces.items()}
        for index in reversed(self.intrinsic.inlines):
            self._enclose(index, pieces.get(index, ()))

    def _enclose(self, index: int, pieces: list[Piece] | tuple[()] = ()) -> None:
        boxes = [(p.x, p.y, p.x + p.width, p.y + p.height) for p in pieces]
        for child in self.elements[index].children:
            if self.shown[child] and (self.width[child] or self.height[child]):
                x, y = self.x[child], self.y[child]
                boxes.append((x, y, x + self.width[child], y + self.height[child]))
        if boxes:
            style = self.styles[index]
            x0 = min(b[0] for b in boxes) - style.border_left - style.padding_left
            y0 = min(b[1] for b in boxes) - style.border_top - style.padding_top
            self.x[index], self.y[index] = x0, y0
            self.width[index] = max(b[2] for b in boxes) + style.border_right + style.padding_right - x0
            self.height[index] = max(b[3] for b in boxes) + style.border_bottom + style.padding_bottom - y0


def _around(pieces: list[Piece]) -> tuple[float, float, float, float]:
    return (
        min(p.x for p in pieces),
        min(p.y for p in pieces),
        max(p.x + p.width for p in pieces),
        max(p.y + p.height for p in pieces),
    )


def _band(left: float, width: float, y: float, floats: list[Float]) -> tuple[float, float]:
    right = left + width
    for f in floats:
        if f.y0 <= y < f.y1 - 0.01:
            if f.left:
                left = max(left, f.x1)
            else:
                right = min(right, f.x0)
    return left, max(0.0, right - left)


def _cleared(y: float, clear: str, floats: list[Float]) -> float:
    return max([y, *(f.y1 for f in floats if clear == "both" or (clear == "left") == f.left)])


def _track_count(template: str) -> int:
    if template.startswith("repeat("):
        count = template[len("repeat(") :].split(",", 1)[0].strip()
        return min(max(int(count), 1), 64) if count.isdigit() else 1
    return max(1, len(template.split()))


def _number(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        return 0.0
