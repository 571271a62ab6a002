"""A command without a Prefect server starts one of its own, leaves none behind, and respects where one is named."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from flows import temporary_server

COMMAND = """
import os
from pathlib import Path
from flows import temporary_server
from flows.environment import prepare
prepare(Path("workspace"), quiet=True)
temporary_server.begin()
temporary_server.await_ready()
print(os.environ["PREFECT_API_URL"])
"""


def command(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "MLFLOW_", "HNN_"))}
    return subprocess.run(
        [sys.executable, "-c", COMMAND], cwd=folder, env={**kept, **variables}, capture_output=True, text=True
    )


@pytest.mark.slow
def test_the_server_answers_on_loopback_and_ends_with_the_command(tmp_path: Path) -> None:
    result = command(tmp_path)
    assert result.returncode == 0, result.stderr
    address = urlsplit(result.stdout.strip())
    assert address.hostname == "127.0.0.1"
    assert (tmp_path / "workspace" / "prefect" / "prefect.db").exists()
    with socket.socket() as probe:
        assert probe.connect_ex((address.hostname, address.port)), "the server outlived its command"


@pytest.mark.slow
def test_a_server_that_cannot_start_is_told_at_once(tmp_path: Path) -> None:
    result = command(tmp_path, PREFECT_API_DATABASE_CONNECTION_URL=f"sqlite+aiosqlite:///{tmp_path}/no/such/folder/db")
    assert result.returncode == 1
    assert "HnnError: Prefect's temporary server ended" in result.stderr.splitlines()[-1]
    log = tmp_path / "workspace" / "prefect" / temporary_server.LOG
    assert f"({log} has the rest)" in result.stderr.splitlines()[-1]
    assert "unable to open database file" in log.read_text()
    assert "unable to open database file" in result.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("home/profiles.toml", 'active = "work"'),
        ("prefect.toml", ""),
        (".env", "PREFECT_API_URL=http://127.0.0.1:4200/api"),
        ("pyproject.toml", "[tool.prefect.api]"),
    ],
)
def test_whoever_set_prefect_up_keeps_their_server(
    file: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in temporary_server.CHOICES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(text)
    temporary_server.begin()
    assert temporary_server.ADDRESS not in os.environ


def test_an_address_in_the_environment_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:4200/api")
    temporary_server.begin()
    temporary_server.await_ready()
    assert os.environ["PREFECT_API_URL"] == "http://127.0.0.1:4200/api"
