"""Where one section of an email ends and the next begins.

Columns are sections of their own, except for a picture with its text beside it (one card), a row of small things
(logo and navigation, icons, figures, the line of a list) and the lines of a table. What stacks is cut where the
background changes, at a horizontal rule, where the gap is larger than gaps within a section are, after the header
and before the footer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from extractors.blocks import Block, BlockTree
from extractors.dividers import Dividers
from extractors.layout import Box
from extractors.profiles import Profile, Profiler

# Distances in px between the ink above and the ink below, from looking at a few hundred emails.
_GAP = 40.0  # this much white separates sections
_GAP_AT_RULE = 12.0
_GAP_BEFORE_HEADING = 30.0  # a heading after text opens a section sooner,
_GAP_BEFORE_LARGE_HEADING = 18.0  # the sooner if it is large: the margin browsers give an <h3>
_GAP_AFTER_HEADING = 64.0  # but belongs to what is under it,
_GAP_AFTER_PICTURE = 60.0  # as a picture does
_GAP_BEFORE_BUTTON = 100.0  # and a button to what is over it
_GAP_IN_FRAME = 60.0
_GAP_BEFORE_FOOTER = 16.0
_GAP_IN_FOOTER = 48.0

_SHORT_TEXT = 40  # characters in a column of a short row
_BAR_TEXT = 80  # the same in the bar at the very top
_SMALL_TEXT = 24  # characters of a label, a price, a time beside a text
_SHORT_HEIGHT = 160.0
_BAR_HEIGHT = 45.0  # px: two lines
_ICON = 64.0  # px: a wider image beside a text is a picture
_TALL = 900.0  # px: a column that holds sections of its own


@dataclass(slots=True)
class Section:
    """Leaves that belong together, and what they are to each other."""

    leaves: list[Block]
    shape: str  # "stack", "column", "picture", "row" or "table"
    profile: Profile

    @property
    def sources(self) -> tuple[int, ...]:
        return tuple(source for leaf in self.leaves for source in leaf.sources)


class Cutter:
    """Cuts one email's blocks into sections, from top to bottom."""

    def __init__(self, tree: BlockTree, profiler: Profiler) -> None:
        self._tree = tree
        self._profile = profiler.of
        self._dividers = Dividers(tree.document, tree.layout, tree.paint)

    def sections(self) -> list[Section]:
        if self._tree.root is None:
            return []
        return self._gather_footer(self._cut(self._tree.root))

    def _cut(self, block: Block) -> list[Section]:
        sections: list[Section] = []
        last: Block | None = None
        parts = self._parts(block)
        for place, (part, shape) in enumerate(parts):
            if shape == "columns":
                sections += [section for column in part.children for section in self._cut_column(column)]
                last = None
            elif last is not None and not self._begins(sections, last, part, shape, parts[place + 1 : place + 2]):
                sections[-1].leaves += part.leaves()
                sections[-1].profile = sections[-1].profile.plus(self._profile(part))
                if sections[-1].shape != shape:  # a table keeps its name with a heading over it, a row does not
                    sections[-1].shape = "table" if "table" in (shape, sections[-1].shape) else "stack"
                last = part if shape != "picture" else None
            else:
                sections.append(Section(part.leaves(), shape, self._profile(part)))
                last = part if shape != "picture" else None
        return sections

    def _cut_column(self, column: Block) -> list[Section]:
        """A column is one section, unless it is a list of cards (each with its picture) or a page of its own."""
        if column.shape != "stack":
            return [Section(column.leaves(), "column", self._profile(column))]
        if column.box.height > _TALL:
            return self._cut(column)
        sections: list[Section] = []
        for leaf in column.leaves():
            if sections and not self._opens_card(sections[-1], leaf):
                sections[-1].leaves.append(leaf)
                sections[-1].profile = sections[-1].profile.plus(self._profile(leaf))
            else:
                sections.append(Section([leaf], "column", self._profile(leaf)))
        return sections

    def _opens_card(self, section: Section, leaf: Block) -> bool:
        so_far, new = section.profile, self._profile(leaf)
        complete = so_far.images and so_far.characters and self._profile(section.leaves[0]).images
        return bool(complete and new.images and not new.characters and new.pictures >= so_far.pictures)

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
            lines = self._table_lines(children, place)
            if lines:
                table = children[place : place + lines]
                box, slot = Box.around(line.box for line in table), Box.around(line.slot for line in table)
                parts.append((Block("stack", block.element, box, slot, table), "table"))
                place += lines
            else:
                for part, shape in self._parts(children[place]):
                    part.frame = part.frame if part.frame is not None else block.frame
                    parts.append((part, shape))
                place += 1
        return parts

    def _row_shape(self, row: Block) -> str:
        columns = [self._profile(column) for column in row.children]
        if all(not c.characters for c in columns) or any(c.is_nothing for c in columns):
            return "row"
        images = [place for place, c in enumerate(columns) if c.images and not c.characters and not c.buttons]
        if len(columns) == 2 and len(images) == 1 and columns[images[0]].images == 1:
            return "row" if columns[images[0]].image_width <= _ICON else "picture"
        if row.box.height > 50 and all(column.frame is not None for column in row.children):
            return "columns"
        if all(c.images and c.texts >= 2 for c in columns):
            return "columns"
        limit = _BAR_TEXT if row.box.height <= _BAR_HEIGHT and row is self._first_row() else _SHORT_TEXT
        if row.box.height <= _SHORT_HEIGHT and all(c.characters <= limit and not c.pictures for c in columns):
            return "row"
        if any(c.footer for c in columns) and not any(c.buttons or c.images for c in columns):
            return "row"
        small = [c.characters <= _SMALL_TEXT and not c.buttons and not c.pictures for c in columns]
        return "row" if small.count(False) <= 1 else "columns"

    def _first_row(self) -> Block | None:
        """The row at the very top of the page, if there is one."""
        block = self._tree.root
        while block is not None and block.shape == "stack":
            block = block.children[0]
        return block

    def _table_lines(self, blocks: Sequence[Block], start: int) -> int:
        """How many blocks from ``start`` are lines of one table: three or more rows of as many short cells."""
        count = 0
        while start + count < len(blocks):
            block = blocks[start + count]
            if block.shape != "row" or len(block.children) != len(blocks[start].children):
                break
            cells = [self._profile(cell) for cell in block.children]
            if any(cell.characters > 80 or cell.buttons or cell.pictures for cell in cells):
                break
            if all(cell.images and cell.texts >= 2 for cell in cells):
                break
            count += 1
        return count if count >= 3 else 0

    def _begins(
        self, sections: list[Section], last: Block, part: Block, shape: str, following: Sequence[tuple[Block, str]]
    ) -> bool:
        """Whether ``part`` begins a new section below ``last``."""
        if self._ground(last.leaves()[-1]) != self._ground(part.leaves()[0]):
            return True
        if last.frame != part.frame and last.frame is not None and part.frame is not None:
            return True
        gap = part.box.y0 - last.box.y1
        above, below = self._profile(last), self._profile(part)
        section = sections[-1].profile
        if shape == "picture":  # a heading over a single card belongs to it
            return not section.heading or (bool(following) and following[0][1] == "picture")
        if len(sections) <= 3 and all(map(self._is_header, range(3), sections)) and not below.navigation:
            tagline = gap < 20 and not below.heading and not below.images and below.characters <= 60
            return not tagline
        if below.buttons and not below.characters and sections[-1].shape == "stack":
            return gap >= _GAP_BEFORE_BUTTON
        if below.footer and not section.footer:
            return gap > (_GAP_IN_FOOTER if section.is_small_print and section.characters < 120 else _GAP_BEFORE_FOOTER)
        if shape == "row" and last.shape == "row" and gap < _GAP:
            return False
        if gap >= _GAP_AT_RULE and not above.heading and self._dividers.between(last.box, part.box):
            return True
        if section.heading and sections[-1].shape == "stack":
            return gap >= _GAP_AFTER_HEADING
        if last.frame is not None and last.frame == part.frame:
            return gap >= _GAP_IN_FRAME
        return gap >= self._gap_allowed(section, above, below)

    def _gap_allowed(self, section: Profile, above: Profile, below: Profile) -> float:
        if above.picture_only:
            return _GAP_AFTER_PICTURE
        opened = section.characters > 80 or section.buttons
        if opened and below.heading and not above.heading and below.font_size >= section.font_size:
            large = below.font_size >= 1.2 * section.text_size
            return _GAP_BEFORE_LARGE_HEADING if large else _GAP_BEFORE_HEADING
        return _GAP_IN_FOOTER if section.footer and below.is_small_print else _GAP

    def _is_header(self, place: int, section: Section) -> bool:
        """A logo or a name with little text at the very top, navigation under it."""
        profile = section.profile
        small = profile.characters <= 90 and profile.longest <= 60 and not (profile.buttons or profile.titled)
        return small and (not place or profile.navigation)

    def _ground(self, leaf: Block) -> object:
        return self._tree.ground(leaf.sources[0])

    def _gather_footer(self, sections: list[Section]) -> list[Section]:
        """The band of one background that ends in the small print is the footer, with its columns."""
        end = len(sections) - 1
        if end < 1 or not sections[end].profile.footer:
            return sections
        ground = self._ground(sections[end].leaves[0])
        start = end
        while start and self._ground(sections[start - 1].leaves[0]) == ground:
            profile = sections[start - 1].profile
            if sections[start - 1].shape == "stack" or profile.buttons or profile.pictures or profile.characters > 300:
                return sections
            start -= 1
        if not 0 < start < end:
            return sections
        leaves = [leaf for section in sections[start:] for leaf in section.leaves]
        profile = reduce(Profile.plus, (section.profile for section in sections[start:]))
        return [*sections[:start], Section(leaves, "stack", profile)]
