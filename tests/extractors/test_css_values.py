"""Values and shorthands: what is written, and what it computes to."""

from __future__ import annotations

import pytest

from extractors import Document
from extractors.css import colours


def computed(style: str, name: str, doctype: str = "<!DOCTYPE html>") -> str:
    document = Document.from_html(f'{doctype}<body><p style="{style}">x')
    return document.elements[-1].style[name]


@pytest.mark.parametrize(
    ("text", "colour"),
    [
        ("#abc", "rgb(170, 187, 204)"),
        ("#aabbcc80", "rgba(170, 187, 204, 0.5)"),
        ("RebeccaPurple", "rgb(102, 51, 153)"),
        ("rgb(300, -5, 2.5)", "rgb(255, 0, 3)"),
        ("rgb(10% 20 30 / 50%)", "rgba(26, 20, 30, 0.5)"),
        ("rgba(1, 2, 3, 0.333)", "rgba(1, 2, 3, 0.333)"),
        ("hsl(120deg 100% 25%)", "rgb(0, 128, 0)"),
        ("hwb(120 10% 20%)", "rgb(26, 204, 26)"),
        ("transparent", "rgba(0, 0, 0, 0)"),
        ("oklch(0.7 0.1 200)", "oklch(0.7 0.1 200)"),
        ("rgb(10%, 20, 30)", "rgb(0, 0, 0)"),
        ("abc", "rgb(0, 0, 0)"),
        ("#ab", "rgb(0, 0, 0)"),
    ],
)
def test_colours(text: str, colour: str) -> None:
    assert computed(f"color:{text}", "color") == colour


@pytest.mark.parametrize(("text", "colour"), [("abcdef", "rgb(171, 205, 239)"), ("123", "rgb(0, 1, 35)")])
def test_quirks_mode_reads_colours_without_their_hash(text: str, colour: str) -> None:
    assert computed(f"color:{text}", "color", doctype="") == colour


@pytest.mark.parametrize(
    ("text", "colour"),
    [
        ("red", "rgb(255, 0, 0)"),
        ("chucknorris", "rgb(192, 0, 0)"),
        ("#f", "rgb(15, 0, 0)"),
        ("ff0000", "rgb(255, 0, 0)"),
        (" ", "rgb(0, 0, 0)"),
        ("", None),
        ("transparent", None),
    ],
)
def test_colours_of_attributes(text: str, colour: str | None) -> None:
    assert colours.legacy(text) == colour


@pytest.mark.parametrize(
    ("style", "name", "value"),
    [
        ("padding:1px 2px 3px", "padding-left", "2px"),
        ("padding:1px 2px 3px 4px 5px", "padding-left", "0px"),
        ("padding:calc(2 * (1px + 2px))", "padding-top", "6px"),
        ("padding:calc(1px+2px)", "padding-top", "0px"),
        ("font-size:20px;padding:1.5em", "padding-top", "30px"),
        ("border:1.9px solid", "border-top-width", "1px"),
        ("border:0.2px solid", "border-top-width", "1px"),
        ("border:5px none red", "border-top-width", "0px"),
        ("border:solid", "border-top-width", "3px"),
        ("border:1px solid red blue", "border-top-style", "none"),
        ("border-radius:5px 10px / 1px", "border-top-right-radius", "10px 1px"),
        ("border-radius:50%", "border-top-left-radius", "50%"),
        ("background:url(x) no-repeat center / cover #fff", "background-color", "rgb(255, 255, 255)"),
        ("background:red;background:-moz-linear-gradient(red, blue)", "background-color", "rgb(255, 0, 0)"),
        ("font:bold 12px/1.5 'A B', Arial", "font-family", '"A B", Arial'),
        ("font:bold 12px/1.5 Arial", "line-height", "18px"),
        ("font:bold Arial", "font-weight", "400"),
        ("font-size:.2em", "font-size", "6px"),
        ("font-size:3px", "font-size", "3px"),
        ("font-family:monospace", "font-size", "13px"),
        ("letter-spacing:0", "letter-spacing", "normal"),
        ("text-decoration:underline wavy red", "text-decoration-line", "underline"),
        ("float:left;display:inline", "display", "block"),
        ("overflow:hidden visible", "overflow-y", "auto"),
        ("--a:7px;padding:var(--a)", "padding-top", "7px"),
        ("padding:var(--none, 8px)", "padding-top", "8px"),
        ("mso-hide:all", "mso-hide", "all"),
    ],
)
def test_declarations(style: str, name: str, value: str) -> None:
    assert computed(style, name) == value


def test_quirks_mode_reads_lengths_without_their_unit() -> None:
    assert computed("padding:5", "padding-top", doctype="") == "5px"
    assert computed("padding:5", "padding-top") == "0px"
    assert computed("border:5 solid", "border-top-style", doctype="") == "none"
