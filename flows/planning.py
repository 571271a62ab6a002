"""Is there work to do? Answered from manifests and content hashes alone, before anything heavy is imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from flows import config as configuration
from flows.config import Config
from flows.dag import STAGES
from flows.errors import HnnError
from flows.manifest import Manifest, damaged_files, stage_key
from flows.stage import Stage
from flows.workspace import Workspace

OUTSIDE = "outside"


@dataclass(frozen=True)
class Decision:
    """What is to be done about one stage."""

    stage: Stage
    parameters: Mapping[str, Any]
    inputs: Mapping[str, str]
    key: str | None  # None: only known after the outside world has been read
    manifest: Manifest | None  # the result to reuse; None: run
    reason: str  # why it must run

    @property
    def fresh(self) -> bool:
        return self.manifest is not None


def decide(
    workspace: Workspace,
    stage: Stage,
    config: Config,
    upstream: Mapping[str, Manifest],
    *,
    force: bool = False,
) -> Decision:
    """Compare the key that is wanted with what is published, and check that it is whole."""
    parameters = stage.parameters(config)
    inputs = {name: _input_hash(name, upstream) for name in stage.inputs}
    if stage.outside is not None:
        state = stage.outside(config)
        if state is None:
            return Decision(stage, parameters, inputs, None, None, "the source has to be asked")
        inputs[OUTSIDE] = state
    key = stage_key(stage.name, stage.version, parameters, inputs)
    manifest = workspace.manifest(stage.name, key)
    if force:
        return Decision(stage, parameters, inputs, key, None, "forced")
    if manifest is None:
        return Decision(stage, parameters, inputs, key, None, _why(workspace, stage, parameters, inputs))
    damaged = damaged_files(manifest, workspace.result(stage.name, key))
    if damaged:
        return Decision(stage, parameters, inputs, key, None, "; ".join(damaged))
    return Decision(stage, parameters, inputs, key, manifest, "")


def plan(workspace: Workspace, config: Config, stages: Sequence[Stage] = STAGES) -> list[Decision]:
    """Decisions in order, up to and including the first stage that must run (later keys are unknown until then)."""
    upstream: dict[str, Manifest] = {}
    decisions = []
    for stage in stages:
        decision = decide(workspace, stage, config, upstream)
        decisions.append(decision)
        if decision.manifest is None:
            break
        upstream[stage.name] = decision.manifest
    return decisions


def current_upstream(workspace: Workspace, stage: Stage) -> dict[str, Manifest]:
    """The results in use that a single stage builds on; each must be there and whole."""
    upstream: dict[str, Manifest] = {}
    for name in sorted({source.partition("/")[0] for source in stage.inputs}):
        manifest = workspace.current(name)
        if manifest is None:
            raise HnnError(
                f"stage {stage.name} needs the result of stage {name}, and there is none in {workspace.root}. "
                f"Run `hnn run` first."
            )
        damaged = damaged_files(manifest, workspace.result(name, manifest.key))
        if damaged:
            raise HnnError(f"{'; '.join(damaged)}. Repair it with `hnn stage {name} --force`, or `hnn run`.")
        upstream[name] = manifest
    return upstream


@dataclass(frozen=True)
class StageStatus:
    """One line of `hnn status`."""

    stage: str
    state: Literal["fresh", "stale", "damaged", "missing"]
    why: str = ""
    manifest: Manifest | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict)


def status(workspace: Workspace, config: Config, stages: Sequence[Stage] = STAGES) -> list[StageStatus]:
    """Every stage's result in use, compared with the configuration and with its inputs in use.

    Values given by ``--set`` when the result was made count as wanted: a stage that was just rerun with another
    parameter is fresh, and the stages that read its result are stale.
    """
    statuses: list[StageStatus] = []
    for stage in stages:
        manifest = workspace.current(stage.name)
        if manifest is None:
            statuses.append(StageStatus(stage.name, "missing", "never run here"))
            continue
        damaged = damaged_files(manifest, workspace.result(stage.name, manifest.key))
        changes = _changes(workspace, stage, config, manifest, statuses)
        state: Literal["fresh", "stale", "damaged"] = "damaged" if damaged else "stale" if changes else "fresh"
        why = "; ".join(damaged or changes)
        statuses.append(StageStatus(stage.name, state, why, manifest, manifest.overrides))
    return statuses


def _changes(
    workspace: Workspace, stage: Stage, config: Config, manifest: Manifest, above: list[StageStatus]
) -> list[str]:
    wanted = _with_overrides(config, manifest)
    changes = differences(stage.parameters(wanted), manifest.parameters)
    if stage.version != manifest.version:
        changes.insert(0, f"stage version {manifest.version} → {stage.version}")
    if stage.outside is not None:
        try:
            state = stage.outside(wanted)
        except HnnError as error:
            state = f"unreadable: {error}"
        if state is not None and state != manifest.inputs.get(OUTSIDE):
            changes.append("the source has changed")
    for name in stage.inputs:
        source, _, file = name.partition("/")
        current = workspace.current(source)
        if current is None or current.outputs[file].sha256 != manifest.inputs.get(name):
            changes.append(f"input {name} has changed")
    upstream_names = {name.partition("/")[0] for name in stage.inputs}
    for status_above in above:
        if status_above.stage in upstream_names and status_above.state != "fresh":
            changes.append(f"{status_above.stage} is {status_above.state}")
    return changes


def _with_overrides(config: Config, manifest: Manifest) -> Config:
    values = config.model_dump(mode="json")
    for section, table in configuration.nested(manifest.overrides).items():
        values.setdefault(section, {}).update(table)
    return Config.model_validate(values)


def differences(new: Mapping[str, Any], old: Mapping[str, Any]) -> list[str]:
    """``parameter epochs: 60 → 10`` for every value that is not the same."""
    return [
        f"parameter {name}: {_short(old.get(name))} → {_short(new.get(name))}"
        for name in sorted({*new, *old})
        if new.get(name) != old.get(name)
    ]


def _why(workspace: Workspace, stage: Stage, parameters: Mapping[str, Any], inputs: Mapping[str, str]) -> str:
    current = workspace.current(stage.name)
    if current is None:
        return "never run here"
    changes = differences(parameters, current.parameters)
    changes += [f"input {name} has changed" for name, value in inputs.items() if current.inputs.get(name) != value]
    if stage.version != current.version:
        changes.insert(0, f"stage version {current.version} → {stage.version}")
    return "; ".join(changes) or "no result with this key"


def _input_hash(name: str, upstream: Mapping[str, Manifest]) -> str:
    stage, _, file = name.partition("/")
    return upstream[stage].outputs[file].sha256


def _short(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(str(part) for part in value)
    return str(value)


def without_folders(why: str, key: str) -> str:
    """Reasons as a table or a log line has room for: files of the result ``key`` by their names alone."""
    return "; ".join(reason.rpartition(f"/{key}/")[2] for reason in why.split("; "))
