"""Stages on a cluster, in batches and on several processes: the same tables, or the same training in parts."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from flows import config as configuration
from flows.dag import STAGES
from flows.errors import UsageError
from flows.execution import execute
from flows.manifest import Manifest
from flows.planning import decide
from flows.progress import Silent
from flows.workspace import Workspace

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
SMALL = (
    "scrape.source=sample:emails=24",
    "features.dim=8",
    "train.compare=hnn",
    "train.protocols=transductive",
    "train.width=8",
    "train.epochs=3",
    "train.recommender_epochs=1",
    "execution.workers=2",
)


def run(workspace: Workspace, last: str, *overrides: str) -> dict[str, Manifest]:
    config = configuration.load(None, {}, (*SMALL, *overrides))
    manifests: dict[str, Manifest] = {}
    for stage in STAGES:
        decision = decide(workspace, stage, config, manifests)
        manifests[stage.name] = execute(workspace, decision, config, {}, Silent()).manifest
        if stage.name == last:
            break
    return manifests


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, dict[str, Manifest]]:
    workspace = Workspace(tmp_path_factory.mktemp("local") / "workspace")
    return workspace, run(workspace, "train")


def test_extraction_and_walks_on_dask_publish_the_tables_of_a_local_run(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="Dask is an extra: pip install 'hnn[dask]'")
    walks = ("features.method=node2vec", "scrape.source=sample:emails=40")
    here = run(Workspace(tmp_path / "here"), "features", *walks)
    there = run(Workspace(tmp_path / "there"), "features", *walks, "execution.runner=dask")
    for stage in ("extract", "hypergraph", "features"):
        assert there[stage].key == here[stage].key
        assert there[stage].outputs == here[stage].outputs, stage


@pytest.mark.parametrize("processes", [1, 2])
def test_training_in_batches_publishes_the_same_kinds_of_tables(
    local: tuple[Workspace, dict[str, Manifest]], processes: int
) -> None:
    workspace, manifests = local
    parts = ("train.batch_size=40", "train.fan_out=5", f"train.processes={processes}")
    batched = run(workspace, "train", *parts)["train"]
    assert batched.key != manifests["train"].key
    assert set(batched.outputs) == set(manifests["train"].outputs), "nothing of the processes stays behind"
    whole, part = (
        pq.read_table(workspace.result("train", m.key) / "embeddings.parquet") for m in (manifests["train"], batched)
    )
    assert part.schema == whole.schema
    assert part["entity_id"] == whole["entity_id"]
    curves = pq.read_table(workspace.result("train", batched.key) / "curves.parquet").to_pylist()
    assert {row["epoch"] for row in curves if row["metric"] == "loss"} == {1, 2, 3}
    assert 0.4 < batched.summary["metrics"]["auc"] <= 1


def test_several_processes_without_batches_are_refused() -> None:
    with pytest.raises(UsageError, match=r"set train\.batch_size too"):
        configuration.load(None, {}, ["train.processes=2"])
