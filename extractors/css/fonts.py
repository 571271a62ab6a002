"""Font size, weight, family and line height: the properties whose value depends on the parent's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from extractors.css import lengths
from extractors.css.lengths import ABSOLUTE, Length
from extractors.css.values import Deferred, Style, Value, is_identifier, number, px, split_commas, string

_GENERIC_NAMES = """
    serif sans-serif monospace cursive fantasy system-ui math -webkit-body ui-serif ui-sans-serif
    ui-monospace ui-rounded
"""
GENERIC = frozenset(_GENERIC_NAMES.split())
_KEYWORDS = ("xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large")
_SIZES = (9.0, 10.0, 13.0, 16.0, 18.0, 24.0, 32.0, 48.0)
_MONOSPACE_SIZES = (9.0, 10.0, 12.0, 13.0, 16.0, 20.0, 26.0, 39.0)
_MONOSPACE_QUIRKS_SIZES = (9.0, 9.0, 10.0, 13.0, 16.0, 20.0, 26.0, 40.0)
MEDIUM = 3
_MONOSPACE_SCALE = 13 / 16
_SMALLEST_LOGICAL = 6.0
_LARGEST = 10_000.0


class Font(NamedTuple):
    """What an element hands down about its font size besides the number."""

    size: float = 16.0  # as specified: relative sizes of children refer to it, before any minimum
    keyword: int | None = MEDIUM
    absolute: bool = False  # set in pixels, here or above: exempt from the minimum and from scaling
    monospace: bool = False

    @property
    def computed(self) -> float:
        """Chromium lifts relative sizes to 6 px, unless they are zero or were written in pixels."""
        if 0 < self.size < _SMALLEST_LOGICAL and not self.absolute:
            return _SMALLEST_LOGICAL
        return self.size

    def with_family(self, monospace: bool, quirks: bool) -> Font:
        """The font after a change of family: ``monospace`` alone has its own, smaller default size."""
        if monospace == self.monospace:
            return self
        if self.absolute:
            return self._replace(monospace=monospace)
        if self.keyword is not None:
            return keyword_font(self.keyword, monospace, quirks)
        scale = _MONOSPACE_SCALE if monospace else 1 / _MONOSPACE_SCALE
        return self._replace(size=self.size * scale, monospace=monospace)


def keyword_font(keyword: int, monospace: bool, quirks: bool) -> Font:
    sizes = _SIZES if not monospace else _MONOSPACE_QUIRKS_SIZES if quirks else _MONOSPACE_SIZES
    return Font(sizes[keyword], keyword, absolute=False, monospace=monospace)


class FontSize:
    """A specified ``font-size``. It is no Deferred: it needs the parent's font, not the element's."""

    __slots__ = ()

    def font(self, parent: Font, parent_style: Style, monospace: bool) -> Font:
        raise NotImplementedError


class KeywordSize(FontSize):
    __slots__ = ("keyword",)

    def __init__(self, keyword: int) -> None:
        self.keyword = keyword

    def font(self, parent: Font, parent_style: Style, monospace: bool) -> Font:
        return keyword_font(self.keyword, monospace, parent_style.page.quirks)


class PixelSize(FontSize):
    __slots__ = ("pixels",)

    def __init__(self, pixels: float) -> None:
        self.pixels = min(_LARGEST, pixels)

    def font(self, parent: Font, parent_style: Style, monospace: bool) -> Font:
        return Font(self.pixels, None, True, monospace)


class RelativeSize(FontSize):
    """``1.2em``, ``120%``, ``larger``: a factor of the parent's size."""

    __slots__ = ("factor",)

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def font(self, parent: Font, parent_style: Style, monospace: bool) -> Font:
        scaled = Font(min(_LARGEST, parent.size * self.factor), None, parent.absolute, parent.monospace)
        return scaled.with_family(monospace, parent_style.page.quirks)


class CalculatedSize(FontSize):
    """``2rem``, ``4vw``, ``calc(1em + 2px)``."""

    __slots__ = ("length",)

    def __init__(self, length: Length) -> None:
        self.length = length

    def font(self, parent: Font, parent_style: Style, monospace: bool) -> Font:
        pixels = self.length.pixels(parent_style, parent.size)
        return Font(min(_LARGEST, max(0.0, pixels)), None, True, monospace)


