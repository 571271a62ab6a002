"""Golden pages: Chromium's answers, kept so that agreement is tested where no browser is installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from style_oracle import Recorded, differences, tree

from extractors import Document

PAGES = sorted((Path(__file__).parent / "golden").glob("*.html"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_element_is_as_chromium_computed_it(path: Path) -> None:
    document = Document.from_html(path.read_text(encoding="utf-8"))
    recorded = Recorded.load(path.with_suffix(".json"))
    assert document.quirks == recorded.quirks
    assert tree(document) == recorded.tree
    assert list(differences(document, recorded)) == []


def test_the_golden_pages_are_there() -> None:
    assert len(PAGES) >= 15
