"""Sections in a brand's own hand: a studio stacks header, heroes, cards and footer into one email.

Two neighbouring text sections never share a background: where a designer would leave a reader unable to tell
one from the next, the second one moves to the brand's tint. So every section can be told by looking.
"""

from __future__ import annotations

from collections.abc import Sequence

from extractors.sources.sample.artwork import backdrop, icon, logo, picture
from extractors.sources.sample.blocks import (
    Align,
    Band,
    Block,
    Button,
    Coupon,
    Email,
    Icons,
    Image,
    Ledger,
    Link,
    Links,
    Row,
    Section,
    SectionKind,
    Side,
    Stats,
    Text,
    TypeStyle,
)
from extractors.sources.sample.brands import COURIER
from extractors.sources.sample.design import Brand, ButtonRole, Role, Surface
from extractors.sources.sample.dice import Dice
from extractors.sources.sample.voices import Product, Story, Voice, voices


class Studio:
    """Builds one email of one brand; ``campaign`` goes into every link, as real senders' tracking does."""

    def __init__(self, brand: Brand, dice: Dice, campaign: str, offer: bool = False) -> None:
        self.brand = brand
        self.dice = dice
        self.voice: Voice = voices()[brand.key]
        self.bands: list[Band] = []
        self._campaign = f"{campaign}-{dice.token(6)}"
        self._action: ButtonRole = "sale" if offer else "primary"

    def email(self, subject: str, preheader: str) -> Email:
        brand = self.brand
        track = f"https://track.{brand.domain}/o/{self._campaign}.gif" if brand.tracked else ""
        return Email(
            subject=subject,
            preheader=preheader,
            bands=tuple(self.bands),
            canvas=brand.palette.canvas,
            paper=brand.palette.paper,
            width=brand.layout.width,
            body=brand.type("body", "paper"),
            link_colour=brand.palette.brand,
            pixel=track,
        )

    def url(self, path: str) -> str:
        return f"https://www.{self.brand.domain}/{path}?utm_campaign={self._campaign}"

    # Sections, in the order a reader meets them.

    def header(self, nav: bool = True) -> None:
        brand, layout = self.brand, self.brand.layout
        surface = layout.header_surface
        dark = surface in ("brand", "dark") or brand.palette.paper != "#ffffff"
        wordmark = Text(brand.name, brand.type("title", surface), gap=12 if nav else 0)
        links = Links(
            tuple((label, self.url(f"c/{i}")) for i, label in enumerate(self.voice.nav)),
            brand.type("small", surface),
        )
        home = self.url("")
        if layout.header == "split":
            mark = logo(brand, 40, dark)
            left = Image(mark.src, mark.alt, 40, 40, href=home, gap=0)
            blocks: tuple[Block, ...] = (left, links) if nav else (left,)
        elif layout.header == "stacked":
            blocks = (wordmark, links) if nav else (wordmark,)
        else:
            blocks = (wordmark, Text(self.voice.tagline, brand.type("small", surface), gap=0))
        split = layout.header == "split" and nav
        self._add("header", blocks, surface, pad_y=20, align="left" if split else layout.align, split=split)

    def hero(
        self,
        headline: str,
        text: str,
        action: str = "",
        *,
        eyebrow: str = "",
        coupon: str = "",
        surface: Surface | None = None,
        art: int | None = None,
    ) -> None:
        """The opening statement; with ``art``, in the brand's way of showing a picture with it."""
        brand, layout = self.brand, self.brand.layout
        ground = surface or layout.hero
        way = "none" if art is None else layout.hero_picture
        if way == "backdrop":
            ground = "dark"
        blocks: list[Block] = []
        if eyebrow:
            blocks.append(Text(eyebrow, brand.type("eyebrow", ground), gap=8))
        blocks.append(Text(headline, brand.type("display", ground), level=1, gap=14))
        blocks.append(Text(text, brand.type("lead", ground), gap=24 if action or coupon else 0))
        if coupon:
            blocks.append(self._coupon(coupon, ground))
        if action:
            blocks.append(self._button(action, self._action, ground))
        cover = None
        if way == "cover" and art is not None:
            cover = picture(brand, "hero", art, layout.width, round(layout.width * 0.45), headline)
        self._add(
            "hero",
            blocks,
            ground,
            pad_y=48,
            pad_x=layout.pad + (8 if layout.align == "center" else 0),
            cover=cover,
            backdrop=backdrop(brand, art) if way == "backdrop" and art is not None else "",
        )

    def title(self, text: str, aside: str = "", surface: Surface = "paper") -> None:
        brand = self.brand
        blocks: list[Block] = [Text(text, brand.type("title", surface), level=2, gap=6 if aside else 0)]
        if aside:
            blocks.append(Text(aside, brand.type("small", surface), gap=0))
        self._add("title", blocks, surface, pad_y=28)

    def text(
        self,
        paragraphs: Sequence[str],
        heading: str = "",
        action: str = "",
        *,
        lesser: bool = False,
        link: str = "",
        sign: str = "",
        coupon: str = "",
        surface: Surface | None = None,
    ) -> None:
        """Running text, perhaps with a heading, a closing button, a link or a signature."""
        brand = self.brand
        ground: Surface = surface or ("tint" if self._follows_text() else "paper")
        blocks: list[Block] = []
        if heading:
            blocks.append(Text(heading, brand.type("title", ground), level=2, gap=12))
        for i, paragraph in enumerate(paragraphs):
            last = i == len(paragraphs) - 1
            target = Link(link, self.url("more"), brand.link(ground)) if link and last else None
            gap = 0 if last and not (action or sign or coupon) else 16
            blocks.append(Text(paragraph, brand.type("body", ground), gap=gap, link=target))
        if coupon:
            blocks.append(self._coupon(coupon, ground))
        if action:
            role: ButtonRole = "secondary" if lesser else self._action
            blocks.append(self._button(action, role, ground))
        if sign:
            blocks.append(Text(sign, brand.type("small", ground), gap=0))
        self._add("text", blocks, ground)

    def products(self, products: Sequence[Product], columns: int, action: str, price_note: str = "") -> None:
        """A grid of product cards, ``columns`` a row."""
        width = self._cell_width(columns)
        for start in range(0, len(products), columns):
            cells = []
            for product in products[start : start + columns]:
                art = picture(self.brand, "product", product.number, width, round(width * 0.8), product.name)
                lines: list[Block] = [art, self._card_text(product.name, "subtitle", 4)]
                lines.append(self._card_text(f"{product.price}{price_note}", "eyebrow", 8))
                if columns < 3:
                    lines.append(self._card_text(product.blurb, "small", 14))
                lines.append(self._button(action, "secondary", self._card_ground()))
                cells.append(lines)
            self._row(cells)

    def points(self, points: Sequence[tuple[str, str]]) -> None:
        """A row of icon, short title and a line of text."""
        cells: list[list[Block]] = []
        for i, (title, text) in enumerate(points):
            cells.append([icon(self.brand, i + len(title), 48, ""), self._card_text(title, "subtitle", 6)])
            cells[-1].append(self._card_text(text, "small", 0))
        self._row(cells)

    def stories(self, stories: Sequence[Story], columns: int, action: str) -> None:
        width = self._cell_width(columns)
        for start in range(0, len(stories), columns):
            cells: list[list[Block]] = []
            for story in stories[start : start + columns]:
                art = picture(self.brand, "story", story.number, width, round(width * 0.6), story.headline)
                cells.append([art, self._card_text(story.headline, "subtitle", 6)])
                cells[-1].append(self._card_text(story.teaser, "small", 14))
                cells[-1].append(self._button(action, "secondary", self._card_ground()))
            self._row(cells)

    def media(self, name: str, number: int, heading: str, text: str, action: str, side: Side = "left") -> None:
        """A picture with its text beside it: one card, lying down."""
        brand = self.brand
        ground: Surface = "paper"
        art = picture(brand, name, number, 200, 150, heading)
        blocks: list[Block] = [Text(heading, brand.type("subtitle", ground), level=3, gap=6)]
        blocks.append(Text(text, brand.type("small", ground), gap=14 if action else 0))
        if action:
            blocks.append(self._button(action, "secondary", ground))
        self._add("card", blocks, ground, pad_y=18, media=art, media_side=side, align="left")

    def stats(self, items: Sequence[tuple[str, str]], heading: str = "", surface: Surface = "paper") -> None:
        """A row of short facts."""
        brand = self.brand
        blocks: list[Block] = []
        if heading:
            blocks.append(Text(heading, brand.type("subtitle", surface), level=2, gap=16))
        blocks.append(Stats(tuple(items), brand.type("figure", surface), brand.type("small", surface)))
        self._add("row", blocks, surface, pad_y=24, align="center")

    def ledger(
        self,
        lines: Sequence[tuple[str, str]],
        heading: str,
        total: bool = True,
        surface: Surface = "paper",
    ) -> None:
        """A table of at least three lines: a receipt, a statement, an agenda."""
        brand = self.brand
        style = brand.type("body", surface)
        strong = TypeStyle(style.family, style.size, style.colour, 700, style.leading)
        blocks = (
            Text(heading, brand.type("subtitle", surface), level=2, gap=12),
            Ledger(tuple(lines), style, strong, brand.palette.line, total),
        )
        self._add("table", blocks, surface, pad_y=24, align="left")

    def footer(self, reason: str) -> None:
        brand, surface = self.brand, self.brand.layout.footer
        small = brand.type("small", surface)
        socials = tuple(icon(brand, i, 24, name) for i, name in enumerate(("Instagram", "YouTube", "LinkedIn")))
        blocks: list[Block] = [Icons(socials, gap=16)] if brand.key not in ("quill", "calder") else []
        blocks.append(Text(self.voice.address, small, gap=8))
        blocks.append(Text(reason, small, gap=8))
        links = ("Unsubscribe", "Preferences", "View in browser")
        blocks.append(Links(tuple((label, self.url(label[:5].lower())) for label in links), small, "|"))
        self._add("footer", blocks, surface, align=self.brand.layout.align)

    # How the pieces are put together.

    def _add(
        self,
        kind: SectionKind,
        blocks: Sequence[Block],
        surface: Surface,
        *,
        pad_y: int = 32,
        pad_x: int | None = None,
        align: Align | None = None,
        cover: Image | None = None,
        media: Image | None = None,
        media_side: Side = "left",
        backdrop: str = "",
        split: bool = False,
    ) -> None:
        layout = self.brand.layout
        self.bands.append(
            Section(
                kind=kind,
                blocks=tuple(blocks),
                background=self.brand.ground(surface),
                align=align or layout.align,
                pad_y=pad_y,
                pad_x=layout.pad if pad_x is None else pad_x,
                cover=cover,
                media=media,
                media_side=media_side,
                backdrop=backdrop,
                split=split,
            )
        )

    def _row(self, cells: Sequence[Sequence[Block]]) -> None:
        layout, palette = self.brand.layout, self.brand.palette
        pad = 0 if layout.cards == "plain" else 16
        ground = self.brand.ground(self._card_ground())
        border = palette.line if layout.cards == "framed" else ""
        cards = tuple(
            Section("card", tuple(blocks), ground, layout.align, pad, pad, border=border, radius=layout.corner)
            for blocks in cells
        )
        self.bands.append(Row(cards, palette.paper, pad_x=layout.pad))

    def _cell_width(self, columns: int) -> int:
        layout = self.brand.layout
        inner = (layout.width - 2 * layout.pad - 20 * (columns - 1)) // columns
        return inner - (0 if layout.cards == "plain" else 34)

    def _card_ground(self) -> Surface:
        return "tint" if self.brand.layout.cards == "filled" else "paper"

    def _card_text(self, text: str, role: Role, gap: int) -> Text:
        ground = self._card_ground()
        return Text(text, self.brand.type(role, ground), level=3 if role == "subtitle" else 0, gap=gap)

    def _button(self, text: str, role: ButtonRole, surface: Surface) -> Button:
        label = text.upper() if self.brand.key == "marlowe" else text
        slug = "-".join(text.lower().split()[:2])
        return Button(label, self.url(f"go/{slug}"), self.brand.button(role, surface))

    def _coupon(self, code: str, surface: Surface) -> Coupon:
        colour = self.brand.type("display", surface).colour
        return Coupon(code, TypeStyle(COURIER, 22, colour, 700, 1.4), colour)

    def _follows_text(self) -> bool:
        last = self.bands[-1] if self.bands else None
        return isinstance(last, Section) and last.background == self.brand.palette.paper and last.kind != "header"
