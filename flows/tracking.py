"""The MLflow side, thin: what a run published on disk is sent to the tracking server, at once or later.

Stages never talk to MLflow. They publish tables; this module reads run records and manifests and sends what the
server does not have yet, remembering in the record what arrived. A server that goes away in mid-run therefore
costs nothing: the next run, or ``hnn runs --sync``, sends the rest. Parent run per pipeline run, nested run per
trained variant, data sets by their hashes, tags with every stage key.
"""

from __future__ import annotations

import logging
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path
from typing import Any

from flows import full_disk, runs
from flows.advice import RECOMMENDER
from flows.config import redact_urls
from flows.manifest import Manifest
from flows.runs import Run
from flows.system_metrics import SystemSampler, read_samples
from flows.tracking_server import connect, experiment_id, trouble, uri
from flows.workspace import Workspace

log = logging.getLogger("hnn")

#: MLflow takes at most 1,000 metrics in one request.
BATCH = 1000
VERSIONS = ("hnn", "torch", "scipy", "numpy", "pyarrow", "prefect", "mlflow", "selectolax", "tinycss2")


def sync(workspace: Workspace, live: Run | None = None) -> None:
    """Send everything that is not there yet; on an unreachable server keep it and say so.

    ``live`` is the record of the run under way: its copy in memory is the one that counts.
    """
    waiting = [live if live is not None and live.id == record.id else record for record in runs.load_all(workspace)]
    waiting = [record for record in reversed(waiting) if not record.tracking.get("complete")]
    if not waiting:
        return
    reason = trouble()
    if reason:
        _warn(workspace, waiting[0], reason)
        return
    for record in waiting:
        try:
            _send(workspace, record)
        except Exception as error:  # whatever MLflow raises: the run's results are safe on disk
            _warn(workspace, record, _shortly(workspace, error))
            if trouble():
                return


@contextmanager
def monitored(workspace: Workspace, record: Run) -> Iterator[None]:
    """Open the run in MLflow and sample processor, memory and disk while the block runs."""
    try:
        _parent(connect(), workspace, record)
    except Exception as error:  # as in sync: the work goes on, and is sent later
        _warn(workspace, record, _shortly(workspace, error))
    with SystemSampler(_samples_file(workspace, record), workspace.root):
        yield


def links(record: Run) -> str:
    """Markdown that leads from Prefect to the MLflow run and the report."""
    run_id, experiment = record.tracking.get("parent"), record.tracking.get("experiment")
    server = redact_urls(uri()).rstrip("/")
    lines = [f"**Run** `{record.id}`: {record.status}"]
    if run_id and uri().startswith("http"):
        lines.append(f"**MLflow run**: [{run_id}]({server}/#/experiments/{experiment}/runs/{run_id})")
    elif run_id:
        lines.append(f"**MLflow run**: `{run_id}` in `{server}` (`hnn ui` opens the dashboard)")
    reports = [entry["key"] for entry in record.stages if entry["stage"] == "report"]
    if reports:
        lines.append(f"**Report**: `stages/report/{reports[0]}/report.html` in the workspace, and in the MLflow run")
    return "\n\n".join(lines)


def _warn(workspace: Workspace, record: Run, reason: str) -> None:
    log.warning(
        "MLflow did not take run %s (%s); it is kept in %s and sent with the next run or `hnn runs --sync`",
        record.id,
        reason,
        workspace.runs,
        extra={"run": record.id},
    )


def _shortly(workspace: Workspace, error: Exception) -> str:
    if full_disk.is_full(workspace.root):
        return "the disk is full"
    first = str(error).splitlines()[0] if str(error) else ""
    return f"{type(error).__name__}: {redact_urls(first)[:200]}"


