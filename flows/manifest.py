"""The manifest of one published result: what went in, what came out, what it cost.

    key = SHA-256(stage, version, parameters, content hashes of the inputs)

The manifest decides whether there is work to do; nothing else does.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from flows.counting import counted
from flows.errors import HnnError

MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Output:
    """One file of a result."""

    sha256: str
    bytes: int
    rows: int | None = None


@dataclass(frozen=True)
class Manifest:
    stage: str
    version: int
    key: str
    parameters: Mapping[str, Any]
    inputs: Mapping[str, str]
    outputs: Mapping[str, Output]
    overrides: Mapping[str, Any] = field(default_factory=dict)  # given by --set, for `hnn status` to respect
    summary: Mapping[str, Any] = field(default_factory=dict)  # counts and main metrics, for people
    started_at: str = ""
    finished_at: str = ""
    seconds: float = 0.0
    peak_memory_mb: float = 0.0
    machine: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        return sum(output.rows or 0 for output in self.outputs.values())

    @property
    def bytes(self) -> int:
        return sum(output.bytes for output in self.outputs.values())

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=2, sort_keys=True, ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, path: Path) -> Manifest:
        try:
            content = json.loads(path.read_text("utf-8"))
            content["outputs"] = {name: Output(**output) for name, output in content["outputs"].items()}
            return cls(**content)
        except (ValueError, TypeError, KeyError) as error:
            raise HnnError(
                f"{path}: not a manifest of this version ({error}). Remove its folder and run again."
            ) from None


def stage_key(stage: str, version: int, parameters: Mapping[str, Any], inputs: Mapping[str, str]) -> str:
    text = json.dumps([stage, version, parameters, inputs], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def file_sha256(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def damaged_files(manifest: Manifest, folder: Path) -> list[str]:
    """Files of a result that are gone or no longer have the content the manifest recorded."""
    damaged = []
    for name, output in manifest.outputs.items():
        path = folder / name
        if not path.is_file():
            damaged.append(f"{path} is missing")
        elif path.stat().st_size != output.bytes:
            damaged.append(f"{path} has {counted(path.stat().st_size, 'byte')}, {output.bytes:,} were written")
        elif file_sha256(path) != output.sha256:
            damaged.append(f"{path} was changed since it was written")
    return damaged
