"""The configuration: one typed model, four layers.

Defaults in this file, over them ``hnn.toml``, over that the environment (``HNN_TRAIN_EPOCHS=10``), over all
``--set train.epochs=10``. Unknown keys are errors that name the nearest right one.
"""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import json
import os
import re
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from flows.errors import UsageError

Target = Literal["button-style", "background-style", "text-style", "color-pair"]
Protocol = Literal["link", "link-strict", "email", "email-strict", "sender", "sender-strict"]
Variant = Literal["hnn", "p2", "++", "wt", "h2", "tanh"]
Method = Literal["svd", "node2vec", "deepwalk", "deepgl", "degree"]
EntityType = Literal["button-style", "text-style", "color-pair", "background-style", "word", "image", "fragment"]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ScrapeConfig(Section):
    """Where the emails come from, and how politely they are fetched."""

    source: str = Field("sample", description="sample[:emails=N,seed=S], a folder, glob, mailbox, archive or URL")
    delay_seconds: float = Field(1.0, ge=0, description="pause between two requests to one host")
    max_bytes: int = Field(5_000_000, gt=0, description="largest document that is read")
    user_agent: str = Field("hnn/0.1 (email style research)", description="what web servers see")
    allow_private: bool = Field(False, description="fetch from private addresses too (an intranet)")


class ExtractConfig(Section):
    """How an email becomes fragments and entities, and what one document may cost."""

    granularity: Literal["card", "leaf"] = "card"
    width: int = Field(800, ge=200, le=4000, description="viewport width in px for media queries")
    seconds: float = Field(10.0, gt=0, description="time limit for one document")
    memory_mb: int = Field(1024, ge=128, description="memory limit of one worker")


class HypergraphConfig(Section):
    """Which entity types take part."""

    types: tuple[EntityType, ...] = ("button-style", "text-style", "color-pair", "background-style", "fragment")


class FeaturesConfig(Section):
    """φ and φ_e: the initial features of nodes and hyperedges."""

    method: Method = "svd"
    dim: int = Field(64, ge=1, le=4096)
    seed: int = 0
    p: float = Field(1.0, gt=0, description="node2vec return parameter")
    q: float = Field(1.0, gt=0, description="node2vec in-out parameter")


class TrainConfig(Section):
    """HNN trained for hyperedge prediction, the variants beside it, and the recommender."""

    variant: Variant = Field("hnn", description="the variant whose embeddings are kept")
    compare: tuple[Variant, ...] = Field(
        ("hnn", "p2", "++", "wt", "h2", "tanh"), description="variants trained beside it for the table"
    )
    epochs: int = Field(60, ge=1)
    width: int = Field(64, ge=1)
    layers: int = Field(2, ge=1)
    lr: float = Field(0.01, gt=0)
    test_fraction: float = Field(0.2, gt=0, lt=1)
    protocols: tuple[Literal["transductive", "inductive"], ...] = Field(
        ("transductive", "inductive"), description="with test hyperedges in message passing, as the paper, or without"
    )
    batch_size: int = Field(0, ge=0, description="hyperedges of a mini-batch; 0 = the whole hypergraph at once")
    hops: int = Field(2, ge=1, description="how far a mini-batch sees")
    fan_out: int = Field(10, ge=1, description="hyperedges a node, and members a hyperedge, that a mini-batch sees")
    processes: int = Field(1, ge=1, description="processes that share the mini-batches (torchrun)")
    recommender_epochs: int = Field(48, ge=1, description="epochs of the recommender's own HNN, trained on links")
    seed: int = 0

    @model_validator(mode="after")
    def _processes_share_batches(self) -> TrainConfig:
        if self.processes > 1 and not self.batch_size:
            raise ValueError("several processes share mini-batches: set train.batch_size too, for example 1024")
        return self


