"""Where boxes go: block and inline flow and floats, in absolute px.

A browser's layout without its last per cent: margins collapse between siblings only, and lines break between
words of average length. Tables (``rows``) and flex containers (``flex``) have modules of their own; what becomes
known late is added at the end (``settling``).
"""

from __future__ import annotations

import math

from extractors.layout.boxstyle import BoxStyle, TextStyle
from extractors.layout.flex import place_flex
from extractors.layout.intrinsic import CONTROLS, REPLACED, Intrinsic, Run
from extractors.layout.lines import Float, Lines, Piece, band, cleared, next_end
from extractors.layout.metrics import SPACE
from extractors.layout.rows import place_table
from extractors.layout.settling import Edges, settle

_NO_RUNS: dict[int, Run] = {}
_ATOMS = REPLACED | CONTROLS


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
        self.moved_x: dict[int, float] = {}  # the box and what is in it
        self.moved_y: dict[int, float] = {}
        self.cell_heights: dict[int, float] = {}  # of a cell's contents, before it grows with its row
        self.contents_y: dict[int, float] = {}  # only what is in it
        self.pieces: list[Piece] = []
        self.text_boxes: dict[int, Edges] = {}  # around an element's own text
        if count:
            self.place(0, 0.0, 0.0, viewport, [])
            self.text_boxes = settle(self)

    def place(self, index: int, x: float, y: float, width: float, floats: list[Float] | None) -> float:
        """Give ``index`` its border box at (x, y) and lay out its contents; returns its height."""
        style = self.styles[index]
        self.x[index], self.y[index], self.width[index] = x, y, width
        left = x + style.border_left + style.padding_left
        top = y + style.border_top + style.padding_top
        inner = max(0.0, width - style.inset_x)
        grid = self.intrinsic.grids.get(index) if style.is_table else None
        display = style.display
        if grid is not None:
            height = place_table(self, index, grid, left, top, inner)
        elif self.elements[index].tag in REPLACED:
            height = self._image_height(index, style, inner)
        elif style.is_flex:
            height = place_flex(self, index, left, top, inner)
        else:
            context = [] if style.new_context or floats is None else floats
            height = self._contents(index, left, top, inner, context)
            if context and context is not floats:
                height = max(height, max(f.y1 for f in context) - top)
        height += style.inset_y
        if display == "table-cell":
            self.cell_heights[index] = height
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

    def _contents(self, index: int, left: float, top: float, width: float, floats: list[Float]) -> float:
        style = self.styles[index].text
        children = self.elements[index].children
        if len(children) == 1 and not floats and index not in self.intrinsic.runs:
            only = self.styles[children[0]]
            if self.shown[children[0]] and only.in_flow:  # a wrapper: no lines to keep
                box = self._block_width(children[0], only, width)
                x = left + self._indent(only, width, box, style.block_align)
                inside = None if only.is_table else floats
                height = self.place(children[0], x, top + only.margin_top, box, inside)
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
                    lines.y = cleared(lines.y, child.clear, lines.floats)
            elif child.out_of_flow:
                width = child.outer_width(lines.width, self.shrink(node))
                self.place(node, lines.left, lines.y, width, None)
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
        start = lines.start()
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
            width = min(self.shrink(index)[1], lines.width)
        else:
            width = style.outer_width(lines.width, self.shrink(index))
        outer = width + style.margins_x
        start = lines.start()
        if start and start + outer > available + 0.5:
            self._end_line(lines)
            left, available = lines.band()
            start = 0.0
        while outer > available + 0.5 and available < lines.width:  # no room beside the floats: below them
            lines.y = next_end(lines.y, lines.floats)
            left, available = lines.band()
        top = lines.y + style.margin_top
        height = self.place(index, left + start + (style.margin_left or 0.0), top, width, None)
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
                self.moved_x[index] = shift
            spare = lines.height - height
            if spare > 0.5 and style.vertical_align not in ("top", "text-top"):
                self.moved_y[index] = spare * (0.5 if style.vertical_align == "middle" else 1.0)
        self.pieces += lines.pieces
        lines.pieces = []
        lines.atoms = []

    def _block(self, index: int, style: BoxStyle, lines: Lines, margin: float, align: float) -> float:
        """A block-level child below what came before; returns its bottom margin."""
        floats = lines.floats
        y = lines.y + max(margin, style.margin_top)
        if style.clear != "none":
            y = cleared(y, style.clear, floats)
        left, available = lines.left, lines.width
        width = self._block_width(index, style, available)
        if floats and (style.is_table or style.new_context or self.elements[index].tag in REPLACED):
            stated = style.is_table or style.width is not None or style.width_fraction is not None
            while True:
                left, available = band(lines.left, lines.width, y, floats)
                if width <= available + 0.5 or available >= lines.width:
                    break
                if not stated and available > self.intrinsic.least[index]:
                    width = available
                    break
                y = next_end(y, floats)
        x = left + self._indent(style, available, width, align)
        height = self.place(index, x, y, width, None if style.is_table else floats)
        lines.y = y + height
        return style.margin_bottom

    def _block_width(self, index: int, style: BoxStyle, available: float) -> float:
        if style.is_table:
            width = style.outer_width(available, self.shrink(index))
            return width if style.fixed_columns else max(width, self.intrinsic.least[index] - style.margins_x)
        if self.elements[index].tag in REPLACED and index not in self.intrinsic.alt_widths:
            return style.outer_width(available, self.shrink(index))
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
        width = style.outer_width(lines.width, self.shrink(index))
        if style.is_table:
            width = max(width, self.intrinsic.least[index] - style.margins_x)
        outer = width + style.margins_x
        floats = lines.floats
        y = max([lines.y, *(f.y0 for f in floats)])
        if style.clear != "none":
            y = cleared(y, style.clear, floats)
        left, available = band(lines.left, lines.width, y, floats)
        while outer > available + 0.5 and available < lines.width:
            y = next_end(y, floats)
            left, available = band(lines.left, lines.width, y, floats)
        x = left if style.float_side == "left" else left + available - outer
        top = y + style.margin_top
        height = self.place(index, x + (style.margin_left or 0.0), top, width, None)
        bottom = top + height + style.margin_bottom
        # What ends above this float can narrow no line any more.
        floats[:] = [f for f in floats if f.y1 > y]
        floats.append(Float(style.float_side == "left", x, x + outer, y, max(bottom, y)))

    def shrink(self, index: int) -> tuple[float, float]:
        """(narrowest, preferred) border-box width of the element's contents."""
        margins = self.styles[index].margins_x
        return self.intrinsic.least[index] - margins, self.intrinsic.most[index] - margins
