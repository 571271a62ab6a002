"""Any HTML becomes rows or is rejected with a reason; nothing else ever comes out."""

from __future__ import annotations

import gc
import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors import tables
from extractors.extraction import attempt, extract
from extractors.isolation import extract_documents
from extractors.limits import Limits, Rejected
from extractors.packing import pack
from extractors.sources.sample import SampleOptions, generate
from extractors.tasks import DocumentTables, ExtractOptions, ExtractTask
from extractors.writing import arrow_tables, unpack

SAMPLE = [email.html for email in generate(SampleOptions(emails=15))]

HOSTILE = {
    "100k nested div": "<div>" * 100_000,
    "100k nested tables": "<table><tr><td>" * 100_000,
    "deep descendant selector": (
        "<style>b div div div div div div p{color:red}</style><b>" + "<div>" * 200 + "<p>x</p>" + "</div>" * 200
    ),
    "100k attributes": "<p " + " ".join(f"a{n}=1" for n in range(100_000)) + ">x",
    "nested parentheses in CSS": "<style>p{width:" + "(" * 5000 + "</style><p>x",
    "nested :not": "<style>" + ":not(" * 3000 + "p" + ")" * 3000 + "{color:red}</style><p>x",
    "100k elements": "<i></i>" * 100_000,
    "one enormous word": "x" * 1_000_000,
    "six megabytes": "a" * 6_000_000,
    "a million spaces": "<p>" + " " * 1_000_000 + "x",
    "spans by the million": "<table>" + "<tr><td colspan=1000000 rowspan=1000000>x" * 2000,
    "floats": "<div>" + "<div style='float:left;width:7px'>x</div>" * 4000,
    "links": "<div>" + "<a href=x>y</a> " * 8000,
    "512 deep": "<div>" * 500 + "text",
    "512 deep tables": "<table><tr><td>" * 160 + "text",
    "NUL": "\0" * 1000 + "<p>text\0text",
    "surrogates": "<p>\ud800\udfff text \ud83d",
    "unclosed": "<table><tr><td><a href='<p style=\"color:expression(alert(1))",
    "huge lengths": "<p style='width:1e308px;padding:1e308px;font-size:1e308px;margin:-1e308px'>x</p>",
    "infinite": "<table width=99999999999999999999><tr><td width=1e999%>x<td height=1e999>y",
    "negative": "<p style='margin-left:-9999px;line-height:-3;letter-spacing:-99px'>x</p>",
    "empty": "",
    "only a comment": "<!-- nothing -->",
}


def test_extraction_leaves_nothing_to_the_garbage_collector_it_pauses() -> None:
    extract(SAMPLE[0], "0")
    gc.collect()
    gc.freeze()  # what others have left is not looked through each time
    gc.disable()
    try:
        left = []
        for _ in range(5):  # other tests' threads may leave something at any moment, but not each time
            extract(SAMPLE[0], "0")
            assert not gc.isenabled(), "a caller's own pause goes on"
            left.append(gc.collect())
        assert min(left) == 0, "reference cycles would pile up while the collector is off"
    finally:
        gc.enable()
        gc.unfreeze()
    with pytest.raises(Rejected):
        extract("", "0")
    assert gc.isenabled()


def check(result: DocumentTables, doc_id: str) -> None:
    """The rows fit their schemas and refer to each other."""
    arrow = arrow_tables([result])
    fragments = set(arrow["fragments"]["fragment_id"].to_pylist())
    entities = set(arrow["entities"]["entity_id"].to_pylist())
    assert all(fragment.startswith(f"{doc_id}#") for fragment in fragments)
    assert set(arrow["occurrences"]["fragment_id"].to_pylist()) <= fragments
    assert set(arrow["occurrences"]["entity_id"].to_pylist()) == entities
    for column in ("source", "target"):
        assert set(arrow["neighbours"][column].to_pylist()) <= fragments
    for row in arrow["entities"].to_pylist():
        assert row["type"] in tables.ENTITY_TYPES
        json.loads(row["attributes"])


