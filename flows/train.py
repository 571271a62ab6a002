"""Stage train: HNN and its variants for hyperedge prediction, and the style recommender fitted on everything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from flows import hypergraph as hypergraph_stage
from flows.features import read_matrix
from flows.stage import Context, Stage

if TYPE_CHECKING:
    from hnn_core.hypergraph import Hypergraph
    from hnn_core.tasks.hyperedge_prediction import TrainedPredictor

#: How a configured variant is built; HNN-tanh is HNN with another σ.
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "hnn": ("hnn", {}),
    "p2": ("hnn-p2", {}),
    "++": ("hnn++", {}),
    "wt": ("hnn-wt", {}),
    "h2": ("hnn-h2", {}),
    "tanh": ("hnn", {"sigma_v": "tanh"}),
}
#: Every so many epochs the curve has the test AUC (for drawing: nothing is chosen by it).
MEASURE_EVERY = 5


def run(context: Context) -> Mapping[str, Any]:
    hypergraph = hypergraph_stage.read(context.inputs)
    config = context.config.train
    variants = list(dict.fromkeys((config.variant, *config.compare)))
    context.progress.start("train", total=len(variants) * len(config.protocols))
    trained: dict[tuple[str, str], TrainedPredictor] = {}
    for variant in variants:
        for protocol in config.protocols:
            trained[variant, protocol] = train_variant(context, hypergraph, variant, protocol)
            context.progress.advance(1, note=f"{variant}, {protocol}: AUC {trained[variant, protocol].auc:.3f}")
    _write_metrics(context, trained)
    _write_embeddings(context, hypergraph, trained[config.variant, config.protocols[0]])
    auc = [{"variant": v, "protocol": p, "auc": round(result.auc, 4)} for (v, p), result in trained.items()]
    metrics = {"auc": trained[config.variant, config.protocols[0]].auc}
    metrics |= {f"auc_{p}": result.auc for (v, p), result in trained.items() if v == config.variant}
    return {"variant": config.variant, "auc": auc, "metrics": metrics}


def train_variant(context: Context, hypergraph: Hypergraph, variant: str, protocol: str) -> TrainedPredictor:
    """Hyperedge prediction with one variant under one protocol."""
    from hnn_core import device, models
    from hnn_core.models import Training
    from hnn_core.tasks.hyperedge_prediction import HyperedgePrediction, train_predictor

    config = context.config.train
    name, options = MODELS[variant]
    features = _features(context, protocol)
    width = context.config.features.dim if callable(features) else features.shape[1]
    model = models.build(name, width, widths=(config.width,) * config.layers, **options)
    return train_predictor(
        model.to(device.resolve(context.config.execution.device)),
        hypergraph,
        features,
        HyperedgePrediction(protocol=protocol, train_share=1 - config.test_fraction),
        Training(epochs=config.epochs, lr=config.lr),
        seed=config.seed,
        measure_every=MEASURE_EVERY,
    )


def _features(context: Context, protocol: str) -> Any:
    """The stage's features, or, where test hyperedges must stay unseen, features of what may be seen."""
    from hnn_core import features

    if protocol == "transductive":
        return read_matrix(context.inputs["features/node_features.parquet"])

    config = context.config.features

    def derive(visible: Hypergraph) -> tuple[Any, None]:
        return features.derive(visible, config.method, config.dim, config.seed).nodes, None

    return derive


def _write_metrics(context: Context, trained: Mapping[tuple[str, str], TrainedPredictor]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    metrics = [
        {"variant": variant, "protocol": protocol, "metric": "auc", "value": result.auc}
        for (variant, protocol), result in trained.items()
    ]
    curves = [
        {"variant": variant, "protocol": protocol, "epoch": point.epoch, "metric": name, "value": value}
        for (variant, protocol), result in trained.items()
        for point in result.curve
        for name, value in {"loss": point.loss, **point.measures}.items()
    ]
    text, number = pa.string(), pa.float64()
    head = [("variant", text), ("protocol", text)]
    tail = [("metric", text), ("value", number)]
    pq.write_table(pa.Table.from_pylist(metrics, pa.schema(head + tail)), context.out / "metrics.parquet")
    schema = pa.schema([*head, ("epoch", pa.int64()), *tail])
    pq.write_table(pa.Table.from_pylist(curves, schema), context.out / "curves.parquet")


def _write_embeddings(context: Context, hypergraph: Hypergraph, result: TrainedPredictor) -> None:
    """Z of the chosen variant, one row a node."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    vectors = result.embeddings.nodes.cpu().numpy().astype("float32")
    table = pa.table(
        {
            "entity_id": pa.array(hypergraph.node_ids.tolist(), pa.string()),
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1]),
        }
    )
    pq.write_table(table, context.out / "embeddings.parquet")


STAGE = Stage(
    name="train",
    version=1,
    inputs=(
        *hypergraph_stage.TABLES,
        "features/node_features.parquet",
        "features/hyperedge_features.parquet",
    ),
    outputs=("metrics.parquet", "curves.parquet", "embeddings.parquet"),
    run=run,
    also_reads=("features.method", "features.dim", "features.seed"),
    timeout_seconds=12 * 3600,
)
