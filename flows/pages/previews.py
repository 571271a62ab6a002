"""A fragment cut out of its email, safe to show, and redrawn with a recommended style.

The email's own markup and style sheets are shown in a sandboxed frame, since nothing else looks like the
original. On the way there everything active or remote is left out: only listed elements and attributes are
written, images become grey boxes, and no address survives in CSS. The frame's sandbox and its
Content-Security-Policy would stop the rest; cleaning keeps the console quiet.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html import escape
from urllib.parse import quote

from extractors.buttons import find_buttons
from extractors.canonical import hexadecimal
from extractors.document import Document
from extractors.layout import Box, Layout
from extractors.paint import Paint
from flows.pages.csscleaning import clean_css, clean_declarations
from flows.pages.styles import Style


def _words(names: str) -> frozenset[str]:
    return frozenset(names.split())


FRAME_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

WIDE, NARROW = 675, 360  # px: the viewports of a whole section and of one column of a row
_SHOWN_WIDTH = 270
_LEAST_SHOWN, _MOST_SHOWN = 84, 460  # px in the page: smaller fragments get a margin, larger ones are cut off

_WRITTEN = _words(
    "html body table tbody thead tfoot tr td th caption colgroup col div span p a img h1 h2 h3 h4 h5 h6 center font "
    "b i u s strong em small big sup sub br hr ul ol li dl dt dd blockquote pre code address section article header "
    "footer main nav aside figure figcaption button label abbr cite q tt strike del ins wbr mark time"
)
_VOID = _words("img br hr col wbr")
_DROPPED = _words(  # with all they hold; any other unknown element gives way to its content
    "head script style title meta link base iframe frame frameset object embed applet param video audio source track "
    "canvas svg math input select textarea noscript template map"
)
_ATTRIBUTES = _words(
    "class id width height bgcolor color face size align valign cellpadding cellspacing border colspan rowspan dir "
    "lang link text nowrap noshade"
)
_PLAIN = re.compile(r"[\w #%.,:;()*+-]{0,200}")
_MAX_ELEMENTS, _MAX_TEXT = 600, 6_000
_ICON = 64.0  # px: a wider image is a picture

_GREY_BOX = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" preserveAspectRatio="none">'
    '<path fill="#8885" d="M0 0h{width:.0f}v{height:.0f}H0z"/></svg>'
)
# The fragment's surroundings lend it width, colours and fonts, but no empty room above and below.
_CONTEXT = (
    "padding-top:0!important;padding-bottom:0!important;margin-top:0!important;margin-bottom:0!important;"
    "height:auto!important;min-height:0!important;border-top:0!important;border-bottom:0!important"
)
_ADDED_HEIGHT, _LEAST_ADDED = 84, 160  # px: height and least width of what a button is put below on
_BUTTON = (
    '<div style="text-align:center;padding:16px;max-width:{width:.0f}px;margin:0 auto;box-sizing:border-box;'
    'background:{paper}"><span style="display:inline-block;'
    'padding:.75em 1.6em;font-family:sans-serif;font-weight:600;{css};border:{border}">Button</span></div>'
)


@dataclass(frozen=True)
class Frame:
    """What goes into an ``iframe srcdoc``, the viewport it is laid out in and the height it needs there."""

    srcdoc: str
    width: int
    height: int

    @property
    def shown_height(self) -> int:
        """In the page, where every frame is scaled to the same width."""
        return round(self.height * _SHOWN_WIDTH / self.width)


@dataclass(frozen=True)
class Redrawing:
    """A style to draw on one element of the fragment; without an element a button is put below it."""

    style: Style
    element: int | None
    paper: str = "#ffffff"  # what the fragment stands on, and the button below it with it
    border: str | None = None  # CSS of the style's own border, where it is known

    @property
    def outline(self) -> str | None:
        """The border to draw, in the text's colour where an outline's own is not known; None: the fill is all."""
        return self.border or (f"1px solid {self.style.color}" if self.style.see_through else None)


@dataclass
class _Cut:
    """One fragment being written out."""

    inside: frozenset[int]  # the fragment's top elements
    path: frozenset[int]  # their ancestors
    redrawing: Redrawing | None
    width: float  # px
    head: str
    pieces: list[str] = field(default_factory=list)
    elements: int = 0
    text: int = 0


class Email:
    """An email parsed and laid out once, to cut any number of fragments from."""

    def __init__(self, html: str) -> None:
        document = Document.from_html(html)
        self._elements = document.elements
        self._layout = Layout(document)
        paint = Paint(document)
        self._box_of = {button.element: button.box for button in find_buttons(document, self._layout, paint)}
        body = (number for number, element in enumerate(self._elements) if element.tag == "body")
        self._ground = hexadecimal(paint.behind[next(body, 0)]) if self._elements else "#ffffff"
        sheets = (element.contents for element in self._elements if element.tag == "style")
        self._css = clean_css("\n".join(text for contents in sheets for text in contents if isinstance(text, str)))

    def frame(self, elements: Sequence[int], redrawing: Redrawing | None = None) -> Frame | None:
        """The fragment made of these elements, or None where it is too large to show or is not there."""
        if not elements or not all(0 <= number < len(self._elements) for number in elements):
            return None
        if redrawing is not None and redrawing.element in self._box_of:
            redrawing = replace(redrawing, element=self._box_of[redrawing.element])
        width = Box.around(self._layout.box(number) for number in elements).width
        head = _head(self._css, self._ground)
        cut = _Cut(frozenset(elements), frozenset(self._ancestors(elements)), redrawing, width, head)
        try:
            self._write(0, cut, shown=False, style=None)
        except RecursionError:
            return None
        if cut.elements > _MAX_ELEMENTS or cut.text > _MAX_TEXT:
            return None
        width, height = self._viewport(elements)
        if _adds_a_button(redrawing):
            height += _ADDED_HEIGHT
        return Frame("<!doctype html>" + "".join(cut.pieces), width, height)

    def _viewport(self, elements: Sequence[int]) -> tuple[int, int]:
        """From the boxes at the audit's width: a column of a row gets a narrow frame, text wraps accordingly."""
        box = Box.around(self._layout.box(number) for number in elements)
        width = NARROW if 0 < box.width <= NARROW + 40 else WIDE
        height = box.height * max(1.0, box.width / width) + self._image_growth(elements) + 36
        scale = width / _SHOWN_WIDTH
        return width, round(min(max(height, _LEAST_SHOWN * scale), _MOST_SHOWN * scale))

    def _image_growth(self, elements: Sequence[int]) -> float:
        """The audit lays images out as unfetched, mostly a line of alternative text; grey boxes are higher."""
        growth, stack = 0.0, list(elements)
        while stack:
            number = stack.pop()
            if self._elements[number].tag == "img" and self._layout.shown[number]:
                width, height = self._image_size(number)
                growth += max(height - self._layout.height(number), 0.0) if width > _ICON else 0.0
            stack += self._elements[number].children
        return growth

    def _image_size(self, number: int) -> tuple[float, float]:
        """As stated; where one side is not, icons are taken for square and pictures for 16 to 9."""
        style, parent = self._elements[number].style, self._elements[number].parent
        room = min(self._layout.width(parent) if parent is not None else WIDE, WIDE)
        width, height = (_length(style[side], room) for side in ("width", "height"))
        if width is None:
            width = height if height is not None else min(room, 160.0)
        return width, height if height is not None else width * (1.0 if width <= _ICON else 9 / 16)

    def _ancestors(self, elements: Sequence[int]) -> set[int]:
        above: set[int] = set()
        for number in elements:
            parent = self._elements[number].parent
            while parent is not None and parent not in above:
                above.add(parent)
                parent = self._elements[parent].parent
        return above

    def _write(self, number: int, cut: _Cut, shown: bool, style: Style | None) -> None:
        element = self._elements[number]
        shown = shown or number in cut.inside
        if element.tag in _DROPPED or not (shown or number in cut.path):
            return
        here = cut.redrawing if cut.redrawing is not None and cut.redrawing.element == number else None
        style = here.style if here else style
        written = element.tag in _WRITTEN
        if written:
            cut.elements += 1
            cut.pieces.append(self._open_tag(number, shown, style, here))
        if element.tag == "html":
            cut.pieces.append(cut.head)
        if element.tag in _VOID:
            return
        for content in element.contents:
            if isinstance(content, int):
                self._write(content, cut, shown, style)
            elif shown:
                cut.text += len(content)
                cut.pieces.append(escape(content, quote=False))
        if element.tag == "body" and cut.redrawing and _adds_a_button(cut.redrawing):
            added = cut.redrawing
            cut.pieces.append(
                _BUTTON.format(
                    css=added.style.css,
                    border=added.outline or 0,
                    paper=added.paper,
                    width=max(cut.width, _LEAST_ADDED),
                )
            )
        if written:
            cut.pieces.append(f"</{element.tag}>")

    def _open_tag(self, number: int, shown: bool, style: Style | None, here: Redrawing | None) -> str:
        """The listed attributes with plain values, the cleaned style, and the redrawn style over it."""
        tag, attributes = self._elements[number].tag, self._elements[number].attributes
        plain = {name: value for name, value in attributes.items() if name in _ATTRIBUTES and _PLAIN.fullmatch(value)}
        declarations = [clean_declarations(attributes.get("style", ""))]
        if not shown and tag != "html":
            declarations.append(_CONTEXT)
        if style is not None:
            declarations.append(_redrawn(style, here))
        plain["style"] = ";".join(filter(None, declarations))
        if tag == "img":
            plain |= {"src": _grey_box(*self._image_size(number)), "alt": ""}
        if tag == "a" and "href" in attributes:
            plain |= {"href": "#", "tabindex": "-1"}  # without an address it would lose its colour
        listed = "".join(f' {name}="{escape(value)}"' for name, value in plain.items())
        return f"<{tag}{listed}>"