class RecommendConfig(Section):
    """Protocols and targets of the style recommendation."""

    targets: tuple[Target, ...] = ("button-style", "background-style")
    protocols: tuple[Protocol, ...] = ("link", "link-strict", "email", "email-strict", "sender", "sender-strict")
    seeds: int = Field(1, ge=1, description="number of seeds; 3 gives a standard deviation")
    top: int = Field(5, ge=1, le=50, description="recommendations kept for each fragment")
    seed: int = 0


class ReportConfig(Section):
    """What the HTML report shows."""

    title: str = "Email style report"
    fragments: int = Field(120, ge=0, description="fragments shown with their recommendations")


class ExecutionConfig(Section):
    """How the work is done; never part of a stage's key, since it may not change a result."""

    workers: int = Field(0, ge=0, description="worker processes; 0 = number of cores")
    runner: Literal["local", "dask"] = Field("local", description="where batches of work are done")
    dask_address: str = Field("", description="scheduler, e.g. tcp://10.0.0.5:8786; empty = a cluster on this machine")
    device: Literal["auto", "cpu", "cuda", "mps"] = "auto"


class NotifyConfig(Section):
    """Who is told when a run ends."""

    command: str = Field("", description="run (by no shell) when a run ends, with what happened as JSON on its input")
    on: tuple[Literal["completed", "failed", "crashed", "cancelled"], ...] = Field(
        ("failed", "crashed"), description="endings that call it"
    )

    @field_validator("command")
    @classmethod
    def _is_no_shell(cls, command: str) -> str:
        try:
            words = shlex.split(command)
        except ValueError:
            return command  # told when it is called
        for word in words:
            if word in ("|", "||", "&&", ";", "&") or word.startswith((">", "<")):
                raise ValueError(f"it is not run by a shell, so {word!r} has no meaning; write sh -c '…' around it")
        return command


class Config(Section):
    scrape: ScrapeConfig = ScrapeConfig()
    extract: ExtractConfig = ExtractConfig()
    hypergraph: HypergraphConfig = HypergraphConfig()
    features: FeaturesConfig = FeaturesConfig()
    train: TrainConfig = TrainConfig()
    recommend: RecommendConfig = RecommendConfig()
    report: ReportConfig = ReportConfig()
    execution: ExecutionConfig = ExecutionConfig()
    notify: NotifyConfig = NotifyConfig()

    def parameters(self, stage: str) -> dict[str, Any]:
        """The section of one stage as plain JSON values: the part of its key that is configuration."""
        section: Section = getattr(self, stage)
        return {
            name: redact_urls(value) if isinstance(value, str) else value
            for name, value in section.model_dump(mode="json").items()
        }

    def public(self) -> dict[str, Any]:
        """All values without secrets: what records, logs and MLflow may see.

        Not ``notify``: the address of a webhook is a secret as a whole, and no result depends on it.
        """
        return {section: self.parameters(section) for section in type(self).model_fields if section != "notify"}

    def shown(self) -> dict[str, Any]:
        """All values for people, who show them to others: an address within the command is cut to its host."""
        notify = self.notify.model_dump(mode="json")
        return self.public() | {"notify": notify | {"command": _HOST.sub(r"\1\2/***", notify["command"])}}

    def digest(self) -> str:
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


#: Variables with the prefix that are not configuration keys.
RESERVED_VARIABLES = {"HNN_DATA", "HNN_WORKSPACE", "HNN_CONFIG", "HNN_DEBUG", "HNN_FAMILY"}


def load(
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    overrides: Sequence[str] = (),
) -> Config:
    """The effective configuration. ``file=None`` takes ``hnn.toml`` of the working directory if it exists."""
    values: dict[str, dict[str, Any]] = {}
    _merge(values, _from_file(file))
    _merge(values, _from_environment(os.environ if environment is None else environment))
    _merge(values, nested(parse_overrides(overrides)))
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        raise UsageError(_explain(error)) from None


def parse_overrides(overrides: Sequence[str]) -> dict[str, Any]:
    """``["train.epochs=10"]`` → ``{"train.epochs": 10}``; lists are comma-separated."""
    parsed: dict[str, Any] = {}
    for text in overrides:
        name, sign, value = text.partition("=")
        if not sign:
            raise UsageError(f"--set {text}: expected section.key=value, for example --set train.epochs=10")
        name = name.strip()
        parsed[name] = _typed(_check_name(name), value.strip())
    return parsed


