"""Run one stage and publish what it made."""

from __future__ import annotations

import contextlib
import os
import platform
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flows import full_disk
from flows.config import Config, redact_urls
from flows.errors import HnnError, LastingError
from flows.manifest import Manifest, Output, damaged_files, file_sha256, stage_key
from flows.planning import OUTSIDE, Decision
from flows.stage import Context, Prepared, Progress, Stage
from flows.workspace import Workspace, explain_os_error


@dataclass(frozen=True)
class Outcome:
    """What happened to one stage in a run."""

    stage: str
    ran: bool
    reason: str
    manifest: Manifest


def execute(
    workspace: Workspace,
    decision: Decision,
    config: Config,
    overrides: Mapping[str, Any],
    progress: Progress,
    prepared: Prepared | None = None,
) -> Outcome:
    """Reuse the result that is there, or run the stage and publish a new one."""
    stage = decision.stage
    if decision.manifest is not None:
        workspace.use(stage.name, decision.manifest.key)
        return Outcome(stage.name, False, "", decision.manifest)
    try:
        manifest = _run(workspace, decision, config, overrides, progress, prepared)
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        kind = LastingError if error.errno in full_disk.NO_ROOM else HnnError  # a second try would fill it again
        raise kind(
            f"stage {stage.name}: {explain_os_error(error, workspace.root)}{place}. Earlier results are untouched."
        ) from error
    return Outcome(stage.name, True, decision.reason, manifest)


def _run(
    workspace: Workspace,
    decision: Decision,
    config: Config,
    overrides: Mapping[str, Any],
    progress: Progress,
    prepared: Prepared | None,
) -> Manifest:
    stage = decision.stage
    started = datetime.now(UTC)
    clock = time.perf_counter()  # monotonic: a clock that jumps does not bend the seconds
    with workspace.writing(stage.name, decision.key or "unknown") as draft, PeakMemory() as memory:
        context = Context(
            config=config,
            inputs=_input_paths(workspace, stage, decision),
            out=draft,
            workspace=workspace,
            previous=_reusable(workspace, decision),
            progress=progress,
            prepared=prepared,
        )
        try:
            summary = stage.run(context)
        finally:
            progress.finish()
        outputs = _outputs(stage, draft)
        inputs = dict(decision.inputs)
        if decision.key is None:
            inputs[OUTSIDE] = outputs[stage.outputs[0]].sha256
        manifest = Manifest(
            stage=stage.name,
            version=stage.version,
            key=decision.key or stage_key(stage.name, stage.version, decision.parameters, inputs),
            parameters=decision.parameters,
            inputs=inputs,
            outputs=outputs,
            overrides=_overrides(stage, overrides),
            summary=dict(summary),
            started_at=started.isoformat(timespec="seconds"),
            finished_at=datetime.now(UTC).isoformat(timespec="microseconds"),
            seconds=round(time.perf_counter() - clock, 3),
            peak_memory_mb=round(memory.peak_mb, 1),
            machine={"python": platform.python_version(), "cores": os.cpu_count()},
        )
        workspace.publish(draft, manifest)
    return manifest


def _overrides(stage: Stage, overrides: Mapping[str, Any]) -> dict[str, Any]:
    """What ``--set`` said about this stage, without secrets."""
    mine = {k: v for k, v in overrides.items() if k.partition(".")[0] == stage.name or k in stage.also_reads}
    return {name: redact_urls(value) if isinstance(value, str) else value for name, value in mine.items()}


def _input_paths(workspace: Workspace, stage: Stage, decision: Decision) -> dict[str, Path]:
    """Where the inputs of the decision lie: the result whose output has the wanted hash."""
    paths = {}
    for name in stage.inputs:
        source, _, file = name.partition("/")
        for manifest in [workspace.current(source), *workspace.manifests(source)]:
            if manifest and file in manifest.outputs and manifest.outputs[file].sha256 == decision.inputs[name]:
                paths[name] = workspace.result(source, manifest.key) / file
                break
    return paths


def _reusable(workspace: Workspace, decision: Decision) -> Path | None:
    """The newest result of the same version and parameters that is still what was written."""
    for manifest in workspace.manifests(decision.stage.name):
        same = manifest.version == decision.stage.version and manifest.parameters == dict(decision.parameters)
        folder = workspace.result(manifest.stage, manifest.key)
        if same and manifest.key != decision.key and not damaged_files(manifest, folder):
            return folder
    return None


def _outputs(stage: Stage, draft: Path) -> dict[str, Output]:
    missing = [name for name in stage.outputs if not (draft / name).is_file()]
    if missing:
        raise HnnError(f"stage {stage.name} did not write {', '.join(missing)}; this is a bug, please report it")
    return {
        path.relative_to(draft).as_posix(): Output(file_sha256(path), path.stat().st_size, _rows(path))
        for path in sorted(draft.rglob("*"))
        if path.is_file()
    }


def _rows(path: Path) -> int | None:
    if path.suffix != ".parquet":
        return None
    import pyarrow.parquet as pq

    rows: int = pq.read_metadata(path).num_rows
    return rows


class PeakMemory:
    """Highest resident memory of this process and the children it starts while the block runs, sampled."""

    def __init__(self, interval: float = 0.2) -> None:
        self._me = os.getpid()
        self._others = descendants(self._me)  # e.g. Prefect's own server: not the stage's memory
        self.peak_mb = _resident_mb(self._me)
        self._interval = interval
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> PeakMemory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(self._interval):
            mine = {self._me, *descendants(self._me)} - self._others
            self.peak_mb = max(self.peak_mb, sum(map(_resident_mb, mine)))


def descendants(process: int) -> set[int]:
    """Its children and theirs. Most Linux kernels list them; psutil has to read the state of every process there is."""
    if not Path(f"/proc/self/task/{os.getpid()}/children").exists():
        import psutil

        return {child.pid for child in psutil.Process(process).children(recursive=True)}
    children: set[int] = set()
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # that thread has just ended
            children.update(map(int, path.read_text("ascii").split()))
    return children.union(*map(descendants, children))


def _resident_mb(process: int) -> float:
    import psutil

    try:
        return float(psutil.Process(process).memory_info().rss / 2**20)
    except psutil.Error:  # it has just ended
        return 0.0
