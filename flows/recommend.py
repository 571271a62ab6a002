"""Stage recommend: how well styles are recommended under every protocol, and the recommendations themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from flows.stage import Context, Stage, table_input

if TYPE_CHECKING:
    from hnn_core.recommend.protocols import Split
    from hnn_core.recommend.queries import Scores

#: The name of the product's own recommender in every table.
OURS = "recommender"


def run(context: Context) -> Mapping[str, Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from flows.pages.inputs import METRICS, RECOMMENDATIONS
    from hnn_core.recommend.evaluation import metric_rows

    config = context.config.recommend
    observed = _observed(context)
    total = len(config.targets) * len(config.protocols) * config.seeds
    context.progress.start("recommend", total=total)
    metrics: list[dict[str, Any]] = []
    shown: list[dict[str, Any]] = []
    for target in config.targets:
        for protocol in config.protocols:
            for seed in range(config.seed, config.seed + config.seeds):
                split, scores = _scores(observed, target, protocol, seed)
                metrics += metric_rows(split, scores, seed)
                if protocol == config.protocols[0] and seed == config.seed:
                    shown += list(_recommendations(context, split, scores[OURS]))
                context.progress.advance(1, note=f"{target}, {protocol}")
    seeds = pa.field("seed", pa.int64())
    pq.write_table(pa.Table.from_pylist(metrics, METRICS.append(seeds)), context.out / "metrics.parquet")
    pq.write_table(pa.Table.from_pylist(shown, RECOMMENDATIONS), context.out / "recommendations.parquet")
    table = _hit_rates(metrics)
    return {
        "recommendations": len(shown),
        "hr_at_10": table,
        "metrics": _main_metrics(table),
    }


def _observed(context: Context) -> Any:
    from hnn_core.recommend.corpus import Corpus, EmailTables, Observed

    tables = EmailTables(
        fragments=table_input(context.inputs, "extract/fragments.parquet"),
        entities=table_input(context.inputs, "extract/entities.parquet"),
        occurrences=table_input(context.inputs, "extract/occurrences.parquet"),
        neighbours=table_input(context.inputs, "extract/neighbours.parquet"),
        documents=table_input(context.inputs, "scrape/documents.parquet"),
    )
    return Observed.all_of(Corpus.from_tables(tables))


def _scores(observed: Any, target: str, protocol: str, seed: int) -> tuple[Split, dict[str, Scores]]:
    """Scores of every method for the fragments whose links are held out."""
    import numpy as np

    from hnn_core.recommend.protocols import hold_out
    from hnn_core.recommend.queries import Queries
    from hnn_core.recommend.ranker import RankerTraining, train_ranker
    from hnn_core.recommend.rivals import RIVALS

    split = hold_out(observed, target, protocol, seed)
    queries = Queries.of(split.training, np.unique(split.fragments))
    scores = {name: rival(split.training, target, seed)(queries) for name, rival in RIVALS.items()}
    scores[OURS] = train_ranker(split.training, target, protocol, RankerTraining(), seed)(queries)
    return split, scores


def _recommendations(context: Context, split: Split, scores: Scores) -> Iterator[dict[str, Any]]:
    """The best styles for each fragment whose own was hidden, with the hidden one marked."""
    import numpy as np

    corpus = split.training.corpus
    catalogue = split.training.catalogue(split.target)
    entities = table_input(context.inputs, "extract/entities.parquet").select(["entity_id", "signature"])
    signatures = {row["entity_id"]: row["signature"] for row in entities.to_pylist()}
    held_out = set(zip(split.fragments.tolist(), split.styles.tolist(), strict=True))
    for row, fragment in enumerate(np.unique(split.fragments).tolist()):
        best = np.argsort(-scores[row], kind="stable")[: context.config.recommend.top]
        for rank, column in enumerate(best.tolist(), start=1):
            entity = int(catalogue[column])
            yield {
                "fragment_id": corpus.fragment_ids[fragment],
                "target": split.target,
                "rank": rank,
                "entity_id": corpus.entity_ids[entity],
                "signature": signatures[corpus.entity_ids[entity]],
                "score": float(scores[row, column]),
                "truth": (fragment, entity) in held_out,
                "explanation": [],
            }


def _hit_rates(metrics: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """HR@10 of ours beside the best rival, popularity and the ceiling, one row a target and protocol."""
    rows = []
    at_10 = [row for row in metrics if row["metric"] == "hr_at_10"]
    for target, protocol in dict.fromkeys((row["target"], row["protocol"]) for row in at_10):
        mine = [row for row in at_10 if (row["target"], row["protocol"]) == (target, protocol)]
        by_method: dict[str, list[float]] = {}
        for row in mine:
            by_method.setdefault(row["method"], []).append(row["value"])
        means = {method: sum(values) / len(values) for method, values in by_method.items()}
        rival = max((name for name in means if name != OURS), key=lambda name: means[name])
        rows.append(
            {
                "target": target,
                "protocol": protocol,
                "ours": means[OURS],
                "rival": means[rival],
                "rival_name": rival,
                "popularity": means["popularity"],
                "ceiling": sum(row["ceiling"] for row in mine) / len(mine),
            }
        )
    return rows


def _main_metrics(table: list[dict[str, Any]]) -> dict[str, float]:
    """``hr_at_10`` of the first target and protocol, and all of them by name."""
    if not table:
        return {}
    named = {f"hr_at_10.{row['target']}.{row['protocol']}": row["ours"] for row in table}
    return {"hr_at_10": table[0]["ours"], **named}


STAGE = Stage(
    name="recommend",
    version=1,
    inputs=(
        "scrape/documents.parquet",
        "extract/fragments.parquet",
        "extract/entities.parquet",
        "extract/occurrences.parquet",
        "extract/neighbours.parquet",
    ),
    outputs=("metrics.parquet", "recommendations.parquet"),
    run=run,
    timeout_seconds=12 * 3600,
)
