"""The report is whole, self-contained, bounded, and the same every time."""

import hashlib
import re
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from page_corpus import FONT, document, table
from selectolax.lexbor import LexborHTMLParser

from extractors import tables
from flows.pages import ReportInputs, write_report
from flows.pages import inputs as schemas
from flows.pages.cases import Cases, asked_about
from flows.pages.corpus import Corpus
from flows.pages.inventory import inventory

EMAIL = "<table width=600><tr><td style='background:#0b6e4f;padding:12px 24px'><a href=#>Go</a></td></tr></table>"


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def sections(page: str) -> set[str]:
    return {node.id or "" for node in LexborHTMLParser(page).css("section")}


@pytest.fixture(scope="module")
def report(inputs: ReportInputs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(inputs, tmp_path_factory.mktemp("report"))


def test_every_part_is_there(report: Path) -> None:
    assert sections(report.read_text(encoding="utf-8")) == {
        *("findings", "corpus", "buttons", "texts", "pairs", "backgrounds", "words", "images", "merge", "contrast"),
        *("once", "senders", "recommendations", "metrics", "map", "exports"),
    }
    figures = (report.parent / "metrics.html").read_text(encoding="utf-8")
    assert sections(figures) == {"protocols", "composed", "training", "nodes"}


def test_the_same_tables_give_the_same_bytes(inputs: ReportInputs, report: Path, tmp_path: Path) -> None:
    write_report(inputs, tmp_path)
    assert files(tmp_path) == files(report.parent)


def test_the_order_of_rows_does_not_change_the_figures(inputs: ReportInputs, report: Path, tmp_path: Path) -> None:
    order = np.random.default_rng(0).permutation(inputs.occurrences.num_rows)
    shuffled = replace(inputs, occurrences=inputs.occurrences.take(order))
    write_report(shuffled, tmp_path)
    assert (tmp_path / "exports/inventory.csv").read_bytes() == (report.parent / "exports/inventory.csv").read_bytes()


def test_every_link_leads_somewhere(report: Path) -> None:
    pages = {path.name: LexborHTMLParser(path.read_text(encoding="utf-8")) for path in report.parent.glob("*.html")}
    for tree in pages.values():
        for node in tree.css("a[href]"):
            target, _, anchor = (node.attributes["href"] or "").partition("#")
            assert not target or (report.parent / target).is_file()
            if anchor:
                assert (pages[target] if target else tree).css_first(f"#{anchor}") is not None


def test_ids_are_unique(report: Path) -> None:
    ids = [node.id for node in LexborHTMLParser(report.read_text(encoding="utf-8")).css("[id]")]
    assert len(ids) == len(set(ids))


def test_there_is_no_script_no_address_and_a_strict_policy(report: Path) -> None:
    for path in report.parent.glob("*.html"):
        page = path.read_text(encoding="utf-8")
        tree = LexborHTMLParser(page)
        policy = tree.css_first("meta[http-equiv=Content-Security-Policy]")
        assert policy is not None
        assert "default-src 'none'" in (policy.attributes["content"] or "")
        assert "script" not in (policy.attributes["content"] or "")
        assert not tree.css("script, link, object, embed, form, base, img")
        assert not [name for node in tree.css("*") for name in node.attributes if name.startswith("on")]
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", re.sub(r"<code>.*?</code>", "", page))
        for frame in tree.css("iframe"):
            assert frame.attributes["sandbox"] == ""
            assert "default-src 'none'" in (frame.attributes["srcdoc"] or "")
            assert frame.attributes["title"]


def test_the_held_out_style_is_marked_and_every_suggestion_is_drawn(report: Path, inputs: ReportInputs) -> None:
    tree = LexborHTMLParser(report.read_text(encoding="utf-8"))
    cases = tree.css(".case")
    assert len(cases) == len(set(inputs.recommendations["fragment_id"].to_pylist()))
    assert all(len(case.css("iframe")) == 4 for case in cases)
    truths = sum(inputs.recommendations["truth"].to_pylist())
    assert len(tree.css(".case .truth")) == truths > 0
    reasons = [reason.text() for reason in cases[0].css_first(".why").css("li")]
    assert reasons[0].endswith("(northwind)"), "a fragment is named by its words and sender"
    assert reasons[1] == "words"


def test_of_two_buttons_the_hidden_one_is_redrawn() -> None:
    present = [{"entity_id": "first", "element": 11}, {"entity_id": "second", "element": 22}]
    ranked = [{"entity_id": "first", "truth": False}, {"entity_id": "second", "truth": True}]
    assert asked_about(present, ranked) == 22
    assert asked_about(present, ranked[:1]) == 11
    assert asked_about([], ranked) is None


def test_cases_are_drawn_by_lot_one_of_each_sender_in_turn(inputs: ReportInputs) -> None:
    corpus = Corpus.of(inputs)
    cases = Cases(inputs, corpus, inventory(inputs, corpus))
    order = cases.drawn_by_lot(100)
    assert {fragment.partition("-")[0] for fragment, _ in order[:2]} == {"northwind", "fabrikam"}
    assert sorted(order) == sorted(set(order))
    assert cases.drawn_by_lot(3) == order[:3]


def test_an_empty_corpus_has_a_report_too(tmp_path: Path) -> None:
    page = write_report(ReportInputs(html_of=str), tmp_path).read_text(encoding="utf-8")
    assert "No styles were extracted" in page
    assert sections(page) == {"corpus"}
    assert (tmp_path / "exports/inventory.csv").is_file()


@pytest.mark.parametrize("name", [name.name for name in fields(ReportInputs) if name.name in schemas.SCHEMAS])
def test_any_table_may_be_empty(inputs: ReportInputs, name: str, tmp_path: Path) -> None:
    assert write_report(replace(inputs, **{name: schemas.SCHEMAS[name].empty_table()}), tmp_path).is_file()


def test_a_missing_column_is_named(inputs: ReportInputs) -> None:
    with pytest.raises(ValueError, match=r"'metrics' lacks the column\(s\) ceiling"):
        replace(inputs, metrics=inputs.metrics.drop_columns(["ceiling"]))


def test_hostile_values_are_text_or_not_there(hostile: ReportInputs, tmp_path: Path) -> None:
    write_report(hostile, tmp_path)
    for path in tmp_path.glob("*.html"):
        page = path.read_text(encoding="utf-8")
        tree = LexborHTMLParser(page)
        assert not tree.css("script, img")
        assert len(tree.css("style")) == 1
        assert FONT[:200] not in page
        assert max(len(line) for line in re.sub(r'srcdoc="[^"]*"', "", page).splitlines()) < 20_000
        for node in tree.css("[style]"):
            style = node.attributes["style"] or ""
            assert re.fullmatch(r"[a-z0-9 #%.,:;\"A-Z-]*", style), style
            assert "url" not in style
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "&lt;script&gt;alert(3)&lt;/script&gt;" in report


def large_corpus(fragments: int) -> ReportInputs:
    """As many fragments as the paper's corpus, with as many styles."""
    rng = np.random.default_rng(0)
    emails = fragments // 10
    colours = [f"#{number:06x}" for number in rng.integers(0, 2**24, 3000)]
    inks, grounds = rng.choice(colours, 14_700), rng.choice(colours, 14_700)
    sizes, radii = rng.integers(9, 48, 14_700), rng.integers(0, 30, 14_700)
    signatures = {
        "button-style": [
            f"background:{grounds[n]};radius:{radii[n]}px;color:#ffffff;font-size:{sizes[n]}px" for n in range(2400)
        ],
        "text-style": [f"font-size:{sizes[n]}px;color:{inks[n]}" for n in range(14_700)],
        "color-pair": [f"background:{grounds[n]};color:{inks[n]}" for n in range(2800)],
        "background-style": [f"background:{colour}" for colour in colours[:800]],
        "word": [f"word{number}" for number in range(31_700)],
        "image": [f"https://cdn.example/{number}.png" for number in range(7700)],
    }
    entities = {
        (type, signature): f"{type}:{hashlib.sha256(signature.encode()).hexdigest()[:16]}"
        for type, of in signatures.items()
        for signature in of
    }
    ids = np.array(list(entities.values()))
    per_fragment = 30
    chosen = ids[(rng.pareto(0.6, fragments * per_fragment) * 20).astype(np.int64) % len(ids)]
    fragment_ids = [f"{number // 10:016x}#{number % 10}" for number in range(fragments)]
    occurrences = pa.table(
        {
            "fragment_id": np.repeat(fragment_ids, per_fragment),
            "entity_id": chosen,
            "count": np.ones(len(chosen), np.int32),
            "from_button": np.zeros(len(chosen), bool),
            "element": np.full(len(chosen), 6, np.int32),
        }
    )
    buttons = [(entity, signature) for (type, signature), entity in entities.items() if type == "button-style"]
    return ReportInputs(
        html_of=lambda _: EMAIL,
        documents=table(
            [document(f"{number:016x}", f"sender{number % 200}", "") for number in range(emails)], tables.DOCUMENTS
        ),
        fragments=table(
            [(f, f[:16], n % 10, "text", 5, [5], 0, 0, "#ffffff", [], f"text {n}") for n, f in enumerate(fragment_ids)],
            tables.FRAGMENTS,
        ),
        entities=table([(i, type, signature, "{}") for (type, signature), i in entities.items()], tables.ENTITIES),
        occurrences=occurrences,
        recommendations=table(
            [
                (fragment, "button", rank, *buttons[(n + rank) % len(buttons)], 1 / rank, rank == 2, [fragment])
                for n, fragment in enumerate(fragment_ids)
                for rank in range(1, 6)
            ],
            schemas.RECOMMENDATIONS,
        ),
    )


@pytest.mark.slow
@pytest.mark.no_cover
def test_twenty_five_thousand_fragments_stay_a_page_people_can_open(tmp_path: Path) -> None:
    report = write_report(large_corpus(25_000), tmp_path)
    sizes = {name: len(content) for name, content in files(tmp_path).items()}
    assert report.stat().st_size < 3_000_000
    pages = {name: size for name, size in sizes.items() if name.endswith(".html")}
    assert len(pages) < 50
    assert max(pages.values()) < 3_000_000
    assert sum(sizes.values()) < 60_000_000
