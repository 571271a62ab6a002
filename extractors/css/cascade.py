"""The cascade: which declarations reach which element, and in what order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from itertools import chain

from extractors.css import colours, hints, media, stylesheet
from extractors.css.computed import ComputedStyle, Layer, compute, root_parent
from extractors.css.declarations import EMPTY, style_attribute
from extractors.css.ruleset import RuleSet
from extractors.css.selectors import Matcher
from extractors.css.values import Page
from extractors.tree import Element


def apply(elements: Sequence[Element], width: float, quirks: bool) -> None:
    """Give every element its computed style."""
    page = Page(width=width, height=media.HEIGHT, quirks=quirks)
    for element in elements:
        names = element.attributes.get("class", "")
        element.classes = frozenset((names.lower() if quirks else names).split()) if names else frozenset()
    author = author_rules(_sheets(elements), width, quirks)
    defaults = user_agent_rules(quirks)
    cascade = _Cascade(elements, page, defaults, author)
    for element in elements:
        if element.tag == "body" and "link" in element.attributes:
            page.link_colour = colours.legacy(element.attributes["link"]) or page.link_colour
        element.style = cascade.style(element)
        if element.parent is None:
            page.root_font_size = element.style.font_size
        elif element.tag == "body":
            page.body_colour = element.style["color"]


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
        # The layers are kept beside the style so that their ids stay theirs.
        self.shared: dict[tuple[object, ...], tuple[ComputedStyle, list[Layer]]] = {}

    def style(self, element: Element) -> ComputedStyle:
        parent = self.initial if element.parent is None else self.elements[element.parent].style
        layers, own = self._layers(element)
        key = (id(parent), element.tag, *map(id, layers))
        known = self.shared.get(key)
        if known is not None:
            return known[0]
        style = compute(element.tag, layers, own, parent)
        self.shared[key] = style, layers
        return style

    def _layers(self, element: Element) -> tuple[list[Layer], list[Layer]]:
        """All layers weakest first, and the browser's own among them."""
        rules = self.defaults if element.namespace == "html" else foreign_rules()
        own = [entry.block for entry in rules.matching(self.matcher, element)]
        defaults: list[Layer] = [block.normal for block in own]
        layers = list(defaults)
        attributes = element.attributes
        if attributes:
            hinted = hints.of(element.tag, attributes)
            if hinted:
                layers.append(hinted)
        if element.tag in hints.OF_TABLE:
            layers.append(self._table_hints(element))
        matched = self.author.matching(self.matcher, element)
        inline = EMPTY
        if "style" in attributes:
            inline = style_attribute(attributes["style"], self.page.quirks)
        layers += [entry.block.normal for entry in matched if entry.block.normal]
        if inline.normal:
            layers.append(inline.normal)
        layers += [entry.block.important for entry in self.author.important(matched) if entry.block.important]
        if inline.important:
            layers.append(inline.important)
        layers += [block.important for block in own if block.important]
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
