"""The visible content of an email as a tree of stacks and rows.

A leaf is a run of inline content, an image or a button. What holds one thing is that thing: wrappers vanish.
Siblings whose boxes share a stretch of the page's height form a row, everything else stacks; so ``<td>`` cells,
floated tables, inline-blocks and flex items all give the same tree, and columns that wrapped are a stack.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from extractors.buttons import Button
from extractors.canonical import Rgba
from extractors.document import Document
from extractors.layout import CONTROLS, REPLACED, Box, Layout
from extractors.paint import Paint

Shape = Literal["leaf", "stack", "row"]

_ATOMS = REPLACED | CONTROLS
_PICTURE = 120.0  # px: a wider image stands for itself, a smaller one is part of its line


@dataclass(slots=True, eq=False)
class Block:
    """``sources`` are the elements that hold the content themselves: text nodes, images, buttons."""

    shape: Shape
    element: int
    box: Box  # around what can be seen
    slot: Box  # around the outermost element that holds nothing else: the cell, the column
    children: Sequence[Block] = ()
    sources: Sequence[int] = ()
    frame: int | None = None  # the outermost collapsed wrapper that draws a frame around it

    def leaves(self) -> list[Block]:
        found: list[Block] = []
        stack = [self]
        while stack:
            block = stack.pop()
            if block.shape == "leaf":
                found.append(block)
            else:
                stack.extend(reversed(block.children))
        return found


class BlockTree:
    def __init__(self, document: Document, layout: Layout, paint: Paint, buttons: Sequence[Button]) -> None:
        self.document = document
        self.layout = layout
        self.paint = paint
        self.buttons = {button.element: button for button in buttons}
        self.in_link: list[bool] = []
        for element in document.elements:
            self.in_link.append(element.tag == "a" or (element.parent is not None and self.in_link[element.parent]))
        self._inline_only: dict[int, bool] = {}
        self._texts: dict[int, str] = {}
        self.root = self._build(0) if document.elements and layout.content[0] else None

    def text(self, source: int) -> str:
        """Visible text of one source: a button's label, or the element's own text nodes."""
        known = self._texts.get(source)
        if known is None:
            if source in self.buttons:
                known = self.buttons[source].text
            else:
                known = " ".join([run.text for run in self.layout.runs(source)])
            self._texts[source] = known
        return known

    def read(self, sources: Sequence[int]) -> str:
        """Visible text of several sources as it is read: an element's words stand around those of its children."""
        pieces: list[tuple[int, int, int, str]] = []
        for source in sources:
            if source in self.buttons:
                pieces.append((source, -source, 0, self.buttons[source].text))
                continue
            for place, run in self.layout.runs_in_place(source):
                pieces.append((self._last_before(source, place), -source, place, run.text))
        return " ".join(filter(None, (text for *_, text in sorted(pieces))))

    def _last_before(self, index: int, place: int) -> int:
        """The last element that begins before a text node. Where two end together, the inner one's text comes first."""
        elements = self.document.elements
        before = next((item for item in reversed(elements[index].contents[:place]) if isinstance(item, int)), None)
        while before is not None:
            index = before
            before = next((item for item in reversed(elements[index].contents) if isinstance(item, int)), None)
        return index

    def ground(self, source: int) -> Rgba:
        """The colour a piece of content stands on; images and buttons hide their own."""
        if source in self.buttons or self.document.elements[source].tag in REPLACED:
            return self.paint.outside(source)
        return self.paint.behind[source]

    def _build(self, index: int) -> Block:
        elements = self.document.elements
        frame = None
        slot = self.layout.box(index)
        while True:
            if index in self.buttons or elements[index].tag in _ATOMS:
                block = Block("leaf", index, self.layout.box(index), slot, sources=[index])
                break
            if frame is None and self._draws_frame(index):
                frame = index
            if self.layout.content_children[index] != 1 or self.layout.own_text[index]:
                block = _arrange(index, self._items(index))
                break
            index = self.layout.first_content[index]
        block.frame = frame
        block.slot = slot
        return block

    def _items(self, index: int) -> list[Block]:
        """The content of ``index`` in order: its blocks, and its runs of inline content as leaves."""
        items: list[Block] = []
        run: list[int] = []
        self._collect(index, items, run)
        self._end_run(index, items, run)
        return items

    def _collect(self, index: int, items: list[Block], run: list[int]) -> None:
        layout, elements = self.layout, self.document.elements
        unnamed = layout.own_text[index]
        for position, node in enumerate(elements[index].contents):
            if isinstance(node, str):
                if unnamed and layout.run(index, position):
                    run.append(index)
                    unnamed = False
            elif layout.content[node]:
                style = layout.styles[node]
                if self._is_block(node):
                    self._end_run(index, items, run)
                    items.append(self._build(node))
                elif elements[node].tag in _ATOMS:
                    run.append(node)
                elif style.inline_block and not self._is_inline(node):
                    self._end_run(index, items, run)
                    items.append(self._build(node))
                else:
                    self._collect(node, items, run)

    def _end_run(self, index: int, items: list[Block], run: list[int]) -> None:
        if run:
            box = Box.around(map(self.layout.ink, run))
            items.append(Block("leaf", run[0] if len(run) == 1 else index, box, box, sources=run.copy()))
            run.clear()

    def _is_block(self, index: int) -> bool:
        """Whether the element stands for itself: a block, a button or a picture."""
        style = self.layout.styles[index]
        if index in self.buttons or not (style.inline or style.inline_block):
            return True
        return self.document.elements[index].tag in _ATOMS and self.layout.width(index) >= _PICTURE

    def _is_inline(self, index: int) -> bool:
        """Whether nothing below ``index`` stands for itself."""
        known = self._inline_only.get(index)
        if known is None:
            children = [child for child in self.document.elements[index].children if self.layout.content[child]]
            known = not any(self._is_block(child) or not self._is_inline(child) for child in children)
            self._inline_only[index] = known
        return known

    def _draws_frame(self, index: int) -> bool:
        """A border all around, or a background of its own with rounded corners: a card drawn as one."""
        box = self.layout.styles[index]
        if box.border_top >= 1 and box.border_right >= 1 and box.border_bottom >= 1 and box.border_left >= 1:
            return True
        return "border-top-left-radius" in self.document.elements[index].style.own and self.paint.stands_out(index)


def _arrange(index: int, items: list[Block]) -> Block:
    if len(items) == 1:
        return items[0]
    lines: list[list[Block]] = []
    for item in items:
        if lines and _shares_line(lines[-1][-1].slot, item.slot):
            lines[-1].append(item)
        else:
            lines.append([item])
    if len(lines) == 1:
        return _join("row", index, lines[0])
    return _join("stack", index, [line[0] if len(line) == 1 else _join("row", index, line) for line in lines])


def _join(shape: Shape, index: int, children: list[Block]) -> Block:
    slot = Box.around([child.slot for child in children])
    return Block(shape, index, Box.around([child.box for child in children]), slot, children)


def _shares_line(last: Box, box: Box) -> bool:
    overlap = min(last.y1, box.y1) - max(last.y0, box.y0)
    if 2 * overlap <= min(last.y1 - last.y0, box.y1 - box.y0):
        return False
    # Columns may run into each other by a negative margin that swallows the space between inline-blocks.
    narrower = min(last.x1 - last.x0, box.x1 - box.x0)
    return min(last.x1, box.x1) - max(last.x0, box.x0) <= 2 + 0.1 * narrower
