"""What a workspace no longer needs: superseded results, leftovers of killed runs, documents nobody refers to."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from flows.dag import NAMES
from flows.manifest import Manifest, damaged_files
from flows.workspace import Workspace


@dataclass(frozen=True)
class Item:
    """Something that can be removed, and what that frees."""

    path: Path
    bytes: int


@dataclass(frozen=True)
class Documents:
    """Stored documents that no kept result lists."""

    sha256: tuple[str, ...] = ()
    bytes: int = 0


@dataclass(frozen=True)
class Superfluous:
    """All that `hnn clean` removes."""

    results: tuple[Item, ...]
    documents: Documents

    @property
    def bytes(self) -> int:
        return sum(item.bytes for item in self.results) + self.documents.bytes


def superfluous(workspace: Workspace, keep: int) -> Superfluous:
    """Results beyond the newest ``keep`` of each stage, and the documents that only those list.

    The result in use is always kept.
    """
    items: list[Item] = []
    scraped: list[Manifest] = []
    for stage in NAMES:
        kept, older = _split(workspace, stage, keep)
        items += [_item(workspace.result(stage, manifest.key)) for manifest in older]
        folder = workspace.stages / stage
        items += [_item(path) for path in sorted(folder.glob(".writing-*")) + sorted(folder.glob(".aside-*"))]
        if stage == "scrape":
            scraped = kept
    return Superfluous(tuple(items), _unlisted(workspace, scraped))


def clean(workspace: Workspace, found: Superfluous) -> None:
    for item in found.results:
        # A result without its manifest is no result: remove that first, so a kill cannot leave half of one visible.
        (item.path / "manifest.json").unlink(missing_ok=True)
        shutil.rmtree(item.path)
    if found.documents.sha256:
        from extractors.store import DocumentStore

        DocumentStore(workspace.store).remove(found.documents.sha256)


def _split(workspace: Workspace, stage: str, keep: int) -> tuple[list[Manifest], list[Manifest]]:
    """The results of a stage that are kept, and the others."""
    current = workspace.current(stage)
    kept: list[Manifest] = [current] if current else []
    older: list[Manifest] = []
    for manifest in workspace.manifests(stage):
        if current is not None and manifest.key == current.key:
            continue
        (kept if len(kept) < keep else older).append(manifest)
    return kept, older


def _unlisted(workspace: Workspace, scraped: list[Manifest]) -> Documents:
    from extractors.store import DocumentStore

    store = DocumentStore(workspace.store)
    folders = {workspace.result("scrape", manifest.key): manifest for manifest in scraped}
    # Where a list is damaged, or none was finished yet, what is stored saves the next run its fetching.
    if not store.path.exists() or not folders or any(damaged_files(folders[folder], folder) for folder in folders):
        return Documents()
    listed = {sha256 for folder in folders for sha256 in _listed(folder / "documents.parquet")}
    found = [(sha256, size) for sha256, size in store.sizes() if sha256 not in listed]
    return Documents(tuple(sha256 for sha256, _ in found), sum(size for _, size in found))


def _listed(table: Path) -> set[str]:
    import pyarrow.parquet as pq

    return set(pq.read_table(table, columns=["sha256"])["sha256"].to_pylist())


def _item(path: Path) -> Item:
    return Item(path, sum(file.stat().st_size for file in path.rglob("*") if file.is_file()))
