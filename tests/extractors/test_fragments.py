"""Fragments are the sections a person would name, each piece of content in exactly one of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from label_scores import Score, load_sections, score_sections

from extractors.document import Document
from extractors.fragments import Segmentation, segment
from extractors.sources.sample import SampleEmail, SampleOptions, generate

LOREM = "Far far away, behind the word mountains, far from the countries of vowels, there live the blind texts."


def email(*rows: str, width: int = 600) -> Segmentation:
    """An email of full-width rows, as most are built."""
    cells = "".join(f"<tr><td>{row}</td></tr>" for row in rows)
    table = f'<table align="center" width="{width}" cellpadding="0" cellspacing="0">{cells}</table>'
    return segment(Document.from_html(f"<!doctype html><body style='margin:0'>{table}</body>"))


def texts(segmentation: Segmentation) -> list[str]:
    return [fragment.text for fragment in segmentation.fragments]


def columns(*cells: str) -> str:
    return f'<table width="100%"><tr>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr></table>'


CARD = '<img src="{0}.png" width="180" height="120" alt=""><h3>{0}</h3><p>' + LOREM + "</p>"


def test_a_row_of_cards_is_a_title_and_its_cards() -> None:
    found = email(
        "<h2>Our services</h2>", columns(CARD.format("One"), CARD.format("Two"), CARD.format("Three"))
    ).fragments
    assert [fragment.kind for fragment in found] == ["title", "card", "card", "card"]
    assert [(fragment.row, fragment.column) for fragment in found] == [(0, 0), (1, 0), (1, 1), (1, 2)]


def test_a_picture_with_its_text_beside_it_is_one_card() -> None:
    picture = '<img src="a.png" width="250" height="200" alt="">'
    found = email(columns(picture, f"<h3>Linen</h3><p>{LOREM}</p>"), columns(picture, f"<h3>Wool</h3><p>{LOREM}</p>"))
    assert [text[:5] for text in texts(found)] == ["Linen", "Wool "]


def test_figures_and_navigation_are_one_row() -> None:
    figures = columns(
        *(f'<div style="font-size:30px">{n}</div><div>{name}</div>' for n, name in ((20, "Years"), (9, "Shops")))
    )
    navigation = columns(*(f'<a href="#">{name}</a>' for name in ("Home", "About", "Contact")))
    assert texts(email(navigation, f"<p style='padding:60px 0'>{LOREM}</p>", figures)) == [
        "Home About Contact",
        LOREM,
        "20 Years 9 Shops",
    ]


def test_the_lines_of_a_receipt_are_one_table() -> None:
    lines = "".join(f"<tr><td>Item {n}</td><td>$ {n}.00</td></tr>" for n in range(4))
    (found,) = email(f'<table width="100%">{lines}</table>').fragments
    assert found.kind == "table"


def test_a_change_of_background_separates() -> None:
    found = email(
        f'<div style="background:#eee;padding:20px">{LOREM}</div>', f'<div style="padding:20px">{LOREM}</div>'
    )
    assert [fragment.background for fragment in found.fragments] == ["#eeeeee", "#ffffff"]


def test_a_large_gap_separates_and_a_small_one_does_not() -> None:
    assert len(email(f"<p style='margin:0'>{LOREM}</p>", f"<p style='margin:10px 0 0'>{LOREM}</p>").fragments) == 1
    assert (
        len(email(f"<p style='margin:0'>{LOREM}</p>", f"<p style='margin:0;padding-top:60px'>{LOREM}</p>").fragments)
        == 2
    )


def test_a_horizontal_rule_separates() -> None:
    assert len(email(f"<p>{LOREM}</p>", "<hr>", f"<p>{LOREM}</p>").fragments) == 2


def test_a_heading_belongs_to_what_is_under_it_and_a_button_to_what_is_over_it() -> None:
    button = '<a href="#" style="background:#36f;color:#fff;padding:12px 24px;display:inline-block">Go</a>'
    assert texts(email("<h1>Hello</h1>", f"<p>{LOREM}</p>", f"<div style='padding-top:50px'>{button}</div>")) == [
        f"Hello {LOREM} Go"
    ]


def test_flat_mails_are_cut_at_their_headings() -> None:
    body = "".join(f"<h2>Part {n}</h2><p>{LOREM}</p>" for n in range(3))
    found = segment(Document.from_html(f"<!doctype html><body>{body}</body>"))
    assert [text[:6] for text in texts(found)] == ["Part 0", "Part 1", "Part 2"]


def test_header_and_footer_are_told_from_the_body() -> None:
    found = email(
        '<img src="logo.png" width="100" height="30" alt="Acme">',
        f"<h1 style='font-size:32px'>Big news</h1><p>{LOREM}</p>",
        "<p style='font-size:12px'>© Acme, 1 Street. <a href='#'>Unsubscribe</a></p>",
    ).fragments
    assert [fragment.kind for fragment in found] == ["header", "hero", "footer"]


def test_a_footer_in_columns_is_one_footer() -> None:
    three = columns("<b>About</b> We sell.", "<b>Contact</b> 1 Street", "Links")
    band = f"<div style='background:#222;color:#fff'>{three}"
    small = "<p style='font-size:12px'>© 2026 All rights reserved. <a href='#'>Unsubscribe</a></p></div>"
    found = email(f"<h1>News</h1><p>{LOREM * 2}</p>", band + small).fragments
    assert [fragment.kind for fragment in found][-1] == "footer"
    assert len(found) == 2


def test_leaf_granularity_gives_each_paragraph_and_button() -> None:
    button = '<p><a href="#" style="background:#36f;padding:12px 24px;display:inline-block">Go</a></p>'
    html = f"<!doctype html><h1>Hello</h1><p>{LOREM}</p>{button}<img src='a.png' width='300' height='200' alt=''>"
    assert texts(segment(Document.from_html(html), "leaf")) == ["Hello", LOREM, "Go", ""]


def test_hidden_preheaders_and_pixels_belong_to_no_fragment() -> None:
    found = email(
        '<div style="display:none;max-height:0;overflow:hidden">Preview &zwnj;&nbsp;</div>'
        f'<p>{LOREM}</p><img src="open.gif" width="1" height="1">'
    )
    assert texts(found) == [LOREM]


def test_an_email_without_anything_to_see_has_no_fragments() -> None:
    assert segment(Document.from_html("")).fragments == ()


def test_elements_are_as_large_as_they_can_be() -> None:
    document = Document.from_html("<!doctype html><table><tr><td><div><p>Text</p></div></td></tr></table>")
    (fragment,) = segment(document).fragments
    assert document.elements[fragment.element].tag == "table"


SAMPLE = list(generate(SampleOptions(emails=60)))


@pytest.mark.parametrize("granularity", ["card", "leaf"])
def test_every_piece_of_content_is_in_exactly_one_fragment(granularity: str) -> None:
    for sample in SAMPLE[:20]:
        document = Document.from_html(sample.html)
        found = segment(document, granularity)  # type: ignore[arg-type]
        sources = [source for fragment in found.fragments for source in fragment.sources]
        assert len(sources) == len(set(sources))
        buttons = {button.element for button in found.buttons}
        assert buttons <= set(sources)
        inside = {i for button in buttons for i in _subtree(document, button)}
        texts_with_content = {i for i, own in enumerate(found.layout.own_text) if own} - inside
        assert texts_with_content == {s for s in sources if found.layout.own_text[s]} - buttons


def _subtree(document: Document, root: int) -> set[int]:
    members = {root}
    for element in document.elements[root + 1 :]:
        if element.parent in members:
            members.add(element.index)
    return members


def _contents(document: Document, found: Segmentation, root: int) -> frozenset[int]:
    inside = _subtree(document, root)
    return frozenset(s for fragment in found.fragments for s in fragment.sources if s in inside)


def _compare(sample: SampleEmail) -> tuple[int, int, int, int, int, int, int]:
    document = Document.from_html(sample.html)
    found = segment(document)
    mine = {frozenset(fragment.sources): fragment for fragment in found.fragments}
    true = {_contents(document, found, section.element): section for section in sample.truth.sections}
    same = mine.keys() & true.keys()
    position = {mine[key].position: true[key].position for key in same}
    links = {(position.get(a, -1 - a), position.get(b, -1 - b), relation) for a, b, relation in found.neighbours}
    true_links = {(link.source, link.target, link.relation) for link in sample.truth.neighbours}
    grounds = sum(mine[key].background == true[key].background for key in same)
    return len(same), len(mine), len(true), grounds, len(links & true_links), len(links), len(true_links)


def test_sections_and_neighbours_of_the_sample_corpus_are_found_exactly() -> None:
    hits, mine, true, grounds, links, found, linked = map(sum, zip(*map(_compare, SAMPLE), strict=True))
    assert hits / mine >= 0.98
    assert hits / true >= 0.98
    assert grounds == hits
    assert links / found >= 0.98
    assert links / linked >= 0.98


def test_sections_that_people_labelled_are_found(shared_data: Path) -> None:
    score = Score()
    for path, sections in load_sections().items():
        document = Document.from_html((shared_data / "emails" / path).read_text("utf-8", "replace"))
        score += score_sections(document, [f.elements for f in segment(document).fragments], sections)
    assert min(score.precision, score.recall) >= 0.85, score


def test_text_is_read_as_it_stands() -> None:
    html = "<p>You have <strong>1 <i>free</i> report</strong> remaining. <b>Add <u>more</u></b> now</p>"
    (fragment,) = segment(Document.from_html(html)).fragments
    assert fragment.text == "You have 1 free report remaining. Add more now"
