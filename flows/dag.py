"""The DAG, in order. Each stage is declared in the file that bears its name."""

from __future__ import annotations

import difflib

from flows.errors import UsageError
from flows.extract import STAGE as EXTRACT
from flows.features import STAGE as FEATURES
from flows.hypergraph import STAGE as HYPERGRAPH
from flows.recommend import STAGE as RECOMMEND
from flows.report import STAGE as REPORT
from flows.scrape import STAGE as SCRAPE
from flows.stage import Stage
from flows.train import STAGE as TRAIN

STAGES: tuple[Stage, ...] = (SCRAPE, EXTRACT, HYPERGRAPH, FEATURES, TRAIN, RECOMMEND, REPORT)
NAMES: tuple[str, ...] = tuple(stage.name for stage in STAGES)


def stage_named(name: str) -> Stage:
    for stage in STAGES:
        if stage.name == name:
            return stage
    match = difflib.get_close_matches(name, NAMES, n=1, cutoff=0.5)
    hint = f" Did you mean {match[0]!r}?" if match else ""
    raise UsageError(f"unknown stage {name!r}.{hint} The stages are {', '.join(NAMES)}.")
