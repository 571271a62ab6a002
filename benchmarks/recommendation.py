"""The recommender beside every rival, under every protocol, and composed styles for unknown senders.

Mean and deviation over seeds. ``ratio`` is the least of ours over the best rival's, for HR@1 and HR@10 of every target
and protocol whose ceiling is above 5 %: above 1, ours is the best everywhere. The corpus is ``--corpus``, else the
emails of ``HNN_DATA`` or of ``../shared/data`` beside the repository, else the sample.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from flows import extract, scrape
from flows.config import Config, ScrapeConfig
from flows.progress import Silent
from flows.recommend import email_tables
from flows.runner import LocalRunner
from flows.stage import Context
from flows.workspace import Workspace
from hnn_core.recommend.corpus import Observed
from hnn_core.recommend.methods import RECOMMENDER
from hnn_core.recommend.protocols import PROTOCOLS
from hnn_core.recommend.twins import TWIN_GROUPS
from hnn_core.tasks.style_recommendation import Evaluation, StyleRecommendation, evaluate, observe

TARGETS = ("button-style", "background-style")
SHOWN = ("hr_at_1", "hr_at_10", "ndcg_at_10", "mrr", "macro_hr_at_10")
COMPARED = ("hr_at_1", "hr_at_10")
LEAST_CEILING = 0.05
WITH_TWINS = (RECOMMENDER, "knn-context", "HNN, masked links, y·z")

Values = Mapping[str, Mapping[str, list[float]]]  # by method and measure, one a seed
Cell = tuple[str, str, int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", default=None, help="folder, mailbox or archive of emails")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--protocols", nargs="+", choices=PROTOCOLS, default=list(PROTOCOLS))
    parser.add_argument("--workers", type=int, default=0, help="processes; 0 = number of cores")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    corpus = arguments.corpus or default_corpus()
    with tempfile.TemporaryDirectory() as folder:
        observed = extracted(corpus, Path(folder), arguments.workers)
    cells = [(t, p, seed) for p in arguments.protocols for t in TARGETS for seed in range(arguments.seeds)]
    console = Console(width=150)
    found = []
    for evaluation in LocalRunner(arguments.workers).map_batches(evaluate_cell, cells, observed):
        found.append(evaluation)
        console.print(f"{len(found)} of {len(cells)}", end="\r")
    figures = summary(found)
    figures |= {"corpus": Path(corpus).name, "emails": observed.corpus.num_emails, "seeds": arguments.seeds}
    show(console, figures)
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def default_corpus() -> str:
    data = Path(os.environ.get("HNN_DATA") or Path(__file__).parents[2] / "shared" / "data")
    emails = data / "emails" / "html"
    return str(emails) if emails.is_dir() else "sample"


def extracted(source: str, folder: Path, workers: int) -> Observed:
    """The corpus through the first two stages."""
    config = Config(scrape=ScrapeConfig(source=source))
    config = config.model_copy(update={"execution": config.execution.model_copy(update={"workers": workers})})
    workspace = Workspace(folder)
    for stage in (scrape.STAGE, extract.STAGE):
        out = folder / stage.name
        out.mkdir(parents=True)
        inputs = {name: folder / name for name in stage.inputs}
        stage.run(Context(config, inputs, out, workspace, None, Silent()))
    names = (f"{stage.name}/{file}" for stage in (scrape.STAGE, extract.STAGE) for file in stage.outputs)
    return observe(email_tables({name: folder / name for name in names}))


def evaluate_cell(cell: Cell, observed: Observed) -> Evaluation:
    target, protocol, seed = cell
    return evaluate(observed, StyleRecommendation(target, protocol), seed)


def summary(found: Sequence[Evaluation]) -> dict[str, Any]:
    """Figures by target and protocol, composed attributes by protocol, and where ours is not the best."""
    metrics: dict[str, Any] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    ceilings: dict[str, list[float]] = defaultdict(list)
    composed: dict[str, Any] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    twins: dict[str, Any] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for evaluation in found:
        for row in evaluation.metrics:
            cell = f"{row['target']}, {row['protocol']}"
            metrics[cell][row["method"]][row["metric"]].append(row["value"])
            ceilings[cell].append(row["ceiling"])
        for row in evaluation.composed:
            composed[row["protocol"]][row["method"]][row["attribute"]].append(row["value"])
        for row in evaluation.twins:
            if row["metric"] == "hr_at_10" and row["method"] in WITH_TWINS:
                twins[f"{row['target']}, {row['protocol']}"][row["method"]][row["twin"]].append(row["value"])
    ceiling = {cell: float(np.mean(values)) for cell, values in ceilings.items()}
    ratios = {
        (cell, measure): ratio
        for cell, of in metrics.items()
        if ceiling[cell] > LEAST_CEILING
        for measure, ratio in against_best_rival(of)
    }
    return {
        "metrics": {
            cell: {"ceiling": ceiling[cell], "methods": mean_and_deviation(of)} for cell, of in metrics.items()
        },
        "composed": {protocol: mean_and_deviation(of) for protocol, of in composed.items()},
        "twins": {cell: mean_and_deviation(of) for cell, of in twins.items()},
        "not best": [f"{cell}, {measure}: {ratio:.3f}" for (cell, measure), ratio in ratios.items() if ratio <= 1],
        "ratio": min(ratios.values(), default=float("nan")),
    }


def against_best_rival(of: Values) -> Iterator[tuple[str, float]]:
    """Ours over the best of all others, HNN by itself among them."""
    for measure in COMPARED:
        rival = max(float(np.mean(values[measure])) for method, values in of.items() if method != RECOMMENDER)
        yield measure, float(np.mean(of[RECOMMENDER][measure])) / rival if rival else float("inf")


def mean_and_deviation(of: Values) -> dict[str, dict[str, tuple[float, float]]]:
    return {
        method: {name: (float(np.mean(seeds)), float(np.std(seeds))) for name, seeds in values.items()}
        for method, values in of.items()
    }


def show(console: Console, figures: Mapping[str, Any]) -> None:
    for cell, of in figures["metrics"].items():
        by = of["methods"]
        order = sorted(by, key=lambda method: -by[method]["hr_at_10"][0])
        print_table(console, f"{cell}, ceiling {of['ceiling']:.3f}", by, order, SHOWN)
    for protocol, by in figures["composed"].items():
        print_table(console, f"composed buttons, {protocol}", by, list(by), list(next(iter(by.values()))))
    for cell, by in figures["twins"].items():
        groups = [name for name, _, _ in TWIN_GROUPS if all(name in of for of in by.values())]
        print_table(console, f"{cell}, HR@10 by likeness of the nearest training email", by, list(by), groups)
    for line in figures["not best"]:
        console.print(f"not the best: {line}")
    console.print(f"ratio {figures['ratio']:.3f}")


def print_table(
    console: Console, title: str, by: Mapping[str, Any], rows: Sequence[str], columns: Sequence[str]
) -> None:
    table = Table(title=title, title_justify="left", box=None)
    table.add_column("method")
    for column in columns:
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(row, *("{:.3f} ±{:.3f}".format(*by[row][column]) for column in columns))
    console.print(table)


if __name__ == "__main__":
    main()
