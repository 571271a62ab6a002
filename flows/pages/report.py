"""The report: a folder with ``report.html``, all figures in ``metrics.html``, pages of long lists, ``exports/``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from flows.pages.cases import Cases
from flows.pages.charts import learning_curves
from flows.pages.contrast import LEVELS, Contrast, contrasts
from flows.pages.corpus import Corpus
from flows.pages.duplicates import Merge, merges
from flows.pages.exports import write_exports
from flows.pages.inputs import ReportInputs
from flows.pages.inventory import Entry, by_sender, inventory
from flows.pages.metrics import (
    FEW,
    HEADLINES,
    PROTOCOLS,
    FigureTable,
    Overview,
    overview,
    recommendation_tables,
    training_table,
)
from flows.pages.quality import composed_quality, quality
from flows.pages.recommendation import composed_tables, paper_tables, twin_overviews
from flows.pages.rendering import render
from flows.pages.senders import senders
from flows.pages.shelves import Shelf, shelve
from flows.pages.stylemap import HEIGHT, WIDTH, islands, style_map
from flows.pages.styles import STYLE_TYPES
from flows.pages.summary import corpus_rows, findings, kinds, spectrum, statuses, totals

#: How many the report itself shows of each; the rest is in the pages beside it and in the exports.
MERGES, ONCE, SENDERS, CONTRASTS, CASES = 4, 6, 60, 24, 6


@dataclass(frozen=True)
class Part:
    """One part of the inventory."""

    id: str
    title: str
    text: str
    shown: int
    a_page: int


INVENTORY = {
    "button-style": Part(
        "buttons",
        "Buttons",
        "Each drawn as it is: fill, label, corner and size, on the background it is mostly seen on. "
        "The tag is the contrast of its label.",
        16,
        300,
    ),
    "text-style": Part("texts", "Text", "Size and colour, on the background each is mostly seen on.", 18, 400),
    "color-pair": Part("pairs", "Colour pairs", "Text on the background it really stands on.", 18, 400),
    "background-style": Part("backgrounds", "Backgrounds", "The colours behind whole sections.", 18, 400),
    "word": Part("words", "Words", "Extracted, but not used for learning styles.", 80, 2000),
    "image": Part(
        "images",
        "Images",
        "By content, or by address without its query; as text: nothing is fetched.",
        10,
        500,
    ),
}


NAMES = {type: part.title for type, part in INVENTORY.items()}


@dataclass(frozen=True)
class MergeGroup:
    shown: Sequence[Merge]
    saves: int
    changes: int
    rest: int


@dataclass(frozen=True)
class Level:
    number: int
    name: str
    pairs: int
    uses: int


@dataclass(frozen=True)
class TargetFigures:
    """How well styles of one type are recommended."""

    target: str
    overview: Overview | None
    macro: Overview | None  # each style counts once
    twins: Overview | None
    paper: Sequence[FigureTable]
    protocols: Sequence[FigureTable]


@dataclass(frozen=True)
class Once:
    """Styles of one type that are used in one place."""

    type: str
    number: int
    total: int
    shown: Sequence[Entry]

    @property
    def share(self) -> float:
        return self.number / self.total


CONTRAST = (
    "Every text colour on the background it really stands on, by WCAG 2: 4.5 to 1 is wanted for text, 3 to 1 for text "
    "of 24 px and up. Beside each failing pair, the nearest text colour that would read."
)
RECOMMENDED = (
    "Fragments as they are, and redrawn with the styles the model ranks highest. A green frame is the style the "
    "designer chose, which the model was not shown. The fragments are drawn by lot, not picked."
)


def write_report(inputs: ReportInputs, out_dir: Path, fragments: int = 120) -> Path:
    """Write the report and return its path. The same tables give the same bytes.

    ``fragments`` bounds how many fragments are shown with their recommendations, over all pages.
    """
    out_dir.mkdir(parents=True, exist_ok=True)
    corpus = Corpus.of(inputs)
    catalogue = inventory(inputs, corpus)
    write_exports(catalogue, out_dir / "exports")

    total = totals(corpus, catalogue)
    own = by_sender(corpus, catalogue)
    found = merges(own)
    rated = contrasts(catalogue.get("color-pair", ()))
    sender_rows = senders(corpus, own)
    cases = Cases(inputs, corpus, catalogue)
    figures = _metric_tables(inputs)
    composed = composed_tables(inputs.composed)
    dots = style_map(corpus, catalogue, inputs.embeddings)
    qualities = [of for figure in figures if (of := quality(figure.target, figure.protocols)) is not None]
    shared = {"title": inputs.title, "note": inputs.note, "qualities": qualities, "names": NAMES}

    page = render(
        "report.html.j2",
        **shared,
        totals=total,
        spectrum=spectrum(catalogue),
        findings=findings(total, [merge for of in found.values() for merge in of], rated, catalogue, sender_rows),
        kinds=kinds(inputs),
        statuses=statuses(inputs),
        inventory=_inventory(out_dir, inputs.title, catalogue),
        merges={type: _merge_group(of) for type, of in found.items() if of},
        contrast=shelve(out_dir, inputs.title, "contrast", "Contrast", CONTRAST, "contrast", rated, CONTRASTS, 400),
        levels=_levels(rated),
        once=_once(catalogue),
        sender_rows=sender_rows[:SENDERS],
        senders_rest=max(len(sender_rows) - SENDERS, 0),
        cases=shelve(
            out_dir,
            inputs.title,
            "recommendations",
            "Recommended",
            RECOMMENDED,
            "cases",
            cases.drawn_by_lot(fragments),
            CASES,
            24,
            made=cases.cases,
        ),
        composed=composed_quality(composed),
        map=dots,
        islands=islands(corpus, dots),
        map_size=(WIDTH, HEIGHT),
    )
    all_figures = render(
        "metrics.html.j2",
        **shared,
        protocols=PROTOCOLS,
        few=FEW,
        metric_tables=figures,
        composed_tables=composed,
        training=training_table(inputs.training),
        charts=learning_curves(inputs.curves),
        corpus_rows=corpus_rows(inputs, total),
    )
    (out_dir / "metrics.html").write_text(all_figures, encoding="utf-8")
    path = out_dir / "report.html"
    path.write_text(page, encoding="utf-8")
    return path


def _inventory(out: Path, title: str, catalogue: Mapping[str, Sequence[Entry]]) -> list[Shelf]:
    return [
        shelve(out, title, part.id, part.title, part.text, type, catalogue[type], part.shown, part.a_page)
        for type, part in INVENTORY.items()
        if catalogue.get(type)
    ]


def _merge_group(found: Sequence[Merge]) -> MergeGroup:
    saves, changes = sum(merge.saves for merge in found), sum(merge.changes for merge in found)
    return MergeGroup(found[:MERGES], saves, changes, max(len(found) - MERGES, 0))


def _metric_tables(inputs: ReportInputs) -> list[TargetFigures]:
    paper, twins = paper_tables(inputs.metrics), twin_overviews(inputs.twins)
    return [
        TargetFigures(
            target,
            overview(tables),
            overview(tables, [f"macro {name}" for name in HEADLINES]),
            twins.get(target),
            paper.get(target, ()),
            tables,
        )
        for target, tables in recommendation_tables(inputs.metrics).items()
    ]


def _levels(rated: Sequence[Contrast]) -> list[Level]:
    return [
        Level(
            number,
            name,
            sum(pair.level == name for pair in rated),
            sum(pair.entry.uses for pair in rated if pair.level == name),
        )
        for number, (name, _) in enumerate(LEVELS)
    ]


def _once(catalogue: Mapping[str, Sequence[Entry]]) -> list[Once]:
    rows = []
    for type in STYLE_TYPES:
        entries = catalogue.get(type, ())
        alone = [entry for entry in entries if entry.uses == 1]
        if alone:
            rows.append(Once(type, len(alone), len(entries), [entry for entry in alone if entry.style][:ONCE]))
    return rows
