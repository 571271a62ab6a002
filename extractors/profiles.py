"""What a reader sees of a block at a glance: how much text, how large, which pictures and buttons."""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

from extractors.blocks import Block, BlockTree
from extractors.layout import REPLACED

# Plain substrings: this is asked of every text of every email.
_FOOTER = (
    *("unsubscribe", "©", "(c) 20", "(c)20", "copyright", "all rights reserved", "privacy policy", "no longer wish"),
    *("opt out", "opt-out", "preferences", "receiving this", "received this", "sent to you", "in your browser"),
    *("in browser",),
)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_PICTURE = 120.0  # px: an image this wide is a picture, not an icon


class Profile(NamedTuple):
    """Counts and sizes that add up: the profile of a section is the sum of its leaves'."""

    characters: int = 0
    texts: int = 0  # runs of text
    longest: int = 0  # characters of the longest
    text_size: float = 0.0  # px: font size of the longest
    font_size: float = 0.0  # px: the largest,
    bold: bool = False  # and whether that is bold
    pictures: int = 0
    icons: int = 0
    image_width: float = 0.0  # px: of the widest
    buttons: int = 0
    links: int = 0  # characters that are links
    footer: bool = False  # says what footers say
    boxed: bool = False  # some of the text has a box of its own, as a coupon has
    titled: bool = False  # some of it is marked up as a heading, and is no link as a brand's name is

    def plus(self, other: Profile) -> Profile:
        longer = self if self.longest >= other.longest else other
        larger = self if self.font_size >= other.font_size else other
        return Profile(
            self.characters + other.characters,
            self.texts + other.texts,
            longer.longest,
            longer.text_size,
            larger.font_size,
            larger.bold,
            self.pictures + other.pictures,
            self.icons + other.icons,
            max(self.image_width, other.image_width),
            self.buttons + other.buttons,
            self.links + other.links,
            self.footer or other.footer,
            self.boxed or other.boxed,
            self.titled or other.titled,
        )

    @property
    def images(self) -> int:
        return self.pictures + self.icons

    @property
    def is_nothing(self) -> bool:
        return not (self.characters or self.images or self.buttons)

    @property
    def heading(self) -> bool:
        """Little text, large or bold, and nothing else."""
        if self.buttons or self.images or self.boxed or not 0 < self.characters <= 120:
            return False
        large = self.font_size >= 20 and self.text_size >= 0.75 * self.font_size
        return large or (self.bold and self.characters <= 80)

    @property
    def picture_only(self) -> bool:
        return self.pictures > 0 and not self.characters and not self.buttons

    @property
    def is_header(self) -> bool:
        """A logo, a name, navigation: little text, no paragraph and no button."""
        return self.characters <= 90 and not (self.buttons or self.pictures or self.titled)

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


_BUTTON = Profile(buttons=1)


class Profiler:
    """Profiles of one email's blocks."""

    def __init__(self, tree: BlockTree) -> None:
        self._tree = tree
        self._known: dict[Block, Profile] = {}

    def of(self, block: Block) -> Profile:
        known = self._known.get(block)
        if known is None:
            parts = map(self.of, block.children) if block.children else map(self._source, block.sources)
            known = self._known[block] = reduce(Profile.plus, parts)
        return known

    def _source(self, source: int) -> Profile:
        tree = self._tree
        if source in tree.buttons:
            return _BUTTON
        box = tree.layout.styles[source]
        if tree.document.elements[source].tag in REPLACED:
            width = box.width or tree.layout.width(source)
            picture = width >= _PICTURE
            return Profile(pictures=int(picture), icons=int(not picture), image_width=width)
        text = tree.text(source)
        size = len(text)
        font_size = box.text.font_size
        links = size if tree.in_link[source] else 0
        lower = text.lower()
        footer = any(phrase in lower for phrase in _FOOTER)
        boxed = box.border_top >= 1 and box.border_left >= 1
        titled = not links and self._is_heading(source)
        return Profile(size, 1, size, font_size, font_size, box.text.bold, 0, 0, 0.0, 0, links, footer, boxed, titled)

    def _is_heading(self, source: int) -> bool:
        element = self._tree.document.elements[source]
        parent = element.parent
        return element.tag in _HEADINGS or (
            parent is not None and self._tree.document.elements[parent].tag in _HEADINGS
        )
