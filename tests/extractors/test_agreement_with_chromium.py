"""Live agreement with Chromium on real mail, within the shares the project promises: styles, and who is next to whom.

A fragment's box is drawn around its top elements, or around the elements that hold its content; links are judged by
both. Chromium cannot load images here, as no extraction does.
"""

from __future__ import annotations

import email
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import chromium
import pytest
from style_oracle import EXACT, PROPERTIES, Recorded, ask, computed, differences, tree

from extractors import Document, neighbours
from extractors.fragments import Fragment, segment

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(chromium.executable() is None, reason="chromium is not installed"),
]

Rectangle = tuple[float, float, float, float]
RECTANGLES = """Array.from(document.querySelectorAll("*"), e => { const r = e.getBoundingClientRect();
    return [r.left, r.top, r.right, r.bottom]; })"""


@pytest.fixture(scope="module")
def page() -> Iterator[chromium.Page]:
    with chromium.Chromium() as browser:
        yield browser.page(width=800)


@dataclass(frozen=True)
class Shown:
    """A mail, and what Chromium makes of it."""

    html: str
    recorded: Recorded
    rectangles: list[Rectangle]


@pytest.fixture(scope="module")
def licensed(page: chromium.Page, shared_data: Path) -> dict[Path, Shown]:
    """Every licensed mail, shown once: loading it is what costs."""
    seen = {}
    for path in sorted((shared_data / "emails" / "html").rglob("*.html")):
        html = path.read_bytes().decode("utf-8", "replace")
        page.set_content(html)
        rectangles = page.evaluate(RECTANGLES)
        seen[path] = Shown(html, computed(page), rectangles)
    return seen


def wild(data: Path) -> Iterator[str]:
    """The HTML parts of the raw messages: twenty years older, and never looked at by a designer."""
    for path in sorted((data / "emails" / "eml").rglob("*.eml")):
        for part in email.message_from_bytes(path.read_bytes()).walk():
            raw = part.get_payload(decode=True)
            if part.get_content_type() == "text/html" and isinstance(raw, bytes) and raw:
                yield raw.decode("windows-1252", "replace")


def agreement(mails: Iterable[tuple[str, Recorded]]) -> dict[str, float]:
    """The share of body elements on which each property is equal; the trees must be."""
    wrong: Counter[str] = Counter()
    elements = 0
    for number, (html, recorded) in enumerate(mails):
        document = Document.from_html(html)
        assert tree(document) == recorded.tree, f"mail {number}: another tree"
        elements += sum(tag not in ("html", "head") for tag, _ in recorded.tree)
        wrong.update(name for _, name, _, _ in differences(document, recorded))
    assert elements, "no mail was found to compare"
    return {name: 1 - wrong[name] / elements for name in PROPERTIES}


def test_licensed_mail_is_equal_where_it_must_be(licensed: dict[Path, Shown]) -> None:
    shares = agreement((mail.html, mail.recorded) for mail in licensed.values())
    assert {name: share for name, share in shares.items() if name in EXACT and share < 1} == {}
    assert {name: share for name, share in shares.items() if share < 0.99} == {}


def test_wild_mail_hardly_differs(page: chromium.Page, shared_data: Path) -> None:
    shares = agreement((html, ask(page, html)) for html in wild(shared_data))
    assert {name: share for name, share in shares.items() if name in EXACT and share < 0.999} == {}
    assert {name: share for name, share in shares.items() if share < 0.99} == {}


def test_golden_files_are_still_what_chromium_says(page: chromium.Page) -> None:
    for path in sorted((Path(__file__).parent / "golden").glob("*.html")):
        recorded = Recorded.load(path.with_suffix(".json"))
        assert ask(page, path.read_text(encoding="utf-8")) == recorded, path.name


def test_a_page_forgets_the_mail_before(page: chromium.Page) -> None:
    first = ask(page, "<body link=red><a href=x>x</a>")
    second = ask(page, "<body><a href=x>x</a>")
    assert first.styles[-1]["color"] == "rgb(255, 0, 0)"
    assert second.styles[-1]["color"] == "rgb(0, 0, 238)"


def around(rectangles: list[Rectangle], elements: tuple[int, ...]) -> neighbours.Edges:
    boxes = [rectangles[index] for index in elements]
    drawn = [box for box in boxes if box[2] > box[0] or box[3] > box[1]] or boxes
    return min(b[0] for b in drawn), min(b[1] for b in drawn), max(b[2] for b in drawn), max(b[3] for b in drawn)


def links(boxes: list[neighbours.Edges]) -> set[tuple[int, int, str]]:
    pairs = {(a, b, "below") for a, b in neighbours.below(boxes)}
    return pairs | {(a, b, "beside") for a, b in neighbours.beside(boxes)}


def test_below_and_beside_agree_on_the_licensed_mail(licensed: dict[Path, Shown]) -> None:
    views = {"elements": lambda f: f.elements, "sources": lambda f: f.sources}
    counts: Counter[tuple[str, str, str]] = Counter()
    assert licensed
    for path, mail in licensed.items():
        document = Document.from_html(mail.html)
        if [element.tag for element in document.elements] != [tag for tag, _ in mail.recorded.tree]:
            pytest.fail(f"{path}: not the tree that Chromium builds")
        found = segment(document)
        mine = set(found.neighbours)
        for view, elements in views.items():
            fragments: tuple[Fragment, ...] = found.fragments
            true = links([around(mail.rectangles, elements(fragment)) for fragment in fragments])
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
