"""A Prefect server for tests that run many flows: started once, instead of a temporary one in every command."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from loopback import free_port, private_environment, server


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
