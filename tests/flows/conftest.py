"""Shared by the tests of the flows: a Prefect server, a process that has imported all, a finished run, tiny data."""

from __future__ import annotations

import fcntl
import os
import pickle
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from loopback import PrefectServer, address_of_session, prefect_server_of_session, private_environment
from pipeline_project import Finished, Project
from scipy import sparse
from warm import WarmRuns, warm_runs
from warm import __file__ as warm_process


@pytest.fixture(scope="session")
def prefect_server(all_workers: Path) -> PrefectServer:
    """A Prefect server on loopback, one for all workers."""
    with alone(all_workers / "prefect-server.lock"):
        return prefect_server_of_session(all_workers / "prefect-server")


@pytest.fixture(scope="session")
def prefect_api(prefect_server: PrefectServer) -> str:
    return prefect_server.api


@pytest.fixture(scope="session")
def finished(all_workers: Path) -> Finished:
    """Made by the worker that asks first, while the others wait."""
    place = all_workers / "finished"
    shown = place / "shown.txt"
    with alone(all_workers / "finished.lock"):
        project = Project(place / "projekt ä b")
        if not shown.exists():
            shown.write_text(project.hnn("run").stdout, "utf-8")
    return Finished(project, shown.read_text("utf-8"))


@pytest.fixture
def project(finished: Finished, tmp_path: Path, prefect_api: str, warm: WarmRuns) -> Project:
    """A copy of the finished one, for a test to do with as it likes."""
    copy = tmp_path / "copy of project"
    shutil.copytree(finished.project.folder, copy, symlinks=True)
    return Project(copy, prefect_api=prefect_api, warm=warm)


@pytest.fixture(scope="session")
def all_workers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of a test session share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """One worker at a time."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two communities of twenty nodes in the layout of HyperGCN's data, under the name of Cora."""
    rng = np.random.default_rng(0)
    folder = tmp_path_factory.mktemp("data") / "hypergcn" / "cocitation" / "cora"
    (folder / "splits").mkdir(parents=True)
    hyperedges = {}
    for number in range(30):
        members = rng.choice(20, size=4, replace=False) + 20 * (number % 2)
        hyperedges[number] = {int(node) for node in members}
    features = sparse.csr_matrix(rng.random((40, 8)) < 0.3, dtype=np.float64)
    splits = {"train": list(range(0, 40, 4)), "test": [node for node in range(40) if node % 4]}
    for name, content in (
        ("hypergraph", hyperedges),
        ("labels", [int(node >= 20) for node in range(40)]),
        ("features", features),
    ):
        (folder / f"{name}.pickle").write_bytes(pickle.dumps(content))
    for number in range(1, 11):
        (folder / "splits" / f"{number}.pickle").write_bytes(pickle.dumps(splits))
    return folder.parent.parent


@pytest.fixture(scope="session")
def warm(all_workers: Path, prefect_api: str) -> Iterator[WarmRuns]:
    """Commands of the command line without the seconds of their imports."""
    folder = all_workers / "warm"
    quiet = {"PREFECT_API_URL": prefect_api, "PREFECT_LOGGING_LEVEL": "ERROR", "COLUMNS": "80"}
    with alone(all_workers / "warm.lock"):
        port = address_of_session(folder, warm_process, {**private_environment(folder / "home"), **quiet})
    with warm_runs(int(port)) as runs:
        yield runs
