"""Benchmark trials in MLflow: one run a benchmark, a nested run a trial."""

from __future__ import annotations

import logging
from typing import Any

from flows import tracking, tracking_server
from flows.workspace import Workspace

log = logging.getLogger("hnn")


class TrialLog:
    """Trials as nested runs with their curves, sent as they come; what the client refused is sent at the end."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._sent_file = workspace.root / "benchmark" / "tracked.txt"
        self._sent = set(self._sent_file.read_text("utf-8").split()) if self._sent_file.exists() else set()
        self._waiting: list[Any] = []
        self._parent = ""
        self._experiment = ""

    def __enter__(self) -> TrialLog:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._flush()
        if self._parent:
            try:
                tracking_server.connect().set_terminated(self._parent, "FAILED" if kind else "FINISHED")
            except Exception as error:
                log.warning("MLflow: the benchmark run could not be closed (%s)", type(error).__name__)
        if self._waiting:
            log.warning("MLflow did not take %d trials; the next `hnn benchmark` sends them", len(self._waiting))

    def add(self, result: Any) -> None:
        if _trial_name(result) not in self._sent:
            self._waiting.append(result)
            self._flush()

    def _flush(self) -> None:
        while self._waiting:
            try:
                self._send(self._waiting[0])
            except Exception:  # kept in memory for the next result or the end, and on disk in any case
                return
            name = _trial_name(self._waiting.pop(0))
            self._sent.add(name)
            self._sent_file.parent.mkdir(parents=True, exist_ok=True)
            with self._sent_file.open("a", encoding="utf-8") as stream:
                stream.write(name + "\n")

    def _send(self, result: Any) -> None:
        client = tracking_server.connect()
        if not self._parent:
            self._experiment = tracking_server.experiment_id(client, self._workspace)
            run = client.create_run(self._experiment, run_name="benchmark", tags={"hnn.command": "hnn benchmark"})
            self._parent = run.info.run_id
        names = {name: str(getattr(result, name)) for name in ("experiment", "dataset", "model", "protocol", "trial")}
        values = [(name, value, 0) for name, value in {**result.metrics, "seconds": result.seconds}.items()]
        for point in result.curve:
            values.append(("curve_loss", point.loss, point.epoch))
            values += [(f"curve_{name}", value, point.epoch) for name, value in point.measures.items()]
        tags = {"mlflow.parentRunId": self._parent, "hnn.trial": result.key}
        tracking.nested_run(client, self._experiment, " ".join(names.values()), tags, names, values)


def _trial_name(result: Any) -> str:
    return f"{result.experiment}/{result.model}/{result.key}".replace(" ", "_")
