"""Rows of results: mean and deviation over trials, and a paired test against the best rival."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from hnn_core.experiment import ExperimentSpec, TrialResult


@dataclass(frozen=True)
class Row:
    """One cell of a table: a model on a data set under a protocol; ``paper`` is None where it has no figure."""

    experiment: str
    dataset: str
    model: str
    protocol: str
    metric: str
    mean: float
    std: float
    trials: int
    paper: float | None


@dataclass(frozen=True)
class Comparison:
    """One of our models against the rival with the highest mean, trial by trial.

    ``gain`` is our mean less the mean of the means of all rivals with a trial. ``p_value`` is that of a two-sided
    paired t-test: trial t gives both the same split and the same test negatives. It is None with fewer than two
    trials, or where all differences are equal.
    """

    experiment: str
    dataset: str
    protocol: str
    model: str
    rival: str
    difference: float
    gain: float
    p_value: float | None
    trials: int


def aggregate(spec: ExperimentSpec, results: Iterable[TrialResult]) -> list[Row]:
    """Rows in the order of the specification; cells without any trial are left out."""
    found = _by_cell(results)
    metrics = ["auc"] if spec.task == "hyperedge-prediction" else ["auc", "accuracy"]
    rows = []
    for metric in metrics:
        for cell in spec.cells():
            values = [result.metrics[metric] for result in found.get(cell, {}).values()]
            if values:
                dataset, model, protocol = cell
                rows.append(
                    Row(
                        experiment=spec.name,
                        dataset=dataset,
                        model=model,
                        protocol=protocol,
                        metric=metric,
                        mean=float(np.mean(values)),
                        std=float(np.std(values, ddof=1)) if len(values) > 1 else 0.0,
                        trials=len(values),
                        # The paper says AUC only, and its protocol can only have been the transductive one.
                        paper=spec.model(model).published(dataset)
                        if metric == spec.metric and protocol == "transductive"
                        else None,
                    )
                )
    return rows


def compare(spec: ExperimentSpec, results: Iterable[TrialResult]) -> list[Comparison]:
    """Each of our models against its best rival; nothing where an experiment has no rivals."""
    found = _by_cell(results)
    rivals = [each.label for each in spec.models if not each.ours]
    comparisons = []
    for dataset, model, protocol in spec.cells():
        mine = found.get((dataset, model, protocol), {})
        present = [label for label in rivals if (dataset, label, protocol) in found]
        if not spec.model(model).ours or not mine or not present or spec.kind != "table":
            continue
        rival = max(present, key=lambda label: _mean(found[dataset, label, protocol], spec.metric))
        theirs = found[dataset, rival, protocol]
        shared = sorted(mine.keys() & theirs.keys())
        if not shared:
            continue
        a = np.array([mine[trial].metrics[spec.metric] for trial in shared])
        b = np.array([theirs[trial].metrics[spec.metric] for trial in shared])
        tested = len(shared) > 1 and np.ptp(a - b) > 0
        comparisons.append(
            Comparison(
                experiment=spec.name,
                dataset=dataset,
                protocol=protocol,
                model=model,
                rival=rival,
                difference=float((a - b).mean()),
                gain=_mean(mine, spec.metric)
                - float(np.mean([_mean(found[dataset, label, protocol], spec.metric) for label in present])),
                p_value=float(stats.ttest_rel(a, b).pvalue) if tested else None,
                trials=len(shared),
            )
        )
    return comparisons


def _by_cell(results: Iterable[TrialResult]) -> dict[tuple[str, str, str], dict[int, TrialResult]]:
    found: dict[tuple[str, str, str], dict[int, TrialResult]] = {}
    for result in results:
        found.setdefault((result.dataset, result.model, result.protocol), {})[result.trial] = result
    return found


def _mean(trials: dict[int, TrialResult], metric: str) -> float:
    return float(np.mean([result.metrics[metric] for result in trials.values()]))
