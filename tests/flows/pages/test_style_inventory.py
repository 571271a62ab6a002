"""Counts of the inventory are those of the tables."""

from collections import defaultdict
from dataclasses import replace

import pytest
from page_corpus import document, table
from page_corpus import entry as catalogued

from extractors import tables
from flows.pages import ReportInputs
from flows.pages.corpus import Corpus
from flows.pages.inventory import by_sender, inventory
from flows.pages.senders import senders


def test_figures_equal_a_plain_count_of_the_rows(inputs: ReportInputs) -> None:
    corpus = Corpus.of(inputs)
    doc_of = dict(zip(inputs.fragments["fragment_id"].to_pylist(), inputs.fragments["doc_id"].to_pylist(), strict=True))
    uses: dict[str, int] = defaultdict(int)
    fragments: dict[str, set[str]] = defaultdict(set)
    for row in inputs.occurrences.to_pylist():
        uses[row["entity_id"]] += row["count"]
        fragments[row["entity_id"]].add(row["fragment_id"])
    entries = [entry for of_type in inventory(inputs, corpus).values() for entry in of_type]
    assert len(entries) == inputs.entities.num_rows
    for entry in entries:
        emails = {doc_of[fragment] for fragment in fragments[entry.entity_id]}
        assert entry.uses == uses[entry.entity_id]
        assert entry.fragments == len(fragments[entry.entity_id])
        assert entry.emails == len(emails)
        assert entry.senders == len({email.rpartition("-")[0] for email in emails})
        assert entry.example is not None
        assert entry.example.fragment_id == next(f for f in corpus.fragment_ids if f in fragments[entry.entity_id])


def test_the_most_used_come_first(inputs: ReportInputs) -> None:
    for entries in inventory(inputs, Corpus.of(inputs)).values():
        assert [entry.uses for entry in entries] == sorted((entry.uses for entry in entries), reverse=True)


def test_text_stands_on_the_box_it_is_in(inputs: ReportInputs) -> None:
    texts = {e.signature: e for e in inventory(inputs, Corpus.of(inputs))["text-style"]}
    assert texts["font-size:12px;color:#8a8a8a"].ground == "#222222"
    assert texts["font-size:16px;color:#333333"].ground == "#ffffff"
    assert texts["font-size:16px;color:#ffffff"].ground == "#0b6e4f"


def test_a_button_is_labelled_with_its_own_words(inputs: ReportInputs) -> None:
    buttons = inventory(inputs, Corpus.of(inputs))["button-style"]
    assert {entry.label for entry in buttons} == {"Shop now", "Look", "Begin", "View"}
    assert all("border-radius" in entry.css and "padding:12px 24px" in entry.css for entry in buttons)


def test_an_outline_is_read_on_what_is_behind_it() -> None:
    outline = catalogued(
        "button-style", "background:transparent;radius:0px;color:#ffffff;font-size:16px", ground="#000000"
    )
    filled = catalogued("button-style", "background:#ffffff;radius:0px;color:#ffffff;font-size:16px", ground="#000000")
    assert (outline.contrast, filled.contrast) == (pytest.approx(21), pytest.approx(1))


def test_rows_that_refer_to_nothing_are_left_out(inputs: ReportInputs) -> None:
    stray = table([("nowhere#0", "text-style:none", 5, False, 0)], tables.OCCURRENCES)
    corpus = Corpus.of(replace(inputs, occurrences=stray))
    assert corpus.uses().sum() == 0
    assert all(entry.example is None for of in inventory(inputs, corpus).values() for entry in of)


def test_an_email_without_a_row_has_no_sender_name(inputs: ReportInputs) -> None:
    corpus = Corpus.of(replace(inputs, documents=tables.DOCUMENTS.empty_table()))
    assert corpus.senders == [""]


@pytest.fixture
def consistent() -> ReportInputs:
    """Sender s: two of three styles of its first email recur, one of two of its second. Sender t: one email."""
    fragments = [(f"{d}#0", d, 0, "text", 1, [1], 0, 0, "#ffffff", [], "") for d in ("s1", "s2", "t1")]
    styles = {
        name: ("text-style", f"font-size:{size}px;color:#000000")
        for name, size in zip("abcd", (10, 12, 14, 16), strict=True)
    }
    occurrences = [
        ("s1#0", "a"),
        ("s1#0", "b"),
        ("s1#0", "c"),
        ("s2#0", "a"),
        ("s2#0", "b"),
        ("s2#0", "d"),
        ("s2#0", "w"),
        ("t1#0", "a"),
    ]
    return ReportInputs(
        html_of=str,
        documents=table([document("s1", "s", ""), document("s2", "s", ""), document("t1", "t", "")], tables.DOCUMENTS),
        fragments=table(fragments, tables.FRAGMENTS),
        entities=table(
            [(n, *style, "{}") for n, style in styles.items()] + [("w", "word", "hi", "{}")], tables.ENTITIES
        ),
        occurrences=table([(f, e, 1, False, 1) for f, e in occurrences], tables.OCCURRENCES),
    )


def test_consistency_is_the_share_of_styles_that_recur(consistent: ReportInputs) -> None:
    corpus = Corpus.of(consistent)
    own = by_sender(corpus, inventory(consistent, corpus))
    s, t = senders(corpus, own)
    assert s.name == "s"
    assert s.consistency == pytest.approx((2 / 3 + 2 / 3) / 2)
    assert s.once == 2
    assert s.styles["text-style"] == 4
    assert (t.name, t.consistency) == ("t", None)
    assert [(entry.entity_id, entry.uses, entry.emails) for entry in own["s"]["text-style"]][:1] == [("a", 2, 2)]


def test_the_tidier_sender_comes_last(inputs: ReportInputs) -> None:
    corpus = Corpus.of(inputs)
    rows = senders(corpus, by_sender(corpus, inventory(inputs, corpus)))
    assert [row.consistency for row in rows] == sorted(row.consistency or 0 for row in rows)
    assert rows[0].palette and rows[0].button is not None
