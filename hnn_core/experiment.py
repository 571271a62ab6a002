"""Experiments: one YAML file a table or figure of the paper, its settings and its published values together.

``run_trial`` is a pure function of a specification and four names: a flow may map it over any number of
workers, and a result that exists already need not be computed again (``trial_key`` names it).
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from hnn_core.datasets import hypergcn
from hnn_core.features import derive
from hnn_core.hypergraph import Hypergraph
from hnn_core.latent_features import latent_features, unit_rows
from hnn_core.models import BASELINES, MODELS, FeatureMatrix, Model, Training, build
from hnn_core.seeds import derive as derive_seed
from hnn_core.seeds import seed_everything
from hnn_core.tasks.hyperedge_prediction import FeatureSource, HyperedgePrediction, train_predictor
from hnn_core.tasks.node_classification import train_classifier


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FeatureSettings(_Frozen):
    """Features of the data set where they are at hand, else derived by φ from the visible hypergraph.

    Rows of derived features get length one: of a rank-F approximation nearly half of DBLP's nodes, those outside its
    large communities, have rows a thousand times shorter than the others, though no less telling in direction.

    ``latent`` replaces given features by so many latent ones, ``neighbours`` takes each node's nearest into them: see
    :mod:`hnn_core.latent_features`.
    """

    latent: int | None = None
    neighbours: int = 0
    derived: str = "svd"
    dim: int = 64


class Settings(_Frozen):
    """Everything that decides one trial beside the data, the protocol and the seed."""

    options: dict[str, Any] = Field(default_factory=dict)
    training: dict[str, Any] = Field(default_factory=dict)
    task: dict[str, Any] = Field(default_factory=dict)
    features: dict[str, Any] = Field(default_factory=dict)

    def over(self, other: Settings) -> Settings:
        """These settings where they say something, else the other's."""
        return Settings(
            options={**other.options, **self.options},
            training={**other.training, **self.training},
            task={**other.task, **self.task},
            features={**other.features, **self.features},
        )


class ModelSpec(Settings):
    """A row of a table: a model, its settings, and the paper's mean (and deviation) on each data set.

    ``by_dataset`` and ``by_protocol`` override settings; ``search`` names, for a protocol, the searches in
    ``search/`` whose choices override all, each for its own data sets.
    """

    label: str
    model: str
    ours: bool = False
    by_dataset: dict[str, Settings] = Field(default_factory=dict)
    by_protocol: dict[str, Settings] = Field(default_factory=dict)
    search: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    paper: dict[str, tuple[float, float] | float] = Field(default_factory=dict)
    #: filled from the records of ``search`` on loading: protocol → data set → settings
    chosen: dict[str, dict[str, Settings]] = Field(default_factory=dict)

    def published(self, dataset: str) -> float | None:
        value = self.paper.get(dataset)
        return value[0] if isinstance(value, tuple) else value


class ExperimentSpec(_Frozen):
    """One table or figure of the paper; ``order`` is its place among the others."""

    name: str
    title: str
    place: str
    task: Literal["hyperedge-prediction", "node-classification"]
    metric: Literal["auc", "accuracy"] = "auc"
    kind: Literal["table", "curves", "epochs", "difficulty"] = "table"
    datasets: tuple[str, ...]
    protocols: tuple[str, ...] = ("transductive",)
    trials: int = 10
    order: int = 0
    measure_every: int = 0
    settings: Settings = Field(default_factory=Settings)
    by_protocol: dict[str, Settings] = Field(default_factory=dict)
    models: tuple[ModelSpec, ...]
    note: str = ""

    def model(self, label: str) -> ModelSpec:
        for each in self.models:
            if each.label == label:
                return each
        labels = ", ".join(each.label for each in self.models)
        raise KeyError(f"experiment {self.name} has no model {label!r}; it has {labels}")

    def settings_of(self, label: str, dataset: str, protocol: str) -> Settings:
        """The settings of one cell: experiment, then model, protocol, data set, and the search's choice."""
        spec = self.model(label)
        merged = self.settings
        for more in (
            self.by_protocol.get(protocol),
            Settings(**spec.model_dump(include=set(Settings.model_fields))),
            spec.by_protocol.get(protocol),
            spec.by_dataset.get(dataset),
            spec.chosen.get(protocol, {}).get(dataset),
        ):
            merged = more.over(merged) if more is not None else merged
        return merged

    def cells(self) -> Iterator[tuple[str, str, str]]:
        """(dataset, model label, protocol), in the order of the tables."""
        for protocol in self.protocols:
            for dataset in self.datasets:
                for spec in self.models:
                    yield dataset, spec.label, protocol


class CurvePoint(_Frozen):
    epoch: int
    loss: float
    measures: dict[str, float] = Field(default_factory=dict)


class TrialResult(_Frozen):
    """What one trial gave."""

    experiment: str
    dataset: str
    model: str
    protocol: str
    trial: int
    key: str
    metrics: dict[str, float]
    curve: tuple[CurvePoint, ...]
    seconds: float
    features: str
    settings: Settings


