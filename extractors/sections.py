"""Where one section of an email ends and the next begins.

Columns are sections of their own, except for a picture with its text beside it (one card), a short row (logo and
navigation, icons, figures) and the lines of a table. What stacks is cut where the background changes, where the
gap is larger than gaps within a section are, after the header and before the footer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from extractors.blocks import Block, BlockTree
from extractors.layout import Box
from extractors.profiles import Profile, Profiler

# Distances in px between the ink above and the ink below, from looking at a few hundred emails.
_GAP = 40.0  # this much white separates sections
_GAP_BEFORE_HEADING = 30.0  # a heading after text opens a section sooner
_GAP_AFTER_PICTURE = 60.0  # a picture belongs to the text under it
_GAP_BEFORE_BUTTON = 64.0  # a button belongs to the text above it
_GAP_BEFORE_FOOTER = 16.0

_SHORT_TEXT = 40  # characters a column of a short row may have
_SHORT_HEIGHT = 160.0


@dataclass(slots=True)
class Section:
    """Leaves that belong together, and what they are to each other."""

    leaves: list[Block]
    shape: str  # "stack", "column", "picture", "row" or "table"

    @property
    def sources(self) -> tuple[int, ...]:
        return tuple(source for leaf in self.leaves for source in leaf.sources)


class Cutter:
    """Cuts one email's blocks into sections, from top to bottom."""

    def __init__(self, tree: BlockTree, profiler: Profiler) -> None:
        self._tree = tree
        self._profile = profiler.of

    def sections(self) -> list[Section]:
        if self._tree.root is None:
            return []
        return self._cut(self._tree.root)

    def _cut(self, block: Block) -> list[Section]:
        sections: list[Section] = []
        last: Block | None = None
        for part, shape in self._parts(block):
            if shape == "columns":
                sections += [Section(column.leaves(), "column") for column in part.children]
                last = None
            elif last is not None and shape != "picture" and not self._begins(sections, last, part):
                sections[-1].leaves += part.leaves()
                if sections[-1].shape != shape:  # a table keeps its name with a heading over it, a row does not
                    sections[-1].shape = "table" if "table" in (shape, sections[-1].shape) else "stack"
                last = part
            else:
                sections.append(Section(part.leaves(), shape))
                last = part if shape != "picture" else None
        return sections

    def _parts(self, block: Block) -> list[tuple[Block, str]]:
        """The block as a sequence from top to bottom of (leaf, row, table or set of columns; its shape)."""
        if block.shape == "leaf":
            return [(block, "stack")]
        if block.shape == "row":
            return [(block, self._row_shape(block))]
        parts: list[tuple[Block, str]] = []
        children = block.children
        place = 0
        while place < len(children):
            lines = self._table_lines(children[place:])
            if lines:
                table = children[place : place + lines]
                box = Box.around(line.box for line in table)
                parts.append((Block("stack", block.element, box, table), "table"))
                place += lines
            else:
                parts += self._parts(children[place])
                place += 1
        return parts

    def _row_shape(self, row: Block) -> str:
        columns = [self._profile(column) for column in row.children]
        if (
            len(columns) == 2
            and sum(c.picture_only for c in columns) == 1
            and sum(c.characters > 0 for c in columns) == 1
        ):
            return "picture"
        if any(column.icons + column.pictures + column.characters == 0 for column in columns):
            return "row"
        small = [c.characters <= _SHORT_TEXT and not c.pictures for c in columns]
        if row.box.height <= _SHORT_HEIGHT and all(small):
            return "row"
        if len(columns) == 2 and self._is_bullet(row.children[0], columns[0]):
            return "row"
        return "columns"

    def _is_bullet(self, block: Block, profile: Profile) -> bool:
        """A number or an icon before a text."""
        return block.box.width <= 80 and profile.characters <= 4 and not profile.pictures

    def _table_lines(self, blocks: Sequence[Block]) -> int:
        """How many of the first blocks are lines of one table: three or more rows of as many short cells."""
        count = 0
        for block in blocks:
            if block.shape != "row" or len(block.children) != len(blocks[0].children):
                break
            cells = [self._profile(cell) for cell in block.children]
            if any(cell.characters > 80 or cell.buttons or cell.pictures for cell in cells):
                break
            count += 1
        return count if count >= 3 else 0

    def _begins(self, sections: list[Section], last: Block, part: Block) -> bool:
        """Whether ``part`` begins a new section below ``last``."""
        if self._tree.ground(last.leaves()[-1].sources[0]) != self._tree.ground(part.leaves()[0].sources[0]):
            return True
        gap = part.box.y0 - last.box.y1
        above, below = self._profile(last), self._profile(part)
        so_far = [self._profile(leaf) for leaf in sections[-1].leaves]
        if len(sections) == 1 and self._is_header(so_far) and not below.navigation:
            tagline = gap < 20 and not below.heading and not below.pictures and below.characters <= 60
            return not tagline
        if below.footer and not any(p.footer for p in so_far):
            return gap > _GAP_BEFORE_FOOTER
        if below.buttons and not below.characters > 60:
            return gap >= _GAP_BEFORE_BUTTON
        if above.picture_only:
            return gap >= _GAP_AFTER_PICTURE
        if below.heading and not above.heading and any(p.characters > 80 or p.buttons for p in so_far):
            return gap >= _GAP_BEFORE_HEADING
        return gap >= _GAP

    def _is_header(self, leaves: Sequence[Profile]) -> bool:
        """A logo, a name, navigation: little text, no paragraph and no button."""
        text = sum(p.characters for p in leaves)
        return text <= 90 and not any(p.buttons for p in leaves) and all(p.characters <= 60 for p in leaves)
