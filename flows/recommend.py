"""Stage recommend: how well styles are recommended under every protocol, and the recommendations themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.errors import HnnError
from flows.runner import open_runner
from flows.stage import Context, Stage, table_input

if TYPE_CHECKING:
    from hnn_core.recommend.corpus import EmailTables, Observed
    from hnn_core.tasks.style_recommendation import Evaluation, StyleRecommendation

#: What style recommendation learns from.
EMAIL_TABLES = {
    "documents": "scrape/documents.parquet",
    "fragments": "extract/fragments.parquet",
    "entities": "extract/entities.parquet",
    "occurrences": "extract/occurrences.parquet",
    "neighbours": "extract/neighbours.parquet",
}


def run(context: Context) -> Mapping[str, Any]:
    from hnn_core.recommend.queries import NonFiniteScoresError
    from hnn_core.tasks.style_recommendation import observe

    cells = _cells(context)
    context.progress.start("recommend", total=len(cells))
    found = []
    try:
        for cell, evaluation in zip(
            cells, _evaluated(context, observe(email_tables(context.inputs)), cells), strict=True
        ):
            found.append(evaluation)
            context.progress.advance(1, note=f"{cell[0].target}, {cell[0].protocol}")
    except NonFiniteScoresError as error:
        raise HnnError(f"stage recommend: {error}") from None
    _write(context.out, found)
    table = _hit_rates([row for evaluation in found for row in evaluation.metrics])
    return {
        "recommendations": sum(len(evaluation.recommendations) for evaluation in found),
        "hr_at_10": table,
        "metrics": _main_metrics(table) | _composed([row for evaluation in found for row in evaluation.composed]),
    }


def email_tables(inputs: Mapping[str, Path]) -> EmailTables:
    """The tables of the email stages, in the task's vocabulary."""
    from hnn_core.recommend.corpus import EmailTables

    return EmailTables(**{name: table_input(inputs, path) for name, path in EMAIL_TABLES.items()})


def evaluate_cell(cell: tuple[StyleRecommendation, int], observed: Observed) -> Evaluation:
    """One target, protocol and seed: a batch for a runner."""
    from hnn_core.tasks.style_recommendation import evaluate

    return evaluate(observed, *cell)


def _cells(context: Context) -> list[tuple[StyleRecommendation, int]]:
    """Every target, protocol and seed; the first protocol's first seed keeps its recommendations, for the report."""
    from hnn_core.tasks.style_recommendation import StyleRecommendation

    config = context.config.recommend
    return [
        (StyleRecommendation(target, protocol, config.top if protocol == config.protocols[0] and not n else 0), seed)
        for protocol in config.protocols
        for target in config.targets
        for n, seed in enumerate(range(config.seed, config.seed + config.seeds))
    ]


def _evaluated(
    context: Context, observed: Observed, cells: Sequence[tuple[StyleRecommendation, int]]
) -> Iterator[Evaluation]:
    if len(cells) == 1:  # a process of its own would take longer to start
        yield evaluate_cell(cells[0], observed)
        return
    with open_runner(context.config.execution) as runner:
        yield from runner.map_batches(evaluate_cell, cells, observed)


def _write(out: Path, found: Sequence[Evaluation]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from hnn_core.recommend.cold_start import COMPOSED_METRICS
    from hnn_core.recommend.evaluation import METRICS, TWINS
    from hnn_core.tasks.style_recommendation import RECOMMENDATIONS

    schemas = {"metrics": METRICS, "twins": TWINS, "composed": COMPOSED_METRICS, "recommendations": RECOMMENDATIONS}
    for name, schema in schemas.items():
        rows = [row for evaluation in found for row in getattr(evaluation, name)]
        pq.write_table(pa.Table.from_pylist(rows, schema), out / f"{name}.parquet")


def _hit_rates(metrics: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """HR@10 of ours beside the best rival, popularity and the ceiling, one row a target and protocol.

    ``links`` is how many held-out links a figure is the mean of; over several seeds, the mean number.
    """
    from hnn_core.recommend.methods import RECOMMENDER

    rows = []
    at_10 = [row for row in metrics if row["metric"] == "hr_at_10"]
    for target, protocol in dict.fromkeys((row["target"], row["protocol"]) for row in at_10):
        mine = [row for row in at_10 if (row["target"], row["protocol"]) == (target, protocol)]
        means = _means(mine, "method")
        rival = max((name for name in means if name != RECOMMENDER), key=lambda name: means[name])
        rows.append(
            {
                "target": target,
                "protocol": protocol,
                "ours": means[RECOMMENDER],
                "rival": means[rival],
                "rival_name": rival,
                "popularity": means["popularity"],
                "ceiling": sum(row["ceiling"] for row in mine) / len(mine),
                "links": round(sum(row["links"] for row in mine) / len(mine)),
            }
        )
    return rows


def _composed(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Shares of right attributes of the buttons composed for unknown senders."""
    from hnn_core.recommend.cold_start import COMPOSED

    ours = [row for row in rows if row["method"] == COMPOSED and row["protocol"] == "sender"]
    return {f"composed.{attribute}": value for attribute, value in _means(ours, "attribute").items()}


def _means(rows: list[dict[str, Any]], by: str) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for row in rows:
        values.setdefault(row[by], []).append(row["value"])
    return {name: sum(of) / len(of) for name, of in values.items()}


def _main_metrics(table: list[dict[str, Any]]) -> dict[str, float]:
    """``hr_at_10`` of the first target and protocol, and all of them by name."""
    if not table:
        return {}
    named = {f"hr_at_10.{row['target']}.{row['protocol']}": row["ours"] for row in table}
    return {"hr_at_10": table[0]["ours"], **named}


STAGE = Stage(
    name="recommend",
    version=7,
    inputs=tuple(EMAIL_TABLES.values()),
    outputs=("metrics.parquet", "twins.parquet", "composed.parquet", "recommendations.parquet"),
    run=run,
    timeout_seconds=12 * 3600,
)
