"""Benchmark trials side by side on the cores, each finished one kept: a killed benchmark goes on where it was."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

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


def run_trials(trials: Iterable[Trial], store: TrialStore, data: Path | None, workers: int) -> Iterator[TrialResult]:
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
    context = multiprocessing.get_context("spawn")  # torch and fork do not mix
    with ProcessPoolExecutor(workers, context, _begin, (os.getpid(),)) as pool:
        futures = [pool.submit(_run, same[0], data) for same in pending.values()]
        try:
            for future in as_completed(futures):
                result = future.result()
                store.put(result)
                for trial in pending[result.key]:
                    yield _labelled(result, trial)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _labelled(result: TrialResult, trial: Trial) -> TrialResult:
    return result.model_copy(update={"experiment": trial.spec.name, "model": trial.model})


def _begin(parent: int) -> None:
    """One thread a worker, and no worker outlives a parent that was killed."""
    os.environ["OMP_NUM_THREADS"] = "1"
    if hasattr(ctypes.CDLL(None), "prctl"):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
    import torch

    torch.set_num_threads(1)


def _run(trial: Trial, data: Path | None) -> TrialResult:
    from hnn_core.experiment import run_trial

    return run_trial(trial.spec, trial.dataset, trial.model, trial.protocol, trial.number, data)
