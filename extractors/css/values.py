"""What every property shares: component values, numbers as Chromium writes them, deferred values.

A parsed value is either a ``str``, already the computed value wherever it is used, or a ``Deferred``
that needs the element it lands on (``1.5em``, ``currentcolor``). Most values in mail are of the first
kind, which is what makes the cascade a matter of merging dictionaries.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from extractors.css.memory import remembered
from extractors.css.syntax import MAX_LENGTH, MAX_NESTING, nesting
from extractors.css.tokens import component_values

HEIGHT = 600.0  # of the viewport; mail asks for it almost never


@dataclass(frozen=True, eq=False, slots=True)
class Page:
    """What is one for the whole document and values may depend on. Equal pages are one object."""

    width: float
    quirks: bool
    link_colour: str
    root_font_size: float
    body_colour: str  # quirks mode: tables take the body's colour, not their parent's

    @property
    def height(self) -> float:
        return HEIGHT

    def replaced(
        self, link_colour: str | None = None, root_font_size: float | None = None, body_colour: str | None = None
    ) -> Page:
        return page(
            self.width,
            self.quirks,
            link_colour or self.link_colour,
            self.root_font_size if root_font_size is None else root_font_size,
            body_colour or self.body_colour,
        )


@lru_cache(maxsize=256)
def page(
    width: float,
    quirks: bool,
    link_colour: str = "rgb(0, 0, 238)",
    root_font_size: float = 16.0,
    body_colour: str = "rgb(0, 0, 0)",
) -> Page:
    return Page(width, quirks, link_colour, root_font_size, body_colour)


class Style(Protocol):
    """The computed style a deferred value is resolved against."""

    page: Page
    em: float  # the specified font size: what 1em means, before Chromium's minimum
    font_size: float

    def __getitem__(self, name: str) -> str: ...


class Deferred:
    """A value that can only be computed on an element."""

    __slots__ = ()

    def resolve(self, style: Style) -> str:
        raise NotImplementedError


Value = str | Deferred


def number(value: float) -> str:
    """At most six significant digits, without trailing zeros."""
    text = f"{value:.6g}"
    return "0" if text == "-0" else text


def px(value: float) -> str:
    return f"{value:.6g}px" if value else "0px"


@remembered(entries=20_000)
def tokens(text: str) -> Sequence[Any] | None:
    """Component values without white space and comments; None where it is absurdly long or deep."""
    if len(text) > MAX_LENGTH or ("(" in text and nesting(text) > MAX_NESTING):
        return None
    parsed = component_values(text)
    # The end of the text closes an open string, url() or bracket: tinycss2 notes that as an error.
    return tuple(t for t in parsed if t.type != "whitespace" and not (t.type == "error" and t.kind[:4] == "eof-"))


def is_comma(token: Any) -> bool:
    return bool(token.type == "literal" and token.value == ",")


def is_slash(token: Any) -> bool:
    return bool(token.type == "literal" and token.value == "/")


def split_commas(components: Sequence[Any]) -> list[list[Any]]:
    parts: list[list[Any]] = [[]]
    for token in components:
        if is_comma(token):
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


_IDENT = re.compile(r"-?(?:[a-zA-Z_]|[^\x00-\x7f])(?:[\w-]|[^\x00-\x7f])*", re.ASCII)


def is_identifier(text: str) -> bool:
    return _IDENT.fullmatch(text) is not None


def string(text: str) -> str:
    """A CSS string in double quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x01-\x1f\x7f]", lambda m: f"\\{ord(m[0]):x} ", escaped) + '"'
