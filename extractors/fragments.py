"""Cutting an email into its fragments: the sections a person would name.

``card`` (the default) gives header, hero, section title, each card of a row, a stats or icon row, a receipt,
the footer. ``leaf`` gives every paragraph, image and button row of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from extractors import neighbours
from extractors.blocks import BlockTree
from extractors.buttons import Button, find_buttons
from extractors.canonical import hexadecimal
from extractors.corners import Corners
from extractors.document import Document
from extractors.kinds import name_kinds
from extractors.layout import Box, Layout, lay_out
from extractors.paint import Paint
from extractors.profiles import Profiler
from extractors.sections import Cutter, Section

Granularity = Literal["card", "leaf"]

_PAGE = ("html", "body")
_TEXT = 200  # characters of a fragment's text that are kept


@dataclass(frozen=True, slots=True)
class Fragment:
    """One section. ``elements`` are its top elements, ``sources`` the elements that hold its content,
    ``corners`` the radii of its boxes."""

    position: int
    kind: str
    element: int
    elements: tuple[int, ...]
    row: int
    column: int
    background: str
    corners: tuple[int, ...]
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
    profiler = Profiler(tree)
    sections = Cutter(tree, profiler).sections() if granularity == "card" else _leaves(tree, profiler)
    tops = [_top_elements(document, layout, section.sources) for section in sections]
    boxes = [Box.around(map(layout.box, top)) for top in tops]
    corners = Corners(document, layout, buttons)
    order = _reading_order(boxes)
    in_order = [sections[place] for place, _, _ in order]
    kinds = name_kinds([s.shape for s in in_order], [s.profile for s in in_order])
    fragments = [
        Fragment(
            position=position,
            kind=kind,
            element=tops[place][0],
            elements=tops[place],
            row=row,
            column=column,
            background=hexadecimal(tree.ground(sections[place].sources[0])),
            corners=corners.of(sections[place].sources),
            text=tree.read(sections[place].sources)[:_TEXT],
            box=boxes[place],
            sources=sections[place].sources,
        )
        for position, (kind, (place, row, column)) in enumerate(zip(kinds, order, strict=True))
    ]
    edges = [fragment.box for fragment in fragments]
    links = [(a, b, "below") for a, b in neighbours.below(edges)]
    links += [(a, b, "beside") for a, b in neighbours.beside(edges)]
    return Segmentation(tuple(fragments), tuple(sorted(links)), tuple(buttons), layout, paint)


def _leaves(tree: BlockTree, profiler: Profiler) -> list[Section]:
    leaves = [] if tree.root is None else tree.root.leaves()
    return [Section([leaf], "stack", profiler.of(leaf)) for leaf in leaves]


def _top_elements(document: Document, layout: Layout, sources: Sequence[int]) -> tuple[int, ...]:
    """The largest elements whose visible content is all within ``sources``."""
    inside = set(sources)
    missing: dict[int, int] = {}  # parent -> children with content that are not inside yet
    waiting = list(sources)
    while waiting:
        parent = document.elements[waiting.pop()].parent
        if parent is None or parent in inside:
            continue
        missing[parent] = missing.get(parent, layout.content_children[parent]) - 1
        # An element is covered once every child with content is, and it holds no text of its own.
        if not missing[parent] and not layout.own_text[parent] and document.elements[parent].tag not in _PAGE:
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
