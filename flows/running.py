"""One run of the pipeline: decide, execute, record. Knows neither Prefect nor MLflow; flows/pipeline.py wraps it."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flows import config as configuration
from flows import interrupts, logs, runs
from flows.config import Config
from flows.counting import counted
from flows.dag import NAMES, stage_named
from flows.errors import UsageError
from flows.execution import Outcome, execute
from flows.manifest import Manifest
from flows.planning import current_upstream, decide, without_folders
from flows.progress import Silent
from flows.runs import Run, Stopwatch
from flows.stage import Prepared, Progress
from flows.workspace import Workspace, read_json, write_atomically

log = logging.getLogger("hnn")


@dataclass(frozen=True)
class Request:
    """What was asked for; everything a flow run needs, as plain values."""

    workspace: str = "workspace"
    config_file: str | None = None
    overrides: tuple[str, ...] = ()
    only: str | None = None  # run this stage alone, on what is upstream
    from_stage: str | None = None  # rerun from here on
    force: bool = False
    wait: bool = False
    command: str = "hnn run"

    def config(self) -> Config:
        return configuration.load(Path(self.config_file) if self.config_file else None, overrides=self.overrides)


def corpus_as_before(workspace: Workspace, config: Config) -> str | None:
    """The corpus this workspace was last given with ``--corpus``, where nothing else names one.

    Without it a plain `hnn run` would put the sample in the place of somebody's own emails.
    """
    last = workspace.current("scrape")
    source = _asked_for(workspace) or (last.overrides.get("scrape.source") if last else None)
    if source is None or "source" in config.scrape.model_fields_set:
        return None
    if "://" in str(source):  # recorded without its credentials, if it had any
        raise UsageError(
            f"{workspace.root} was made from {source}: addresses may hold a secret and are not kept whole. "
            "Name it again with --corpus, or in hnn.toml under [scrape]"
        )
    return str(source)


def remember_corpus(workspace: Workspace, overrides: Sequence[str]) -> None:
    """Before anything else is done: a run that is killed while it starts has a corpus all the same."""
    source = configuration.parse_overrides(overrides).get("scrape.source")
    if isinstance(source, str) and (shown := configuration.redact_urls(source)) != _asked_for(workspace):
        write_atomically(workspace.corpus, json.dumps({"source": shown}, ensure_ascii=False) + "\n")


def _asked_for(workspace: Workspace) -> str | None:
    try:
        source = read_json(workspace.corpus)["source"]
    except (OSError, ValueError, KeyError, TypeError):  # never asked for one, or somebody else's file
        return None
    return source if isinstance(source, str) else None


def corpus_from_anywhere(source: str) -> str:
    """A source as it is called from any folder: a path, also of a glob, a list or an archive, becomes absolute.

    Links stay links, so that what they lead to may change; only ``..`` has to be followed now.
    """
    from extractors.sources.generated import is_sample

    if not source.strip() or is_sample(source.strip()) or "://" in source:
        return source
    path = Path(source.strip()).expanduser()
    return str(path.resolve() if ".." in path.parts else path.absolute())


@dataclass
class PipelineRun:
    """The state of one run while its stages are executed in order."""

    workspace: Workspace
    config: Config
    request: Request
    record: Run
    progress: Progress = field(default_factory=Silent)
    upstream: dict[str, Manifest] = field(default_factory=dict)
    prepared: dict[str, Prepared] = field(default_factory=dict)
    killed: list[Run] = field(default_factory=list)  # found dead when this one began

    @property
    def stage_names(self) -> tuple[str, ...]:
        return (self.request.only,) if self.request.only else NAMES

    def prepare(self) -> None:
        """Let the stages begin what takes time to come up. One that cannot will say why when its turn comes."""
        for name in self.stage_names:
            prepare = stage_named(name).prepare
            with suppress(OSError):
                if prepare is not None and (prepared := prepare(self.config)) is not None:
                    self.prepared[name] = prepared

    def close(self) -> None:
        """End what was prepared for stages that were never reached."""
        while self.prepared:
            self.prepared.popitem()[1].close()

    def run_stage(self, name: str) -> Outcome:
        """Reuse or run one stage; the manifest decides."""
        stage = stage_named(name)
        upstream = current_upstream(self.workspace, stage) if self.request.only else self.upstream
        decision = decide(self.workspace, stage, self.config, upstream, force=self._forced(name))
        extra = {"run": self.record.id, "stage": name, "key": decision.key}
        if not decision.fresh:
            log.info("%s: running, %s", name, without_folders(decision.reason, decision.key or ""), extra=extra)
        overrides = configuration.parse_overrides(self.request.overrides)
        try:
            try:
                with self._prepared_for(name) as prepared:
                    outcome = execute(self.workspace, decision, self.config, overrides, self.progress, prepared)
            finally:
                interrupts.raise_kept()
            self.upstream[name] = outcome.manifest
            self.record.add(outcome)
            runs.save(self.workspace, self.record)
        except BaseException as error:
            error.add_note(f"in stage {name}")
            raise
        log.info("%s: %s", name, describe(outcome), extra={**extra, "key": outcome.manifest.key})
        return outcome

    def _prepared_for(self, name: str) -> AbstractContextManager[Prepared | None]:
        prepared = self.prepared.pop(name, None)
        return closing(prepared) if prepared is not None else nullcontext()

    def _forced(self, name: str) -> bool:
        if self.request.only:
            return self.request.force
        start = self.request.from_stage
        return self.request.force or (start is not None and NAMES.index(name) >= NAMES.index(start))


@contextmanager
def open_run(
    request: Request, progress: Progress | None = None, ended: Callable[[PipelineRun], None] | None = None
) -> Iterator[PipelineRun]:
    """Hold the workspace, keep the record: completed, interrupted, or failed with the reason.

    ``ended`` is called with the finished record while the workspace is still held: nobody else sends it meanwhile.
    """
    config = request.config()
    for name in (request.only, request.from_stage):
        if name:
            stage_named(name)
    workspace = Workspace(Path(request.workspace))
    with workspace.lock(request.command, wait=request.wait):
        remember_corpus(workspace, request.overrides)
        killed = _close_abandoned(workspace)
        record = runs.start(request.command, config.public(), config.digest())
        watch = Stopwatch()
        runs.save(workspace, record)
        run = PipelineRun(workspace, config, request, record, progress or Silent(), killed=killed)
        with logs.to_file(workspace.root, record.id), closing(run):
            run.prepare()
            try:
                yield run
                record.status = "completed"
            except KeyboardInterrupt as error:
                record.status = "interrupted"
                record.error = " ".join(getattr(error, "__notes__", ()))
                raise
            except BaseException as error:
                record.status = "failed"
                record.error = configuration.redact_urls(f"{type(error).__name__}: {error}".removesuffix(": "))[:500]
                raise
            finally:
                record.seconds = watch.seconds
                _save_ending(workspace, record)
                if ended is not None:
                    ended(run)


def _save_ending(workspace: Workspace, record: Run) -> None:
    """Why a run failed matters more than that its record cannot say so: the next run takes it for killed."""
    try:
        runs.save(workspace, record)
    except OSError:
        if record.status == "completed":
            raise


def describe(outcome: Outcome) -> str:
    manifest = outcome.manifest
    if not outcome.ran:
        return "nothing to do"
    tables = any(output.rows is not None for output in manifest.outputs.values())
    made = counted(manifest.rows, "row") if tables else counted(len(manifest.outputs), "file")
    return f"{made} in {manifest.seconds:.1f} s, {manifest.peak_memory_mb:,.0f} MB"


def _close_abandoned(workspace: Workspace) -> list[Run]:
    """We hold the lock: whatever still says "running" was killed."""
    killed = [record for record in runs.load_all(workspace) if record.status == "running"]
    for record in killed:
        record.status, record.error = "failed", runs.KILLED
        runs.save(workspace, record)
    return killed


def stage_table(record: Run) -> list[dict[str, Any]]:
    """The stages of a run as rows for tables and artifacts."""
    return [
        {
            "stage": entry["stage"],
            "state": "ran" if entry["ran"] else "cached",
            "seconds": entry["seconds"],
            "key": entry["key"],
            "why": entry["reason"],
        }
        for entry in record.stages
    ]
