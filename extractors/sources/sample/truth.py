"""What a generated email really contains, for tests to compare an extraction with.

Elements are named by their number in document order of the parsed tree (``html`` is 0, implied ``tbody``
included): ``Document.elements[n]`` here, ``document.getElementsByTagName("*")[n]`` in a browser.

What counts as one section: the header with its navigation; a hero; a title over a row of cards; a text block;
each card of a row; a picture with its text beside it (one card); a row of short facts; a table of at least
three lines; the footer. Preheaders, gutters and tracking pixels belong to none. ``below`` joins a section to
every section of the next band that lies under it, ``beside`` joins neighbours in a row from left to right.

Values are canonical: colours lowercase ``#rrggbb``, lengths in px, a radius of 40 px or more is ``999px``, and
a button that paints no background of its own is ``transparent`` (its ``surface`` says what shows through).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from extractors.sources.sample.blocks import (
    Block,
    Button,
    Coupon,
    Email,
    Ledger,
    Links,
    Row,
    Section,
    SectionKind,
    Stats,
    Text,
    TypeStyle,
)
from extractors.sources.sample.dialects import Dialect
from extractors.sources.sample.dialects.base import BOX, LABEL, SECTION


@dataclass(frozen=True, slots=True)
class TruthSection:
    position: int  # reading order, from 0
    kind: SectionKind
    element: int  # root element: holds all of the section and nothing else
    row: int
    column: int
    background: str
    text_styles: tuple[tuple[str, str], ...]  # font-size, colour; sorted; button labels excluded


@dataclass(frozen=True, slots=True)
class TruthNeighbour:
    source: int  # position of the section
    target: int
    relation: Literal["below", "beside"]


@dataclass(frozen=True, slots=True)
class TruthButton:
    section: int  # position of the section it is in
    box: int  # element that paints it
    label: int  # element that holds its text
    text: str
    background: str
    radius: str
    colour: str
    font_size: str
    surface: str  # effective background around it

    @property
    def signature(self) -> tuple[str, str, str, str]:
        """The canonical fields of a button style: background, radius, colour, font-size."""
        return self.background, self.radius, self.colour, self.font_size


@dataclass(frozen=True, slots=True)
class Tokens:
    """The design tokens an email uses."""

    colours: frozenset[str]  # of text
    backgrounds: frozenset[str]  # of sections
    font_sizes: frozenset[str]
    radii: frozenset[str]  # of buttons
    pairs: frozenset[tuple[str, str]]  # background and text colour, button labels excluded


@dataclass(frozen=True, slots=True)
class Truth:
    sections: tuple[TruthSection, ...]
    neighbours: tuple[TruthNeighbour, ...]
    buttons: tuple[TruthButton, ...]
    tokens: Tokens


def tell(email: Email, dialect: type[Dialect], marked: str) -> tuple[str, Truth]:
    """Take the marks out of a rendered email; return the email and the truth about it."""
    html, places = locate(marked)
    roots, boxes, labels = iter(places[SECTION]), iter(places[BOX]), iter(places[LABEL])
    sections: list[TruthSection] = []
    buttons: list[TruthButton] = []
    neighbours: list[TruthNeighbour] = []
    above: list[int] = []
    for row, band in enumerate(email.bands):
        cells = band.cells if isinstance(band, Row) else (band,)
        here = list(range(len(sections), len(sections) + len(cells)))
        for column, cell in enumerate(cells):
            styles = {s for block in cell.blocks for s in _styles(block, dialect)}
            sections.append(
                TruthSection(here[column], cell.kind, next(roots), row, column, cell.background, tuple(sorted(styles)))
            )
            for block in cell.blocks:
                if isinstance(block, Button):
                    buttons.append(_button(block, dialect, cell, here[column], next(boxes), next(labels)))
        neighbours += [TruthNeighbour(a, b, "below") for a, b in _under(above, here)]
        neighbours += [TruthNeighbour(a, b, "beside") for a, b in pairwise(here)]
        above = here
    return html, Truth(tuple(sections), tuple(neighbours), tuple(buttons), _tokens(sections, buttons))


def locate(marked: str) -> tuple[str, dict[str, list[int]]]:
    """Strip the marks and say, for each kind of mark, the numbers of the elements they stood before."""
    places: dict[str, list[int]] = {SECTION: [], BOX: [], LABEL: []}
    number = 0
    for match in _TOKEN.finditer(marked):
        token = match.group()
        if token in places:
            places[token].append(number)
        elif token[:4] != "<!--":
            number += 2 if token[-1] == ">" else 1  # a <table> straight before <tr> implies a <tbody>
    return marked.replace(SECTION, "").replace(BOX, "").replace(LABEL, ""), places


# Comments hold VML and ghost tables for Outlook, which are no elements.
_TOKEN = re.compile(r"<!--.*?-->|<table\b[^>]*>(?=\s*<tr)|<[a-zA-Z]|[\x01-\x03]", re.DOTALL | re.IGNORECASE)


def _under(above: list[int], here: list[int]) -> list[tuple[int, int]]:
    """Rows of equal width have equal columns; a full-width section lies under, or over, every column."""
    if len(above) == len(here):
        return list(zip(above, here, strict=True))
    return [(a, b) for a in above for b in here]


def _button(
    block: Button, dialect: type[Dialect], section: Section, position: int, box: int, label: int
) -> TruthButton:
    style = dialect.button_style(block.style)
    radius = "999px" if style.radius >= 40 else f"{style.radius}px"
    return TruthButton(
        section=position,
        box=box,
        label=label,
        text=block.text,
        background=style.background,
        radius=radius,
        colour=style.colour,
        font_size=f"{style.size}px",
        surface=section.background,
    )


def _styles(block: Block, dialect: type[Dialect]) -> list[tuple[str, str]]:
    """Font size and colour of each kind of text in a block."""
    styles: list[TypeStyle] = []
    match block:
        case Text() | Links() | Coupon():
            styles = [block.style]
        case Stats():
            styles = [block.value, block.label]
        case Ledger():
            styles = [block.style, block.strong]
    seen = [(f"{dialect.type_style(style).size}px", style.colour) for style in styles]
    if isinstance(block, Text) and block.link:
        seen.append((seen[0][0], block.link.colour))
    return seen


def _tokens(sections: list[TruthSection], buttons: list[TruthButton]) -> Tokens:
    styles = [(section.background, size, colour) for section in sections for size, colour in section.text_styles]
    return Tokens(
        colours=frozenset([colour for _, _, colour in styles] + [button.colour for button in buttons]),
        backgrounds=frozenset(section.background for section in sections),
        font_sizes=frozenset([size for _, size, _ in styles] + [button.font_size for button in buttons]),
        radii=frozenset(button.radius for button in buttons),
        pairs=frozenset((background, colour) for background, _, colour in styles),
    )
