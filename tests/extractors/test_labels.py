"""The hand labels are complete and point at what they say; the scores count what they claim to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import Chromium, Page, executable
from label_scores import (
    ButtonLabels,
    FoundButton,
    LabelledButton,
    LabelledSection,
    Score,
    leaves,
    load_buttons,
    load_sections,
    match_sections,
    resolve,
    score_buttons,
    score_sections,
)

from extractors.document import Document

KINDS = {"header", "hero", "title", "text", "card", "row", "table", "footer"}

TWO_CARDS = """<!doctype html><body>
<div><h1>Hello</h1><p>World</p></div>
<table><tr><td><img src="a.png"><p>One</p></td><td><img src="b.png"><p>Two</p></td></tr></table>
<img src="spacer.gif" width="1" height="1"><div style="display:none">hidden</div>
<p><a href="#" style="background:#000;color:#fff;padding:9px">Go</a></p></body>"""


@pytest.fixture(scope="module")
def documents(shared_data: Path) -> dict[str, Document]:
    emails = shared_data / "emails"
    if not (emails / "MANIFEST.csv").is_file():
        pytest.skip(f"real emails are absent: expected {emails / 'MANIFEST.csv'}")
    paths = sorted(set(load_sections()) | set(load_buttons()))
    return {path: Document.from_html((emails / path).read_text("utf-8", "replace")) for path in paths}


def test_there_are_about_a_hundred_buttons_and_sixty_emails_from_every_source() -> None:
    sections, buttons = load_sections(), load_buttons()
    assert set(sections) == set(buttons)
    assert len(sections) >= 60
    assert sum(len(entry.buttons) for entry in buttons.values()) >= 100
    assert len({path.split("/")[1] for path in sections}) == 15
    kinds = Counter(section.kind for entry in sections.values() for section in entry)
    assert set(kinds) == KINDS
    assert min(kinds.values()) >= 15


def test_every_label_points_at_content_and_no_content_is_labelled_twice(documents: dict[str, Document]) -> None:
    for path, sections in load_sections().items():
        document = documents[path]
        held = [leaves(document, [resolve(document, root) for root in section.roots]) for section in sections]
        assert all(held), path
        assert sum(map(len, held)) == len(frozenset().union(*held)), path


def test_labelled_buttons_hold_their_text(documents: dict[str, Document]) -> None:
    for path, labels in load_buttons().items():
        document = documents[path]
        pairs = [(button.text, button.element) for button in labels.buttons] + list(labels.not_buttons)
        for text, element in pairs:
            assert text[:50] in " ".join(document.text(resolve(document, element)).split()), (path, text)
        assert len(set(labels.buttons)) == len(labels.buttons)


def test_labels_score_perfectly_against_themselves(documents: dict[str, Document]) -> None:
    for path, sections in load_sections().items():
        document = documents[path]
        roots = [[resolve(document, root) for root in section.roots] for section in sections]
        score = score_sections(document, roots, sections)
        assert score == Score(len(sections), len(sections), len(sections)), path


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    if executable() is None:
        pytest.skip("chromium is not installed")
    with Chromium() as chromium:
        yield chromium.page(width=800)


@pytest.mark.browser
def test_a_browser_writes_the_labelled_buttons_as_labelled(page: Page, shared_data: Path) -> None:
    """Text colour and size at the label, and a box of the labelled background and radius around it."""
    script = """
    (path => { const found = document.evaluate(path, document, null, 9, null).singleNodeValue, chain = [];
      for (let e = found, n = 0; e && n < 8; e = e.parentElement, n++) { const s = getComputedStyle(e);
        chain.push([s.backgroundColor, parseFloat(s.borderTopLeftRadius)]); }
      const s = getComputedStyle(found); return [s.color, parseFloat(s.fontSize), chain]; })
    """

    def rgb(colour: str) -> str:
        return f"rgb({int(colour[1:3], 16)}, {int(colour[3:5], 16)}, {int(colour[5:7], 16)})"

    for path, labels in load_buttons().items():
        page.set_content((shared_data / "emails" / path).read_text("utf-8", "replace"))
        for button in labels.buttons:
            colour, size, chain = page.evaluate(f"{script}({button.element!r})")
            assert colour == rgb(button.color), (path, button)
            assert f"{round(size * 2) / 2:g}px" == button.font_size, (path, button)
            grounds = {"transparent": "rgba(0, 0, 0, 0)", None: "rgba(0, 0, 0, 0)"}
            ground = grounds.get(button.background) or rgb(str(button.background))
            radii = {"999px" if radius >= 40 else f"{radius:g}px" for colour, radius in chain if colour == ground}
            assert button.radius in radii, (path, button)


def test_a_selector_counts_elements_of_its_tag() -> None:
    document = Document.from_html(TWO_CARDS)
    assert document.elements[resolve(document, "(//td)[2]")].tag == "td"
    with pytest.raises(ValueError, match="the document has 2 <td>"):
        resolve(document, "(//td)[3]")
    with pytest.raises(ValueError, match="expected the form"):
        resolve(document, "td:nth-child(2)")


def test_leaves_are_visible_texts_and_pictures() -> None:
    document = Document.from_html(TWO_CARDS)
    assert len(leaves(document, [0])) == 7  # Hello, World, two pictures, One, Two, Go
    hidden = resolve(document, "(//div)[2]")
    assert leaves(document, [hidden]) == frozenset()


def test_sections_match_from_half_their_leaves_and_only_once() -> None:
    def held(*numbers: int) -> frozenset[tuple[int, int]]:
        return frozenset((number, 0) for number in numbers)

    assert match_sections([held(1, 2)], [held(1, 2, 3, 4)]) == [(0, 0, 0.5)]
    assert match_sections([held(1, 2)], [held(1, 2, 3, 4, 5)]) == []
    both = match_sections([held(1, 2, 3), held(4)], [held(1, 2, 3, 4)])
    assert both == [(0, 0, 0.75)]


def test_a_merged_pair_of_cards_costs_precision_and_recall() -> None:
    document = Document.from_html(TWO_CARDS)
    labels = [
        LabelledSection("hero", ("(//div)[1]",)),
        LabelledSection("card", ("(//td)[1]",)),
        LabelledSection("card", ("(//td)[2]",)),
        LabelledSection("text", ("(//p)[4]",)),
    ]
    hero, table, last = (resolve(document, path) for path in ("(//div)[1]", "(//table)[1]", "(//p)[4]"))
    assert score_sections(document, [[hero], [table], [last]], labels) == Score(3, 3, 4)
    first, second = resolve(document, "(//td)[1]"), resolve(document, "(//td)[2]")
    assert score_sections(document, [[hero], [first], [second], [last]], labels) == Score(4, 4, 4)
    assert score_sections(document, [[hero, table, last]], labels) == Score(0, 1, 4)


def test_loose_placeholders_are_not_judged_but_loose_text_is() -> None:
    labels = [LabelledSection("text", ("(//p)[1]",))]
    for loose, predicted in (("{{#each news}} {{/each}}", 1), ("Read on", 2)):
        document = Document.from_html(f"<!doctype html><body><p>Hello {{{{name}}}}</p><div>{loose}</div></body>")
        roots = [[resolve(document, "(//p)[1]")], [resolve(document, "(//div)[1]")]]
        assert score_sections(document, roots, labels) == Score(1, predicted, 1)


def test_a_button_counts_by_place_and_by_style() -> None:
    document = Document.from_html(TWO_CARDS)
    seen = {"background": "#000000", "radius": "0px", "color": "#ffffff", "font-size": "16px"}
    label = LabelledButton("Go", "(//a)[1]", "#000000", "0px", "#ffffff", "16px", "#ffffff")
    labels = ButtonLabels((label,), ())
    link, box = resolve(document, "(//a)[1]"), resolve(document, "(//p)[4]")
    elsewhere = FoundButton(resolve(document, "(//td)[1]"), seen)
    for element in (link, box):
        score = score_buttons(document, [FoundButton(element, seen)], labels)
        assert score.place == score.style == Score(1, 1, 1)
    wrong = score_buttons(document, [FoundButton(link, {**seen, "radius": "4px"}), elsewhere], labels)
    assert wrong.place == Score(1, 2, 1)
    assert wrong.style == Score(0, 2, 1)


def test_a_frame_may_paint_its_surroundings_or_nothing() -> None:
    label = LabelledButton("Go", "(//a)[1]", "transparent", "4px", "#000000", "14px", "#ffffff")
    style = {"background": "#ffffff", "radius": "4px", "color": "#000000", "font-size": "14px"}
    assert label.looks_like(style)
    assert label.looks_like({**style, "background": "transparent"})
    assert not label.looks_like({**style, "background": "#f4f4f4"})