def nested(flat: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    values: dict[str, dict[str, Any]] = {}
    for name, value in flat.items():
        section, _, key = name.partition(".")
        values.setdefault(section, {})[key] = value
    return values


def names() -> list[str]:
    """All keys, dotted."""
    return [
        f"{section}.{key}"
        for section, field in Config.model_fields.items()
        for key in field.annotation.model_fields  # type: ignore[union-attr]
    ]


def _from_file(file: Path | None) -> dict[str, dict[str, Any]]:
    path = file or Path("hnn.toml")
    if not path.exists():
        if file is None:
            return {}
        raise UsageError(f"{path}: no such configuration file")
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UsageError(f"{path}: not readable as TOML: {error}") from None
    for section, table in content.items():
        if not isinstance(table, dict):
            raise UsageError(f"{path}: {section}: expected a [section]{_nearest(section, list(Config.model_fields))}")
        for key in table:
            _check_name(f"{section}.{key}", where=f"{path}: ")
        if section not in Config.model_fields:
            raise UsageError(f"{path}: unknown section [{section}]{_nearest(section, list(Config.model_fields))}")
    return content


def _from_environment(environment: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    flat: dict[str, Any] = {}
    for variable, value in environment.items():
        if not variable.startswith("HNN_") or variable in RESERVED_VARIABLES:
            continue
        section, _, key = variable.removeprefix("HNN_").lower().partition("_")
        name = _check_name(f"{section}.{key}", where=f"{variable}: ")
        flat[name] = _typed(name, value)
    return nested(flat)


def _check_name(name: str, where: str = "") -> str:
    known = names()
    if name not in known:
        raise UsageError(f"{where}unknown configuration key {name!r}{_nearest(name, known)} `hnn config` lists all.")
    return name


def _nearest(name: str, known: Sequence[str]) -> str:
    match = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f", did you mean {match[0]!r}?" if match else "."


def _typed(name: str, value: str) -> Any:
    """Text from a command line or variable; pydantic converts numbers, only ``a,b`` and ``["a", "b"]`` are split."""
    section, _, key = name.partition(".")
    annotation = Config.model_fields[section].annotation.model_fields[key].annotation  # type: ignore[union-attr]
    if getattr(annotation, "__origin__", None) is tuple:
        with contextlib.suppress(ValueError):  # as `hnn config` prints it
            if isinstance(listed := json.loads(value), list):
                return listed
        return [part.strip() for part in value.split(",") if part.strip()]
    return value


def _merge(into: dict[str, dict[str, Any]], layer: Mapping[str, Mapping[str, Any]]) -> None:
    for section, table in layer.items():
        into.setdefault(section, {}).update(table)


def _explain(error: ValidationError) -> str:
    lines = []
    for problem in error.errors():
        place = ".".join(str(part) for part in problem["loc"])
        lines.append(f"{place}: {problem['msg']} (got {problem['input']!r})")
    return "configuration: " + "; ".join(lines)


#: The scheme, the host and the rest of an address: a webhook's path is its password.
_HOST = re.compile(r"([a-z][a-z0-9+.-]*://)(?:[^\s/@'\"]*@)?([^\s/'\"]+)/[^\s'\"]*", re.IGNORECASE)
#: An address within a text; a colon or full stop after it belongs to the sentence.
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/]\S*?(?=[.,:;!?)\]}'\"`]*(?:\s|$))", re.IGNORECASE)


def redact_urls(text: str) -> str:
    """The addresses within a text without passwords and secret-looking values: the sources' rule, applied to each."""
    if "://" not in text:
        return text
    from extractors.sources.addresses import redacted

    def shown(match: re.Match[str]) -> str:
        address = match.group()
        return redacted(address) if address.endswith("/") else redacted(address).removesuffix("/")

    return _ADDRESS.sub(shown, text)
