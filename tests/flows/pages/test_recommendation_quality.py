"""The recommender's figures as a designer reads them: a sentence, a small table, and what they rest on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from page_corpus import document, table
from selectolax.lexbor import LexborHTMLParser

from extractors import tables
from flows.pages import ReportInputs, write_report
from flows.pages import inputs as schemas
from flows.pages.metrics import HeldOut, recommendation_tables
from flows.pages.quality import composed_quality, in_ten, quality
from flows.pages.recommendation import composed_tables


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0, "none"),
        (0.02, "fewer than 1 in 10"),
        (0.54, "about 5 in 10"),
        (0.97, "more than 9 in 10"),
        (1.0, "all"),
    ],
)
def test_shares_are_said_in_tenths_and_never_rounded_to_none_or_all(share: float, words: str) -> None:
    assert in_ten(share) == words


def test_the_sentence_is_about_whole_emails_where_they_were_hidden(inputs: ReportInputs) -> None:
    found = quality("button-style", recommendation_tables(inputs.metrics)["button-style"])
    assert found is not None
    first, second = found.situations
    assert first.sentence == "the buttons of every fifth email were hidden"
    assert (first.first, first.ten, first.possible) == pytest.approx((0.56, 0.7, 0.76))
    assert first.tested == HeldOut(40)
    assert second.hidden == "every fifth one, anywhere"


def test_methods_other_than_the_recommender_make_no_sentence() -> None:
    rows = [("button", "link", "popularity", f"hr_at_{k}", 0.2, 0.8, 50) for k in (1, 10)]
    assert quality("button-style", recommendation_tables(table(rows, schemas.METRICS))["button-style"]) is None


def test_composed_buttons_are_told_with_their_number(inputs: ReportInputs) -> None:
    found = composed_quality(composed_tables(inputs.composed))
    assert found is not None
    assert found.tested == HeldOut(17)
    assert ("all four", pytest.approx(0.6)) in found.shares


def test_the_page_shows_the_number_of_links_and_marks_few(inputs: ReportInputs, tmp_path: Path) -> None:
    rows = inputs.metrics.to_pylist()
    few = [row | {"links": 12 if row["protocol"] == "email" else 40} for row in rows]
    write_report(replace(inputs, metrics=inputs.metrics.from_pylist(few, inputs.metrics.schema)), tmp_path)
    report = LexborHTMLParser((tmp_path / "report.html").read_text(encoding="utf-8")).css_first("#metrics")
    assert "Only 12 were tested" in report.text()
    assert [row.css("td")[-1].text().split() for row in report.css("tbody tr")] == [["12", "few"], ["40"]]
    figures = LexborHTMLParser((tmp_path / "metrics.html").read_text(encoding="utf-8")).text()
    assert "12 links few" in figures
    assert "40 links" in figures


def test_a_sender_of_few_emails_is_not_named_on_the_first_screen(inputs: ReportInputs, tmp_path: Path) -> None:
    assert "#senders" not in first_screen(inputs, tmp_path / "few")
    rows = inputs.documents.to_pylist()
    one = [document(row["doc_id"], "northwind", row["subject"]) for row in rows]
    assert "#senders" in first_screen(replace(inputs, documents=table(one, tables.DOCUMENTS)), tmp_path / "enough")


def first_screen(inputs: ReportInputs, folder: Path) -> list[str | None]:
    page = LexborHTMLParser(write_report(inputs, folder).read_text(encoding="utf-8"))
    return [link.attributes["href"] for link in page.css(".findings a")]
