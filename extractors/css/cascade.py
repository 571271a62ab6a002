"""The cascade: which declarations reach which element, and in what order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import resources
from itertools import chain

from extractors.css import colours, hints, media, stylesheet, values
from extractors.css.computed import ComputedStyle, Sources, compute, root_parent
from extractors.css.declarations import EMPTY, Block, contents
from extractors.css.matcher import Matcher
from extractors.css.ruleset import Key, RuleSet
from extractors.css.values import Page
from extractors.tree import Element


def apply(elements: Sequence[Element], width: float, quirks: bool) -> None:
    """Give every element its computed style."""
    page = values.page(width, quirks)
    rules = _Rules(elements, width, quirks)
    tables: list[Mapping[str, str] | None] = []  # by element: the attributes of the table it is in, or is
    for element in elements:
        tag, attributes, parent = element.tag, element.attributes, element.parent
        tables.append(attributes if tag == "table" else None if parent is None else tables[parent])
        if tag == "body" and "link" in attributes:
            page = page.replaced(link_colour=colours.legacy(attributes["link"]))
        default, author = rules.of(element)
        style = element.style = _style(
            tag,
            default,
            hints.of(tag, attributes),
            hints.of_table(tag, tables[-1]) if tag in hints.OF_TABLE else EMPTY,
            author,
            contents(attributes["style"], quirks).block if "style" in attributes else EMPTY,
            root_parent(page) if parent is None else elements[parent].style,
            page,
        )
        if parent is None:
            page = page.replaced(root_font_size=style.em)
        elif tag == "body" and quirks:
            page = page.replaced(body_colour=style["color"])


class _Rules:
    """What the browser's own sheet and the author's say about the elements of one document."""

    def __init__(self, elements: Sequence[Element], width: float, quirks: bool) -> None:
        matcher = Matcher(elements, quirks)
        self._defaults = user_agent_rules(quirks).within(matcher)
        self._foreign = foreign_rules().within(matcher)
        self._author = author_rules(_sheets(elements), width, quirks).within(matcher)
        self._attributes = frozenset(self._defaults.attributes | self._author.attributes)
        self._settled: dict[Key, tuple[Block, Block]] = {}

    def of(self, element: Element) -> tuple[Block, Block]:
        """The declarations of the default rules and of the author's that match."""
        attributes = element.attributes
        key = (element.tag, attributes.get("class"), attributes.get("id"))
        is_plain = element.namespace == "html" and self._attributes.isdisjoint(attributes)
        if is_plain and key in self._settled:
            return self._settled[key]
        defaults = self._defaults if element.namespace == "html" else self._foreign
        blocks = defaults.matching(key, element), self._author.matching(key, element)
        if is_plain and defaults.is_settled(key) and self._author.is_settled(key):
            self._settled[key] = blocks
        return blocks


# Styles are shared by all elements, of all documents, that cannot differ. Beside each is the parent it
# was computed for, so that the id in its key is not given to another object while it is remembered.
_styles: dict[tuple[object, ...], tuple[ComputedStyle, ComputedStyle]] = {}
_MAX_STYLES = 20_000


def _style(
    tag: str,
    default: Block,
    hint: Block,
    table_hint: Block,
    author: Block,
    inline: Block,
    parent: ComputedStyle,
    page: Page,
) -> ComputedStyle:
    asked = default.looks_up + hint.looks_up + table_hint.looks_up + author.looks_up + inline.looks_up
    answers = parent.answers(asked) if asked else ()
    inherited = id(parent.inherited)
    key = (tag, default, hint, table_hint, author, inline, page, inherited, parent.blockifies, answers)
    known = _styles.get(key)
    if known is None:
        if len(_styles) >= _MAX_STYLES:
            _styles.clear()
        sources = Sources(default, hint, table_hint, author, inline)
        known = _styles[key] = compute(tag, sources, parent, page), parent
    return known[0]


def _sheets(elements: Sequence[Element]) -> tuple[tuple[str, str], ...]:
    """(media, text) of every ``<style>``. Linked and imported sheets are not fetched."""
    found = []
    for element in elements:
        if element.tag == "style" and element.attributes.get("type", "").lower() in ("", "text/css"):
            text = "".join(item for item in element.contents if isinstance(item, str))
            found.append((element.attributes.get("media", ""), text))
    return tuple(found)


def author_rules(sheets: tuple[tuple[str, str], ...], width: float, quirks: bool) -> RuleSet:
    is_long = sum(len(text) for _, text in sheets) > _LONGEST_SHEETS
    return (_author_rules.__wrapped__ if is_long else _author_rules)(sheets, width, quirks)


_LONGEST_SHEETS = 200_000  # characters; such sheets are not worth remembering


@lru_cache(maxsize=64)
def _author_rules(sheets: tuple[tuple[str, str], ...], width: float, quirks: bool) -> RuleSet:
    active = (text for condition, text in sheets if media.media(condition, width))
    return RuleSet(chain.from_iterable(stylesheet.parse(text, quirks) for text in active), width)


@lru_cache(maxsize=4)
def user_agent_rules(quirks: bool) -> RuleSet:
    return _packaged("user_agent.css", "quirks.css") if quirks else _packaged("user_agent.css")


@lru_cache(maxsize=1)
def foreign_rules() -> RuleSet:
    return _packaged("foreign.css")


def _packaged(*names: str) -> RuleSet:
    texts = ((resources.files("extractors.css") / name).read_text(encoding="utf-8") for name in names)
    return RuleSet(chain.from_iterable(stylesheet.parse(text, False) for text in texts), width=0.0)
