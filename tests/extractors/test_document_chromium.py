"""Live agreement with Chromium on real mail, within the shares the project promises."""

from __future__ import annotations

import email
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import chromium
import pytest
from style_oracle import EXACT, PROPERTIES, Recorded, ask, differences, tree

from extractors import Document

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(chromium.executable() is None, reason="chromium is not installed"),
]


@pytest.fixture(scope="module")
def page() -> Iterator[chromium.Page]:
    with chromium.Chromium() as browser:
        yield browser.page(width=800)


def licensed(data: Path) -> Iterator[str]:
    for path in sorted((data / "emails" / "html").rglob("*.html")):
        yield path.read_bytes().decode("utf-8", "replace")


def wild(data: Path) -> Iterator[str]:
    """The HTML parts of the raw messages: twenty years older, and never looked at by a designer."""
    for path in sorted((data / "emails" / "eml").rglob("*.eml")):
        for part in email.message_from_bytes(path.read_bytes()).walk():
            raw = part.get_payload(decode=True)
            if part.get_content_type() == "text/html" and isinstance(raw, bytes) and raw:
                yield raw.decode("windows-1252", "replace")


def agreement(page: chromium.Page, mails: Iterator[str]) -> dict[str, float]:
    """The share of body elements on which each property is equal; the trees must be."""
    wrong: Counter[str] = Counter()
    elements = 0
    for number, html in enumerate(mails):
        recorded, document = ask(page, html), Document.from_html(html)
        assert tree(document) == recorded.tree, f"mail {number}: another tree"
        elements += sum(tag not in ("html", "head") for tag, _ in recorded.tree)
        wrong.update(name for _, name, _, _ in differences(document, recorded))
    assert elements, "no mail was found to compare"
    return {name: 1 - wrong[name] / elements for name in PROPERTIES}


def test_licensed_mail_is_equal_where_it_must_be(page: chromium.Page, shared_data: Path) -> None:
    shares = agreement(page, licensed(shared_data))
    assert {name: share for name, share in shares.items() if name in EXACT and share < 1} == {}
    assert {name: share for name, share in shares.items() if share < 0.99} == {}


def test_wild_mail_hardly_differs(page: chromium.Page, shared_data: Path) -> None:
    shares = agreement(page, wild(shared_data))
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
