"""Equal-looking styles are one entity; what only a button shows is marked."""

from __future__ import annotations

import json

import pytest

from extractors.canonical import hexadecimal, px, radius, rgba
from extractors.document import Document
from extractors.entities import EntityCollector, Occurrence, canonical_json, entity_id
from extractors.fragments import segment
from extractors.images import image_signature
from extractors.tables import ENTITY_TYPES
from extractors.words import words

BUTTON = (
    '<a href="#" style="background:{background};border-radius:{radius};color:{color};font-size:{size};'
    'padding:12px 24px;display:inline-block">Buy now</a>'
)


def entities(body: str) -> list[Occurrence]:
    """The entities of a one-fragment email."""
    document = Document.from_html(f"<!doctype html><body>{body}</body>")
    segmentation = segment(document)
    (fragment,) = segmentation.fragments
    return EntityCollector(document, segmentation).of(fragment)


def signatures(body: str, kind: str) -> set[str]:
    return {found.signature for found in entities(body) if found.type == kind}


@pytest.mark.parametrize("background", ["#3867FF", "rgb(56, 103, 255)", "hsl(226, 100%, 61%)"])
@pytest.mark.parametrize("corner", ["50px", "999px", "50%"])
@pytest.mark.parametrize("size", ["16px", "12pt", "16.1px"])
def test_buttons_that_look_equal_are_one_style(background: str, corner: str, size: str) -> None:
    markup = BUTTON.format(background=background, radius=corner, color="#fff", size=size)
    assert signatures(markup, "button-style") == {"background:#3867ff;radius:999px;color:#ffffff;font-size:16px"}


def test_family_weight_and_padding_are_attributes_not_keys() -> None:
    plain = BUTTON.format(background="#36f", radius="4px", color="#fff", size="16px")
    other = plain.replace("padding:12px 24px", "padding:20px 40px;font-weight:700;font-family:Georgia")
    first, second = (next(e for e in entities(markup) if e.type == "button-style") for markup in (plain, other))
    assert entity_id(first.type, first.signature) == entity_id(second.type, second.signature)
    assert first.attributes["padding"] == "12px 24px 12px 24px"
    assert second.attributes["padding"] == "20px 40px 20px 40px"
    assert (second.attributes["font_weight"], second.attributes["font_family"]) == ("bold", "Georgia")
    assert set(first.attributes) >= {"background", "border", "color", "font_size", "radius", "text"}


def test_a_border_of_the_backgrounds_colour_is_none() -> None:
    markup = BUTTON.format(background="#3366ff;border:2px solid #36f", radius="0", color="#fff", size="16px")
    assert next(e for e in entities(markup) if e.type == "button-style").attributes["border"] == "none"


def test_a_button_with_only_a_frame_is_transparent() -> None:
    markup = BUTTON.format(background="none;border:2px solid #3366ff", radius="0", color="#36f", size="16px")
    assert signatures(markup, "button-style") == {"background:transparent;radius:0px;color:#3366ff;font-size:16px"}


def test_what_only_the_button_shows_is_marked_and_what_the_text_shows_too_is_not() -> None:
    button = BUTTON.format(background="#36f", radius="0", color="#fff", size="16px")
    found = {(e.type, e.signature): e.from_button for e in entities(f"<p>Great offers now</p>{button}")}
    assert found["text-style", "font-size:16px;color:#ffffff"]
    assert found["color-pair", "background:#3366ff;color:#ffffff"]
    assert found["word", "buy"]
    assert not found["text-style", "font-size:16px;color:#000000"]
    assert not found["word", "offers"]
    assert not found["background-style", "background:#ffffff"]
    same = BUTTON.format(background="#fff;border:1px solid #000", radius="0", color="#000", size="16px")
    shared = {(e.type, e.signature): e.from_button for e in entities(f"<p>Buy great offers</p>{same}")}
    assert not shared["text-style", "font-size:16px;color:#000000"]
    assert not shared["word", "buy"]
    assert shared["button-style", "background:transparent;radius:0px;color:#000000;font-size:16px"]


def test_a_buttons_own_background_is_no_background_style() -> None:
    assert signatures(BUTTON.format(background="#36f", radius="0", color="#fff", size="16px"), "background-style") == {
        "background:#ffffff"
    }


def test_a_pair_takes_the_background_that_shows_through() -> None:
    markup = (
        '<table bgcolor="#222222"><tr><td style="background:rgba(255,255,255,.5)"><p style="color:#f00">x y</p></table>'
    )
    assert signatures(markup, "color-pair") == {"background:#919191;color:#ff0000"}


def test_backgrounds_tell_opacity_and_kind_of_image() -> None:
    assert signatures('<div style="background:#fafafa;opacity:.4">Text</div>', "background-style") == {
        "background:#fafafa;opacity:0.4"
    }
    assert signatures('<div style="background:#222 url(a.png)">Text</div>', "background-style") == {
        "background:#222222;image:url"
    }
    gradient = '<div style="background:linear-gradient(#667eea,#764ba2);color:#fff">Text</div>'
    assert signatures(gradient, "background-style") == {"background:#667eea;image:gradient"}
    assert signatures(gradient, "color-pair") == {"background:#667eea;color:#ffffff"}


def test_occurrences_count_and_name_their_first_element() -> None:
    found = {e.signature: e for e in entities("<p>Tea and coffee</p><p>More tea</p>") if e.type == "word"}
    assert found["tea"].count == 2
    assert found["tea"].element < max(e.element for e in found.values()) or found["coffee"].element
    assert found["coffee"].count == 1


def test_words_are_folded_and_stop_words_numbers_and_placeholders_dropped() -> None:
    assert words("The Café’s NEW Ｗｉｄｅ offer for {{name}}: 50% off, don't miss *|FNAME|*!") == [
        "café",
        "new",
        "wide",
        "offer",
        "miss",
    ]


def test_an_image_is_its_address_without_the_query_or_its_content() -> None:
    assert image_signature("HTTPS://Example.ORG/a.png?utm=1#x") == "https://example.org/a.png"
    assert image_signature("https://user:secret@example.org/a.png") == "https://example.org/a.png"
    assert image_signature("data:image/png;base64,AAAA").startswith("sha256:")
    assert image_signature("cid:part1@x") == "cid:part1@x"
    assert image_signature("http://[broken") == "http://[broken"
    assert image_signature("  ") == ""


@pytest.mark.parametrize(
    ("value", "canonical"),
    [("rgb(1, 2, 3)", "#010203"), ("rgba(1, 2, 3, 0.5)", "#01020380"), ("rgba(0, 0, 0, 0)", "transparent")],
)
def test_colours(value: str, canonical: str) -> None:
    assert hexadecimal(rgba(value)) == canonical


def test_lengths_and_radii() -> None:
    assert [px(v) for v in ("16.2px", "13.3px", "normal")] == ["16px", "13.5px", "normal"]
    assert [radius(v) for v in ("0px", "4.1px", "40px", "50%", "3px 9px", "")] == [
        "0px",
        "4px",
        "999px",
        "999px",
        "3px",
        "0px",
    ]


def test_ids_are_type_and_hash_and_attributes_are_canonical_json() -> None:
    kind, digest = entity_id("text-style", "font-size:12px;color:#7c7c7c").split(":")
    assert kind in ENTITY_TYPES
    assert len(digest) == 16
    assert int(digest, 16) >= 0
    assert canonical_json({"b": "é", "a": "1"}) == '{"a":"1","b":"é"}'
    assert json.loads(canonical_json({})) == {}
