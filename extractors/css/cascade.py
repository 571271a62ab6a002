"""The cascade: which declarations reach which element, and in what order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from itertools import chain
from typing import NamedTuple

from extractors.css import colours, hints, media, stylesheet
from extractors.css.computed import ComputedStyle, Layer, compute, root_parent
from extractors.css.declarations import EMPTY, Block, contents
from extractors.css.properties import SIDES
from extractors.css.ruleset import Entry, RuleSet
from extractors.css.selectors import Matcher
from extractors.css.values import Page
from extractors.tree import Element


def apply(elements: Sequence[Element], width: float, quirks: bool) -> None:
    """Give every element its computed style."""
    page = Page(width=width, height=media.HEIGHT, quirks=quirks)
    cascade = _Cascade(elements, page, user_agent_rules(quirks), author_rules(_sheets(elements), width, quirks))
    for element in elements:
        if element.tag == "body" and "link" in element.attributes:
            page.link_colour = colours.legacy(element.attributes["link"]) or page.link_colour
        element.style = cascade.style(element)
        if element.parent is None:
            page.root_font_size = element.style.font_size
        elif element.tag == "body":
            page.body_colour = element.style["color"]


class Sources(NamedTuple):
    """Where one element's declarations come from."""

    defaults: tuple[Entry, ...]
    hints: hints.Hints
    table_hints: hints.Hints
    author: tuple[Entry, ...]
    inline: Block

    def looked_up(self) -> list[str]:
        """Values of the parent they ask for, besides those handed down to every child."""
        names = [*self.inline.looks_up, *(_BORDER_COLOURS if self.table_hints else ())]
        for entry in self.defaults:
            names += entry.block.looks_up
        for entry in self.author:
            names += entry.block.looks_up
        return names


_BORDER_COLOURS = tuple(f"border-{side}-color" for side in SIDES)  # cells of a bordered table inherit them


class _Cascade:
    """One document's cascade, sharing the style of elements that cannot differ."""

    def __init__(self, elements: Sequence[Element], page: Page, defaults: RuleSet, author: RuleSet) -> None:
        self.elements = elements
        self.page = page
        self.defaults = defaults
        self.author = author
        self.matcher = Matcher(elements, page.quirks)
        self.initial = root_parent(page)
        self.cells: dict[int, hints.Hints] = {}  # cell hints by the index of their table
        # Kept beside each style is what its key names by id, so that the ids stay theirs.
        self.shared: dict[tuple[object, ...], tuple[ComputedStyle, object]] = {}

    def style(self, element: Element) -> ComputedStyle:
        self.matcher.enter(element)
        parent = self.initial if element.parent is None else self.elements[element.parent].style
        attributes = element.attributes
        sources = Sources(
            (self.defaults if element.namespace == "html" else foreign_rules()).matching(self.matcher, element),
            hints.of(element.tag, attributes) if attributes else hints.NONE,
            self._table_hints(element) if element.tag in hints.OF_TABLE else hints.NONE,
            self.author.matching(self.matcher, element),
            contents(attributes["style"], self.page.quirks).block if "style" in attributes else EMPTY,
        )
        key = (
            parent.handed_down(sources.looked_up()),
            element.tag,
            sources.defaults,
            id(sources.hints),
            id(sources.table_hints),
            sources.author,
            sources.inline,
        )
        known = self.shared.get(key)
        if known is None:
            layers, defaults = self._layers(sources)
            known = self.shared[key] = compute(element.tag, layers, defaults, parent), (parent, sources)
        return known[0]

    def _layers(self, sources: Sources) -> tuple[list[Layer], list[Layer]]:
        """All layers of declarations, weakest first, and the browser's own among them."""
        defaults: list[Layer] = [entry.block.normal for entry in sources.defaults]
        layers = [*defaults, sources.hints, sources.table_hints]
        layers += [entry.block.normal for entry in sources.author]
        layers.append(sources.inline.normal)
        layers += [entry.block.important for entry in self.author.important(sources.author)]
        layers.append(sources.inline.important)
        layers += [entry.block.important for entry in sources.defaults]
        return layers, defaults

    def _table_hints(self, element: Element) -> hints.Hints:
        """What the attributes of the table around it say about a cell or a group."""
        table = self.matcher.parent(element)
        while table is not None and table.tag != "table":
            table = self.matcher.parent(table)
        if table is None:
            return hints.OUTSIDE_TABLE if element.tag in ("td", "th") else hints.NONE
        if element.tag not in ("td", "th"):
            is_grouped = table.attributes.get("rules", "").lower() == "groups"
            return hints.group(element.tag) if is_grouped else hints.NONE
        if table.index not in self.cells:
            get = table.attributes.get
            self.cells[table.index] = hints.cell(get("cellpadding"), get("border"), get("bordercolor"), get("rules"))
        return self.cells[table.index]


def _sheets(elements: Sequence[Element]) -> tuple[tuple[str, str], ...]:
    """(media, text) of every ``<style>``. Linked and imported sheets are not fetched."""
    found = []
    for element in elements:
        if element.tag == "style" and element.attributes.get("type", "").lower() in ("", "text/css"):
            text = "".join(item for item in element.contents if isinstance(item, str))
            found.append((element.attributes.get("media", ""), text))
    return tuple(found)


@lru_cache(maxsize=64)
def author_rules(sheets: tuple[tuple[str, str], ...], width: float, quirks: bool) -> RuleSet:
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
