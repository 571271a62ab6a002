"""A button is what was drawn as one, however it was coded; a link in a bar, a banner or a sentence is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from label_scores import ButtonScore, FoundButton, load_buttons, score_buttons

from extractors.buttons import Button, find_buttons
from extractors.document import Document
from extractors.entities import EntityCollector
from extractors.fragments import segment
from extractors.layout import lay_out
from extractors.paint import Paint
from extractors.sources.sample import SampleOptions, generate


def found(body: str) -> list[Button]:
    document = Document.from_html(f"<!doctype html><body>{body}</body>")
    return find_buttons(document, lay_out(document), Paint(document))


BUTTONS = {
    "padded link": '<a href="#" style="display:inline-block;background:#36f;color:#fff;padding:12px 24px">Buy now</a>',
    "coloured cell": '<table><tr><td bgcolor="#3366ff" style="padding:12px 24px"><a href="#">Buy now</a></table>',
    "padding in the link, colour in the cell": (
        '<table><tr><td bgcolor="#3366ff">'
        '<a href="#" style="display:inline-block;padding:12px 24px">Buy now</a></table>'
    ),
    "padding in an inner span": (
        '<a href="#" style="display:inline-block;background:#3366ff"><span style="display:block;padding:10px 20px">'
        "<span>Buy now</span></span></a>"
    ),
    "spacer cells": (
        '<table bgcolor="#3366ff"><tr><td width="20"></td><td><a href="#">Buy now</a></td><td width="20"></td></table>'
    ),
    "non-breaking spaces": (
        '<table><tr><td bgcolor="#3366ff" style="padding:8px">'
        '<a href="#">&nbsp;&nbsp;&nbsp;Buy now&nbsp;&nbsp;&nbsp;</a></table>'
    ),
    "link as wide as its cell": (
        '<table width="100%"><tr><td bgcolor="#3366ff"><a href="#" style="display:inline-block;width:100%;'
        'padding:10px 0;text-align:center">Buy now</a></table>'
    ),
    "stated width": (
        '<table><tr><td bgcolor="#3366ff" width="200" align="center" height="40"><a href="#">Buy now</a></table>'
    ),
    "coloured cell of a table as wide as was stated": (
        '<table width="210"><tr><td bgcolor="#3366ff" align="center" height="45"><a href="#">Buy now</a></table>'
    ),
    "spacer cells in a table within the coloured cell": (
        '<table width="210"><tr><td align="center" bgcolor="#3366ff"><table><tr><td width="15"></td>'
        '<td bgcolor="#3366ff"><div><a href="#"><span>Buy now</span></a></div></td><td width="15"></td></table></table>'
    ),
    "border only": '<a href="#" style="border:2px solid #3366ff;padding:10px 20px;display:inline-block">Buy now</a>',
    "table in a link": '<a href="#"><table bgcolor="#3366ff"><tr><td style="padding:12px 24px">Buy now</table></a>',
    "gradient": '<a href="#" style="background:linear-gradient(#36f,#63f);padding:12px 24px">Buy now</a>',
    "block across a column": '<a href="#" style="display:block;background:#36f;padding:14px">Buy now</a>',
    "without an address": '<a style="background:#3366ff;padding:12px 24px">Buy now</a>',
    "button element": '<button style="background:#3366ff;border:0;padding:12px 24px">Buy now</button>',
    "icon beside the label": (
        '<a href="#" style="background:#36f;padding:12px 24px">'
        '<img src="a.png" width="16" height="16" alt=""> Buy now</a>'
    ),
}

NO_BUTTONS = {
    "plain link": '<p>Please <a href="#">buy now</a>.</p>',
    "link in a bar": '<table width="600" bgcolor="#3366ff"><tr><td style="padding:20px"><a href="#">Online</a></table>',
    "image link": '<a href="#" style="background:#36f"><img src="a.png" width="200" height="50" alt="Buy now"></a>',
    "paragraph in a link": f'<a href="#" style="background:#36f;padding:12px 24px">{"many words " * 10}</a>',
    "highlighted words": '<p>So <a href="#" style="background:#ff0">very good</a> a deal</p>',
    "colour of its surroundings": (
        '<div style="background:#36f"><a href="#" style="background:#36f;padding:12px 24px">Buy now</a></div>'
    ),
    "price tag": '<span style="background:#36f;padding:12px 24px">$ 9.99</span>',
    "hidden": '<div style="display:none"><a href="#" style="background:#36f;padding:12px 24px">Buy now</a></div>',
    "arrow": '<a href="#" style="background:#36f;padding:12px 24px">→</a>',
}


@pytest.mark.parametrize("markup", BUTTONS.values(), ids=BUTTONS)
def test_is_a_button(markup: str) -> None:
    (button,) = found(markup)
    assert button.text == "Buy now"


@pytest.mark.parametrize("markup", NO_BUTTONS.values(), ids=NO_BUTTONS)
def test_is_no_button(markup: str) -> None:
    assert found(markup) == []


def test_a_submit_is_a_button_with_its_value() -> None:
    (button,) = found('<input type="submit" value="Send" style="background:#36f;padding:10px 20px">')
    assert button.text == "Send"


def test_the_drawn_box_gives_the_background_and_the_label_the_text() -> None:
    (button,) = found(
        '<table><tr><td bgcolor="#3366ff">'
        '<a href="#" style="padding:12px 24px;display:inline-block"><b>Go</b></a></table>'
    )
    assert button.background == (0x33, 0x66, 0xFF, 1.0)
    assert button.element == button.box < button.link < button.label


def test_a_border_in_the_colour_of_the_background_is_padding() -> None:
    document = Document.from_html(
        '<!doctype html><a href="#" style="display:inline-block;background:#36f;border:solid #36f;'
        'border-width:10px 18px">Go</a>'
    )
    segmentation = segment(document)
    collector = EntityCollector(document, segmentation)
    (fields,) = (o.attributes for o in collector.of(segmentation.fragments[0]) if o.type == "button-style")
    assert (fields["padding"], fields["border"]) == ("10px 18px 10px 18px", "none")


def test_buttons_in_one_row_are_all_found() -> None:
    link = '<a href="#" style="display:inline-block;background:#36f;padding:12px 24px">{}</a> '
    assert [button.text for button in found("".join(link.format(n) for n in range(1, 11)))] == [
        str(n) for n in range(1, 11)
    ]


def styles(document: Document) -> list[FoundButton]:
    """All buttons with the fields of their signatures."""
    segmentation = segment(document)
    collector = EntityCollector(document, segmentation)
    listed = []
    for button in segmentation.buttons:
        signature = collector.button_signature(button)
        listed.append(FoundButton(button.label, dict(part.split(":", 1) for part in signature.split(";"))))
    return listed


def test_buttons_that_people_labelled_are_found_and_read_right(shared_data: Path) -> None:
    score = ButtonScore()
    for path, labels in load_buttons().items():
        document = Document.from_html((shared_data / "emails" / path).read_text("utf-8", "replace"))
        score += score_buttons(document, styles(document), labels)
    assert min(score.place.precision, score.place.recall) >= 0.95, score
    assert min(score.style.precision, score.style.recall) >= 0.95, score


def test_buttons_of_the_sample_corpus_are_found_and_read_right() -> None:
    hits = found_in_all = true_in_all = 0
    for email in generate(SampleOptions(emails=60)):
        listed = styles(Document.from_html(email.html))
        seen = {(button.element, *button.style.values()) for button in listed}
        true = {(button.label, *button.signature) for button in email.truth.buttons}
        hits += len(seen & true)
        found_in_all += len(listed)
        true_in_all += len(email.truth.buttons)
    assert hits / found_in_all >= 0.98
    assert hits / true_in_all >= 0.98
