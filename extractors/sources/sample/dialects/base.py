"""What every dialect can do: turn the tree of blocks into HTML with marks that say where the truth stands.

A mark is one control character in front of a start tag. Marks never reach the email: ``truth.locate`` takes
them out and turns them into element numbers, so nothing in the markup tells an extractor the answer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache
from html import escape
from typing import ClassVar

from extractors.sources.sample.blocks import (
    TRANSPARENT,
    Block,
    Button,
    ButtonStyle,
    Coupon,
    Email,
    Icons,
    Image,
    Ledger,
    Links,
    Row,
    Section,
    Stats,
    Text,
    TypeStyle,
)

SECTION = "\x01"  # before the root element of a section
BOX = "\x02"  # before the element that paints a button
LABEL = "\x03"  # before the element that holds a button's text


class Dialect(ABC):
    """One way to build emails. An instance renders one email and may collect what its head needs."""

    name: ClassVar[str]

    def __init__(self, email: Email) -> None:
        self.email = email

    @classmethod
    def type_style(cls, style: TypeStyle) -> TypeStyle:
        """The nearest style this dialect can express; what a reader will see."""
        return style

    @classmethod
    def button_style(cls, style: ButtonStyle) -> ButtonStyle:
        return style

    def render(self) -> str:
        """The whole email, with marks."""
        bands = [self.row(band) if isinstance(band, Row) else self.section(band) for band in self.email.bands]
        return self.document("".join(bands))

    @abstractmethod
    def document(self, body: str) -> str: ...

    @abstractmethod
    def section(self, section: Section) -> str: ...

    @abstractmethod
    def row(self, row: Row) -> str: ...

    @abstractmethod
    def text(self, block: Text, section: Section) -> str: ...

    @abstractmethod
    def button(self, block: Button, section: Section) -> str: ...

    @abstractmethod
    def image(self, block: Image, section: Section) -> str: ...

    @abstractmethod
    def links(self, block: Links, section: Section) -> str: ...

    @abstractmethod
    def icons(self, block: Icons, section: Section) -> str: ...

    @abstractmethod
    def stats(self, block: Stats, section: Section) -> str: ...

    @abstractmethod
    def ledger(self, block: Ledger, section: Section) -> str: ...

    @abstractmethod
    def coupon(self, block: Coupon, section: Section) -> str: ...

    def blocks(self, section: Section) -> str:
        return "".join([self.block(block, section) for block in section.blocks])

    def block(self, block: Block, section: Section) -> str:
        match block:
            case Text():
                return self.text(block, section)
            case Button():
                return self.button(block, section)
            case Image():
                return self.image(block, section)
            case Links():
                return self.links(block, section)
            case Icons():
                return self.icons(block, section)
            case Stats():
                return self.stats(block, section)
            case Ledger():
                return self.ledger(block, section)
            case Coupon():
                return self.coupon(block, section)

    def fill(self, background: str) -> str:
        """The colour to write, or nothing where the sheet already has it."""
        return "" if background == self.email.paper else background


@lru_cache(maxsize=4096)
def font(style: TypeStyle) -> str:
    """The CSS of a text style."""
    return (
        f"font-family:{style.family};font-size:{style.size}px;line-height:{style.line_height}px;"
        f"font-weight:{style.weight};color:{style.colour};"
    )


@lru_cache(maxsize=1024)
def button_face(style: ButtonStyle) -> str:
    """The CSS of a button's text."""
    return (
        f"font-family:{style.family};font-size:{style.size}px;line-height:{round(style.size * 1.25)}px;"
        f"font-weight:{style.weight};color:{style.colour};text-decoration:none;"
    )


def border(style: ButtonStyle) -> str:
    return f"border:{style.border_width}px solid {style.border};" if style.border else ""


def paint(style: ButtonStyle) -> str:
    return "" if style.background == TRANSPARENT else f"background-color:{style.background};"


def img(image: Image, css: str = "") -> str:
    """An ``<img>`` with its size in attributes, wrapped in its link if it has one."""
    fill = f"background-color:{image.fill};" if image.fill else ""
    tag = (
        f'<img src="{image.src}" alt="{escape(image.alt)}" width="{image.width}" height="{image.height}" '
        f'border="0" style="{fill}{css}" />'
    )
    return f'<a href="{image.href}" style="text-decoration:none;">{tag}</a>' if image.href else tag


def words(block: Text) -> str:
    """The text of a block with its link."""
    if block.link is None:
        return escape(block.text, quote=False)
    link = block.link
    anchor = f'<a href="{link.href}" style="color:{link.colour};">{escape(link.text, quote=False)}</a>'
    return f"{escape(block.text, quote=False)} {anchor}"
