"""Benchmark trials side by side on a runner, each finished one kept: a killed benchmark goes on where it was.

What is kept stands in the workspace, one file a trial. ``archive`` writes finished trials into one file small enough to
be shared (docs/trials.jsonl holds ours), and a store that is given such a file need not run them again.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.errors import HnnError
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
    """Finished trials, one JSON file each, by key; and those of an archive, where one is given."""

    def __init__(self, workspace: Workspace, known: Path | None = None) -> None:
        self.folder = workspace.root / "benchmark" / "trials"
        self._known = _read_archive(known) if known is not None else {}

    def get(self, trial: Trial) -> TrialResult | None:
        from hnn_core.experiment import TrialResult

        path = self.folder / f"{trial.key}.json"
        if path.exists():
            return _labelled(TrialResult.model_validate_json(path.read_text("utf-8")), trial)
        row = self._known.get(trial.key)
        if row is None:
            return None
        return TrialResult(
            **row,
            experiment=trial.spec.name,
            dataset=trial.dataset,
            model=trial.model,
            protocol=trial.protocol,
            trial=trial.number,
            settings=trial.spec.settings_of(trial.model, trial.dataset, trial.protocol),
        )

    def put(self, result: TrialResult) -> None:
        write_atomically(self.folder / f"{result.key}.json", result.model_dump_json())


def run_trials(trials: Iterable[Trial], store: TrialStore, data: Path | None, runner: Runner) -> Iterator[TrialResult]:
    """A result for every trial, the stored ones first, others as they come.

    Experiments share cells (HNN stands in three tables): what has the same key is trained once and answers for all.
    """
    pending: dict[str, list[Trial]] = {}
    for trial in trials:
        known = store.get(trial)
        if known is not None:
            yield known
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
        known = store.get(trial)
        if known is not None:
            yield known


#: What an archive keeps of a trial: its key says the rest, and of its curve the points at which a test was made.
_KEPT = {"key", "metrics", "curve", "seconds", "features"}


def archive(results: Iterable[TrialResult]) -> str:
    """Each trial once, a line each, in an order of its own: the same trials are the same text."""
    rows = {}
    for result in results:
        row = result.model_dump(include=_KEPT)
        row["curve"] = [point for point in row["curve"] if point["measures"]]
        rows[result.key] = json.dumps(row, sort_keys=True)
    return "".join(f"{rows[key]}\n" for key in sorted(rows))


def _read_archive(path: Path) -> dict[str, dict[str, Any]]:
    try:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        return {row["key"]: {name: row[name] for name in _KEPT} for row in rows}
    except OSError as error:
        raise HnnError(f"{path}: no file of finished trials can be read there ({error.strerror})") from None
    except (ValueError, KeyError, TypeError) as error:
        raise HnnError(f"{path}: expected the trials.jsonl that `hnn benchmark` writes ({error!r})") from None


def _labelled(result: TrialResult, trial: Trial) -> TrialResult:
    return result.model_copy(update={"experiment": trial.spec.name, "model": trial.model})


one_at_a_time = threading.Lock()  # seeds are global to a process, and a cluster's worker may have several threads


def _run(trial: Trial, data: Path | None) -> TrialResult:
    import torch

    from hnn_core.experiment import run_trial

    with one_at_a_time:
        torch.set_num_threads(1)
        return run_trial(trial.spec, trial.dataset, trial.model, trial.protocol, trial.number, data)
