"""What a workspace no longer needs: superseded results and leftovers of killed runs."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from flows.dag import NAMES
from flows.workspace import Workspace


@dataclass(frozen=True)
class Item:
    """Something that can be removed, and what that frees."""

    path: Path
    bytes: int


def superseded(workspace: Workspace, keep: int) -> list[Item]:
    """Results beyond the newest ``keep`` of each stage; the one in use is always kept."""
    items = []
    for stage in NAMES:
        current = workspace.current(stage)
        kept = {current.key} if current else set()
        for manifest in workspace.manifests(stage):
            if manifest.key in kept:
                continue
            if len(kept) < keep:
                kept.add(manifest.key)
            else:
                items.append(_item(workspace.result(stage, manifest.key)))
        folder = workspace.stages / stage
        items += [_item(path) for path in sorted(folder.glob(".writing-*")) + sorted(folder.glob(".aside-*"))]
    return items


def clean(workspace: Workspace, items: list[Item]) -> None:
    for item in items:
        # A result without its manifest is no result: remove that first, so a kill cannot leave half of one visible.
        (item.path / "manifest.json").unlink(missing_ok=True)
        shutil.rmtree(item.path)


def _item(path: Path) -> Item:
    return Item(path, sum(file.stat().st_size for file in path.rglob("*") if file.is_file()))
