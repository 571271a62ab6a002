"""Cutting an email into its fragments: the sections a person would name.

``card`` (the default) gives header, hero, section title, each card of a row, a stats or icon row, a receipt,
the footer. ``leaf`` gives every paragraph, image and button row of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from extractors import neighbours
from extractors.blocks import Block, BlockTree
from extractors.buttons import Button, find_buttons
from extractors.canonical import Rgba, hexadecimal
from extractors.document import Document
from extractors.layout import REPLACED, Box, Layout, lay_out
from extractors.paint import Paint

Granularity = Literal["card", "leaf"]

_FOOTER = re.compile(
    r"unsubscribe|©|\(c\) ?\d{4}|copyright|all rights reserved|privacy policy|no longer wish"
    r"|manage (?:your )?preferences|update (?:your )?preferences|you (?:are )?receiv(?:ed|ing) this|sent to you|mailing address|opt[ -]?out",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Fragment:
    """One section. ``elements`` are its top elements, ``sources`` the elements that hold its content."""

    position: int
    kind: str
    element: int
    elements: tuple[int, ...]
    row: int
    column: int
    background: str
    text: str
    box: Box
    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Segmentation:
    """Fragments in reading order, and which lies (``below`` or ``beside``) which."""

    fragments: tuple[Fragment, ...]
    neighbours: tuple[tuple[int, int, str], ...]  # (source, target, relation), by position
    buttons: tuple[Button, ...]
    layout: Layout
    paint: Paint


def segment(document: Document, granularity: Granularity = "card") -> Segmentation:
    """Lay the document out, find its buttons, cut it into fragments and link neighbours."""
    layout = lay_out(document)
    paint = Paint(document)
    buttons = find_buttons(document, layout, paint)
    tree = BlockTree(document, layout, paint, buttons)
    groups = _Cutter(tree, granularity).groups()
    boxes = [Box.around(leaf.box for leaf in group.leaves) for group in groups]
    order = _reading_order(boxes)
    fragments: list[Fragment] = []
    for position, (place, row, column) in enumerate(order):
        fragments.append(_fragment(tree, groups[place], boxes[place], position, row, column))
    edges = [fragment.box for fragment in fragments]
    links = [(a, b, "below") for a, b in neighbours.below(edges)]
    links += [(a, b, "beside") for a, b in neighbours.beside(edges)]
    return Segmentation(tuple(_named(fragments)), tuple(sorted(links)), tuple(buttons), layout, paint)


@dataclass(slots=True)
class _Group:
    leaves: list[Block]
    kind: str


class _Cutter:
    def __init__(self, tree: BlockTree, granularity: Granularity) -> None:
        self.tree = tree
        self.granularity = granularity

    def groups(self) -> list[_Group]:
        if self.tree.root is None:
            return []
        if self.granularity == "leaf":
            return [_Group([leaf], "text") for leaf in self.tree.root.leaves()]
        return self._cut(self.tree.root)

    def _cut(self, block: Block) -> list[_Group]:
        groups: list[_Group] = []
        for part in self._line_up(block):
            if part.shape == "row":
                for column in part.children:
                    groups.append(_Group(column.leaves(), "card"))
            elif groups and groups[-1].kind == "text" and self._joins(groups[-1], part):
                groups[-1].leaves += part.leaves()
            else:
                groups.append(_Group(part.leaves(), "text"))
        return groups

    def _line_up(self, block: Block) -> list[Block]:
        """The block as a sequence of leaves, short rows and rows of columns, from top to bottom."""
        if block.shape == "stack":
            return [part for child in block.children for part in self._line_up(child)]
        if block.shape == "row" and self._is_short(block):
            return [Block("stack", block.element, block.box, block.children)]
        return [block]

    def _is_short(self, row: Block) -> bool:
        """Navigation, icons, figures: columns with little text and no large image."""
        layout, document = self.tree.layout, self.tree.document
        if row.box.height > 160:
            return False
        for column in row.children:
            text = 0
            for leaf in column.leaves():
                for source in leaf.sources:
                    if (
                        document.elements[source].tag in REPLACED
                        and layout.width(source) >= 120
                        and len(row.children) > 2
                    ):
                        return False
                    text += len(_text(self.tree, source))
            if text > 40:
                return False
        return True

    def _joins(self, group: _Group, part: Block) -> bool:
        return self._behind(group.leaves[-1]) == self._behind(part.leaves()[0])

    def _behind(self, leaf: Block) -> Rgba:
        source = leaf.sources[0]
        return self.tree.paint.outside(source) if source in self.tree.buttons else self.tree.paint.behind[source]


def _text(tree: BlockTree, source: int) -> str:
    """Visible text of one source: its own text nodes, or all of a button's."""
    if source in tree.buttons:
        return tree.buttons[source].text
    contents = tree.document.elements[source].contents
    parts = [tree.layout.text(source, place) for place, node in enumerate(contents) if isinstance(node, str)]
    return " ".join(part for part in parts if part)


def _fragment(tree: BlockTree, group: _Group, box: Box, position: int, row: int, column: int) -> Fragment:
    sources = tuple(source for leaf in group.leaves for source in leaf.sources)
    elements = _top_elements(tree.document, tree.layout, sources)
    first = sources[0]
    behind = tree.paint.outside(first) if first in tree.buttons else tree.paint.behind[first]
    text = " ".join(filter(None, (_text(tree, source) for source in sources)))[:200]
    return Fragment(position, group.kind, elements[0], elements, row, column, hexadecimal(behind), text, box, sources)


def _top_elements(document: Document, layout: Layout, sources: Sequence[int]) -> tuple[int, ...]:
    """The largest elements whose visible content is all within ``sources``."""
    inside = set(sources)
    # Close upwards: an element is covered once every child with content is, and it holds no text of its own.
    waiting = sorted(inside, reverse=True)
    while waiting:
        parent = document.elements[waiting.pop()].parent
        if parent is None or parent in inside or document.elements[parent].tag in ("html", "body"):
            continue
        has_text = any(
            isinstance(node, str) and layout.text(parent, place)
            for place, node in enumerate(document.elements[parent].contents)
        )
        if not has_text and all(c in inside for c in document.elements[parent].children if layout.content[c]):
            inside.add(parent)
            waiting.append(parent)
    return tuple(sorted(index for index in inside if document.elements[index].parent not in inside))


def _reading_order(boxes: Sequence[Box]) -> list[tuple[int, int, int]]:
    """(place in ``boxes``, row, column): rows from top to bottom, columns from left to right."""
    order = sorted(range(len(boxes)), key=lambda k: (boxes[k].y0, boxes[k].x0, k))
    rows: list[list[int]] = []
    for place in order:
        if rows and _same_row(boxes[rows[-1][0]], boxes[place]):
            rows[-1].append(place)
        else:
            rows.append([place])
    result = []
    for number, row in enumerate(rows):
        for column, place in enumerate(sorted(row, key=lambda k: (boxes[k].x0, boxes[k].y0, k))):
            result.append((place, number, column))
    return result


def _same_row(a: Box, b: Box) -> bool:
    overlap = min(a.y1, b.y1) - max(a.y0, b.y0)
    return overlap > min(a.height, b.height) / 2


def _named(fragments: list[Fragment]) -> list[Fragment]:
    return fragments
