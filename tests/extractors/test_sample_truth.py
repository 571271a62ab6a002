"""The truth told about a sample email is what a parser finds and what a browser shows."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from chromium import Chromium, Page, executable
from selectolax.lexbor import LexborHTMLParser, LexborNode

from extractors.sources.sample import SampleEmail, SampleOptions, generate
from extractors.sources.sample.dialects.base import BOX, LABEL, SECTION
from extractors.sources.sample.truth import locate

CORPUS = list(generate(SampleOptions()))


def _elements(html: str) -> list[LexborNode]:
    root = LexborHTMLParser(html).root
    assert root is not None
    return [node for node in root.traverse() if node.is_element_node]


def test_marks_become_element_numbers_of_the_parsed_tree() -> None:
    marked = (
        f"<html><head></head><body><!-- <p> -->{SECTION}<TABLE>\n<TR>{BOX}<td>{LABEL}<a>x</a></td></TR></TABLE>"
        f"<!--[if !mso]><!-->{SECTION}<table><tbody><tr><td>y</td></tr></tbody></table><!--<![endif]--></body></html>"
    )
    html, places = locate(marked)
    tags = [node.tag for node in _elements(html)]
    assert [tags[i] for i in places[SECTION]] == ["table", "table"]
    assert [tags[i] for i in places[BOX] + places[LABEL]] == ["td", "a"]
    assert places[SECTION] == [3, 8]


@pytest.mark.parametrize("start", range(0, len(CORPUS), 40))
def test_elements_named_by_the_truth_are_where_it_says(start: int) -> None:
    for email in CORPUS[start : start + 40]:
        elements = _elements(email.html)
        for button in email.truth.buttons:
            assert elements[button.label].text().strip() == button.text
            assert elements[button.box].text().strip(" \n\xa0") == button.text
        roots = [section.element for section in email.truth.sections]
        assert roots == sorted(set(roots))
        assert [section.position for section in email.truth.sections] == list(range(len(roots)))


def test_each_email_opens_with_a_header_and_ends_with_a_footer() -> None:
    for email in CORPUS:
        kinds = [section.kind for section in email.truth.sections]
        assert kinds[0] == "header"
        assert kinds[-1] == "footer"
        assert kinds.count("header") == kinds.count("footer") == 1


def test_each_section_is_joined_to_the_next() -> None:
    for email in CORPUS:
        sections = email.truth.sections
        below = {(n.source, n.target) for n in email.truth.neighbours if n.relation == "below"}
        beside = {(n.source, n.target) for n in email.truth.neighbours if n.relation == "beside"}
        assert all(sections[a].row + 1 == sections[b].row for a, b in below)
        assert all(sections[a].row == sections[b].row for a, b in beside)
        assert {b for _, b in below} == {s.position for s in sections if s.row > 0}
        assert {b for _, b in beside} == {s.position for s in sections if s.column > 0}


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    if executable() is None:
        pytest.skip("chromium is not installed")
    with Chromium() as chromium:
        yield chromium.page(width=800)


# What a browser shows: boxes of the sections, painted styles of the buttons, and for every visible text
# its section, whether it is in a button, its size, its colour and the nearest painted background behind it.
SEEN = """
(truth => {
  const all = document.getElementsByTagName("*"), hex = c => {
    const [r, g, b, a] = c.match(/[\\d.]+/g).map(Number);
    return a === 0 ? "transparent" : "#" + [r, g, b].map(v => v.toString(16).padStart(2, "0")).join("");
  };
  const style = e => getComputedStyle(e);
  const ground = e => {
    for (; e; e = e.parentElement) { const c = hex(style(e).backgroundColor); if (c !== "transparent") return c; }
    return "#ffffff";
  };
  const roots = truth.sections.map(i => all[i]), boxes = truth.boxes.map(i => all[i]);
  const rects = roots.map(e => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; });
  const buttons = truth.boxes.map((box, i) => {
    const b = style(all[box]), l = style(all[truth.labels[i]]), r = all[box].getBoundingClientRect();
    return {background: hex(b.backgroundColor), radius: b.borderTopLeftRadius, colour: hex(l.color),
            size: l.fontSize, border: b.borderTopWidth, surface: ground(all[box].parentElement),
            text: all[truth.labels[i]].textContent, width: r.width, height: r.height};
  });
  const texts = [], strays = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  while (walker.nextNode()) {
    const node = walker.currentNode, image = node.nodeName === "IMG";
    if (!image && (node.nodeType !== 3 || !node.data.replace(/[\\s\\u00a0]/g, ""))) continue;
    const e = image ? node : node.parentElement, box = e.getBoundingClientRect();
    if (box.width <= 2 || box.height <= 2 || style(e).opacity === "0") continue;
    const homes = roots.flatMap((root, i) => root.contains(e) ? [i] : []);
    if (homes.length !== 1) { strays.push((node.data || node.src).slice(0, 60)); continue; }
    if (image) continue;
    texts.push([homes[0], boxes.some(b => b.contains(e)), style(e).fontSize, hex(style(e).color), ground(e)]);
  }
  return {rects, buttons, texts, strays, wide: document.documentElement.scrollWidth};
})
"""


@pytest.mark.browser
@pytest.mark.parametrize("email", CORPUS[::3], ids=lambda e: f"{e.sender.split('.')[0]}-{e.campaign}-{e.dialect}")
def test_a_browser_shows_what_the_truth_says(page: Page, email: SampleEmail) -> None:
    truth = email.truth
    page.set_content(email.html)
    numbers = {
        "sections": [section.element for section in truth.sections],
        "boxes": [button.box for button in truth.buttons],
        "labels": [button.label for button in truth.buttons],
    }
    seen = page.evaluate(f"{SEEN}({json.dumps(numbers)})")

    assert seen["strays"] == []
    assert seen["wide"] <= 800
    for button, shown in zip(truth.buttons, seen["buttons"], strict=True):
        radius = "999px" if float(shown["radius"].removesuffix("px")) >= 40 else shown["radius"]
        assert (shown["background"], radius, shown["colour"], shown["size"]) == button.signature
        assert shown["text"] == button.text
        assert shown["surface"] == button.surface != button.background
        assert shown["background"] != "transparent" or shown["border"] != "0px"
        assert shown["width"] >= 48 and shown["height"] >= 24
    plain = [(section, size, colour, ground) for section, inside, size, colour, ground in seen["texts"] if not inside]
    for section in truth.sections:
        styles = {(size, colour) for where, size, colour, _ in plain if where == section.position}
        assert styles == set(section.text_styles)
        assert {ground for where, _, _, ground in plain if where == section.position} <= {section.background}
    assert {(ground, colour) for _, _, colour, ground in plain} == truth.tokens.pairs
    for neighbour in truth.neighbours:
        left, top, right, bottom = seen["rects"][neighbour.source]
        other_left, other_top, other_right, other_bottom = seen["rects"][neighbour.target]
        if neighbour.relation == "below":
            overlap = min(right, other_right) - max(left, other_left)
            assert other_top >= bottom - 1
            assert overlap > 0.5 * min(right - left, other_right - other_left)
        else:
            assert other_left >= right - 1
            assert min(bottom, other_bottom) > max(top, other_top)
