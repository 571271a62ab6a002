"""The cascade: which declarations reach which element, and in what order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from pkgutil import get_data

from extractors.css import colours, hints, media, stylesheet, values
from extractors.css.computed import ComputedStyle, Sources, compute, root_parent
from extractors.css.declarations import EMPTY, Block, contents
from extractors.css.matcher import Matcher
from extractors.css.ruleset import RuleSet, RulesWithin
from extractors.css.values import Page
from extractors.tree import Element


def apply(elements: Sequence[Element], width: float, quirks: bool) -> None:
    """Give every element its computed style."""
    page = values.page(width, quirks)
    rules = _Rules(elements, width, quirks)
    no_table = hints.of_table({})
    tables: list[Mapping[str, Block]] = []  # by element: what the table it is in, or is, says about its parts
    for element in elements:
        tag, attributes, parent = element.tag, element.attributes, element.parent
        if tag == "table":
            table = hints.of_table(attributes)
        else:
            table = no_table if parent is None else tables[parent]
        tables.append(table)
        if tag == "body" and "link" in attributes:
            page = page.replaced(link_colour=colours.legacy(attributes["link"]))
        above = root_parent(page) if parent is None else elements[parent].style
        style = element.style = _memory.style(rules.of(element), table.get(tag, EMPTY), above, page)
        if parent is None:
            page = page.replaced(root_font_size=style.em)
        elif tag == "body" and quirks:
            page = page.replaced(body_colour=style["color"])


class _Declared:
    """All that is declared for an element, except by the table around it: one object for the same declarations.

    ``styles`` are what they came to, by all else that decides. They are shared by all elements, of all documents,
    that cannot differ. Beside each is the parent it was computed for, so that the id in its key is not given to
    another object while it is remembered.
    """

    __slots__ = ("asks", "sources", "styles", "tag")

    def __init__(self, tag: str, sources: Sources) -> None:
        self.tag = tag
        self.sources = sources
        self.asks: tuple[str, ...] = ()
        for block in sources:
            self.asks += block.looks_up
        self.styles: dict[tuple[object, ...], tuple[ComputedStyle, ComputedStyle]] = {}


Key = tuple[object, ...]  # an element's namespace, tag and attributes


class _Own:
    """What an element's tag and attributes declare in any document, and with which sheets they were met."""

    __slots__ = ("default", "hints", "inline", "met")

    def __init__(self, default: Block | None, hints: Block, inline: Block) -> None:
        self.default = default  # None where it depends on more
        self.hints = hints
        self.inline = inline
        self.met: dict[Block, _Declared] = {}  # by the declarations of the style sheets


class _Memory:
    """Declarations met so far, in all documents, with their styles."""

    def __init__(self, most: int, most_own: int, longest: int) -> None:
        self._most = most
        self._most_own = most_own
        self._longest = longest
        self._styles = 0
        self._known: dict[tuple[str, Sources], _Declared] = {}
        self._own: dict[bool, dict[Key, _Own]] = {False: {}, True: {}}

    def own(self, quirks: bool) -> dict[Key, _Own]:
        """Two in three of a new email's elements have a tag and attributes that an earlier email had."""
        return self._own[quirks]

    def remember(self, key: Key, own: _Own, attributes: Mapping[str, str], quirks: bool) -> None:
        known = self._own[quirks]
        if len(known) >= self._most_own:
            known.clear()
        if sum(map(len, attributes.values())) <= self._longest:
            known[key] = own

    def declared(self, tag: str, sources: Sources) -> _Declared:
        key = (tag, sources)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = _Declared(tag, sources)
        return known

    def style(self, declared: _Declared, table_hint: Block, parent: ComputedStyle, page: Page) -> ComputedStyle:
        asks = declared.asks + table_hint.looks_up if table_hint.looks_up else declared.asks
        place = (page, table_hint, id(parent.inherited), parent.blockifies, parent.answers(asks) if asks else ())
        known = declared.styles.get(place)
        if known is None:
            if self._styles >= self._most:
                self._known.clear()
                for owns in self._own.values():
                    owns.clear()
                self._styles = 0
            self._styles += 1
            sources = declared.sources if table_hint is EMPTY else declared.sources._replace(table_hints=table_hint)
            known = declared.styles[place] = compute(declared.tag, sources, parent, page), parent
        return known[0]


_memory = _Memory(most=20_000, most_own=10_000, longest=1_000)


class _Rules:
    """What is declared for the elements of one document."""

    def __init__(self, elements: Sequence[Element], width: float, quirks: bool) -> None:
        matcher = Matcher(elements, quirks)
        self._quirks = quirks
        self._defaults = user_agent_rules(quirks).within(matcher)
        self._foreign = foreign_rules().within(matcher)
        self._author = author_rules(_sheets(elements), width, quirks).within(matcher)
        self._own = _memory.own(quirks)
        self._known: dict[Key, _Declared] = {}  # where tag and attributes decide alone

    def of(self, element: Element) -> _Declared:
        """Mail has the same tag with the same attributes dozens of times, mostly with nothing more to ask."""
        key = (element.namespace, element.tag, *element.attributes.items())
        return self._known.get(key) or self._matched(key, element)

    def _matched(self, key: Key, element: Element) -> _Declared:
        own = self._own.get(key) or self._alone(key, element)
        author, is_settled = self._author.matching(element)
        default = own.default
        if default is None:
            default, has_settled_default = self._defaults_of(element).matching(element)
            is_settled = is_settled and has_settled_default
            declared = _memory.declared(element.tag, Sources(default, own.hints, EMPTY, author, own.inline))
        else:
            known = own.met.get(author)
            if known is None:
                known = _memory.declared(element.tag, Sources(default, own.hints, EMPTY, author, own.inline))
                own.met[author] = known
            declared = known
        if is_settled:
            self._known[key] = declared
        return declared

    def _alone(self, key: Key, element: Element) -> _Own:
        attributes = element.attributes
        default = self._defaults_of(element).always_matching(element)
        inline = contents(attributes["style"], self._quirks).block if "style" in attributes else EMPTY
        own = _Own(default, hints.of(element.tag, attributes), inline)
        _memory.remember(key, own, attributes, self._quirks)
        return own

    def _defaults_of(self, element: Element) -> RulesWithin:
        return self._defaults if element.namespace == "html" else self._foreign


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
    return RuleSet(chain.from_iterable(stylesheet.parse(text, width, quirks) for text in active))


@lru_cache(maxsize=4)
def user_agent_rules(quirks: bool) -> RuleSet:
    return _packaged("user_agent.css", "quirks.css") if quirks else _packaged("user_agent.css")


@lru_cache(maxsize=1)
def foreign_rules() -> RuleSet:
    return _packaged("foreign.css")


def _packaged(*names: str) -> RuleSet:
    texts = (get_data("extractors.css", name) or b"" for name in names)  # resources would take 20 modules to import
    return RuleSet(chain.from_iterable(stylesheet.parse(text.decode("utf-8"), 0.0, False) for text in texts))
