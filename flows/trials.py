"""Benchmark trials side by side on a runner, each finished one kept: a killed benchmark goes on where it was."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flows.runner import Runner
from flows.workspace import Workspace, write_atomically

if TYPE_CHECKING:
    from hnn_core.experiment import ExperimentSpec, TrialResult


@dataclass(frozen=True)
class Trial:
    """One cell of a table, one seed."""

    spec: ExperimentSpec
    dataset: str
    model: str
    protocol: str
    number: int

    @property
    def key(self) -> str:
        from hnn_core.experiment import trial_key

        return trial_key(self.spec, self.dataset, self.model, self.protocol, self.number)


def trials_of(
    specs: Iterable[ExperimentSpec], trials: int | None, protocol: str | None, datasets: Iterable[str]
) -> list[Trial]:
    """Every trial of some experiments, restricted to what was asked for."""
    wanted = set(datasets)
    return [
        Trial(spec, dataset, model, named, number)
        for spec in specs
        for number in range(trials or spec.trials)
        for dataset, model, named in spec.cells()
        if (not wanted or dataset in wanted) and protocol in (None, named)
    ]


class TrialStore:
    """Finished trials, one JSON file each, by key."""

    def __init__(self, workspace: Workspace) -> None:
        self.folder = workspace.root / "benchmark" / "trials"

    def get(self, key: str) -> TrialResult | None:
        from hnn_core.experiment import TrialResult

        path = self.folder / f"{key}.json"
        return TrialResult.model_validate_json(path.read_text("utf-8")) if path.exists() else None

    def put(self, result: TrialResult) -> None:
        write_atomically(self.folder / f"{result.key}.json", result.model_dump_json())


def run_trials(trials: Iterable[Trial], store: TrialStore, data: Path | None, runner: Runner) -> Iterator[TrialResult]:
    """A result for every trial, the stored ones first, others as they come.

    Experiments share cells (HNN stands in three tables): what has the same key is trained once and answers for all.
    """
    pending: dict[str, list[Trial]] = {}
    for trial in trials:
        known = store.get(trial.key)
        if known is not None:
            yield _labelled(known, trial)
        else:
            pending.setdefault(trial.key, []).append(trial)
    if not pending:
        return
    batches = (same[0] for same in pending.values())
    for result in runner.map_batches(_run, batches, data, ordered=False):
        store.put(result)
        for trial in pending[result.key]:
            yield _labelled(result, trial)


def finished(trials: Iterable[Trial], store: TrialStore) -> Iterator[TrialResult]:
    """The results that are stored already; trials without one are left out."""
    for trial in trials:
        known = store.get(trial.key)
        if known is not None:
            yield _labelled(known, trial)


def _labelled(result: TrialResult, trial: Trial) -> TrialResult:
    return result.model_copy(update={"experiment": trial.spec.name, "model": trial.model})


one_at_a_time = threading.Lock()  # seeds are global to a process, and a cluster's worker may have several threads


def _run(trial: Trial, data: Path | None) -> TrialResult:
    import torch

    from hnn_core.experiment import run_trial

    with one_at_a_time:
        torch.set_num_threads(1)
        return run_trial(trial.spec, trial.dataset, trial.model, trial.protocol, trial.number, data)