def _head(css: str, ground: str) -> str:
    """The frame's own policy and sheet; the fragment stands in the middle of a frame larger than itself."""
    return (
        '<head><meta charset="utf-8"><title>Fragment</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{FRAME_POLICY}">'
        f"<style>{css}</style><style>html{{height:100%;display:flex;flex-direction:column;"
        f"justify-content:safe center;overflow:hidden;background:{ground}}}"
        "body{margin:0!important;width:100%!important;min-width:0!important;height:auto!important}</style></head>"
    )


def _adds_a_button(redrawing: Redrawing | None) -> bool:
    return redrawing is not None and redrawing.element is None and redrawing.style.type == "button-style"


def _length(value: str, whole: float) -> float | None:
    """Of ``120px`` or ``50%``; None for ``auto``."""
    for unit, factor in (("px", 1.0), ("%", whole / 100)):
        if value.endswith(unit):
            return float(value.removesuffix(unit)) * factor
    return None


def _grey_box(width: float, height: float) -> str:
    return "data:image/svg+xml," + quote(_GREY_BOX.format(width=max(width, 1), height=max(height, 1)))


def _redrawn(style: Style, here: Redrawing | None) -> str:
    """On the element itself all that the style says; on what it holds, only what would hide it."""
    declarations = [name for name in style.css.split(";") if here or name.startswith(("color:", "font-size:"))]
    if style.background is not None and (here or style.type == "button-style"):
        declarations.insert(0, "background-image:none" if here else "background:transparent")
    if here and style.type == "button-style":
        # The old border goes with the old fill, but keeps its width: it may stand in for padding.
        declarations.append(f"border-color:{style.background}")
        if here.outline:
            declarations += [f"outline:{here.outline}", "outline-offset:-1px"]
    return ";".join(f"{declaration}!important" for declaration in declarations)
