"""What a reader sees of a block at a glance: how much text, how large, which pictures and buttons."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from extractors.blocks import Block, BlockTree
from extractors.layout import REPLACED

_FOOTER = re.compile(
    r"unsubscribe|©|\(c\) ?\d{4}|copyright|all rights reserved|privacy policy|no longer wish|opt[ -]?out"
    r"|(?:manage|update|change|email) (?:your )?(?:email )?preferences|receiv(?:ed|ing) this|sent to you"
    r"|view (?:this email )?in (?:your )?browser",
    re.IGNORECASE,
)

_PICTURE = 120.0  # px: an image this wide is a picture, not an icon


@dataclass(frozen=True, slots=True)
class Profile:
    """What a reader sees of a block at a glance."""

    characters: int
    texts: int  # runs of text
    font_size: float  # largest
    text_size: float  # of most of the text
    bold: bool
    pictures: int
    icons: int
    image_width: float  # of the widest
    buttons: int
    links: int  # characters that are links
    footer: bool

    @property
    def images(self) -> int:
        return self.pictures + self.icons

    @property
    def is_nothing(self) -> bool:
        return not (self.characters or self.images or self.buttons)

    @property
    def heading(self) -> bool:
        """Little text, large or bold, and nothing else."""
        if self.buttons or self.images or not 0 < self.characters <= 120:
            return False
        return self.font_size >= 20 or (self.bold and self.characters <= 80)

    @property
    def picture_only(self) -> bool:
        return self.pictures > 0 and not self.characters and not self.buttons

    @property
    def is_header(self) -> bool:
        """A logo, a name, navigation: little text, no paragraph and no button."""
        return self.characters <= 90 and not self.buttons and not self.pictures

    @property
    def is_title(self) -> bool:
        """A headline, perhaps with a line under it."""
        return 0 < self.characters <= 240 and self.font_size >= 18 and not self.buttons and not self.pictures

    @property
    def is_small_print(self) -> bool:
        return 0 < self.font_size <= 14 and not self.buttons and not self.pictures

    @property
    def navigation(self) -> bool:
        return 0 < self.characters <= 90 and self.links >= 0.8 * self.characters and not self.buttons


class Profiler:
    """Profiles of one email's blocks."""

    def __init__(self, tree: BlockTree) -> None:
        self._tree = tree
        self._known: dict[int, Profile] = {}

    def of(self, block: Block) -> Profile:
        known = self._known.get(id(block))
        if known is None:
            known = self._known[id(block)] = self.of_leaves(block.leaves())
        return known

    def of_leaves(self, leaves: Iterable[Block]) -> Profile:
        tree = self._tree
        characters = pictures = icons = buttons = links = texts = 0
        font_size = image_width = 0.0
        sizes: dict[float, int] = {}
        bold = footer = False
        for source in (source for leaf in leaves for source in leaf.sources):
            if source in tree.buttons:
                buttons += 1
            elif tree.document.elements[source].tag in REPLACED:
                width = tree.layout.styles[source].width or tree.layout.width(source)
                image_width = max(image_width, width)
                if width >= _PICTURE:
                    pictures += 1
                else:
                    icons += 1
            else:
                text = tree.text(source)
                characters += len(text)
                texts += 1
                links += len(text) if tree.in_link(source) else 0
                style = tree.layout.styles[source].text
                sizes[style.font_size] = sizes.get(style.font_size, 0) + len(text)
                if style.font_size > font_size:
                    font_size, bold = style.font_size, style.bold
                footer = footer or _FOOTER.search(text) is not None
        text_size = max(sizes, key=sizes.__getitem__, default=0.0)
        return Profile(
            characters, texts, font_size, text_size, bold, pictures, icons, image_width, buttons, links, footer
        )
