"""The report's first screen: totals, the spectrum of colours, the paper's table, and what to take up first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from extractors.tables import ENTITY_TYPES
from flows.counting import percent
from flows.pages.contrast import Contrast
from flows.pages.corpus import Corpus
from flows.pages.duplicates import Merge
from flows.pages.inputs import ReportInputs
from flows.pages.inventory import Entry
from flows.pages.paper import NODE_STATISTICS
from flows.pages.senders import Sender
from flows.pages.styles import STYLE_TYPES, shortened
from hnn_core.colour import lab_of

Catalogue = Mapping[str, Sequence[Entry]]

_GREYS, _HUES = 16, 64  # of the spectrum; by use alone three quarters of it would be grey
_ENOUGH_EMAILS = 5  # of a sender that is named on the first screen: two emails show no habit


@dataclass(frozen=True)
class Totals:
    emails: int
    senders: int
    fragments: int
    entities: int
    styles: int
    of: Mapping[str, int]  # entities by type


@dataclass(frozen=True)
class CorpusRow:
    """One node type of this corpus beside the paper's figures; None where the hypergraph was not built."""

    type: str
    nodes: int
    max_degree: int | None
    mean_degree: float | None
    median_degree: float | None
    paper: tuple[str, ...]


@dataclass(frozen=True)
class Finding:
    """A figure large enough to read across the room, and where it leads."""

    anchor: str
    figure: str
    what: str
    detail: str


def totals(corpus: Corpus, catalogue: Catalogue) -> Totals:
    of = {type: len(catalogue.get(type, ())) for type in ENTITY_TYPES}
    return Totals(
        emails=len(corpus.doc_ids),
        senders=len(corpus.senders),
        fragments=len(corpus.fragment_ids),
        entities=sum(len(entries) for entries in catalogue.values()),
        styles=sum(of[type] for type in STYLE_TYPES),
        of=of,
    )


def corpus_rows(inputs: ReportInputs, total: Totals) -> list[CorpusRow]:
    known = {row["type"]: row for row in inputs.statistics.to_pylist()}
    rows = []
    for type in ENTITY_TYPES:
        row = known.get(type, {})
        nodes = row.get("nodes", total.fragments if type == "fragment" else total.of[type])
        degrees = (row.get("max_degree"), row.get("mean_degree"), row.get("median_degree"))
        published = tuple(f"{value:,}" for value in NODE_STATISTICS[type])
        rows.append(CorpusRow(type, nodes, *degrees, published))
    return rows


def spectrum(catalogue: Catalogue) -> list[tuple[str, float]]:
    """The most used colours with their weight: greys by lightness, then hues round the circle."""
    weight: Counter[str] = Counter()
    for type in STYLE_TYPES:
        for entry in catalogue.get(type, ()):
            for colour in entry.style.colours if entry.style else ():
                weight[colour[:7]] += entry.uses if len(colour) == 7 else 0
    weight.pop("#ffffff", None)  # two thirds of any corpus, and nothing to look at
    names = [colour for colour, uses in sorted(weight.items(), key=lambda c: (-c[1], c[0])) if uses]
    if not names:
        return []
    lab = lab_of(names)
    hue = np.degrees(np.arctan2(lab[:, 2], lab[:, 1])) % 360
    grey = np.hypot(lab[:, 1], lab[:, 2]) < 8
    greys = sorted(np.flatnonzero(grey)[:_GREYS], key=lambda i: -lab[i, 0])
    hues = sorted(np.flatnonzero(~grey)[:_HUES], key=lambda i: (hue[i] // 24, -lab[i, 0]))
    return [(names[i], round(math.sqrt(weight[names[i]]), 1)) for i in (*greys, *hues)]


def kinds(inputs: ReportInputs) -> list[tuple[str, int]]:
    """Fragments by kind, the most frequent first."""
    counted = Counter(inputs.fragments["kind"].to_pylist())
    return sorted(counted.items(), key=lambda kind: (-kind[1], kind[0]))[:12]


def statuses(inputs: ReportInputs) -> list[tuple[str, int]]:
    """Documents by what became of them: read, duplicate, or rejected and why."""
    columns = zip(inputs.documents["status"].to_pylist(), inputs.documents["reason"].to_pylist(), strict=True)
    counted = Counter(
        f"{status}: {reason}" if status == "rejected" and reason else status for status, reason in columns
    )
    return sorted(counted.items(), key=lambda status: (-status[1], status[0]))[:8]


def findings(
    total: Totals, merges: Sequence[Merge], rated: Sequence[Contrast], catalogue: Catalogue, rows: Sequence[Sender]
) -> list[Finding]:
    """What to take up first; a finding without a case is not one."""
    found = []
    if saved := sum(merge.saves for merge in merges):
        changes = f"Merging them takes changes in {sum(merge.changes for merge in merges):,} places."
        found.append(Finding("merge", f"{saved:,}", "styles nearly repeat another of their sender", changes))
    failing = [pair for pair in rated if not pair.passes]
    if failing:
        uses = sum(pair.entry.uses for pair in failing)
        share = f"{percent(len(failing) / len(rated))} of all pairs, in {uses:,} places."
        found.append(Finding("contrast", f"{len(failing):,}", "colour pairs are hard to read", share))
    once = sum(entry.uses == 1 for type in STYLE_TYPES for entry in catalogue.get(type, ()))
    if once:
        share = percent(once / total.styles)
        found.append(Finding("once", share, "of all styles are used once", f"{once:,} styles for one place each."))
    first = next((row for row in rows if row.emails >= _ENOUGH_EMAILS), None)
    if first is not None and first.consistency is not None:
        what = f"of {shortened(first.name, 28) or 'unknown sender'}’s styles recur in its emails"
        detail = f"The least of all senders with {_ENOUGH_EMAILS} emails or more; it has {first.emails:,}."
        found.append(Finding("senders", percent(first.consistency), what, detail))
    return found