def _send(workspace: Workspace, record: Run) -> None:
    """Send one run record step by step; each step that arrived is remembered at once."""
    if "parent" not in record.tracking and not any(entry["ran"] for entry in record.stages):
        if record.status != "running":
            record.tracking["complete"] = True
            runs.save(workspace, record)
        return
    client = connect()
    parent = _parent(client, workspace, record)
    with _once(workspace, record, "config") as first:
        if first:
            _send_config(client, parent, record)
    for entry in record.stages:
        manifest = workspace.manifest(entry["stage"], entry["key"])
        if manifest is None:
            continue
        if entry["stage"] == "train" and entry["ran"]:
            _send_variants(client, workspace, record, workspace.result("train", manifest.key))
        with _once(workspace, record, entry["stage"]) as first:
            if first:
                _send_stage(client, workspace, parent, entry, manifest)
    _send_samples(client, workspace, record, parent)
    ended = record.status != "running"
    if ended:
        client.log_metric(parent, "seconds", record.seconds)
        client.set_terminated(parent, "FINISHED" if record.status == "completed" else "FAILED")
    _send_recommender(client, workspace, record)  # last: a registry that refuses it keeps no figure back
    if ended:
        record.tracking["complete"] = True
        runs.save(workspace, record)
        _samples_file(workspace, record).unlink(missing_ok=True)


def _send_samples(client: Any, workspace: Workspace, record: Run, parent: str) -> None:
    """System metrics from the first sample that has not arrived yet."""
    from mlflow.entities import Metric

    samples = read_samples(_samples_file(workspace, record), first=record.tracking.get("samples", 0))
    for start in range(0, len(samples), BATCH):
        client.log_batch(parent, metrics=[Metric(*sample) for sample in samples[start : start + BATCH]])
    if samples:
        record.tracking["samples"] = samples[-1][-1] + 1
        runs.save(workspace, record)


def _samples_file(workspace: Workspace, record: Run) -> Path:
    return workspace.runs / f"{record.id}.system.jsonl"


@contextmanager
def _once(workspace: Workspace, record: Run, step: str) -> Iterator[bool]:
    """Whether a step is still to be sent; remembered as sent when the block ends well."""
    sent: list[str] = record.tracking.setdefault("sent", [])
    if step in sent:
        yield False
        return
    yield True
    sent.append(step)
    runs.save(workspace, record)


def _parent(client: Any, workspace: Workspace, record: Run) -> str:
    if "parent" in record.tracking:
        return str(record.tracking["parent"])
    experiment = experiment_id(client, workspace)
    run = client.create_run(experiment, run_name=f"{record.command} {record.id}", tags=_tags(record))
    record.tracking.update(parent=run.info.run_id, experiment=experiment)
    runs.save(workspace, record)
    return str(run.info.run_id)


def _send_config(client: Any, parent: str, record: Run) -> None:
    from mlflow.entities import Param

    client.log_batch(parent, params=[Param(name, str(value)[:6000]) for name, value in _flat(record.config)])
    client.log_dict(parent, record.config, "config.json")


def _tags(record: Run) -> dict[str, str]:
    tags = {"hnn.run": record.id, "hnn.command": record.command, "hnn.config_hash": record.config_hash}
    commit = _git_commit()
    if commit:
        tags["git.commit"] = commit
    for package in VERSIONS:
        try:
            tags[f"version.{package}"] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return tags


def _git_commit() -> str:
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _send_stage(client: Any, workspace: Workspace, parent: str, entry: dict[str, Any], manifest: Manifest) -> None:
    stage = entry["stage"]
    client.set_tag(parent, f"stage.{stage}.key", manifest.key)
    client.set_tag(parent, f"stage.{stage}.state", "ran" if entry["ran"] else "cached")
    _log_inputs(client, parent, manifest)
    metrics = {f"{stage}.seconds": entry["seconds"], f"{stage}.rows": float(manifest.rows)}
    if entry["ran"]:
        metrics[f"{stage}.peak_memory_mb"] = manifest.peak_memory_mb
    metrics |= {name: float(value) for name, value in manifest.summary.get("metrics", {}).items()}
    log_metrics(client, parent, [(name, value, 0) for name, value in metrics.items()])
    folder = workspace.result(stage, manifest.key)
    client.log_dict(parent, {"stage": stage, **_manifest_artifact(manifest)}, f"manifests/{stage}.json")
    for artifact in manifest.summary.get("artifacts", []):
        client.log_artifact(parent, str(folder / artifact), artifact_path=str(Path(artifact).parent).strip("."))


