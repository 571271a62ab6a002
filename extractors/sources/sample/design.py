"""The vocabulary of a design system: palette, type scale, buttons, and the rules that choose among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from extractors.sources.sample.blocks import Align, ButtonStyle, TypeStyle

Surface = Literal["paper", "canvas", "tint", "brand", "accent", "dark"]
Role = Literal["display", "title", "subtitle", "lead", "body", "small", "eyebrow", "figure"]
ButtonRole = Literal["primary", "secondary", "sale"]


@dataclass(frozen=True, slots=True)
class Palette:
    ink: str
    muted: str
    canvas: str
    tint: str
    brand: str
    accent: str
    dark: str
    line: str
    paper: str = "#ffffff"
    on_brand: str = "#ffffff"
    on_accent: str = "#ffffff"
    on_dark: str = "#ffffff"
    muted_on_dark: str = "#cccccc"


@dataclass(frozen=True, slots=True)
class TypeScale:
    headings: str
    text: str
    display: int = 32
    title: int = 24
    subtitle: int = 18
    lead: int = 18
    body: int = 16
    small: int = 13
    heading_weight: int = 700


@dataclass(frozen=True, slots=True)
class ButtonSystem:
    """Primary on light ground, inverse on coloured ground, secondary for the lesser action, sale for offers."""

    primary: ButtonStyle
    secondary: ButtonStyle
    inverse: ButtonStyle
    sale: ButtonStyle


@dataclass(frozen=True, slots=True)
class Layout:
    header: Literal["split", "stacked", "wordmark"] = "stacked"
    header_surface: Surface = "paper"
    hero: Surface = "tint"
    hero_picture: Literal["none", "cover", "backdrop"] = "none"
    footer: Surface = "canvas"
    cards: Literal["plain", "framed", "filled"] = "plain"
    align: Align = "left"
    width: int = 600
    pad: int = 32
    corner: int = 0


@dataclass(frozen=True, slots=True)
class Drift:
    """What creeps in when several people build a brand's emails: a near-twin of a colour, a second radius."""

    colours: Mapping[str, str] = field(default_factory=dict)
    radii: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Brand:
    key: str
    name: str
    domain: str
    palette: Palette
    scale: TypeScale
    buttons: ButtonSystem
    layout: Layout
    motif: str
    marketing: str  # dialect of its campaigns
    service: str  # dialect of its receipts, resets and notices
    hosted: bool = False  # pictures behind https URLs instead of inline data
    tracked: bool = False  # carries an opens-tracking pixel
    drift: Drift | None = None

    def ground(self, surface: Surface) -> str:
        """The colour of a surface."""
        return str(getattr(self.palette, surface))

    def type(self, role: Role, surface: Surface) -> TypeStyle:
        return _type(self, role, surface)

    def link(self, surface: Surface) -> str:
        light = surface in ("paper", "canvas", "tint")
        return self.palette.brand if light else self.type("body", surface).colour

    def button(self, role: ButtonRole, surface: Surface) -> ButtonStyle:
        """The one place where context decides the button: coloured ground beats role."""
        system = self.buttons
        roles = {"primary": system.primary, "secondary": system.secondary, "sale": system.sale}
        style = system.inverse if surface in ("brand", "accent", "dark") else roles[role]
        # A tinted button would vanish on a ground of its own colour.
        return system.primary if style.background == self.ground(surface) else style


def drifted(brand: Brand) -> Brand:
    """The same brand as its less careful colleagues build it."""
    if brand.drift is None:
        return brand
    colours, radii = brand.drift.colours, brand.drift.radii

    def button(style: ButtonStyle) -> ButtonStyle:
        return replace(
            style,
            background=colours.get(style.background, style.background),
            colour=colours.get(style.colour, style.colour),
            border=colours.get(style.border, style.border),
            radius=radii.get(style.radius, style.radius),
        )

    palette = {name: getattr(brand.palette, name) for name in Palette.__slots__}
    system = {name: button(getattr(brand.buttons, name)) for name in ButtonSystem.__slots__}
    return replace(
        brand,
        palette=Palette(**{name: colours.get(colour, colour) for name, colour in palette.items()}),
        buttons=ButtonSystem(**system),
        layout=replace(brand.layout, corner=radii.get(brand.layout.corner, brand.layout.corner)),
    )


@cache
def _type(brand: Brand, role: Role, surface: Surface) -> TypeStyle:
    palette, scale = brand.palette, brand.scale
    strong, quiet = {
        "brand": (palette.on_brand, palette.on_brand),
        "accent": (palette.on_accent, palette.on_accent),
        "dark": (palette.on_dark, palette.muted_on_dark),
    }.get(surface, (palette.ink, palette.muted))
    heading, text, bold = scale.headings, scale.text, scale.heading_weight
    match role:
        case "display":
            return TypeStyle(heading, scale.display, strong, bold, 1.2)
        case "title":
            return TypeStyle(heading, scale.title, strong, bold, 1.3)
        case "subtitle":
            return TypeStyle(heading, scale.subtitle, strong, bold, 1.35)
        case "lead":
            return TypeStyle(text, scale.lead, quiet if surface == "dark" else strong, 400, 1.5)
        case "body":
            return TypeStyle(text, scale.body, quiet if surface == "dark" else strong, 400, 1.5)
        case "small":
            return TypeStyle(text, scale.small, quiet, 400, 1.55)
        case "eyebrow":
            return TypeStyle(text, scale.small, brand.link(surface), 700, 1.4)
        case "figure":
            return TypeStyle(heading, scale.title + 4, brand.link(surface), bold, 1.2)
