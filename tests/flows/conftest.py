"""Shared by the tests of the flows: a Prefect server, a process that has imported all, a tiny benchmark data set."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from loopback import free_port, private_environment, server
from scipy import sparse
from warm import WarmRuns, warm_runs


@pytest.fixture(scope="session")
def prefect_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The API address of a Prefect server on loopback."""
    folder = tmp_path_factory.mktemp("prefect-server")
    port = free_port()
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    with server(
        command,
        f"http://127.0.0.1:{port}/api/health",
        private_environment(folder / "home"),
        folder / "server.log",
    ):
        yield f"http://127.0.0.1:{port}/api"


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
def warm(tmp_path_factory: pytest.TempPathFactory, prefect_api: str) -> Iterator[WarmRuns]:
    """Commands of the command line without the seconds of their imports."""
    home = tmp_path_factory.mktemp("warm")
    quiet = {"PREFECT_API_URL": prefect_api, "PREFECT_LOGGING_LEVEL": "ERROR", "COLUMNS": "80"}
    with warm_runs({**private_environment(home), **quiet}) as runs:
        yield runs