def _manifest_artifact(manifest: Manifest) -> dict[str, Any]:
    return {
        "version": manifest.version,
        "key": manifest.key,
        "parameters": dict(manifest.parameters),
        "inputs": dict(manifest.inputs),
        "outputs": {name: output.sha256 for name, output in manifest.outputs.items()},
    }


def _log_inputs(client: Any, run_id: str, manifest: Manifest) -> None:
    """The stage's inputs as data sets, by content hash: any metric leads back to its exact inputs."""
    from mlflow.entities import Dataset, DatasetInput, InputTag

    datasets = [
        DatasetInput(
            dataset=Dataset(name=name, digest=digest[:36], source_type="local", source=f'{{"uri": "{name}"}}'),
            tags=[InputTag("mlflow.data.context", manifest.stage)],
        )
        for name, digest in manifest.inputs.items()
    ]
    if datasets:
        client.log_inputs(run_id, datasets=datasets)


def _send_variants(client: Any, workspace: Workspace, record: Run, folder: Path) -> None:
    """A nested run for each trained variant and protocol, with its loss and AUC by epoch."""
    import pyarrow.parquet as pq

    metrics = pq.read_table(folder / "metrics.parquet").to_pylist()
    curves = pq.read_table(folder / "curves.parquet").to_pylist()
    for variant, protocol in dict.fromkeys((row["variant"], row["protocol"]) for row in metrics):
        with _once(workspace, record, f"train {variant} {protocol}") as first:
            if not first:
                continue
            mine = [row for row in (*metrics, *curves) if (row["variant"], row["protocol"]) == (variant, protocol)]
            values = [(_name(row), row["value"], row.get("epoch", 0)) for row in mine]
            tags = {"mlflow.parentRunId": record.tracking["parent"], "hnn.run": record.id}
            parameters = {"variant": variant, "protocol": protocol}
            nested_run(client, record.tracking["experiment"], f"train {variant} {protocol}", tags, parameters, values)


def _send_recommender(client: Any, workspace: Workspace, record: Run) -> None:
    """The recommender that this run trained as a registered model."""
    for entry in record.stages:
        recommender = workspace.result("train", entry["key"]) / RECOMMENDER
        if entry["stage"] != "train" or not entry["ran"] or not recommender.is_dir():
            continue
        with _once(workspace, record, "recommender") as first:
            if first:
                from flows.serving import publish

                publish(client, record.tracking["parent"], recommender)


def nested_run(
    client: Any,
    experiment: str,
    name: str,
    tags: dict[str, str],
    parameters: dict[str, str],
    values: list[tuple[str, float, int]],
) -> str:
    """Create a run, fill it and close it; where that fails half-way the half is deleted again."""
    run_id = str(client.create_run(experiment, run_name=name, tags=tags).info.run_id)
    try:
        for parameter, value in parameters.items():
            client.log_param(run_id, parameter, value)
        log_metrics(client, run_id, values)
        client.set_terminated(run_id)
    except Exception:
        with suppress(Exception):
            client.delete_run(run_id)
        raise
    return run_id


def _name(row: dict[str, Any]) -> str:
    """Final figures under their own name, points of a curve beside them."""
    return f"curve_{row['metric']}" if "epoch" in row else row["metric"]


def log_metrics(client: Any, run_id: str, values: list[tuple[str, float, int]]) -> None:
    import time

    from mlflow.entities import Metric

    now = int(time.time() * 1000)
    for start in range(0, len(values), BATCH):
        batch = [Metric(name, float(value), now, step) for name, value, step in values[start : start + BATCH]]
        client.log_batch(run_id, metrics=batch)


def _flat(config: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in config.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
