"""A catalogue style as typed, validated fields: the only road from an email's CSS to a page.

A signature (``background:#3867ff;radius:999px;color:#ffffff;font-size:16px``) is taken apart into hex colours
and numbers of pixels; what does not parse is not drawn. CSS is then written from the fields, so nothing an
email's author wrote is ever emitted as CSS.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from flows.pages.colournames import colour_name
from hnn_core.colour import contrast_ratio, rgb_of, to_hex

STYLE_TYPES = ("button-style", "text-style", "color-pair", "background-style")

#: Short names of what can be recommended.
TARGETS = {"button": "button-style", "background": "background-style", "text": "text-style", "pair": "color-pair"}

#: What people call one of each.
NOUNS = {
    "button-style": "button",
    "text-style": "text style",
    "color-pair": "colour pair",
    "background-style": "background",
}

PILL = 999.0  # the canonical radius of a fully rounded button

_COLOUR = re.compile(r"#[0-9a-f]{6}(?:[0-9a-f]{2})?")
_PIXELS = re.compile(r"(\d{1,4}(?:\.\d{1,3})?)px")
_RADIUS = re.compile(r"(\d{1,4}(?:\.\d{1,3})?)(?:px|%)")
_OPACITY = re.compile(r"0?\.\d{1,4}|0|1(?:\.0+)?")
_IMAGE = re.compile(r"[a-z][a-z-]{0,19}")

_REQUIRED = {
    "button-style": ("background", "color", "radius", "font_size"),
    "text-style": ("color", "font_size"),
    "color-pair": ("background", "color"),
    "background-style": ("background",),
}
_MAX_FONT_PX = 200.0  # a larger specimen shows nothing but one stroke of a letter


@dataclass(frozen=True)
class Style:
    """One style of the catalogue; fields its type does not have are None."""

    type: str
    background: str | None = None  # #rrggbb or #rrggbbaa
    color: str | None = None
    radius: float | None = None
    radius_unit: str = "px"  # or "%"
    font_size: float | None = None  # px
    opacity: float | None = None
    image: str | None = None  # kind only: "gradient", "photo", …; never an address

    @classmethod
    def parse(cls, type: str, signature: str) -> Style | None:
        """The style, or None where a field is missing or is anything but what it should be."""
        if type not in _REQUIRED or len(signature) > 400:
            return None
        written = dict(part.partition(":")[::2] for part in signature.split(";") if part)
        background = written.get("background", written.get("color") if type == "background-style" else None)
        style = cls(
            type,
            background=_matched(_COLOUR, "#00000000" if background == "transparent" else background),
            color=None if type == "background-style" else _matched(_COLOUR, written.get("color")),
            radius=_number(_RADIUS, written.get("radius")),
            radius_unit="%" if written.get("radius", "").endswith("%") else "px",
            font_size=_number(_PIXELS, written.get("font-size")),
            opacity=_number(_OPACITY, written.get("opacity")),
            image=_matched(_IMAGE, written.get("image")),
        )
        if any(getattr(style, name) is None for name in _REQUIRED[type]):
            return None
        if style.font_size is not None and not 0 < style.font_size <= _MAX_FONT_PX:
            return None
        return style

    @cached_property
    def css(self) -> str:
        """Declarations for a ``style`` attribute."""
        written = {
            "background-color": self.background,
            "color": self.color,
            "border-radius": None if self.radius is None else f"{self.radius:g}{self.radius_unit}",
            "font-size": None if self.font_size is None else f"{self.font_size:g}px",
            "opacity": None if self.opacity is None else f"{self.opacity:g}",
        }
        return ";".join(f"{name}:{value}" for name, value in written.items() if value is not None)

    @property
    def measures(self) -> tuple[str, ...]:
        """What is no colour: size, corner, opacity, image."""
        size = None if self.font_size is None else f"{self.font_size:g} px"
        corner = None
        if self.radius is not None:
            unit = "" if self.radius_unit == "px" else self.radius_unit
            corner = "pill" if self.radius >= PILL else f"radius {self.radius:g}{unit}" if self.radius else "square"
        opacity = None if self.opacity is None else f"{self.opacity:.0%} opaque"
        image = None if self.image in (None, "none") else f"with {self.image}"
        # A button without a fill was found by its four borders.
        empty = "outline, no fill" if self.type == "button-style" else "no fill"
        fill = empty if self.see_through else None
        return tuple(measure for measure in (size, corner, fill, opacity, image) if measure)

    @property
    def facts(self) -> str:
        """All of it on one line: for labels and descriptions."""
        return ", ".join((*self.colours, *self.measures))

    @cached_property
    def colours(self) -> tuple[str, ...]:
        background = None if self.see_through else self.background
        return tuple(colour for colour in (background, self.color) if colour)

    @property
    def name(self) -> str:
        """What its background would be called; an image covers whatever colour lies below it."""
        if self.background is None or self.see_through:
            return self.image if self.image not in (None, "none") else "no fill"
        return colour_name(self.background)

    @property
    def see_through(self) -> bool:
        """Nothing but its border is drawn."""
        return self.background is not None and self.background.endswith("00") and len(self.background) == 9

    @cached_property
    def contrast(self) -> float | None:
        """WCAG contrast of text and background, where the style knows both."""
        if self.background is None or self.color is None or self.see_through:
            return None
        return contrast_ratio(self.color, self.background)


def is_colour(value: str) -> bool:
    return _COLOUR.fullmatch(value) is not None


def opaque(colour: str, over: str = "#ffffff") -> str:
    """A translucent colour laid over another, as six digits."""
    return colour if len(colour) == 7 else to_hex(rgb_of([colour], over)[0])


def shortened(text: str, limit: int = 80) -> str:
    """One line that fits: a 10 KB font name or subject must not make the page."""
    line = " ".join(text[: 4 * limit].split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _matched(pattern: re.Pattern[str], value: str | None) -> str | None:
    return value if value is not None and pattern.fullmatch(value) else None


def _number(pattern: re.Pattern[str], value: str | None) -> float | None:
    match = pattern.fullmatch(value) if value is not None else None
    return float(match[match.lastindex or 0]) if match else None
