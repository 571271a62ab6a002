"""Selectors: what they match, what they weigh, and which are invalid."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from extractors import Limits
from extractors.css import selectors
from extractors.css.matcher import Matcher
from extractors.css.selectors import CLASS, ID, TYPE, Scope
from extractors.tree import parse

HTML = """<!DOCTYPE html><body><div id=top class="a b"><p class=b title="x y">1</p><p lang=en-GB>2<i class=C>i</i></p>
<ul><li>1<li class=b>2<li>3</ul></div><span class="b c">s</span><a href="tel:1">l</a><a>n</a><p></p>"""


def matched(text: str, html: str = HTML) -> list[str]:
    """The elements a selector list matches, by tag and place in the document."""
    elements, quirks = parse(html, Limits())
    parsed = selectors.parse(text, Scope(quirks))
    assert parsed is not None, f"{text!r} should be valid"
    matcher = Matcher(elements, quirks)
    found = []
    for element in elements:
        if any(matcher.matches(selector, element) for selector in parsed):
            found.append(f"{element.tag}{element.index}")
    return found


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("p", "p p p"),
        (".b", "div p li span"),
        ("p.b", "p"),
        ("#top > .b", "p"),
        ("#top .b", "p li"),
        ("div ~ a", "a a"),
        ("span + a", "a"),
        ("p + p > i", "i"),
        ("[title]", "p"),
        ("[title~=y]", "p"),
        ("[title='X Y' i]", "p"),
        ("[lang|=en]", "p"),
        ("a[href^=tel]", "a"),
        ("a:link", "a"),
        ("a:not([href])", "a"),
        ("a:visited, a:hover", ""),
        ("li:first-child", "li"),
        ("li:nth-child(odd)", "li li"),
        ("li:nth-child(2 of :not(.b))", "li"),
        ("li:nth-last-of-type(1)", "li"),
        ("p:empty", "p"),
        (":is(span, .b) ", "div p li span"),
        ("div:has(> p + p)", "div"),
        ("div:has(.nothing)", ""),
        (":root > body", "body"),
        ("p::before", ""),
        (".B", ""),
        ("#TOP", ""),
        (":lang(en)", "p i"),
    ],
)
def test_matches(text: str, tags: str) -> None:
    assert [name.rstrip("0123456789") for name in matched(text)] == tags.split()


def test_quirks_mode_does_not_distinguish_case() -> None:
    html = HTML.replace("<!DOCTYPE html>", "")
    assert matched(".B", html) == matched(".b", html) != []
    assert matched("#TOP", html) == matched("#top", html) != []


@pytest.mark.parametrize(
    "text",
    [
        *("", ",p", "p,", "p >", "> p", "p..b", "p:bogus", "p::bogus", "p:not()", "[", "[a=]", "p:nth-child(x)"),
        *("p + > a", "foo|p", "p{", "1a", "#1", "." * 3, ":not(" * 40 + "p" + ")" * 40, "a " * 30),
    ],
)
def test_invalid_selectors_drop_their_rule(text: str) -> None:
    assert selectors.parse(text, Scope(quirks=False)) is None


@pytest.mark.parametrize(
    ("text", "specificity"),
    [
        ("*", 0),
        ("p", TYPE),
        (".a", CLASS),
        ("#a", ID),
        ("p#a.b[c]:hover::before", TYPE + ID + 3 * CLASS + TYPE),
        (":is(#a, p) b", ID + TYPE),
        (":where(#a) b", TYPE),
        (":not(.a, p)", CLASS),
        ("li:nth-child(2 of #a)", TYPE + CLASS + ID),
    ],
)
def test_specificity(text: str, specificity: int) -> None:
    (selector,) = selectors.parse(text, Scope(quirks=False)) or ()
    assert selector.specificity == specificity


def test_nesting_means_the_rule_around() -> None:
    parent = selectors.parse("div", Scope(quirks=False))
    nested = {text: selectors.parse(text, Scope(False, parent)) for text in (".b", "& > .b", "> p", "span &")}
    elements, quirks = parse(HTML, Limits())
    matcher = Matcher(elements, quirks)
    found: dict[str, list[str]] = {text: [] for text in nested}
    for element in elements:
        for text, parsed in nested.items():
            assert parsed is not None
            if matcher.matches(parsed[0], element):
                found[text].append(element.tag)
    assert found == {".b": ["p", "li"], "& > .b": ["p"], "> p": ["p", "p"], "span &": []}


TAGS = st.sampled_from(("div", "p", "i"))
COMPOUNDS = st.builds(lambda tag, rest: tag + rest, TAGS | st.just("*"), st.sampled_from(("", ".a", ".b", "#c", "[d]")))
SELECTORS = st.builds(
    lambda first, rest: first + "".join(rest),
    COMPOUNDS,
    st.lists(st.builds(lambda by, compound: by + compound, st.sampled_from((" ", " > ", " + ", " ~ ")), COMPOUNDS)),
)
ATTRIBUTES = st.sampled_from(("", " class=a", " class='a b'", " id=c", " d"))
TREES = st.recursive(
    st.builds(lambda tag, attributes: f"<{tag}{attributes}></{tag}>", st.sampled_from(("div", "i")), ATTRIBUTES),
    lambda inner: st.builds(
        lambda a, parts: f"<div{a}>{''.join(parts)}</div>", ATTRIBUTES, st.lists(inner, max_size=4)
    ),
    max_leaves=15,
)


@given(TREES, SELECTORS)
def test_lexbor_finds_the_same_elements(tree: str, text: str) -> None:
    if text.count(" ") > 12:
        return
    html = "<!DOCTYPE html><body>" + tree
    parser = LexborHTMLParser(html)
    try:
        expected = {node.mem_id for node in parser.css(text)}
    except SelectolaxError:
        return
    order = {node.mem_id: place for place, node in enumerate(parser.root.traverse())}  # type: ignore[union-attr]
    ours = {int(name.lstrip("abcdefghijklmnopqrstuvwxyz")) for name in matched(text, html)}
    assert ours == {order[identity] for identity in expected}
