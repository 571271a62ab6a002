"""What is refused before any parser sees it.

Parsers take quadratic time on deep nesting and on endless attributes (lexbor: minutes for 100,000 nested
``<div>``), so size, depth, attributes and elements are bounded by one linear look at the markup. It need
not know the tree exactly, but nothing may hide from it: a ``<`` swallowed by an attribute value or by a
``<style>`` counts as an element, because only the parser knows which reading of broken markup is right.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass


class Rejected(Exception):  # noqa: N818  -- a verdict on the input, not a fault
    """A document that is not worth its cost. ``reason`` is one of a few words, ``detail`` a sentence."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}"


@dataclass(frozen=True)
class Limits:
    """Real mail reaches depth 38, 15 attributes on a tag and about a thousand elements."""

    max_bytes: int = 5_000_000
    max_depth: int = 512
    max_attributes: int = 256
    max_elements: int = 20_000
    seconds: float = 10.0
    memory_mb: int = 1024


_ATTRIBUTE = r"""[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"?|'[^']*+'?|[^\s>"'][^\s>]*+)?)?+"""
_TOKEN = re.compile(
    rf"""<(?:
    (?P<comment>!--)(?:-?>|.*?(?:--!?>|\Z))
    | (?P<raw>style|script|title|textarea|xmp|iframe|noembed|noframes)(?=[\s/>])
      (?P<raw_attributes>(?:[\s/]++|{_ATTRIBUTE})*+)>(?P<content>[^<]*+(?:<(?!/(?P=raw)[\s/>])[^<]*+)*+)
    | (?P<end>/?)(?P<name>[a-z][^\s/>]*+)(?P<attributes>(?:[\s/]++|{_ATTRIBUTE})*+)
    )""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTES = re.compile(_ATTRIBUTE)
Tag = tuple[str, str, str]  # "/" or "", name in lower case, attributes


def prescan(html: str, limits: Limits) -> None:
    """Raise ``Rejected`` if ``html`` is too large, too deep or too much of anything."""
    if len(html) > limits.max_bytes or (
        4 * len(html) > limits.max_bytes and len(html.encode("utf-8", "surrogatepass")) > limits.max_bytes
    ):
        raise Rejected("too-large", f"more than {limits.max_bytes} bytes")
    openings = html.count("<") - html.count("</")
    if openings <= limits.max_depth and _QUOTED_END.search(html) is None and not _is_crowded(html, limits):
        return  # nothing can be too much of anything: true of nearly all mail
    tags, hidden = _tags(html, limits)
    _check_elements(sum(not end for end, _, _ in tags) + hidden, limits)
    if hidden + _deepest_possible(tags) > limits.max_depth:
        elements, depth = _Simulation(limits).run(tags)
        _check_elements(elements + hidden, limits)
        if depth + hidden > limits.max_depth:
            raise Rejected("too-deep", f"elements nested about {depth + hidden} deep, at most {limits.max_depth}")


# A tag of 256 attributes is longer than 512 characters, unless a quoted ">" makes it look shorter.
_LONG_TAG = re.compile(r"<[a-zA-Z][^>]{511}[^>]*+")
_QUOTED_END = re.compile(r"""=\s*+(?:"[^">]*+>|'[^'>]*+>)""")


def _is_crowded(html: str, limits: Limits) -> bool:
    """Whether what may be a tag has as many attributes as one may have; where no quoted ">" is."""
    return any(_attribute_count(tag) > limits.max_attributes for tag in _LONG_TAG.findall(html))


def _attribute_count(text: str) -> int:
    return sum(1 for _ in _ATTRIBUTES.finditer(text))


def _tags(html: str, limits: Limits) -> tuple[list[Tag], int]:
    """All tags, and how many more a parser might see in what this takes for text."""
    tags: list[Tag] = []
    hidden = 0
    for comment, _, raw_attributes, content, end, name, attributes in _TOKEN.findall(html):
        if comment:
            continue
        if name:
            tags.append((end, name.lower(), attributes))
        text = attributes or raw_attributes
        if len(text) > 2 * limits.max_attributes and not end:
            _check_attributes(text, limits)
        if "<" in text or "<" in content:
            hidden += text.count("<") + content.count("<")
    if "<![CDATA[" in html:
        # Within SVG, where CDATA exists, what looks like a comment may not be one.
        hidden = html.count("<") - len(tags)
    return tags, hidden


def _check_attributes(text: str, limits: Limits) -> None:
    count = _attribute_count(text)
    if count > limits.max_attributes:
        raise Rejected("too-many-attributes", f"{count} attributes on one tag, at most {limits.max_attributes}")


def _check_elements(count: int, limits: Limits) -> None:
    if count > limits.max_elements:
        raise Rejected("too-many-elements", f"about {count} elements, at most {limits.max_elements}")


_VOID_NAMES = """
    area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr
"""
_VOID = frozenset(_VOID_NAMES.split())
_FORMATTING = frozenset(
    ("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u")
)


def _deepest_possible(tags: Sequence[Tag]) -> int:
    """An upper bound of the depth: only end tags of open elements close anything."""
    depth = deepest = 0
    opened: dict[str, int] = {}
    for end, name, _ in tags:
        if end:
            if opened.get(name):
                opened[name] -= 1
                depth -= 1
        elif name not in _VOID:
            opened[name] = opened.get(name, 0) + 1
            depth += 1
            if depth > deepest:
                deepest = depth
    # Formatting left open is opened again in every block that follows.
    return deepest + sum(count for name, count in opened.items() if name in _FORMATTING)


_CELLS = frozenset(("td", "th", "caption"))
_SCOPES = _CELLS | {"table", "html", "object", "marquee", "template", "button"}
_CLOSED_BY_SIBLING = {
    "li": frozenset(("li",)),
    "dt": frozenset(("dt", "dd")),
    "dd": frozenset(("dt", "dd")),
    "option": frozenset(("option",)),
    "td": _CELLS,
    "th": _CELLS,
    "tr": _CELLS | {"tr"},
    "tbody": _CELLS | {"tr", "tbody", "thead", "tfoot"},
    "thead": _CELLS | {"tr", "tbody", "thead", "tfoot"},
    "tfoot": _CELLS | {"tr", "tbody", "thead", "tfoot"},
}
_CLOSE_P_NAMES = """
    address article aside blockquote center dir div dl fieldset footer form h1 h2 h3 h4 h5 h6 header hr li
    main menu nav ol p pre section table ul
"""
_CLOSE_P = frozenset(_CLOSE_P_NAMES.split())
_LISTS = frozenset(("table", "ul", "ol", "dl", "select"))
_NONE: frozenset[str] = frozenset()
Formatting = Counter[tuple[str, str]]


class _Simulation:
    """The parser's main rules: implied end tags, and formatting that reopens in the next block."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.stack: list[tuple[str, str, Formatting | None]] = []  # a cell keeps the formatting lost outside it
        self.opened: Counter[str] = Counter()
        self.lost: Formatting = Counter()  # closed by the end of a block; at most three alike reopen

    def run(self, tags: Sequence[Tag]) -> tuple[int, int]:
        """(elements, depth)"""
        elements = deepest = 0
        for end, name, attributes in tags:
            if end:
                self._end(name)
                continue
            if name in _CLOSE_P:
                self._close(frozenset(("p",)), _SCOPES)
            if name in _CLOSED_BY_SIBLING:
                while self._close(_CLOSED_BY_SIBLING[name], _LISTS):
                    pass
            elements += 1
            if name in _CLOSE_P or name in _CLOSED_BY_SIBLING:
                elements += self.lost.total()
            if name not in _VOID:
                self._open(name, attributes)
            deepest = max(deepest, len(self.stack) + self.lost.total())
            if elements > self.limits.max_elements or deepest > 4 * self.limits.max_depth:
                break  # enough is known
        return elements, deepest

    def _open(self, name: str, attributes: str) -> None:
        outside = None
        if name in _CELLS:
            outside, self.lost = self.lost, Counter()
        self.stack.append((name, attributes if name in _FORMATTING else "", outside))
        self.opened[name] += 1

    def _end(self, name: str) -> None:
        if self._close(frozenset((name,)), _NONE if name in ("table", "body", "html") else _SCOPES):
            return
        for entry in self.lost:
            if entry[0] == name:
                self.lost[entry] -= 1
                if not self.lost[entry]:
                    del self.lost[entry]
                return

    def _close(self, names: frozenset[str], scopes: frozenset[str]) -> bool:
        """Pop up to the nearest of ``names``, unless one of ``scopes`` stands before it."""
        if not any(self.opened[name] for name in names):
            return False
        for position in range(len(self.stack) - 1, -1, -1):
            name = self.stack[position][0]
            if name in names:
                self._pop_to(position)
                return True
            if name in scopes:
                return False
        return False

    def _pop_to(self, position: int) -> None:
        while len(self.stack) > position:
            name, attributes, outside = self.stack.pop()
            self.opened[name] -= 1
            if outside is not None:
                self.lost = outside
            elif name in _FORMATTING and len(self.stack) > position:
                self.lost[name, attributes] = min(3, self.lost[name, attributes] + 1)