@pytest.mark.no_cover
@pytest.mark.parametrize("html", HOSTILE.values(), ids=HOSTILE)
def test_hostile_input_gives_rows_or_a_reason_within_its_limit(html: str) -> None:
    start = time.process_time()
    try:
        check(extract(html, "d"), "d")
    except Rejected as rejected:
        assert rejected.reason
        assert rejected.detail
    assert time.process_time() - start < Limits().seconds


def test_the_rows_of_an_email_are_complete_and_deterministic() -> None:
    for html in SAMPLE:
        result = extract(html, "0123456789abcdef")
        check(result, "0123456789abcdef")
        assert result.fragments
        assert result == extract(html, "0123456789abcdef")


def test_an_email_with_nothing_to_see_is_rejected_as_empty() -> None:
    with pytest.raises(Rejected, match="empty"):
        extract("<p style='display:none'>x</p>", "d")


def test_options_change_width_and_granularity() -> None:
    cards = extract(SAMPLE[0], "d")
    leaves = extract(SAMPLE[0], "d", ExtractOptions(granularity="leaf"))
    assert len(leaves.fragments) > len(cards.fragments)
    card = (
        "<div style='display:inline-block;width:300px'><h3>Card</h3><p>Some text that fills a card of its own</p></div>"
    )
    wide, narrow = extract(card * 2, "d"), extract(card * 2, "d", ExtractOptions(width=400))
    assert [relation for _, _, relation in wide.neighbours] == ["beside"]
    assert [relation for _, _, relation in narrow.neighbours] != ["beside"]


def test_attempt_turns_a_failure_into_a_row() -> None:
    options = ExtractOptions(limits=Limits(max_bytes=10))
    (row,) = attempt(ExtractTask("d", "a.html", "x" * 100), options).rejects
    assert row[:3] == ("d", "a.html", "too-large")
    (row,) = attempt(ExtractTask("d", "a.html", "", "OSError: gone"), options).rejects
    assert row == ("d", "a.html", "unreadable", "OSError: gone")


def test_documents_come_in_order_and_a_bad_one_costs_its_own_row() -> None:
    htmls = [SAMPLE[0], "", SAMPLE[1], "<div>" * 10_000, SAMPLE[2]]
    tasks = [ExtractTask(f"d{n}", f"{n}.html", html) for n, html in enumerate(htmls)]
    results = list(extract_documents(tasks, workers=2))
    assert [bool(result.fragments.rows) for result in results] == [True, False, True, False, True]
    assert unpack(results)["rejects"]["reason"].to_pylist() == ["empty", "too-deep"]
    assert results[4] == pack(extract(SAMPLE[2], "d4"))


def _mutated(draw: st.DrawFn) -> str:
    """Real markup with pieces cut out, doubled, moved and spoilt."""
    html = draw(st.sampled_from(SAMPLE))
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(html)))
        end = min(len(html), start + draw(st.integers(0, 400)))
        junk = draw(
            st.one_of(
                st.sampled_from(["", html[start:end] * 3, "</td>", "<table>", "<a>", "'", '"', "style='", "{", "<!--"]),
                st.text(max_size=20),
                st.sampled_from(
                    [
                        "<td width='-1%' colspan=0>",
                        "<p style='width:calc(1px/0);font-size:0'>",
                        "<img width=0 height=1e9>",
                        "<style>*{display:flex;float:left;width:33%}</style>",
                        "<style>td{display:block}tr{display:inline}</style>",
                        "<style>*{display:table-cell;position:absolute}</style>",
                        "<style>*{display:grid;border:1px solid;padding:50%}</style>",
                    ]
                ),
            )
        )
        html = html[:start] + junk + html[end:]
    return html


@given(st.composite(_mutated)())
def test_mutated_markup_never_lets_an_exception_escape(html: str) -> None:
    try:
        check(extract(html, "d"), "d")
    except Rejected as rejected:
        assert rejected.reason


@pytest.mark.slow
def test_every_licensed_email_is_extracted(shared_data: Path) -> None:
    files = sorted((shared_data / "emails" / "html").rglob("*.html"))
    assert files
    for file in files:
        check(extract(file.read_text("utf-8", "replace"), "d"), "d")
