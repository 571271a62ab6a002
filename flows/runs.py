"""Run records: what each run did, kept as one small JSON file a run, readable without any server."""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from flows.errors import HnnError
from flows.execution import Outcome
from flows.workspace import Workspace, read_json, write_atomically

KILLED = "killed"  # the error of a run whose process was gone before it could say one


@dataclass
class Run:
    """One run of the pipeline or of a stage."""

    id: str
    command: str
    started_at: str
    config: dict[str, Any]
    config_hash: str
    status: str = "running"  # running | completed | interrupted | failed
    error: str = ""
    seconds: float = 0.0
    stages: list[dict[str, Any]] = field(default_factory=list)  # stage, ran, key, seconds, reason
    metrics: dict[str, float] = field(default_factory=dict)
    tracking: dict[str, Any] = field(default_factory=dict)  # what MLflow has of it, see flows/tracking.py

    @property
    def shown_status(self) -> str:
        """For people: a run that something killed had no chance to fail."""
        return KILLED if self.error == KILLED else self.status

    def add(self, outcome: Outcome) -> None:
        manifest = outcome.manifest
        self.stages.append(
            {
                "stage": outcome.stage,
                "ran": outcome.ran,
                "reason": outcome.reason,
                "key": manifest.key,
                "seconds": manifest.seconds if outcome.ran else 0.0,
            }
        )
        self.metrics.update(manifest.summary.get("metrics", {}))


def start(command: str, config: dict[str, Any], config_hash: str) -> Run:
    now = datetime.now(UTC)
    return Run(
        id=f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}",
        command=command,
        started_at=now.isoformat(timespec="seconds"),
        config=config,
        config_hash=config_hash,
    )


def save(workspace: Workspace, run: Run) -> None:
    write_atomically(workspace.runs / f"{run.id}.json", json.dumps(asdict(run), indent=2, ensure_ascii=False) + "\n")


def load_all(workspace: Workspace) -> list[Run]:
    """All runs, newest first. A run that was killed still says "running": the lock tells whether it is."""
    runs = []
    for path in sorted(workspace.runs.glob("*.json"), reverse=True):
        try:
            runs.append(Run(**read_json(path)))
        except (ValueError, TypeError) as error:
            raise HnnError(f"{path}: not a run record ({error}). Remove it.") from None
    return runs


def as_they_are(workspace: Workspace) -> list[Run]:
    """All runs for people and monitors, who need not wait for the next run to hear of a killed one.

    Dead is what says "running" before and after the lock was found free: others ended, or began, in between.
    """
    running = {run.id for run in load_all(workspace) if run.status == "running"}
    dead = running if running and workspace.holder() is None else set()
    return [
        replace(run, status="failed", error=KILLED) if run.id in dead and run.status == "running" else run
        for run in load_all(workspace)
    ]


class Stopwatch:
    """Seconds since it was made, on a clock that does not jump."""

    def __init__(self) -> None:
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        return round(time.perf_counter() - self._start, 2)
