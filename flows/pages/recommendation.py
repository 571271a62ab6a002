"""Style recommendation beyond the protocols' tables: the paper's four, near twins, and composed styles."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import pyarrow as pa

from flows.pages.metrics import (
    FigureTable,
    HeldOut,
    Overview,
    Row,
    Values,
    metric_name,
    overview,
    protocol_order,
    ranked_rows,
    target_order,
)
from flows.pages.paper import RECOMMENDATION
from flows.pages.styles import TARGETS

#: What the paper compares in section 5, as our methods are called, and the recommender beside them.
PAPER_METHODS = {
    "recommender": "Recommender",
    "HNN, hyperedge loss, z·z": "HNN",
    "HyperGCN z·z": "HyperGCN",
    "popularity": "Popularity",
    "random": "Random",
}
_AT = (1, 10, 25, 50)
_TWINS = ("below 0.4", "0.4 to 0.8", "0.8 and more")
_ATTRIBUTES = {
    "background": "fill",
    "color": "text colour",
    "size": "size",
    "radius": "radius",
    "all": "all four",
    "readable": "readable",
    "visible": "visible",
}


def paper_tables(metrics: pa.Table) -> dict[str, list[FigureTable]]:
    """HR@K and nDCG@K under ``link`` by target: this corpus above, the paper's figures below."""
    values: dict[str, Values] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    links: dict[str, list[int | None]] = defaultdict(list)
    for row in metrics.to_pylist():
        name = PAPER_METHODS.get(row["method"])
        if row["protocol"] == "link" and name is not None:
            target = TARGETS.get(row["target"], row["target"])
            values[target][name][row["metric"]].append(row["value"])
            links[target].append(row["links"])
    return {
        target: [_paper_table(target, values[target], measure, HeldOut.of(links[target])) for measure in ("hr", "ndcg")]
        for target in sorted(values, key=target_order)
    }


def _paper_table(target: str, ours: Values, measure: str, tested: HeldOut | None) -> FigureTable:
    columns = [f"{measure}_at_{k}" for k in _AT]
    published = {name: {c: [value] for c, value in of.items()} for name, of in RECOMMENDATION.get(target, {}).items()}
    theirs = [Row(row.name, row.cells, paper=True) for row in ranked_rows(published, columns, by=columns[1])]
    return FigureTable(
        f"{metric_name(columns[0]).partition('@')[0]}@K",
        "the paper’s protocol and rivals",
        None,
        tuple(metric_name(column) for column in columns),
        (*ranked_rows(ours, columns, by=columns[1]), *theirs),
        (tested,),
    )


def twin_overviews(twins: pa.Table) -> dict[str, Overview]:
    """HR@10 by target, split by how near the nearest training email is: near-duplicates carry much of any score."""
    values: dict[tuple[str, str], Values] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    links: dict[tuple[str, str, str], list[int | None]] = defaultdict(list)
    for row in twins.to_pylist():
        if row["metric"] == "hr_at_10":
            spot = TARGETS.get(row["target"], row["target"]), row["protocol"]
            values[spot][row["method"]][row["twin"]].append(row["value"])
            links[*spot, row["twin"]].append(row["links"])
    tables: dict[str, list[FigureTable]] = defaultdict(list)
    for target, protocol in sorted(values, key=lambda spot: (target_order(spot[0]), protocol_order(spot[1]))):
        rows = ranked_rows(values[target, protocol], _TWINS, by=_TWINS[0])
        tested = tuple(HeldOut.of(links[target, protocol, twin]) for twin in _TWINS)
        tables[target].append(FigureTable(protocol, "", None, _TWINS, tuple(rows), tested))
    return {target: summary for target, of in tables.items() if (summary := overview(of, _TWINS)) is not None}


def composed_tables(composed: pa.Table) -> list[FigureTable]:
    """Shares of buttons of unknown senders whose attributes are right, by method."""
    values: dict[str, Values] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    buttons: dict[str, list[int | None]] = defaultdict(list)
    for row in composed.to_pylist():
        values[row["protocol"]][row["method"]][row["attribute"]].append(row["value"])
        buttons[row["protocol"]].append(row["buttons"])
    return [
        _composed_table(protocol, values[protocol], HeldOut.of(buttons[protocol]))
        for protocol in sorted(values, key=protocol_order)
    ]


def _composed_table(
    protocol: str, values: Mapping[str, Mapping[str, list[float]]], tested: HeldOut | None
) -> FigureTable:
    columns: Sequence[str] = [name for name in _ATTRIBUTES if any(name in of for of in values.values())]
    names = tuple(_ATTRIBUTES[name] for name in columns)
    return FigureTable(protocol, "", None, names, tuple(ranked_rows(values, columns, by="all")), (tested,))
