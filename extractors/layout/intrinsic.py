"""What each element's contents need before any width is known: visibility, text runs, table grids, widths.

One pass down marks what is hidden, one pass up (children have larger indices than their parents, so a loop
in reverse document order) sums minimal and preferred widths. Nothing here recurses, so depth costs nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from extractors.document import Document
from extractors.layout.boxstyle import BoxStyle, TextStyle, box_style
from extractors.layout.columns import natural_width
from extractors.layout.grid import ROW_GROUPS, Grid, build_grid
from extractors.layout.metrics import SPACE, longest_word_units, text_units, visible_text

REPLACED = frozenset({"img", "svg", "video", "iframe", "object", "embed", "canvas", "audio", "picture"})
CONTROLS = frozenset({"input", "select", "textarea"})
_ATOMS = REPLACED | CONTROLS
_TABLE_PARTS = ROW_GROUPS | {"table-row"}
_SPACER = re.compile(
    r"(?:^|[/_.-])(?:spacer?|blank|clear|transparent|pixel|shim|trans|empty)[\w-]*\.(?:gif|png)", re.IGNORECASE
)
_PADDING = 20.0  # px: a nameless image no larger than this pads
_ICON = 16.0  # px: the broken-image icon that browsers show before alternative text
_TINY = 2.0  # px: a smaller image is a spacer or a tracker, smaller text a hidden preheader
_CONTROL = 150.0  # px: a form control that states no width


@dataclass(slots=True)
class Run:
    """One text node: its visible characters, and its width unbroken and broken at every space, in px."""

    text: str
    width: float
    least: float
    content: bool
    padding: float = 0.0  # of the width: non-breaking spaces before and after the text


class Intrinsic:
    """Per element (by index): style numbers, whether it is shown, whether it holds anything to see, widths."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._elements = document.elements
        count = len(document.elements)
        self.styles: list[BoxStyle] = []
        self.shown = [True] * count
        self.content = [False] * count
        self.own_text = [False] * count
        self.content_children = [0] * count
        self.first_content = [0] * count  # the first child with content, where there is one
        self.least = [0.0] * count
        self.most = [0.0] * count
        self.runs: dict[int, dict[int, Run]] = {}  # element -> place in its contents -> run
        self.grids: dict[int, Grid] = {}
        self.alt_widths: dict[int, float] = {}
        self.inlines: list[int] = []  # elements whose box is whatever their contents take on the lines
        self._mark_hidden()
        self._measure_all()

    def is_alt_text(self, index: int) -> bool:
        """Whether a browser shows the image as text, forgetting the size it states."""
        return index in self.alt_widths and self.styles[index].inline and not self.document.quirks

    def _mark_hidden(self) -> None:
        shown, styles = self.shown, self.styles
        for index, element in enumerate(self._elements):
            style: BoxStyle = element.style.numbers or box_style(element.style)
            styles.append(style)
            if style.hidden or (element.parent is not None and not shown[element.parent]):
                shown[index] = False
            elif style.inline and element.tag not in _ATOMS:
                self.inlines.append(index)

    def _measure_all(self) -> None:
        elements, styles, shown, content = self._elements, self.styles, self.shown, self.content
        for index in range(len(elements) - 1, -1, -1):
            if not shown[index]:
                continue
            style = styles[index]
            if style.display not in _TABLE_PARTS:  # their cells speak to the table
                self._measure(index, style)
            if content[index]:
                parent = elements[index].parent
                if parent is not None:
                    content[parent] = True
                    self.content_children[parent] += 1
                    self.first_content[parent] = index

    def _measure(self, index: int, style: BoxStyle) -> None:
        tag = self._elements[index].tag
        if tag in REPLACED:
            self._measure_image(index, style)
        elif tag in CONTROLS:
            self.content[index] = self._elements[index].attributes.get("type") != "hidden"
            self._settle(index, _CONTROL, _CONTROL)
        elif style.is_table:
            self._measure_table(index, style)
        else:
            self._measure_flow(index, style)

    def _measure_flow(self, index: int, style: BoxStyle) -> None:
        """A block or inline container: lines of inline pieces, broken by blocks and ``<br>``."""
        elements, shown, styles, all_least, all_most = self._elements, self.shown, self.styles, self.least, self.most
        text = style.text
        on_a_line = style.is_flex and "column" not in elements[index].style["flex-direction"]
        least = most = line = 0.0
        for place, node in enumerate(elements[index].contents):
            if isinstance(node, str):
                if node.isspace() and "\xa0" not in node:
                    continue
                run = self._run(index, place, node, text)
                if run is not None:
                    if run.least > least:
                        least = run.least
                    line += run.width + SPACE * text.unit * (node[0].isspace() or node[-1].isspace())
            elif shown[node]:
                child = styles[node]
                if all_least[node] > least:
                    least = all_least[node]
                if elements[node].tag == "br":
                    if line > most:
                        most = line
                    line = 0.0
                elif child.beside or on_a_line:
                    line += all_most[node]
                elif not child.out_of_flow:
                    if line > most:
                        most = line
                    if all_most[node] > most:
                        most = all_most[node]
                    line = 0.0
        self._settle(index, least, line if line > most else most)

    def _run(self, index: int, place: int, node: str, style: TextStyle) -> Run | None:
        text = visible_text(node)
        if not text and "\xa0" not in node:
            return None
        seen = bool(text) and style.font_size > _TINY and style.visible
        shaped = text.upper() if style.uppercase else text
        width = text_units(shaped) * style.unit + len(text) * style.tracking
        least = width
        if not style.nowrap:
            least = longest_word_units(shaped) * style.unit * (1 + style.tracking * 2 / (style.font_size or 1.0))
        padding = 0.0
        if "\xa0" in node:  # white space that does not collapse pads a label left and right
            bare = node.strip()
            padding = (node.count("\xa0") - bare.count("\xa0")) * SPACE * style.unit
        run = Run(text, width + padding, least, seen, padding)
        self.runs.setdefault(index, {})[place] = run
        if seen:
            self.content[index] = self.own_text[index] = True
        return run

    def _measure_image(self, index: int, style: BoxStyle) -> None:
        """An image as it shows before it is fetched, which is never: its stated size or its alternative text."""
        attributes = self._elements[index].attributes
        alt = visible_text(attributes.get("alt") or "")
        tiny = min(style.width or 99.0, style.height or 99.0) <= _TINY
        self.content[index] = not tiny and style.text.visible and (bool(alt) or not self._is_spacer(index, style))
        width = least = 0.0
        if alt:
            width = _ICON + text_units(alt) * style.text.unit
            least = _ICON
            self.alt_widths[index] = width
        elif style.inline and "alt" not in attributes:
            width = least = _ICON
        if self.is_alt_text(index):
            self.least[index], self.most[index] = least, width + style.margins_x
            return
        self._settle(index, least, width)
        if style.max_width_fraction is not None or style.width_fraction is not None:
            self.least[index] = 0.0  # it shrinks with its container

    def _is_spacer(self, index: int, style: BoxStyle) -> bool:
        """An image without a name that leads nowhere: called a spacer, or no larger than padding would be."""
        element = self._elements[index]
        if _SPACER.search(element.attributes.get("src") or ""):
            return True
        small = max(style.width or 99.0, style.height or 99.0) <= _PADDING
        return small and (element.parent is None or self._elements[element.parent].tag != "a")

    def _measure_table(self, index: int, style: BoxStyle) -> None:
        grid = self.grids[index] = build_grid(self._elements, self.styles, self.shown, index)
        grid.ask(self.styles, self.least, self.most)
        if not style.text.collapse:
            grid.spacing = _pixels(self._elements[index].attributes.get("cellspacing"))
        spacing = grid.spacing * (len(grid.columns) + 1)
        least, most = natural_width(grid.columns)
        if style.width is not None:  # a table is at least as wide as its columns need
            width = style.width - (style.inset_x if style.border_box else 0.0)
            least = max(least + spacing, width) + style.inset_x + style.margins_x
            self.least[index] = self.most[index] = least
        else:
            self._settle(index, 0.0 if style.fixed_columns else least + spacing, most + spacing)

    def _settle(self, index: int, least: float, most: float) -> None:
        """Add padding, border, margin and stated widths to what the contents ask for."""
        style = self.styles[index]
        if style.plain:
            self.least[index], self.most[index] = least, most
            return
        if style.inline:
            self.least[index], self.most[index] = least, most + style.inset_x + style.margins_x
            return
        inset = style.inset_x
        stated = 0.0 if style.border_box else inset  # what comes on top of a stated width
        if style.width is None:
            least, most = least + inset, most + inset
        elif style.display == "table-cell":
            least, most = least + inset, max(style.width + stated, least + inset)
        else:
            least = most = style.width + stated
        if style.max_width is not None:
            least, most = min(least, style.max_width + stated), min(most, style.max_width + stated)
        floor = style.min_width + stated if style.min_width else 0.0
        self.least[index] = max(least, floor) + style.margins_x
        self.most[index] = max(most, least, floor) + style.margins_x


def _pixels(value: str | None) -> float:
    digits = (value or "").strip().removesuffix("px")
    return min(float(digits), 100.0) if digits.isdecimal() else 0.0
