"""Neighbours agree with the boxes that Chromium gives the same fragments.

A fragment's box is drawn around its top elements, or around the elements that hold its content; links are judged by
both. Chromium cannot load images here, as no extraction does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import Chromium, Page, executable

from extractors import neighbours
from extractors.document import Document
from extractors.fragments import Fragment, segment

pytestmark = [pytest.mark.browser, pytest.mark.slow]

RECTANGLES = """Array.from(document.querySelectorAll("*"), e => { const r = e.getBoundingClientRect();
    return [e.localName, r.left, r.top, r.right, r.bottom]; })"""


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    if executable() is None:
        pytest.skip("chromium is not installed")
    with Chromium() as chromium:
        yield chromium.page(width=800)


def around(rectangles: list[tuple[str, float, float, float, float]], elements: tuple[int, ...]) -> neighbours.Edges:
    boxes = [rectangles[index][1:] for index in elements]
    drawn = [box for box in boxes if box[2] > box[0] or box[3] > box[1]] or boxes
    return min(b[0] for b in drawn), min(b[1] for b in drawn), max(b[2] for b in drawn), max(b[3] for b in drawn)


def links(boxes: list[neighbours.Edges]) -> set[tuple[int, int, str]]:
    pairs = {(a, b, "below") for a, b in neighbours.below(boxes)}
    return pairs | {(a, b, "beside") for a, b in neighbours.beside(boxes)}


@pytest.mark.timeout(1200)
def test_below_and_beside_agree_with_chromium_on_the_licensed_emails(page: Page, shared_data: Path) -> None:
    views = {"elements": lambda f: f.elements, "sources": lambda f: f.sources}
    counts: Counter[tuple[str, str, str]] = Counter()
    files = sorted((shared_data / "emails" / "html").rglob("*.html"))
    assert files
    for file in files:
        html = file.read_text("utf-8", "replace")
        document = Document.from_html(html)
        page.set_content(html)
        rectangles = page.evaluate(RECTANGLES)
        if [element.tag for element in document.elements] != [rectangle[0] for rectangle in rectangles]:
            pytest.fail(f"{file}: not the tree that Chromium builds")
        found = segment(document)
        mine = set(found.neighbours)
        for view, elements in views.items():
            fragments: tuple[Fragment, ...] = found.fragments
            true = links([around(rectangles, elements(fragment)) for fragment in fragments])
            for relation in ("below", "beside"):
                ours, theirs = ({link for link in one if link[2] == relation} for one in (mine, true))
                counts[view, relation, "both"] += len(ours & theirs)
                counts[view, relation, "one"] += len(ours ^ theirs)
    scores = {
        (view, relation): 2
        * counts[view, relation, "both"]
        / (2 * counts[view, relation, "both"] + counts[view, relation, "one"])
        for view in views
        for relation in ("below", "beside")
    }
    assert min(scores.values()) >= 0.95, scores
