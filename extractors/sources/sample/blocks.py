"""The intermediate tree: what an email says and looks like, before any dialect decides how it is built.

An email is a stack of bands. A band is one section, or a row of sections standing side by side. A section
holds blocks from top to bottom. Colours are lowercase ``#rrggbb``, lengths are CSS pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Align = Literal["left", "center"]
Side = Literal["left", "right"]
SectionKind = Literal["header", "hero", "title", "text", "card", "row", "table", "footer"]

TRANSPARENT = "transparent"


@dataclass(frozen=True, slots=True)
class TypeStyle:
    family: str
    size: int
    colour: str
    weight: int = 400
    leading: float = 1.5

    @property
    def line_height(self) -> int:
        return round(self.size * self.leading)


@dataclass(frozen=True, slots=True)
class ButtonStyle:
    """``background`` is TRANSPARENT for an outline button, ``border`` is empty for one without border."""

    background: str
    colour: str
    radius: int
    size: int
    family: str
    weight: int = 700
    pad_y: int = 14
    pad_x: int = 28
    border: str = ""
    border_width: int = 2


@dataclass(frozen=True, slots=True)
class Link:
    text: str
    href: str
    colour: str


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph or, with ``level`` 1 to 3, a heading; ``link`` follows the text on the same line."""

    text: str
    style: TypeStyle
    level: int = 0
    gap: int = 12
    link: Link | None = None


@dataclass(frozen=True, slots=True)
class Button:
    text: str
    href: str
    style: ButtonStyle
    gap: int = 0


@dataclass(frozen=True, slots=True)
class Image:
    src: str
    alt: str
    width: int
    height: int
    href: str = ""
    radius: int = 0
    fill: str = ""
    gap: int = 16


@dataclass(frozen=True, slots=True)
class Links:
    """Navigation or footer links on one line."""

    items: tuple[tuple[str, str], ...]
    style: TypeStyle
    separator: str = ""
    gap: int = 0


@dataclass(frozen=True, slots=True)
class Icons:
    """Small linked pictures on one line."""

    images: tuple[Image, ...]
    gap: int = 12


@dataclass(frozen=True, slots=True)
class Stats:
    """A row of short facts, each a value over its label."""

    items: tuple[tuple[str, str], ...]
    value: TypeStyle
    label: TypeStyle
    gap: int = 0


@dataclass(frozen=True, slots=True)
class Ledger:
    """Label and amount per line, the last line being the total where ``total`` is set."""

    lines: tuple[tuple[str, str], ...]
    style: TypeStyle
    strong: TypeStyle
    line_colour: str
    total: bool = True
    gap: int = 0


@dataclass(frozen=True, slots=True)
class Coupon:
    """A code to type at the checkout, in a dashed frame that keeps the section's background."""

    code: str
    style: TypeStyle
    frame: str
    gap: int = 20


Block = Text | Button | Image | Links | Icons | Stats | Ledger | Coupon


@dataclass(frozen=True, slots=True)
class Section:
    """One thing a reader would name: the header, a hero, a card, the footer.

    ``cover`` is a picture from edge to edge above the blocks, ``media`` one beside them, ``backdrop`` the URL
    of a picture behind them. The two blocks of a ``split`` section stand left and right on one line.
    """

    kind: SectionKind
    blocks: tuple[Block, ...]
    background: str
    align: Align = "left"
    pad_y: int = 32
    pad_x: int = 32
    cover: Image | None = None
    media: Image | None = None
    media_side: Side = "left"
    backdrop: str = ""
    border: str = ""
    radius: int = 0
    split: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """Sections side by side, of equal widths, on one background."""

    cells: tuple[Section, ...]
    background: str
    gap: int = 20
    pad_x: int = 32
    pad_bottom: int = 32


Band = Section | Row


@dataclass(frozen=True, slots=True)
class Email:
    subject: str
    preheader: str
    bands: tuple[Band, ...]
    canvas: str
    paper: str
    width: int
    body: TypeStyle
    link_colour: str
    pixel: str  # address of the opens-tracking pixel, empty for senders that do not track
