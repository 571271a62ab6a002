"""The visible content of an email as a tree of stacks and rows.

A leaf is a run of inline content, an image or a button. What holds one thing is that thing: wrappers vanish.
Siblings whose boxes share a stretch of the page's height form a row, everything else stacks; so ``<td>`` cells,
floated tables, inline-blocks and flex items all give the same tree, and columns that wrapped are a stack.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from extractors.buttons import Button
from extractors.canonical import Rgba
from extractors.document import Document
from extractors.layout import CONTROLS, REPLACED, Box, Layout
from extractors.paint import Paint

Shape = Literal["leaf", "stack", "row"]

_BLOCK_IMAGE = 120.0  # px: a wider image stands for itself, a smaller one is part of its line


@dataclass(slots=True, eq=False)
class Block:
    """``sources`` are the elements that hold the content themselves: text nodes, images, buttons."""

    shape: Shape
    element: int
    box: Box
    children: list[Block] = field(default_factory=list)
    sources: list[int] = field(default_factory=list)
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
        self._inline_only: dict[int, bool] = {}
        self.root = self._build(0) if document.elements and layout.content[0] else None

    def text(self, source: int) -> str:
        """Visible text of one source: a button's label, or the element's own text nodes."""
        if source in self.buttons:
            return self.buttons[source].text
        contents = self.document.elements[source].contents
        parts = [self.layout.text(source, place) for place, node in enumerate(contents) if isinstance(node, str)]
        return " ".join(part for part in parts if part)

    def ground(self, source: int) -> Rgba:
        """The colour a piece of content stands on; images and buttons hide their own."""
        if source in self.buttons or self.document.elements[source].tag in REPLACED:
            return self.paint.outside(source)
        return self.paint.behind[source]

    def in_link(self, source: int) -> bool:
        index: int | None = source
        while index is not None:
            if self.document.elements[index].tag == "a":
                return True
            index = self.document.elements[index].parent
        return False

    def _build(self, index: int) -> Block:
        if index in self.buttons or self.document.elements[index].tag in REPLACED | CONTROLS:
            return Block("leaf", index, self.layout.box(index), sources=[index])
        block = _arrange(index, self._items(index))
        if self._draws_frame(index):
            block.frame = index
        return block

    def _items(self, index: int) -> list[Block]:
        """The content of ``index`` in order: its blocks, and its runs of inline content as leaves."""
        items: list[Block] = []
        run: list[int] = []

        def end_run() -> None:
            if run:
                box = Box.around(self.layout.ink(source) for source in run)
                items.append(Block("leaf", run[0] if len(run) == 1 else index, box, sources=list(run)))
                run.clear()

        self._collect(index, items, run, end_run)
        end_run()
        return items

    def _collect(self, index: int, items: list[Block], run: list[int], end_run) -> None:  # type: ignore[no-untyped-def]
        layout, elements = self.layout, self.document.elements
        named = False
        for position, node in enumerate(elements[index].contents):
            if isinstance(node, str):
                if not named and layout.text(index, position):
                    run.append(index)
                    named = True
            elif layout.content[node]:
                tag = elements[node].tag
                style = layout.styles[node]
                if node in self.buttons or not (style.inline or style.inline_block):
                    end_run()
                    items.append(self._build(node))
                elif tag in REPLACED or tag in CONTROLS:
                    if layout.width(node) >= _BLOCK_IMAGE:
                        end_run()
                        items.append(self._build(node))
                    else:
                        run.append(node)
                elif style.inline_block and not self._is_inline(node):
                    end_run()
                    items.append(self._build(node))
                else:
                    self._collect(node, items, run, end_run)

    def _is_inline(self, index: int) -> bool:
        """Whether nothing below ``index`` is a block, a button or a big image."""
        known = self._inline_only.get(index)
        if known is None:
            layout = self.layout
            known = index not in self.buttons
            for child in self.document.elements[index].children if known else ():
                if not layout.content[child]:
                    continue
                style = layout.styles[child]
                if (
                    not (style.inline or style.inline_block)
                    or not self._is_inline(child)
                    or (self.document.elements[child].tag in REPLACED and layout.width(child) >= _BLOCK_IMAGE)
                ):
                    known = False
            self._inline_only[index] = known
        return known

    def _draws_frame(self, index: int) -> bool:
        """A border all around, or a background of its own with rounded corners: a card drawn as one."""
        box = self.layout.styles[index]
        if box.border_top >= 1 and box.border_right >= 1 and box.border_bottom >= 1 and box.border_left >= 1:
            return True
        return "border-top-left-radius" in self.document.elements[index].style.own and self.paint.stands_out(index)


def _arrange(index: int, items: list[Block]) -> Block:
    lines: list[list[Block]] = []
    for item in items:
        if lines and _shares_line(lines[-1], item):
            lines[-1].append(item)
        else:
            lines.append([item])
    parts = [line[0] if len(line) == 1 else _join("row", index, line) for line in lines]
    return parts[0] if len(parts) == 1 else _join("stack", index, parts)


def _join(shape: Shape, index: int, children: list[Block]) -> Block:
    return Block(shape, index, Box.around(child.box for child in children), children)


def _shares_line(line: list[Block], item: Block) -> bool:
    last = line[-1].box
    box = item.box
    shorter = min(last.height, box.height)
    overlap = min(last.y1, box.y1) - max(last.y0, box.y0)
    apart = box.x0 >= last.x1 - 2 or box.x1 <= last.x0 + 2
    return apart and overlap > shorter / 2
