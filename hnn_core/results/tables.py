"""A results table as plain cells, which Markdown and HTML then write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hnn_core.experiment import ExperimentSpec, TrialResult
from hnn_core.results.rows import Comparison, Row


@dataclass(frozen=True)
class Table:
    """A heading, column names and rows of text; ``best`` marks the best cell of each column."""

    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    best: frozenset[tuple[int, int]]


def result_tables(spec: ExperimentSpec, rows: Sequence[Row]) -> list[Table]:
    """One table a protocol and metric: models down, data sets across."""
    tables = []
    for metric in dict.fromkeys(row.metric for row in rows):
        for protocol in dict.fromkeys(row.protocol for row in rows):
            chosen = [row for row in rows if row.metric == metric and row.protocol == protocol]
            if chosen:
                tables.append(_table(spec, chosen, protocol, metric))
    return tables


def comparison_table(comparisons: Sequence[Comparison]) -> Table:
    """Paired differences against the best rival."""
    rows = tuple(
        (
            each.protocol,
            each.dataset,
            each.model,
            each.rival,
            f"{each.difference:+.4f}",
            "–" if each.p_value is None else f"{each.p_value:.2g}",
            str(each.trials),
            f"{each.gain:+.4f}",
        )
        for each in comparisons
    )
    columns = (
        "protocol",
        "data set",
        "model",
        "best rival",
        "mean difference",
        "p (paired t)",
        "trials",
        "above rivals' mean",
    )
    return Table("Against the best rival", columns, rows, frozenset())


def shortfalls(spec: ExperimentSpec, rows: Sequence[Row]) -> list[str]:
    """Where one of our rows is below the paper's figure for it."""
    return [
        f"{row.model} on {row.dataset}: {row.mean:.3f} against {row.paper:.3f} in the paper"
        for row in rows
        if row.paper is not None and spec.model(row.model).ours and round(row.mean, 3) < row.paper
    ]


def derived_features(results: Sequence[TrialResult]) -> str:
    """A sentence on the data sets whose features are not given, or nothing."""
    derived = sorted({result.dataset for result in results if result.features != "given"})
    if not derived:
        return ""
    return f"Features of {' and '.join(derived)} are derived from the hypergraph (φ = SVD), the others are given. "


def _table(spec: ExperimentSpec, rows: Sequence[Row], protocol: str, metric: str) -> Table:
    models = [each.label for each in spec.models if any(row.model == each.label for row in rows)]
    datasets = [name for name in spec.datasets if any(row.dataset == name for row in rows)]
    cells = {(row.model, row.dataset): row for row in rows}
    best = set()
    for column, dataset in enumerate(datasets, start=1):
        means = {i: cells[m, dataset].mean for i, m in enumerate(models) if (m, dataset) in cells}
        best.add((max(means, key=lambda i: means[i]), column))
    body = tuple(
        (model, *(_cell(cells.get((model, dataset)), spec.trials) for dataset in datasets)) for model in models
    )
    unit = {"auc": "AUC", "accuracy": "accuracy"}[metric]
    return Table(f"{unit}, {protocol}", ("model", *datasets), body, frozenset(best))


def _cell(row: Row | None, wanted_trials: int) -> str:
    if row is None:
        return "not run"
    text = f"{row.mean:.3f} ± {row.std:.3f}" if row.trials > 1 else f"{row.mean:.3f}"
    if row.paper is not None:
        text += f" (paper {row.paper:.3f}, {row.mean - row.paper:+.3f})"
    return text if row.trials >= wanted_trials else f"{text}, {row.trials} {'trial' if row.trials == 1 else 'trials'}"
