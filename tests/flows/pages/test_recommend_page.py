"""``hnn recommend EMAIL --html FILE``: one email, its fragments redrawn."""

import pyarrow as pa
import pytest
from page_corpus import LOOKS, PAGE, table
from selectolax.lexbor import LexborHTMLParser

from extractors.extraction import extract
from flows.pages import recommend_html
from flows.pages.inputs import RECOMMENDATIONS

HTML = PAGE.format(css="", page="#ffffff", text="Words", **LOOKS["fabrikam"][0])
COMPOSED = "background:#0b6e4f;radius:4px;color:#ffffff;font-size:15px"


def recommendations(*fragments: str, signature: str = COMPOSED) -> pa.Table:
    rows = [
        (fragment, "button", rank, "", signature, 0.9 / rank, False, ["its own palette"])
        for fragment in fragments
        for rank in (1, 2)
    ]
    return table(rows, RECOMMENDATIONS)


def test_a_composed_style_is_drawn_on_the_fragment() -> None:
    position = next(row[0] for row in extract(HTML, "abc").occurrences if row[1].startswith("button-style"))
    tree = LexborHTMLParser(recommend_html(HTML, recommendations(position)))
    [case] = tree.css(".case")
    original, first, second = (frame.attributes["srcdoc"] or "" for frame in case.css("iframe"))
    assert "background-color:#0b6e4f!important" in first
    assert first == second
    assert "#0b6e4f" not in original
    assert "its own palette" in case.text()
    assert [rank.text() for rank in case.css(".rank")] == ["As it is", "Composed", "Composed"]
    assert not tree.css("script")


def test_fragments_come_in_reading_order_whatever_their_document_is_called() -> None:
    tree = LexborHTMLParser(recommend_html(HTML, recommendations("x#1", "y#0", "z#77")))
    first, second = (row[-1] for row in extract(HTML, "d").fragments[:2])
    assert [case.css_first("h2").text() for case in tree.css(".case")] == [first, second]


@pytest.mark.parametrize("html", ["", "   ", "<p style='display:none'>x", "\x00\x01\xff\xd8JFIF"])
def test_an_email_with_nothing_to_see_says_so_or_shows_what_there_is(html: str) -> None:
    page = recommend_html(html, RECOMMENDATIONS.empty_table())
    assert "Nothing" in page
    assert "<h1>Recommended styles</h1>" in page


def test_a_style_that_does_not_validate_is_not_drawn() -> None:
    page = recommend_html(HTML, recommendations("x#0", signature="background:url(//evil.example);color:red"))
    assert "evil.example" not in page
    assert len(LexborHTMLParser(page).css("iframe")) == 1


def test_hebrew_reads_right_to_left() -> None:
    page = recommend_html("<div dir=rtl style='padding:20px'>שלום עולם</div>", recommendations("x#0"))
    assert "שלום עולם" in page
    assert "dir=&#34;rtl&#34;" in page