def font_size(token: Any, unitless: bool = False) -> FontSize | None:
    if token.type == "ident":
        name = token.lower_value
        if name in _KEYWORDS:
            return KeywordSize(_KEYWORDS.index(name))
        if name in ("larger", "smaller"):
            return RelativeSize(1.2 if name == "larger" else 1 / 1.2)
        return KeywordSize(_KEYWORDS.index("xxx-large")) if name == "-webkit-xxx-large" else None
    if token.type == "percentage":
        return RelativeSize(min(_LARGEST, token.value / 100)) if token.value >= 0 else None
    if token.type == "dimension" and token.value >= 0:
        if token.lower_unit in ABSOLUTE:
            return PixelSize(float(token.value) * ABSOLUTE[token.lower_unit])
        if token.lower_unit == "em":
            return RelativeSize(min(_LARGEST, float(token.value)))
    if token.type == "number":
        zero_or_quirk = token.value == 0 or (unitless and token.value >= 0)
        return PixelSize(float(token.value)) if zero_or_quirk else None
    length = lengths.parse(token, negative=False)
    return CalculatedSize(length) if isinstance(length, Length) else None


class Weight(Deferred):
    """``bolder`` and ``lighter``, resolved against the parent's weight by the cascade."""

    __slots__ = ("bolder",)

    def __init__(self, bolder: bool) -> None:
        self.bolder = bolder

    def from_parent(self, parent: str) -> str:
        weight = float(parent)
        if self.bolder:
            return "400" if weight < 350 else "700" if weight < 550 else "900" if weight < 900 else parent
        return parent if weight < 100 else "100" if weight < 550 else "400" if weight < 750 else "700"


_WEIGHTS: dict[str, Value] = {
    "normal": "400",
    "bold": "700",
    "bolder": Weight(bolder=True),
    "lighter": Weight(bolder=False),
}


def font_weight(token: Any) -> Value | None:
    if token.type == "ident":
        return _WEIGHTS.get(token.lower_value)
    weight = lengths.plain_number(token)
    return number(weight) if weight is not None and 1 <= weight <= 1000 else None


def font_family(tokens: Sequence[Any]) -> str | None:
    """The list as Chromium writes it back: quoted wherever a name is not one plain identifier."""
    names = []
    for part in split_commas(tokens):
        if len(part) == 1 and part[0].type == "string":
            names.append(_quoted_family(part[0].value))
        elif part and all(token.type == "ident" for token in part):
            name = " ".join(token.value for token in part)
            lowered = name.lower()
            if lowered in GENERIC:
                names.append(lowered)
            elif lowered in ("inherit", "initial", "unset", "default", "revert", "revert-layer"):
                return None
            else:
                names.append(_quoted_family(name))
        else:
            return None
    return ", ".join(names)


def _quoted_family(name: str) -> str:
    return name if is_identifier(name) and name.lower() not in GENERIC else string(name)


class LineHeightFactor(Deferred):
    """``line-height: 1.5`` is inherited as the factor, unlike ``1.5em``, inherited as pixels."""

    __slots__ = ("factor",)

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def resolve(self, style: Style) -> str:
        return px(self.factor * style.font_size)


class _LineHeightLength(Deferred):
    __slots__ = ("length",)

    def __init__(self, length: Length) -> None:
        self.length = length

    def resolve(self, style: Style) -> str:
        return px(max(0.0, self.length.pixels(style, style.font_size)))


def line_height(token: Any) -> Value | None:
    if token.type == "ident":
        return "normal" if token.lower_value == "normal" else None
    factor = lengths.plain_number(token)
    if factor is not None:
        return LineHeightFactor(factor) if factor >= 0 else None
    if token.type == "percentage":
        per_cent = int(min(lengths.LARGEST, token.value))  # Chromium cuts the fraction off
        length = Length(lambda style: (per_cent / 100 * style.font_size, 0.0))
        return _LineHeightLength(length) if token.value >= 0 else None
    parsed = lengths.parse(token, negative=False)
    return _LineHeightLength(parsed) if isinstance(parsed, Length) else parsed
