"""The paper's tables: choose experiments, run their trials, write the results.

Knows neither Prefect nor MLflow; the flow is in flows/pipeline.py, the runs in flows/tracking.py.
"""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.config import ExecutionConfig
from flows.errors import HnnError, UsageError
from flows.runner import open_runner
from flows.stage import Progress
from flows.trials import Trial, TrialStore, archive, finished, run_trials, trials_of
from flows.workspace import Workspace, write_atomically

if TYPE_CHECKING:
    from hnn_core.experiment import ExperimentSpec, TrialResult

DOWNLOAD = """\
The five hypergraphs are published with HyperGCN (Apache-2.0): https://github.com/malllabiisc/HyperGCN, folder data/.
Copy that folder somewhere and point to it with --data FOLDER, or name its parent in HNN_DATA with the folder called
hypergcn. Expected inside: coauthorship/cora, coauthorship/dblp, cocitation/citeseer, cocitation/cora and
cocitation/pubmed, each with hypergraph.pickle, labels.pickle, splits/ and, where downloaded, features.pickle."""


@dataclass(frozen=True)
class BenchmarkRequest:
    """What to run; nothing named means everything."""

    names: tuple[str, ...] = ()
    trials: int | None = None
    protocol: str | None = None
    datasets: tuple[str, ...] = ()
    data: str | None = None
    workspace: str = "workspace"
    execution: ExecutionConfig = field(default_factory=ExecutionConfig)
    known: str | None = None  # a trials.jsonl whose trials need not be run again


@dataclass(frozen=True)
class BenchmarkResult:
    """All trials of the chosen experiments, by experiment."""

    experiments: list[tuple[ExperimentSpec, list[TrialResult]]]

    def rows(self) -> list[dict[str, Any]]:
        from hnn_core.results import aggregate

        return [asdict(row) for spec, results in self.experiments for row in aggregate(spec, results)]


def experiments_folder() -> Path:
    """Beside the packages in a checkout, inside ``flows`` in a wheel."""
    inside = Path(__file__).parent / "_experiments"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "experiments"


def choose(names: Sequence[str]) -> list[ExperimentSpec]:
    from hnn_core.experiment import load_experiments

    known = load_experiments(experiments_folder())
    for name in names:
        if name not in known:
            match = difflib.get_close_matches(name, known, n=1)
            hint = f" Did you mean {match[0]!r}?" if match else ""
            raise UsageError(f"unknown experiment {name!r}.{hint} There are {', '.join(known)}.")
    return [known[name] for name in (names or known)]


def plan(request: BenchmarkRequest) -> list[Trial]:
    """The trials of a request, its names and its data checked first."""
    trials = _named(request)
    _check_data(request, sorted({trial.dataset for trial in trials}))
    return trials


def stored(request: BenchmarkRequest) -> BenchmarkResult:
    """The finished trials of a request, nothing run: needs neither the data nor the time."""
    trials = _named(request)
    store = _store(request)
    found = list(finished(trials, store))
    if not found:
        raise HnnError(f"{store.folder} has no finished trial of what was asked for: run it without --render-only")
    return _by_experiment(trials, found)


def _named(request: BenchmarkRequest) -> list[Trial]:
    specs = choose(request.names)
    everywhere = {dataset for spec in specs for dataset in spec.datasets}
    unknown = sorted(set(request.datasets) - everywhere)
    if unknown:
        raise UsageError(f"unknown data set {unknown[0]!r}; there are {', '.join(sorted(everywhere))}")
    protocols = {protocol for spec in specs for protocol in spec.protocols}
    if request.protocol is not None and request.protocol not in protocols:
        raise UsageError(f"unknown protocol {request.protocol!r}; there are {', '.join(sorted(protocols))}")
    return trials_of(specs, request.trials, request.protocol, request.datasets)


def run(
    request: BenchmarkRequest, trials: Sequence[Trial], progress: Progress, on_result: Callable[[TrialResult], None]
) -> BenchmarkResult:
    """Run what is not stored yet; ``on_result`` sees every result as it comes."""
    data = _data_folder(request)
    results: list[TrialResult] = []
    progress.start("benchmark", total=len(trials))
    try:
        with open_runner(request.execution) as runner:
            for result in run_trials(trials, _store(request), data, runner):
                results.append(result)
                progress.advance(1, note=f"{result.dataset} {result.model} {result.protocol}")
                on_result(result)
    except FileNotFoundError as error:
        raise HnnError(str(error)) from error
    finally:
        progress.finish()
    return _by_experiment(trials, results)


def _store(request: BenchmarkRequest) -> TrialStore:
    return TrialStore(Workspace(Path(request.workspace)), Path(request.known) if request.known else None)


def _by_experiment(trials: Sequence[Trial], results: Sequence[TrialResult]) -> BenchmarkResult:
    specs = {trial.spec.name: trial.spec for trial in trials}
    found: dict[str, list[TrialResult]] = {name: [] for name in specs}
    for result in results:
        found[result.experiment].append(result)
    return BenchmarkResult([(spec, found[name]) for name, spec in specs.items()])


def write(result: BenchmarkResult, folder: Path, json_file: Path | None = None) -> list[Path]:
    """results.md with its figures, results.html, the trials behind them and, where asked for, the rows as JSON."""
    from hnn_core.results import load_speed, to_html, to_markdown

    speed = load_speed(experiments_folder() / "speed.json")
    text, figures = to_markdown(result.experiments, "figures", speed)
    written = [folder / "results.md", folder / "results.html"]
    write_atomically(written[0], text)
    write_atomically(written[1], to_html(result.experiments, speed))
    write_atomically(folder / "trials.jsonl", archive(trial for _, trials in result.experiments for trial in trials))
    for name, svg in figures.items():
        write_atomically(folder / "figures" / name, svg)
    if json_file is not None:
        write_atomically(json_file, json.dumps({"rows": result.rows()}, indent=2) + "\n")
        written.append(json_file)
    return written


def _data_folder(request: BenchmarkRequest) -> Path | None:
    return Path(request.data) if request.data else None


def _check_data(request: BenchmarkRequest, datasets: Sequence[str]) -> None:
    from hnn_core.datasets import hypergcn

    for dataset in datasets:
        try:
            hypergcn.load(dataset, _data_folder(request))
        except FileNotFoundError as error:
            place = request.data or os.environ.get("HNN_DATA")
            found = f"{place} has no benchmark data ({error})" if place else "No benchmark data: HNN_DATA is not set"
            raise HnnError(f"{found}.\n{DOWNLOAD}") from None
