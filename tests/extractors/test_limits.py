"""Hostile markup is refused, quickly, before the parser sees it; real markup is not."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from extractors import Document, Limits, Rejected
from extractors.limits import prescan

MANY = 100_000
ATTRIBUTES = " ".join(f"a{i}" for i in range(MANY))
REFUSED = {
    "deep": ("<div>" * MANY, "too-many-elements"),
    "deep, few elements": ("<div>" * 600, "too-deep"),
    "deep, behind end tags of nothing": ("<div></b>" * 600, "too-deep"),
    "deep, behind a quote in a comment": ('<!-- <a title=" -->' + "<div>" * MANY, "too-many-elements"),
    "deep, within a quote": ('<a title="' + "<div>" * MANY, "too-many-elements"),
    "deep, in what only HTML takes for style": ("<svg><style>" + "<div>" * MANY, "too-many-elements"),
    "deep, behind CDATA": ("<svg><![CDATA[<!--]]></svg>" + "<div>" * MANY, "too-many-elements"),
    "deep tables": ("<table><tr><td>" * 300, "too-deep"),
    "attributes": (f"<a {ATTRIBUTES}>", "too-many-attributes"),
    "attributes behind a quoted end": (f'<a x=">" {ATTRIBUTES}>', "too-many-attributes"),
    "elements": ("<b>x</b>" * 21_000, "too-many-elements"),
    "formatting that reopens": ("".join(f"<p><font color={i}>x" for i in range(5_000)), "too-many-elements"),
    "bytes": ("x" * 5_000_001, "too-large"),
    "bytes, not characters": ("\u20ac" * 2_000_000, "too-large"),
}


@pytest.mark.no_cover
@pytest.mark.parametrize("case", REFUSED)
def test_hostile_markup_is_refused_before_it_is_parsed(case: str) -> None:
    html, reason = REFUSED[case]
    started = time.process_time()
    with pytest.raises(Rejected) as verdict:
        prescan(html, Limits())
    assert verdict.value.reason == reason
    assert verdict.value.detail
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 500 + "</div>" * 500,
        "<p>paragraph" * 3_000,
        "<ul>" + "<li>item" * 3_000,
        "<table>" + "<tr><td>cell" * 3_000,
        "<p><font color=red>sloppy" * 3_000,
        "<b>x</b>" * 19_000,
        "<!-- " + "<table><tr><td>" * 1_000 + " -->",
        "<a " + " ".join(f"a{i}=1" for i in range(200)) + ">",
    ],
    ids=["nested", "p", "li", "cells", "fonts", "elements", "comment", "attributes"],
)
def test_sloppy_markup_is_not_refused(html: str) -> None:
    prescan(html, Limits())


def test_limits_can_be_set() -> None:
    Document.from_html("<div><div><div>x", limits=Limits(max_depth=10))
    with pytest.raises(Rejected, match="too-deep"):
        Document.from_html("<div>" * 12, limits=Limits(max_depth=10))
    with pytest.raises(Rejected, match="too-many-elements"):
        Document.from_html("<p>x</p>" * 20, limits=Limits(max_elements=10))


COSTLY = {
    "descendants in a deep tree": "<style>b div div div div div div p{color:red}</style>" + "<div>" * 400 + "<p>x",
    "descendants that match": "<style>i div div div p{color:red}</style><i>" + "<div>" * 300 + "<p>x</p>" * 2_000,
    "siblings": "<style>.x ~ p ~ p ~ p + i{color:red}</style>" + "<p>x</p>" * 2_000 + "<i>y</i>" * 2_000,
    "counted siblings": "<style>p:nth-child(2n of .z){color:red}</style>" + "<p>x</p>" * 5_000,
    "parentheses": "<style>p{width:" + "calc(" * 500 + "1px" + ")" * 500 + "}</style><p style='width:" + "(" * 9_000,
    "nested :not()": "<style>" + ":not(" * 300 + "p" + ")" * 300 + "{color:red}</style><p>x",
    "nested rules": "<style>" + "a{" * 20_000 + "</style><p>x",
    "nested conditions": "<style>" + "@media screen{" * 10_000 + "p{color:red}</style><p>x",
    "variables that double": "<style>:root{"
    + "".join(f"--v{i}:var(--v{i + 1}) var(--v{i + 1});" for i in range(40))
    + "}p{padding:var(--v0)}</style><p>x",
    "a variable that is itself": "<style>p{--a:var(--a);color:var(--a)}</style><p>x",
    "long lists": f"<style>{'p,' * MANY}p{{color:red}}</style><p style='font-family:{'a,' * MANY}b'>x",
    "endless digits": f"<table border={'9' * 9_000}><tr><td style='width:{'9' * 9_000}px;padding:1e999em'>x",
}


@pytest.mark.parametrize("case", COSTLY)
def test_hostile_styles_cost_little(case: str) -> None:
    started = time.process_time()
    document = Document.from_html(COSTLY[case])
    assert all(element.style["color"] for element in document.elements)
    assert time.process_time() - started < 8


@pytest.mark.no_cover
def test_too_many_trials_end_in_a_verdict() -> None:
    rules = "".join(f"* .a{i} p{{color:red}}" for i in range(2_000))
    names = " ".join(f"a{i}" for i in range(2_000))
    with pytest.raises(Rejected, match="too-complex"):
        Document.from_html(f"<style>{rules}</style><i class='{names}'></i>" + "<p>x</p>" * 2_000)


def test_real_mail_is_never_refused(shared_data: Path) -> None:
    paths = sorted((shared_data / "emails" / "html").rglob("*.html"))
    assert len(paths) > 200
    for path in paths:
        prescan(path.read_bytes().decode("utf-8", "replace"), Limits())
