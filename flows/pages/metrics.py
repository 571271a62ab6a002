"""Figures as tables people read: metrics of every protocol, and the variants' training."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from flows.pages.paper import RECOMMENDATION
from flows.pages.styles import STYLE_TYPES, TARGETS

PROTOCOLS = {
    "link": "20 % of fragment–style links held out, as in the paper",
    "link-strict": "as link, and what only the hidden button would give away is removed",
    "email": "all links of 20 % of the emails held out",
    "email-strict": "as email, and what only the hidden button would give away is removed",
    "sender": "whole senders held out: the cold start",
    "sender-strict": "as sender, and what only the hidden button would give away is removed",
}


_METRIC = re.compile(r"(?:(?P<scope>[a-z]+)_)?(?P<name>hr|ndcg)_at_(?P<k>\d+)")
_NAMES = {"hr": "HR", "ndcg": "nDCG", "mrr": "MRR", "auc": "AUC"}

Values = dict[str, dict[str, list[float]]]  # by row and column, one value a seed

FEW = 30
"""Fewer test links than this decide nothing: one more hit would move the figure by more than three hundredths."""


@dataclass(frozen=True)
class HeldOut:
    """How many held-out links, or buttons, a figure is the mean of; over seeds, the mean number."""

    number: int

    @classmethod
    def of(cls, numbers: Sequence[int | None]) -> HeldOut | None:
        known = [number for number in numbers if number is not None]
        return cls(round(float(np.mean(known)))) if known else None

    @property
    def few(self) -> bool:
        return self.number < FEW


@dataclass(frozen=True)
class Cell:
    mean: float
    deviation: float | None  # over seeds, where there are several
    best: bool  # alone at the top of its column, at the precision it is printed in
    tied: bool  # at the top with others

    @property
    def text(self) -> str:
        return printed(self.mean)


@dataclass(frozen=True)
class Row:
    name: str
    cells: tuple[Cell | None, ...]
    paper: bool = False  # the paper's figure, on the paper's corpus


@dataclass(frozen=True)
class FigureTable:
    """Rows by columns; for recommendations one protocol of one target."""

    title: str
    explanation: str
    ceiling: float | None
    columns: tuple[str, ...]  # as printed
    rows: tuple[Row, ...]
    tested: tuple[HeldOut | None, ...] = ()  # one for each column, or one for all of them


def recommendation_tables(metrics: pa.Table) -> dict[str, list[FigureTable]]:
    """Tables by target, protocols in the order of PROTOCOLS, the best method first."""
    values: dict[tuple[str, str], Values] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    ceilings: dict[tuple[str, str], list[float]] = defaultdict(list)
    links: dict[tuple[str, str], list[int | None]] = defaultdict(list)
    for row in metrics.to_pylist():
        spot = (TARGETS.get(row["target"], row["target"]), row["protocol"])
        values[spot][row["method"]][row["metric"]].append(row["value"])
        links[spot].append(row["links"])
        if row["ceiling"] is not None and math.isfinite(row["ceiling"]):
            ceilings[spot].append(row["ceiling"])

    tables: dict[str, list[FigureTable]] = defaultdict(list)
    for target, protocol in sorted(values, key=lambda spot: (target_order(spot[0]), protocol_order(spot[1]))):
        methods = values[target, protocol]
        columns = sorted({metric for of in methods.values() for metric in of}, key=_metric_order)
        rows = ranked_rows(methods, columns, by="hr_at_10")
        if protocol == "link":
            published = RECOMMENDATION.get(target, {})
            once = {method: {m: [value] for m, value in of.items()} for method, of in published.items()}
            rows += [Row(row.name, row.cells, paper=True) for row in ranked_rows(once, columns, by="hr_at_10")]
        ceiling = ceilings[target, protocol]
        tables[target].append(
            FigureTable(
                protocol,
                PROTOCOLS.get(protocol, ""),
                float(np.mean(ceiling)) if ceiling else None,
                tuple(metric_name(metric) for metric in columns),
                tuple(rows),
                (HeldOut.of(links[target, protocol]),),
            )
        )
    return dict(tables)


@dataclass(frozen=True)
class Overview:
    """All protocols of one target side by side: one row a method, the headline figures of each protocol."""

    protocols: tuple[FigureTable, ...]
    columns: tuple[str, ...]  # of each protocol
    rows: tuple[Row, ...]


HEADLINES = ("HR@1", "HR@10")


def overview(tables: Sequence[FigureTable], headlines: Sequence[str] = HEADLINES) -> Overview | None:
    """The headline columns of every protocol, methods in the order of the first; None without any of them."""
    columns = tuple(name for name in headlines if all(name in table.columns for table in tables))
    if not columns:
        return None
    place = {(table.title, row.name, row.paper): row for table in tables for row in table.rows}
    names = dict.fromkeys((row.paper, row.name) for table in tables for row in table.rows if _any(table, row, columns))
    rows = []
    for paper, name in sorted(names, key=lambda pair: pair[0]):
        cells: list[Cell | None] = []
        for table in tables:
            row = place.get((table.title, name, paper))
            cells += [row.cells[table.columns.index(column)] if row else None for column in columns]
        rows.append(Row(name, tuple(cells), paper))
    return Overview(tuple(tables), columns, tuple(rows))


def _any(table: FigureTable, row: Row, columns: Sequence[str]) -> bool:
    return any(row.cells[table.columns.index(column)] is not None for column in columns)


def training_table(training: pa.Table) -> FigureTable | None:
    """One row a variant, a column for every figure the table has; AUC first."""
    if not training.num_rows:
        return None
    figures = [
        field.name
        for field in training.schema
        if (pa.types.is_floating(field.type) or pa.types.is_integer(field.type)) and field.name != "seed"
    ]
    figures.sort(key=lambda name: name != "auc")
    values: Values = defaultdict(lambda: defaultdict(list))
    for row in training.to_pylist():
        for name in figures:
            if row[name] is not None:
                values[row["variant"]][name].append(row[name])
    columns = tuple(metric_name(name) for name in figures)
    return FigureTable("Variants", "", None, columns, tuple(ranked_rows(values, figures, by="auc")))


def metric_name(metric: str) -> str:
    """``hr_at_10`` as ``HR@10``, ``macro_hr_at_10`` as ``macro HR@10``."""
    match = _METRIC.fullmatch(metric)
    if match is None:
        return " ".join(_NAMES.get(word, word) for word in metric.split("_"))
    return f"{match['scope'] or ''} {_NAMES[match['name']]}@{match['k']}".strip()


def printed(value: float) -> str:
    """Three decimals for shares, none for counts."""
    return f"{value:.3f}" if (abs(value) < 10 and value != int(value)) or abs(value) <= 1 else f"{value:,.0f}"


def ranked_rows(values: Mapping[str, Mapping[str, list[float]]], columns: Sequence[str], by: str) -> list[Row]:
    """The best row by one column first; the largest share of every column is marked, alone or tied."""
    means = {name: {c: float(np.mean(of[c])) for c in columns if of.get(c)} for name, of in values.items()}
    printed_means = {c: [round(of[c], 3) for of in means.values() if c in of] for c in columns}

    def cell(name: str, column: str) -> Cell | None:
        mean = means[name].get(column)
        if mean is None:
            return None
        seeds = values[name][column]
        # A best among seconds or epochs means nothing: only shares are compared.
        top = max(printed_means[column])
        first = len(values) > 1 and 0 < top <= 1 and round(mean, 3) == top
        alone = printed_means[column].count(top) == 1
        return Cell(mean, float(np.std(seeds)) if len(seeds) > 1 else None, first and alone, first and not alone)

    # Equal in the one column, the better in all of them comes first.
    order = sorted(values, key=lambda name: (-round(means[name].get(by, -1.0), 3), -sum(means[name].values()), name))
    return [Row(name, tuple(cell(name, column) for column in columns)) for name in order]


def target_order(target: str) -> tuple[int, str]:
    known = target in STYLE_TYPES
    return STYLE_TYPES.index(target) if known else len(STYLE_TYPES), target


def protocol_order(protocol: str) -> tuple[int, str]:
    known = list(PROTOCOLS)
    return known.index(protocol) if protocol in known else len(known), protocol


def _metric_order(metric: str) -> tuple[bool, str, int, str]:
    match = _METRIC.fullmatch(metric)
    if match is None:
        return True, "", 0, metric
    return match["scope"] is not None, match["name"], int(match["k"]), metric
