"""The search for hyperparameters: on a validation part of the training data only, with its record kept.

``hnn search NAME``, or ``python -m hnn_core.search experiments/search/NAME.yaml --data ROOT`` in one process, writes
``NAME.record.json`` beside the file: every candidate, what it gave on each validation part, and the choice for each
data set, which experiments that name the search then use. Candidates already in the record are not tried again.

For hyperedge prediction the training hyperedges of a trial are all there is: they are split again, and a
candidate is trained on the larger part and judged on the smaller one. For node classification a third of each
split's training nodes judges.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import yaml
from pydantic import BaseModel, ConfigDict, Field

from hnn_core.datasets import hypergcn
from hnn_core.experiment import Settings, run_settings
from hnn_core.hypergraph import keep_hyperedges
from hnn_core.seeds import derive, generator
from hnn_core.tasks.protocols import split_hyperedges


class SearchSpec(BaseModel):
    """What is tried: candidate settings of one model under one protocol."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    task: Literal["hyperedge-prediction", "node-classification"]
    protocol: str = "transductive"
    model: str
    datasets: tuple[str, ...]
    trials: tuple[int, ...] = (0, 1)
    settings: Settings = Field(default_factory=Settings)
    candidates: tuple[Settings, ...]


class Outcome(BaseModel):
    """One candidate on one data set: its validation AUC in each trial."""

    model_config = ConfigDict(frozen=True)

    dataset: str
    candidate: Settings
    auc: tuple[float, ...]

    @property
    def mean(self) -> float:
        return float(np.mean(self.auc))

    def __str__(self) -> str:
        return f"{self.dataset}: {self.mean:.4f}  {_brief(self.candidate)}"


def load_search(path: Path) -> SearchSpec:
    """Read one search."""
    with path.open(encoding="utf-8") as stream:
        return SearchSpec.model_validate(yaml.safe_load(stream))


@dataclass(frozen=True)
class Try:
    """One candidate on one data set, not tried yet."""

    spec: SearchSpec
    dataset: str
    candidate: Settings


def validate(tried: Try, root: Path | None) -> Outcome:
    """Train and judge one candidate on the validation part of each trial's training data."""
    spec, data = tried.spec, hypergcn.load(tried.dataset, root)
    settings = tried.candidate.over(spec.settings)
    aucs = []
    for trial in spec.trials:
        part = validation_part(data, spec.task, trial)
        seed = derive(trial, "validation") if spec.task == "hyperedge-prediction" else trial
        metrics, _ = run_settings(spec.task, spec.model, settings, part, spec.protocol, seed)
        aucs.append(metrics["auc"])
    return Outcome(dataset=data.name, candidate=tried.candidate, auc=tuple(aucs))


def one_after_another(tries: Iterable[Try], root: Path | None) -> Iterator[Outcome]:
    """Try in this process, in order."""
    for each in tries:
        yield validate(each, root)


def validation_part(data: hypergcn.Dataset, task: str, trial: int) -> hypergcn.Dataset:
    """The data set as one trial's training data alone: no test hyperedge, or no label of a test node."""
    if task == "hyperedge-prediction":
        train = split_hyperedges(data.hypergraph.num_hyperedges, 0.8, trial).train
        return replace(data, hypergraph=keep_hyperedges(data.hypergraph, train))
    split = data.splits[trial % len(data.splits)]
    order = generator(trial, "validation nodes").permutation(split.train)
    cut = 2 * len(order) // 3
    inner = hypergcn.Split(order[:cut], order[cut:])
    hidden = np.full_like(data.labels, -1)
    hidden[split.train] = data.labels[split.train]
    return replace(data, labels=hidden, splits=(inner,) * len(data.splits))


OutcomesOf: TypeAlias = Callable[[Iterable[Try], Path | None], Iterable[Outcome]]


def best(outcomes: list[Outcome]) -> dict[str, Settings]:
    """For each data set the candidate with the highest mean; the first of equals."""
    chosen: dict[str, Outcome] = {}
    for outcome in outcomes:
        if outcome.dataset not in chosen or outcome.mean > chosen[outcome.dataset].mean:
            chosen[outcome.dataset] = outcome
    return {dataset: outcome.candidate for dataset, outcome in chosen.items()}


def run_search(path: Path, root: Path | None, outcomes_of: OutcomesOf = one_after_another) -> Iterator[Outcome]:
    """Try every candidate on every data set and keep the record beside the search's file; yields what is new.

    ``outcomes_of`` decides where and in which order: the record does not depend on it.
    """
    spec = load_search(path)
    record = path.with_suffix(".record.json")
    known = {(each.dataset, _brief(each.candidate)): each for each in _read(record, spec)}
    wanted = {
        (name, _brief(candidate)): Try(spec, name, candidate) for name in spec.datasets for candidate in spec.candidates
    }
    for outcome in outcomes_of([each for key, each in wanted.items() if key not in known], root):
        known[outcome.dataset, _brief(outcome.candidate)] = outcome
        _write(record, spec, [known[key] for key in wanted if key in known])
        yield outcome


def _read(record: Path, spec: SearchSpec) -> list[Outcome]:
    """What is known already; nothing where it was found in other trials or with other common settings."""
    if not record.is_file():
        return []
    content = json.loads(record.read_text(encoding="utf-8"))
    if content["trials"] != list(spec.trials) or content["settings"] != _spoken(spec.settings):
        return []
    return [Outcome(**each) for each in content["outcomes"]]


def _write(record: Path, spec: SearchSpec, outcomes: list[Outcome]) -> None:
    content = {
        "search": spec.name,
        "settings": _spoken(spec.settings),
        "trials": spec.trials,
        "chosen": {name: _spoken(choice.over(spec.settings)) for name, choice in sorted(best(outcomes).items())},
        "outcomes": [
            {"dataset": each.dataset, "candidate": _spoken(each.candidate), "auc": each.auc} for each in outcomes
        ],
    }
    record.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _spoken(settings: Settings) -> dict[str, Any]:
    """Settings without the sections that say nothing."""
    return {section: content for section, content in settings.model_dump().items() if content}


def _brief(settings: Settings) -> str:
    return json.dumps(_spoken(settings), sort_keys=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=run_search.__doc__)
    parser.add_argument("search", type=Path, help="experiments/search/NAME.yaml")
    parser.add_argument("--data", type=Path, default=None, help="folder with coauthorship/ and cocitation/")
    arguments = parser.parse_args()
    for outcome in run_search(arguments.search, arguments.data):
        print(outcome, flush=True)


if __name__ == "__main__":
    main()
