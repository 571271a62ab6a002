"""Tables leave the workspace in parts, once and whole, and come back as they were."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterator
from pathlib import Path

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from extractors import tables
from flows import export as exporting
from flows.cli import app
from flows.errors import HnnError, UsageError
from flows.export import export, manifest, read_table
from flows.manifest import Manifest
from flows.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    place = Workspace(tmp_path / "workspace")
    publish(place, "extract", "k1", seed=1)
    publish(place, "features", "k1", seed=1)
    return place


@pytest.fixture(params=["file", "memory"])
def destination(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "file":
        yield str(tmp_path / "there äöü")
        return
    address = f"memory://{uuid.uuid4().hex}"
    yield address
    fsspec.filesystem("memory").rm(address, recursive=True)


def publish(workspace: Workspace, stage: str, key: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    with workspace.writing(stage, key) as draft:
        if stage == "extract":
            documents = [hashlib.sha256(bytes([seed, n])).hexdigest()[:16] for n in range(200)]
            occurrences = [
                {"fragment_id": f"{d}#{k}", "entity_id": f"word:{rng.integers(9)}", "count": 1}
                | {"from_button": False, "element": int(rng.integers(99))}
                for d in documents
                for k in range(3)
            ]
            rejects = [{"doc_id": "", "location": "a", "reason": "b", "detail": "c"}]
            pq.write_table(pa.Table.from_pylist(occurrences, tables.OCCURRENCES), draft / "occurrences.parquet")
            pq.write_table(pa.Table.from_pylist(rejects, tables.REJECTS), draft / "rejects.parquet")
            pq.write_table(tables.NEIGHBOURS.empty_table(), draft / "neighbours.parquet")
        else:
            vectors = pa.FixedSizeListArray.from_arrays(pa.array(rng.random(40 * 4)), 4)
            pq.write_table(pa.table({"features": vectors}), draft / "node_features.parquet")
        workspace.publish(draft, Manifest(stage, 1, key, {}, {}, {}, finished_at=str(seed)))


def original(workspace: Workspace, stage: str, name: str) -> pa.Table:
    current = workspace.current(stage)
    assert current is not None
    return pq.read_table(workspace.result(stage, current.key) / f"{name}.parquet")


def test_every_table_is_read_back_identical(workspace: Workspace, destination: str) -> None:
    done = export(workspace, destination)
    assert manifest(destination) == done
    for stage, name in (
        ("extract", "occurrences"),
        ("extract", "rejects"),
        ("extract", "neighbours"),
        ("features", "node_features"),
    ):
        assert read_table(destination, stage, name).equals(original(workspace, stage, name), check_metadata=True), name


@pytest.mark.parametrize("digits", [1, 2])
def test_a_part_holds_the_rows_of_the_documents_with_its_prefix(
    workspace: Workspace, destination: str, digits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "_ROWS_AT_ONCE", 50)
    monkeypatch.setattr(exporting, "_ROWS_IN_HAND", 160)
    done = export(workspace, destination, digits)
    table = next(t for t in done.tables if t.name == "occurrences")
    assert len(table.parts) > 10
    store, root = fsspec.core.url_to_fs(destination)
    for part in table.parts:
        prefix = part.path.split("prefix=")[1].split("/")[0]
        assert len(prefix) == digits
        with store.open(f"{root}/{part.path}") as stream:
            ids = pq.ParquetFile(stream).read(["fragment_id"])["fragment_id"].to_pylist()
        assert len(ids) == part.rows
        assert all(identity.startswith(prefix) for identity in ids)
    assert read_table(destination, "extract", "occurrences").equals(original(workspace, "extract", "occurrences"))


def test_the_same_results_are_written_once(
    workspace: Workspace, destination: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = export(workspace, destination)
    monkeypatch.setattr(exporting, "_write", None)
    assert export(workspace, destination) == first


def test_an_export_that_fails_leaves_the_earlier_one_readable(
    workspace: Workspace, destination: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(workspace, destination)
    before = original(workspace, "extract", "occurrences")
    publish(workspace, "extract", "k2", seed=2)
    whole = exporting._write

    def break_off(store: object, root: str, folder: str, stage: str, *rest: object) -> object:
        if stage == "features":
            raise OSError(28, "No space left on device")
        return whole(store, root, folder, stage, *rest)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(exporting, "_write", break_off)
        with pytest.raises(HnnError, match="No space left"):
            export(workspace, destination)
    assert read_table(destination, "extract", "occurrences").equals(before)
    export(workspace, destination)
    now = read_table(destination, "extract", "occurrences")
    assert now.equals(original(workspace, "extract", "occurrences"))
    assert not now.equals(before)


def test_problems_are_named(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(HnnError, match="nothing to export yet"):
        export(Workspace(tmp_path / "empty"), str(tmp_path / "there"))
    with pytest.raises(HnnError, match=r"no manifest\.json"):
        manifest(str(tmp_path / "nowhere"))
    with pytest.raises(UsageError, match="nosuch://x: Protocol not known"):
        export(workspace, "nosuch://x")
    export(workspace, str(tmp_path / "there"))
    with pytest.raises(HnnError, match="no table extract/colours; there are extract/neighbours"):
        read_table(str(tmp_path / "there"), "extract", "colours")


def test_the_command_says_what_lies_where(workspace: Workspace, tmp_path: Path) -> None:
    place = str(tmp_path / "there")
    told = CliRunner().invoke(app, ["export", place, "--workspace", str(workspace.root), "--json"])
    assert told.exit_code == 0, told.output
    assert json.loads(told.output)["id"] == manifest(place).id
    assert "extract/occurrences" in CliRunner().invoke(app, ["export", place, "-w", str(workspace.root)]).output
