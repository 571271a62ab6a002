"""Which declaration wins."""

from __future__ import annotations

import pytest

from extractors import Document

RED, LIME, BLUE, BLACK = "rgb(255, 0, 0)", "rgb(0, 255, 0)", "rgb(0, 0, 255)", "rgb(0, 0, 0)"


def colour(css: str, html: str = "<p class=a id=b>x", name: str = "color") -> str:
    return Document.from_html(f"<!DOCTYPE html><style>{css}</style><body>{html}").elements[-1].style[name]


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("p{color:red} p{color:lime}", LIME),
        (".a{color:lime} p{color:red}", LIME),
        ("#b{color:lime} .a.a.a{color:red}", LIME),
        ("p{color:lime !important} #b{color:red}", LIME),
        ("p{color:lime !important; color:red}", LIME),
        ("p{color:lime; color:bogus}", LIME),
        ("p{color:lime} p, p:bogus{color:red}", LIME),
        ("} p{color:red} .a{color:lime}", LIME),
        ("@media print{p{color:red}} .a{color:lime}", LIME),
        ("@import url(x.css); p{color:lime}", LIME),
        ("@media screen{@import url(x.css); p{color:lime}}", LIME),
        ("@layer x{#b{color:red}} p{color:lime}", LIME),
        ("@layer x, y; @layer y{p{color:lime}} @layer x{#b{color:red}}", LIME),
        ("@layer x{p{color:lime !important}} #b{color:red !important}", LIME),
        ("body{color:red; .a{color:lime}}", LIME),
        (".a{color:lime", LIME),
    ],
)
def test_author_rules(css: str, expected: str) -> None:
    assert colour(css) == expected


def test_style_attributes_win_over_rules_but_not_over_importance() -> None:
    assert colour("#b{color:red}", "<p id=b style='color:lime'>x") == LIME
    assert colour("p{color:lime !important}", "<p style='color:red'>x") == LIME
    assert colour("#b{color:red !important}", "<p id=b style='color:lime !important'>x") == LIME


def test_presentational_attributes_lose_to_any_rule() -> None:
    assert colour("", "<font color=lime>x") == LIME
    assert colour("*{color:lime}", "<font color=red>x") == LIME


def test_links_take_the_colour_of_the_body_attribute() -> None:
    assert Document.from_html("<body link=lime><a href=x>x").elements[-1].style["color"] == LIME


@pytest.mark.parametrize(
    ("style", "expected"),
    [("inherit", RED), ("initial", BLACK), ("unset", RED), ("revert", RED), ("currentcolor", RED)],
)
def test_css_wide_keywords(style: str, expected: str) -> None:
    assert colour("", f"<div style='color:red'><p style='color:{style}'>x") == expected


def test_line_height_is_inherited_as_it_was_written() -> None:
    for written, inherited in (("1.5", "15px"), ("1.5em", "30px"), ("150%", "30px")):
        html = f"<div style='font-size:20px;line-height:{written}'><p style='font-size:10px'>x"
        assert colour("", html, "line-height") == inherited


def test_inline_start_follows_the_direction() -> None:
    assert colour("", "<ul>", "padding-left") == "40px"
    assert colour("", "<ul dir=rtl>", "padding-right") == "40px"
    assert colour("", "<p style='padding-left:1px;padding-inline-start:2px'>", "padding-left") == "2px"
    assert colour("", "<p style='padding-inline-start:2px;padding-left:1px'>", "padding-left") == "1px"


def test_tables_in_quirks_mode_start_afresh() -> None:
    html = "<body style='color:lime'><div style='color:red;font-size:30px;font-weight:bold'><table><tr><td>x"
    quirky = Document.from_html(html).elements[-1].style
    standard = Document.from_html("<!DOCTYPE html>" + html).elements[-1].style
    assert (quirky["color"], quirky["font-size"], quirky["font-weight"]) == (LIME, "16px", "400")
    assert (standard["color"], standard["font-size"], standard["font-weight"]) == (RED, "30px", "700")


def test_sheets_apply_by_type_and_medium() -> None:
    assert colour("", "<style media=print>p{color:red}</style><p>x") == BLACK
    assert colour("", "<style media='screen and (min-width:1px)'>p{color:blue}</style><p>x") == BLUE
    assert colour("", "<style type=text/less>p{color:red}</style><p>x") == BLACK


@pytest.mark.parametrize(("html", "expected"), [("<ul>", "16px"), ("<ol><ul>", "0px"), ("<div><ul>", "16px")])
def test_what_one_email_taught_about_a_tag_holds_in_the_next(html: str, expected: str) -> None:
    """The margin of a list depends on where it stands: of these three, none may answer for the others."""
    assert [colour("", before + html, "margin-top") for before in ("<ol><ul></ul></ol>", "<ul></ul>")] == [expected] * 2
    assert colour("", html, "margin-top") == expected
