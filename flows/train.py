"""Stage train: HNN and its variants for hyperedge prediction, and the style recommender fitted on everything."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows import hypergraph as hypergraph_stage
from flows.advice import EXAMPLES, RECOMMENDER, write_examples
from flows.errors import HnnError
from flows.features import read_matrix
from flows.recommend import EMAIL_TABLES, email_tables
from flows.runner import beside
from flows.stage import Context, Stage

if TYPE_CHECKING:
    from flows.config import TrainConfig
    from hnn_core.distributed_training import Job
    from hnn_core.hypergraph import Hypergraph
    from hnn_core.minibatch import MiniBatches
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
    config = context.config.train
    recommender = (dict(context.inputs), context.out / RECOMMENDER, config.recommender_epochs, config.seed)
    if context.config.execution.workers == 1:
        fit_recommender(*recommender)
        trained = train_variants(context)
    else:
        with beside(fit_recommender, *recommender) as fitted:
            trained = train_variants(context)
            fitted.result()
    _write_metrics(context, trained)
    kept = trained[config.variant, config.protocols[0]]
    _write_embeddings(context, hypergraph_stage.read(context.inputs), kept)
    auc = [{"variant": v, "protocol": p, "auc": round(result.auc, 4)} for (v, p), result in trained.items()]
    metrics = {"auc": kept.auc}
    metrics |= {f"auc_{p}": result.auc for (v, p), result in trained.items() if v == config.variant}
    return {"variant": config.variant, "auc": auc, "metrics": metrics}


def fit_recommender(inputs: Mapping[str, Path], out: Path, epochs: int, seed: int) -> None:
    """The style recommender, learned from all emails, and what its fragments are called where they explain one."""
    from dataclasses import replace

    from hnn_core.recommend import storage
    from hnn_core.recommend.recommender import RecommenderTraining
    from hnn_core.tasks.style_recommendation import fit

    tables = email_tables(inputs)
    training = RecommenderTraining(seed=seed)
    link_hnn = replace(training.ranker.link_hnn, epochs=epochs)
    training = replace(training, ranker=replace(training.ranker, link_hnn=link_hnn))
    storage.save(fit(tables, training), out)
    write_examples(tables.fragments, tables.documents, out)


def train_variants(context: Context) -> dict[tuple[str, str], TrainedPredictor]:
    """Hyperedge prediction with every variant under every protocol."""
    from hnn_core.tasks.protocols import TooFewHyperedgesError

    hypergraph, config = hypergraph_stage.read(context.inputs), context.config.train
    variants = list(dict.fromkeys((config.variant, *config.compare)))
    context.progress.start("train", total=len(variants) * len(config.protocols))
    trained: dict[tuple[str, str], TrainedPredictor] = {}
    for variant in variants:
        for protocol in config.protocols:
            try:
                trained[variant, protocol] = train_variant(context, hypergraph, variant, protocol)
            except TooFewHyperedgesError as error:
                raise HnnError(
                    f"stage train: the corpus is too small to learn from: {error}. Give more emails, or longer ones."
                ) from None
            context.progress.advance(1, note=f"{variant}, {protocol}: AUC {trained[variant, protocol].auc:.3f}")
    return trained


def train_variant(context: Context, hypergraph: Hypergraph, variant: str, protocol: str) -> TrainedPredictor:
    """Hyperedge prediction with one variant under one protocol."""
    from hnn_core import device
    from hnn_core.distributed_training import Job
    from hnn_core.minibatch import train_predictor_in_batches
    from hnn_core.models import Training
    from hnn_core.tasks.hyperedge_prediction import HyperedgePrediction, train_predictor

    config = context.config.train
    name, options = MODELS[variant]
    features = _features(context, protocol)
    job = Job(
        name,
        context.config.features.dim if callable(features) else features.shape[1],
        {"widths": (config.width,) * config.layers, **options},
        HyperedgePrediction(protocol=protocol, train_share=1 - config.test_fraction),
        Training(epochs=config.epochs, lr=config.lr),
        _batches(config),
        config.seed,
        MEASURE_EVERY,
    )
    if config.processes > 1:
        return _train_on_processes(context, job, hypergraph, features)
    model = job.build().to(device.resolve(context.config.execution.device))
    if config.batch_size:
        return train_predictor_in_batches(
            model, hypergraph, features, job.task, job.training, job.batches, job.seed, measure_every=MEASURE_EVERY
        )
    return train_predictor(model, hypergraph, features, job.task, job.training, job.seed, measure_every=MEASURE_EVERY)


def _batches(config: TrainConfig) -> MiniBatches:
    from hnn_core.minibatch import MiniBatches
    from hnn_core.neighbourhoods import Sampling

    return MiniBatches(
        max(config.batch_size, 1),
        Sampling(config.hops, config.fan_out, config.fan_out),
        Sampling(config.hops, 4 * config.fan_out, 4 * config.fan_out),  # embeddings are read with less noise
        shards=config.processes,
    )


def _train_on_processes(context: Context, job: Job, hypergraph: Hypergraph, features: Any) -> TrainedPredictor:
    """The job under torchrun. Its folder is part of the draft, so that a killed run leaves nothing of it behind."""
    from hnn_core.distributed_training import train_on_processes
    from hnn_core.minibatch import Predictor, prediction_data
    from hnn_core.models import Embeddings
    from hnn_core.tasks.hyperedge_prediction import TrainedPredictor
    from hnn_core.tasks.scoring import build_score

    folder = context.out / "processes"
    data = prediction_data(hypergraph, features, job.task, job.seed)
    try:
        result = train_on_processes(folder, job, data, context.config.train.processes)
    except RuntimeError as error:
        raise HnnError(str(error)) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    model = job.build()
    predictor = Predictor(model, build_score(job.task.score, model.width))
    predictor.load_state_dict(result.weights)
    return TrainedPredictor(model, predictor.score, Embeddings(result.embeddings), result.curve, result.auc)


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
    version=8,
    inputs=(
        *EMAIL_TABLES.values(),
        *hypergraph_stage.TABLES,
        "features/node_features.parquet",
        "features/hyperedge_features.parquet",
    ),
    outputs=(
        *("metrics.parquet", "curves.parquet", "embeddings.parquet"),
        # and beside these what the recommender is made of, see hnn_core/recommend/storage.py
        *(f"{RECOMMENDER}/recommender.json", f"{RECOMMENDER}/{EXAMPLES}"),
    ),
    run=run,
    also_reads=("features.method", "features.dim", "features.seed"),
    timeout_seconds=12 * 3600,
)
