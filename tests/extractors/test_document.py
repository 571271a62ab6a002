"""A Document: tree, text and computed style of one email."""

from __future__ import annotations

import pytest

from extractors import Document
from extractors.css.properties import LONGHANDS

MAIL = """<!DOCTYPE html><html><head><title> Hello\n  you </title><style>
td { color: #333; padding: 1em } .big { font-size: 20px } @media (max-width: 600px) { .big { font-size: 30px } }
</style></head><body><table cellpadding=4><tr><td class=big>one <b>two</b> three<br></td></tr></table></body></html>"""


def only(document: Document, tag: str) -> int:
    (found,) = [element.index for element in document.elements if element.tag == tag]
    return found


def test_elements_stand_in_document_order_and_know_their_parents() -> None:
    document = Document.from_html(MAIL)
    tags = [element.tag for element in document.elements]
    assert tags == ["html", "head", "title", "style", "body", "table", "tbody", "tr", "td", "b", "br"]
    assert document.elements[0].parent is None
    for element in document.elements[1:]:
        assert element.parent is not None and element.parent < element.index
        assert element.index in document.elements[element.parent].children


def test_contents_interleave_text_and_children() -> None:
    document = Document.from_html(MAIL)
    cell = only(document, "td")
    assert list(document.nodes_of(cell)) == ["one ", only(document, "b"), " three", only(document, "br")]
    assert document.text(cell) == "one two three"


def test_title_and_mode() -> None:
    document = Document.from_html(MAIL)
    assert document.title == "Hello you"
    assert not document.quirks
    assert Document.from_html("<p>x").quirks
    assert Document.from_html("<p>x").title == ""


@pytest.mark.parametrize(
    ("doctype", "quirks"),
    [
        ("<!DOCTYPE html>", False),
        ("<!-- comment --><!doctype HTML>", False),
        ('<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/x.dtd">', False),
        ('<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">', True),
        ('<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/x.dtd">', False),
        ('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.0 Transitional//EN">', True),
        ('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2//EN">', True),
        ('<!DOCTYPE html SYSTEM "about:legacy-compat">', False),
        ("<!DOCTYPE xhtml>", True),
        ("text before<!DOCTYPE html>", True),
    ],
)
def test_the_doctype_decides_on_quirks_mode(doctype: str, quirks: bool) -> None:
    assert Document.from_html(doctype + "<p>x").quirks is quirks


def test_the_viewport_width_decides_on_media_queries() -> None:
    for width, size in ((800, "20px"), (600, "30px"), (320, "30px")):
        document = Document.from_html(MAIL, width=width)
        assert document.elements[only(document, "td")].style["font-size"] == size


def test_style_is_a_mapping_of_every_longhand() -> None:
    document = Document.from_html(MAIL)
    style = document.elements[only(document, "td")].style
    assert set(style) == set(LONGHANDS)
    assert all(isinstance(style[name], str) for name in style)
    assert style["padding-left"] == "20px"
    assert "no-such-property" not in style
    with pytest.raises(KeyError):
        style["no-such-property"]


def test_a_style_shared_by_two_documents_belongs_to_neither() -> None:
    """Styles are remembered across documents: what only one of them says must not leak into the other."""
    plain = "<p><a href=x>x</a><table><tr><td>y</table>"
    before = [dict(element.style) for element in Document.from_html(f"<body>{plain}").elements]
    Document.from_html(f"<html style='font-size:40px'><body link=red text=green style='color:lime'>{plain}")
    after = [dict(element.style) for element in Document.from_html(f"<body>{plain}").elements]
    assert before == after


@pytest.mark.parametrize("html", ["", " ", "text", "<", "<!--", "<frameset><frame></frameset>", "\0", "\ud800"])
def test_anything_is_a_document(html: str) -> None:
    assert Document.from_html(html).elements[0].tag == "html"
