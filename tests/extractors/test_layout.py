"""Boxes come out where a browser puts them, closely enough to tell beside from below."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.document import Document
from extractors.layout import Box, Layout, lay_out
from extractors.layout.columns import Column, distribute, fixed_widths, natural_width
from extractors.layout.metrics import UNITS_PER_EM, longest_word_units, text_units, visible_text


def boxes(body: str, head: str = "") -> tuple[Layout, dict[str, Box]]:
    """The layout of a document and its boxes by id."""
    document = Document.from_html(f"<!doctype html><head><style>body{{margin:0}}{head}</style></head><body>{body}")
    layout = lay_out(document)
    named = {element.attributes["id"]: element.index for element in document.elements if "id" in element.attributes}
    return layout, {name: layout.box(index) for name, index in named.items()}


def test_cells_stand_side_by_side_and_rows_below_each_other() -> None:
    _, box = boxes(
        '<table width="600" cellpadding="0" cellspacing="0"><tr><td id="a" width="200">One</td><td id="b">Two</td></tr>'
        '<tr><td id="c">Three</td><td id="d">Four</td></tr></table>'
    )
    assert (box["a"].x0, box["a"].x1, box["b"].x1) == (0, 200, 600)
    assert box["c"].y0 == box["a"].y1 == box["b"].y1
    assert box["d"].x0 == box["b"].x0


def test_percentages_share_a_table() -> None:
    _, box = boxes('<table width="400" cellspacing="0"><tr><td id="a" width="25%">x<td id="b">a word</table>')
    assert box["a"].width == pytest.approx(100)
    assert box["b"].width == pytest.approx(300)


def test_columns_that_switch_by_calc_stand_side_by_side_where_there_is_room() -> None:
    style = "display:inline-block;min-width:50%;max-width:100%;width:calc(480 * 480px - 480 * 100%)"
    columns = f'<div id="a" style="{style}">One</div><div id="b" style="{style}">Two</div>'
    _, wide = boxes(f'<div style="width:600px;font-size:0">{columns}</div>')
    assert (wide["a"].x0, wide["a"].x1, wide["b"].x1) == (0, 300, 600)
    assert wide["a"].y0 == wide["b"].y0
    _, narrow = boxes(f'<div style="width:320px;font-size:0">{columns}</div>')
    assert narrow["a"].width == narrow["b"].width == 320
    assert narrow["b"].y0 >= narrow["a"].y1


def test_a_cell_that_spans_rows_is_as_high_as_they_are() -> None:
    _, box = boxes(
        '<table cellspacing="0"><tr><td id="a" rowspan="2">A</td><td id="b" height="50">B</td></tr>'
        '<tr><td id="c" height="70">C</td></tr></table>'
    )
    assert box["a"].height == box["b"].height + box["c"].height
    assert box["c"].x0 == box["b"].x0 == box["a"].x1


def test_a_table_is_centred_by_its_attribute_by_center_and_by_auto_margins() -> None:
    for markup in (
        '<table id="t" align="center" width="600"><tr><td>x</table>',
        '<center><table id="t" width="600"><tr><td>x</table></center>',
        '<div style="margin:0 auto;width:600px" id="t">x</div>',
    ):
        _, box = boxes(markup)
        assert (box["t"].x0, box["t"].x1) == (100, 700), markup


@pytest.mark.parametrize(
    "style", ["display:inline-block;vertical-align:top", "float:left"], ids=["inline-block", "float"]
)
def test_columns_stand_beside_each_other_until_they_do_not_fit(style: str) -> None:
    column = '<div id="{}" style="width:300px;font-size:16px;{}">Some text</div>'
    columns = "".join(column.format(name, style) for name in "abc")
    _, box = boxes(f'<div style="width:600px;font-size:0">{columns}</div>')
    assert (box["a"].x0, box["b"].x0, box["c"].x0) == (0, 300, 0)
    assert box["a"].y0 == box["b"].y0
    assert box["c"].y0 >= box["b"].y1


def test_white_space_between_inline_blocks_takes_room() -> None:
    column = '<div id="{}" style="width:50%;display:inline-block">x</div>'
    _, box = boxes(column.format("a") + "\n" + column.format("b"))
    assert box["b"].y0 >= box["a"].y1


def test_flex_children_share_a_row_and_grid_children_their_columns() -> None:
    _, box = boxes('<div style="display:flex"><div id="a" style="width:200px">x</div><div id="b">y</div></div>')
    assert box["b"].x0 == box["a"].x1 == 200
    assert box["a"].y0 == box["b"].y0


def test_a_float_leaves_room_beside_it_and_clear_ends_it() -> None:
    _, box = boxes(
        '<div style="float:left;width:200px;height:100px" id="f">x</div><p id="p" style="margin:0">'
        '<span id="s">beside</span></p><div id="c" style="clear:both">below</div>'
    )
    assert box["s"].x0 == 200
    assert box["c"].y0 == 100


def test_text_wraps_into_as_many_lines_as_it_needs() -> None:
    text = "word " * 60
    _, narrow = boxes(f'<p id="p" style="width:200px;line-height:20px;font-size:16px">{text}</p>')
    _, wide = boxes(f'<p id="p" style="width:800px;line-height:20px;font-size:16px">{text}</p>')
    assert wide["p"].height == pytest.approx(60, abs=20)
    assert narrow["p"].height == pytest.approx(4 * wide["p"].height, rel=0.2)


def test_cells_centre_their_contents_vertically() -> None:
    _, box = boxes('<table><tr><td height="100" valign="middle"><div id="a" style="height:20px">x</div></td></table>')
    assert box["a"].y0 == pytest.approx(40, abs=2)


def test_centred_lines_centre_what_is_on_them() -> None:
    _, box = boxes('<div style="text-align:center"><div id="a" style="display:inline-block;width:200px">x</div></div>')
    assert box["a"].x0 == 300


@pytest.mark.parametrize(
    "style",
    [
        "display:none",
        "opacity:0",
        "max-height:0;overflow:hidden",
        "height:0;overflow:hidden",
        "visibility:hidden",
        "font-size:1px",
        "color:transparent",
    ],
)
def test_what_cannot_be_seen_is_no_content(style: str) -> None:
    layout, _ = boxes(f'<div style="{style}">hidden words</div>')
    assert not any(layout.content)


@pytest.mark.parametrize(
    "markup",
    [
        '<img src="open.gif" width="1" height="1">',
        '<img src="https://example.org/spacer.gif" width="600" height="20">',
        '<img src="pad.png" width="15" height="15">',
        "&nbsp;&zwnj;&#847;&#8203;",
        "{{#each items}}{{/each}}{% if x %}",
        '<input type="hidden" value="x">',
    ],
)
def test_pixels_spacers_fillers_and_template_statements_are_no_content(markup: str) -> None:
    layout, _ = boxes(f"<div>{markup}</div>")
    assert not any(layout.content)


def test_an_image_is_content_and_shows_its_stated_size_or_its_alternative_text() -> None:
    layout, box = boxes('<img id="i" src="a.png" alt="A picture" style="display:block" width="300" height="200">')
    assert any(layout.content)
    assert (box["i"].width, box["i"].height) == (300, 200)
    _, box = boxes('<img id="i" src="a.png" alt="A picture" width="300" height="200">')
    assert box["i"].width < 120, "a browser shows an inline image that it cannot load as text"


def test_a_placeholder_is_text() -> None:
    layout, _ = boxes("<p>{{ first_name }}</p>")
    assert any(layout.content)


def test_hostile_spans_cost_nothing() -> None:
    _, box = boxes('<table><tr><td id="a" colspan="1000000" rowspan="9999999">x</td><td id="b">y</table>')
    assert box["b"].x0 >= box["a"].x1


def test_visible_text_drops_fillers_and_collapses_white_space() -> None:
    assert visible_text(" a \n\t b\u200b\u034f ") == "a b"
    assert visible_text("\u200c\u00a0\ufeff") == ""


def test_widths_add_up_and_cjk_breaks_anywhere() -> None:
    assert text_units("Hello") + text_units("World") == text_units("HelloWorld")
    assert text_units("漢字") == 2 * UNITS_PER_EM
    assert longest_word_units("漢字漢字漢字") == UNITS_PER_EM
    assert longest_word_units("a incomprehensible b") == text_units("incomprehensible")


columns = st.lists(
    st.builds(
        lambda least, extra, fixed, fraction: Column(least, least + extra, fixed, fraction),
        st.floats(0, 300),
        st.floats(0, 500),
        st.booleans(),
        st.sampled_from([0.0, 0.0, 0.1, 0.25, 0.5, 1.0]),
    ),
    min_size=1,
    max_size=8,
)


@given(columns, st.floats(0, 2000))
def test_columns_fill_the_table_and_never_go_below_what_they_need(asked: list[Column], available: float) -> None:
    widths = distribute(asked, available)
    assert all(width >= column.least - 1e-6 for width, column in zip(widths, asked, strict=True))
    least, most = natural_width(asked)
    assert least <= most
    assert sum(widths) == pytest.approx(max(available, least), abs=1e-6) or sum(c.fraction for c in asked) > 1


@given(
    st.lists(
        st.tuples(
            st.integers(1, 4),
            st.one_of(st.none(), st.floats(0, 300)),
            st.one_of(st.none(), st.floats(0, 1)),
        ),
        min_size=1,
        max_size=6,
    ),
    st.floats(0, 1000),
)
def test_fixed_layout_gives_every_column_a_width(
    row: list[tuple[int, float | None, float | None]], available: float
) -> None:
    widths = fixed_widths(row, available)
    assert len(widths) == sum(span for span, _, _ in row)
    assert all(width >= 0 for width in widths)
