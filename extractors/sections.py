"""Where one section of an email ends and the next begins.

Columns are sections of their own, except for a picture with its text beside it (one card), a short row (logo and
navigation, icons, figures) and the lines of a table. What stacks is cut where the background changes, where the
gap is larger than gaps within a section are, after the header and before the footer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from extractors.blocks import Block, BlockTree
from extractors.layout import REPLACED, Box

_FOOTER = re.compile(
    r"unsubscribe|©|\(c\) ?\d{4}|copyright|all rights reserved|privacy policy|no longer wish|opt[ -]?out"
    r"|(?:manage|update|change|email) (?:your )?(?:email )?preferences|receiv(?:ed|ing) this|sent to you"
    r"|view (?:this email )?in (?:your )?browser",
    re.IGNORECASE,
)

# Distances in px between the ink above and the ink below, from looking at a few hundred emails.
_GAP = 40.0  # this much white separates sections
_GAP_BEFORE_HEADING = 30.0  # a heading after text opens a section sooner
_GAP_AFTER_PICTURE = 60.0  # a picture belongs to the text under it
_GAP_BEFORE_BUTTON = 64.0  # a button belongs to the text above it
_GAP_BEFORE_FOOTER = 16.0

_SHORT_TEXT = 40  # characters a column of a short row may have
_SHORT_HEIGHT = 160.0
_PICTURE = 120.0  # px: an image this wide is a picture, not an icon


@dataclass(slots=True)
class Section:
    """Leaves that belong together, and what they are to each other."""

    leaves: list[Block]
    shape: str  # "stack", "column", "picture", "row" or "table"


@dataclass(frozen=True, slots=True)
class Profile:
    """What a reader sees of a block at a glance."""

    characters: int
    font_size: float  # largest
    bold: bool
    pictures: int
    icons: int
    buttons: int
    links: int  # characters that are links
    footer: bool

    @property
    def heading(self) -> bool:
        """Little text, large or bold, and nothing else."""
        if self.buttons or self.pictures or not 0 < self.characters <= 120:
            return False
        return self.font_size >= 20 or (self.bold and self.characters <= 80)

    @property
    def picture_only(self) -> bool:
        return self.pictures > 0 and not self.characters and not self.buttons

    @property
    def navigation(self) -> bool:
        return 0 < self.characters <= 90 and self.links >= 0.8 * self.characters and not self.buttons


class Cutter:
    """Cuts one email's blocks into sections, from top to bottom."""

    def __init__(self, tree: BlockTree) -> None:
        self._tree = tree
        self._profiles: dict[int, Profile] = {}

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
                if sections[-1].shape != shape:
                    sections[-1].shape = "stack"
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
        columns = [self.profile(column) for column in row.children]
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
            cells = [self.profile(cell) for cell in block.children]
            if any(cell.characters > 80 or cell.buttons or cell.pictures for cell in cells):
                break
            count += 1
        return count if count >= 3 else 0

    def _begins(self, sections: list[Section], last: Block, part: Block) -> bool:
        """Whether ``part`` begins a new section below ``last``."""
        if self._tree.ground(last.leaves()[-1].sources[0]) != self._tree.ground(part.leaves()[0].sources[0]):
            return True
        gap = part.box.y0 - last.box.y1
        above, below = self.profile(last), self.profile(part)
        so_far = [self.profile(leaf) for leaf in sections[-1].leaves]
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

    def profile(self, block: Block) -> Profile:
        known = self._profiles.get(id(block))
        if known is None:
            known = self._profiles[id(block)] = self._glance(block)
        return known

    def _glance(self, block: Block) -> Profile:
        tree = self._tree
        characters = pictures = icons = buttons = links = 0
        font_size = 0.0
        bold = footer = False
        for leaf in block.leaves():
            for source in leaf.sources:
                element = tree.document.elements[source]
                if source in tree.buttons:
                    buttons += 1
                elif element.tag in REPLACED:
                    if (tree.layout.styles[source].width or tree.layout.width(source)) >= _PICTURE:
                        pictures += 1
                    else:
                        icons += 1
                else:
                    text = tree.text(source)
                    characters += len(text)
                    links += len(text) if tree.in_link(source) else 0
                    style = tree.layout.styles[source].text
                    if style.font_size > font_size:
                        font_size = style.font_size
                        bold = style.bold
                    footer = footer or _FOOTER.search(text) is not None
        return Profile(characters, font_size, bold, pictures, icons, buttons, links, footer)