def load_experiment(path: Path) -> ExperimentSpec:
    """Read one specification; what its searches chose is read from the records beside it."""
    with path.open(encoding="utf-8") as stream:
        content = yaml.safe_load(stream)
    spec = ExperimentSpec.model_validate(content)
    unknown = [each.model for each in spec.models if each.model not in MODELS]
    if unknown:
        raise ValueError(f"{path}: model {unknown[0]!r} is not known: choose one of {', '.join(MODELS)}")
    missing = sorted(set(spec.datasets) - set(hypergcn.NAMES))
    if missing:
        raise ValueError(f"{path}: data set {missing[0]!r} is not known: choose one of {', '.join(hypergcn.NAMES)}")
    models = []
    for each in spec.models:
        chosen = {
            protocol: {
                dataset: choice
                for name in names
                for dataset, choice in _choices(path.parent / "search" / f"{name}.record.json").items()
            }
            for protocol, names in each.search.items()
        }
        models.append(each.model_copy(update={"chosen": chosen}))
    return spec.model_copy(update={"models": tuple(models)})


def load_experiments(folder: Path) -> dict[str, ExperimentSpec]:
    """All specifications of a folder by name, in their order."""
    specs = [load_experiment(path) for path in sorted(folder.glob("*.yaml"))]
    if not specs:
        raise FileNotFoundError(f"{folder} has no experiment (*.yaml)")
    return {spec.name: spec for spec in sorted(specs, key=lambda spec: (spec.order, spec.name))}


def trial_key(spec: ExperimentSpec, dataset: str, model: str, protocol: str, trial: int) -> str:
    """A name for one trial that changes when anything that decides its result changes."""
    settings = spec.settings_of(model, dataset, protocol).model_dump_json()
    decisive = [spec.task, spec.model(model).model, dataset, protocol, trial, spec.measure_every, settings]
    return hashlib.sha256(json.dumps(decisive).encode()).hexdigest()[:16]


def run_trial(
    spec: ExperimentSpec, dataset: str, model: str, protocol: str, trial: int, root: Path | None = None
) -> TrialResult:
    """Train and test once. The trial's number is the seed and, for node classification, the split."""
    data = hypergcn.load(dataset, root)
    settings = spec.settings_of(model, dataset, protocol)
    started = time.perf_counter()
    metrics, curve = run_settings(
        spec.task, spec.model(model).model, settings, data, protocol, trial, spec.measure_every
    )
    return TrialResult(
        experiment=spec.name,
        dataset=dataset,
        model=model,
        protocol=protocol,
        trial=trial,
        key=trial_key(spec, dataset, model, protocol, trial),
        metrics=metrics,
        curve=curve,
        seconds=time.perf_counter() - started,
        features="given" if data.features is not None else FeatureSettings(**settings.features).derived,
        settings=settings,
    )


def run_settings(
    task: str,
    model_name: str,
    settings: Settings,
    data: hypergcn.Dataset,
    protocol: str,
    seed: int,
    measure_every: int = 0,
) -> tuple[dict[str, float], tuple[CurvePoint, ...]]:
    """Train and test one model on loaded data."""
    features = feature_source(data, FeatureSettings(**settings.features), seed)
    options = dict(settings.options)
    if task == "node-classification" and model_name in BASELINES:
        options.setdefault("out", data.num_classes)  # baselines end in the classes, HNN in a linear head
    seed_everything(derive_seed(seed, "weights"))
    model = build(model_name, _width(data, FeatureSettings(**settings.features)), **options)
    training = Training(**{**_as_dict(model.recommended), **settings.training})
    if task == "hyperedge-prediction":
        prediction = HyperedgePrediction(protocol=protocol, **settings.task)
        predictor = train_predictor(
            model, data.hypergraph, features, prediction, training, seed, measure_every=measure_every
        )
        return {"auc": predictor.auc}, _points(predictor.curve)
    split = data.splits[seed % len(data.splits)]
    classifier = train_classifier(
        model,
        data.hypergraph,
        features(data.hypergraph)[0] if callable(features) else features,
        data.labels,
        split.train,
        split.test,
        training,
        seed=seed,
        measure_every=measure_every,
        **settings.task,
    )
    return {"auc": classifier.auc, "accuracy": classifier.accuracy}, _points(classifier.curve)


def feature_source(data: hypergcn.Dataset, settings: FeatureSettings, seed: int) -> FeatureSource:
    """Given features, or a function that derives them from whichever hyperedges may be seen."""
    if data.features is not None:
        if settings.latent is None:
            return data.features
        return latent_features(data.features, settings.latent, settings.neighbours)

    def derived(hypergraph: Hypergraph) -> tuple[FeatureMatrix, None]:
        return unit_rows(derive(hypergraph, settings.derived, settings.dim, seed).nodes), None

    return derived


def _width(data: hypergcn.Dataset, settings: FeatureSettings) -> int:
    if data.features is None:
        return settings.dim
    return settings.latent or int(data.features.shape[1])


def _choices(path: Path) -> dict[str, Settings]:
    if not path.is_file():
        return {}
    record = json.loads(path.read_text(encoding="utf-8"))
    return {dataset: Settings(**choice) for dataset, choice in record["chosen"].items()}


def _points(curve: Any) -> tuple[CurvePoint, ...]:
    return tuple(CurvePoint(epoch=p.epoch, loss=p.loss, measures=dict(p.measures)) for p in curve)


def _as_dict(training: Training) -> dict[str, Any]:
    return dict(vars(training))


__all__ = [
    "ExperimentSpec",
    "FeatureSettings",
    "Model",
    "ModelSpec",
    "Settings",
    "TrialResult",
    "load_experiment",
    "load_experiments",
    "run_settings",
    "run_trial",
    "trial_key",
]
