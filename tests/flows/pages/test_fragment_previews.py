"""A preview shows the fragment and nothing that acts, asks or escapes."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tinycss2
from hypothesis import given
from hypothesis import strategies as st
from page_corpus import LOOKS, PAGE

from extractors import Document
from extractors.extraction import extract
from flows.pages.csscleaning import clean_css, clean_declarations
from flows.pages.previews import FRAME_POLICY, NARROW, WIDE, Email, Redrawing
from flows.pages.styles import Style

HTML = PAGE.format(css="h1{margin:0}", page="#f4f4f4", text="Words", **LOOKS["northwind"][0])
GOLD = Style.parse("button-style", "background:#ffd166;radius:0px;color:#222222;font-size:18px")
assert GOLD is not None

HOSTILE = (Path(__file__).parent / "hostile.html").read_text(encoding="utf-8")


def numbers(html: str, tag: str) -> list[int]:
    return [element.index for element in Document.from_html(html).elements if element.tag == tag]


def test_the_fragment_is_cut_out_of_its_surroundings() -> None:
    cells = [element.index for element in Document.from_html(HTML).elements if element.tag == "td"]
    frame = Email(HTML).frame([cells[-1]])
    assert frame is not None
    assert "Unsubscribe any time" in frame.srcdoc
    assert "Autumn" not in frame.srcdoc
    assert "h1{margin:0}" in frame.srcdoc
    assert "background:#f4f4f4" in frame.srcdoc
    assert frame.width == WIDE
    assert frame.shown_height >= 84


def test_a_column_gets_a_narrow_frame() -> None:
    columns = "<table width=600><tr><td width=200>One</td><td width=200>Two</td><td width=200>Three</td></tr></table>"
    frame = Email(columns).frame([numbers(columns, "td")[1]])
    assert frame is not None
    assert frame.width == NARROW
    assert "Two" in frame.srcdoc
    assert "One" not in frame.srcdoc


def test_nothing_active_and_no_address_survives() -> None:
    frame = Email(HOSTILE).frame(numbers(HOSTILE, "table"))
    assert frame is not None
    srcdoc = frame.srcdoc.lower()
    for forbidden in ("evil.example", "javascript:", "<script", "onclick", "onerror", "onload", "<iframe", "<form"):
        assert forbidden not in srcdoc, forbidden
    for forbidden in ("<svg", "<video", "<object", "<input", "<base", "<link", "refresh", "srcset", "prefers-color"):
        assert forbidden not in srcdoc, forbidden
    assert srcdoc.count("</style>") == 2, "an escape in a style sheet must not close it"
    assert "hello" in srcdoc
    assert "kept words" in srcdoc
    assert "#123456" in srcdoc, "the colour beside the address stays"
    assert FRAME_POLICY in frame.srcdoc


def test_images_are_grey_boxes_of_the_right_size() -> None:
    frame = Email(HTML).frame(numbers(HTML, "img"))
    assert frame is not None
    assert "cdn.example" not in frame.srcdoc
    assert re.search(r"src=\"data:image/svg\+xml,[^\"]*width%3D%22536%22%20height%3D%22200%22", frame.srcdoc)


def test_a_recommended_button_is_drawn_on_the_box_of_the_old_one() -> None:
    element = next(row[4] for row in extract(HTML, "d").occurrences if row[1].startswith("button-style"))
    frame = Email(HTML).frame(numbers(HTML, "td")[:1], Redrawing(GOLD, element))
    assert frame is not None
    cell, link = re.search(r'<td style="([^"]*border-radius[^"]*)">\s*<a style="([^"]*)"', frame.srcdoc).groups()  # type: ignore[union-attr]
    assert "background-color:#ffd166!important" in cell
    assert "border-radius:0px!important" in cell
    assert "color:#222222!important" in link
    assert "font-size:18px!important" in link
    assert "background:transparent!important" in link


def test_without_a_button_a_new_one_is_put_below() -> None:
    html = "<p>Only words"
    plain, drawn = (Email(html).frame(numbers(html, "p"), redrawing) for redrawing in (None, Redrawing(GOLD, None)))
    assert plain is not None
    assert drawn is not None
    assert "Button" not in plain.srcdoc
    assert re.search(r"background-color:#ffd166[^>]*>Button</span></div></body>", drawn.srcdoc)
    assert drawn.height > plain.height


def test_a_button_without_a_fill_is_drawn_as_an_outline_on_what_the_fragment_stands_on() -> None:
    outline = Style.parse("button-style", "background:transparent;radius:4px;color:#ffd166;font-size:16px")
    assert outline is not None
    assert "outline, no fill" in outline.facts
    html = "<p>Only words"
    drawn = Email(html).frame(numbers(html, "p"), Redrawing(outline, None, paper="#222222"))
    assert drawn is not None
    assert re.search(r'<div style="[^"]*background:#222222">', drawn.srcdoc)
    redrawn = Email(HTML).frame(numbers(HTML, "td")[:1], Redrawing(outline, numbers(HTML, "a")[0]))
    assert redrawn is not None
    assert "outline:1px solid #ffd166!important" in redrawn.srcdoc
    assert re.search(r"border:1px solid #ffd166[^>]*>Button", drawn.srcdoc)


def test_a_border_that_stands_in_for_padding_keeps_its_width_under_a_new_fill() -> None:
    html = (
        '<table><tr><td style="padding:40px"><a href="#" style="display:inline-block;background:#22bc66;color:#ffffff;'
        'border:12px solid #22bc66;border-width:10px 18px">Buy</a></td></tr></table>'
    )
    element = next(row[4] for row in extract(html, "d").occurrences if row[1].startswith("button-style"))
    frame = Email(html).frame(numbers(html, "td"), Redrawing(GOLD, element))
    assert frame is not None
    assert "border-color:#ffd166!important" in frame.srcdoc
    assert "border:1px" not in frame.srcdoc


def test_a_background_is_drawn_where_the_old_one_was_painted() -> None:
    style = Style.parse("background-style", "background:#eeddcc")
    assert style is not None
    table = numbers(HTML, "table")[0]
    frame = Email(HTML).frame([numbers(HTML, "h1")[0]], Redrawing(style, table))
    assert frame is not None
    assert re.search(r"<table[^>]*background-color:#eeddcc!important", frame.srcdoc)


@pytest.mark.parametrize("elements", [[], [9999], [-1]])
def test_a_fragment_that_is_not_there_is_not_drawn(elements: list[int]) -> None:
    assert Email(HTML).frame(elements) is None


def test_what_is_too_large_is_not_drawn() -> None:
    html = "<div>" + "<p>x</p>" * 1000 + "</div>"
    assert Email(html).frame(numbers(html, "div")) is None


def test_css_without_addresses_is_left_as_it_is() -> None:
    css = "@media (max-width:600px){.a > td{padding:0 !important}} .b{color:RED}"
    assert clean_css(css) == css


@pytest.mark.parametrize(
    ("dirty", "clean"),
    [
        ("background:#fff url(x.png) no-repeat", "background:#fff {} no-repeat"),
        ("background:URL( 'x' )", "background:{}"),
        ("background:u\\72 l(x)", "background:{}"),
        ("background-image:image-set('a.png' 1x)", "background-image:{}"),
        ("color:red;src:src('x')", "color:red;src:{}"),
    ],
)
def test_grey_stands_in_for_addresses_in_declarations(dirty: str, clean: str) -> None:
    assert clean_declarations(dirty) == clean.format("linear-gradient(#777b,#777b)")


PIECES = ["url(", "//e.x", "\\75rl(", ")", "{", "}", "@import", "'", '"', ";", " ", "<", "/style>", "a", "\\3c"]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_no_mixture_of_pieces_leaves_an_address_or_a_tag(css: str) -> None:
    cleaned = clean_css(css)
    assert not re.search("<[a-z/!]", cleaned)
    assert not list(addresses(tinycss2.parse_component_value_list(cleaned)))


def addresses(tokens: list[Any]) -> Iterator[Any]:
    for token in tokens:
        if token.type == "url" or getattr(token, "lower_name", "") == "url":
            yield token
        yield from addresses(getattr(token, "content", None) or getattr(token, "arguments", None) or [])


def test_bottomless_nesting_is_given_up() -> None:
    assert clean_css("a{b:" + "(" * 5000 + "url(x)") == ""
    assert clean_css("x" * 200_000) == ""
