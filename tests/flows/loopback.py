"""Servers on loopback for tests: started, awaited, and gone at the end with all their children."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class PrefectServer:
    """A server that runs."""

    api: str
    folder: Path  # with its home, where the database is, and its log


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def server(
    command: list[str], health: str, environment: dict[str, str], log: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """A server in a session of its own, ready when its health address answers, gone with its children at the end."""
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output, start_new_session=True)
        try:
            await_answer(health, process, log)
            yield process
        finally:
            for number in (signal.SIGTERM, signal.SIGKILL):
                try:
                    os.killpg(process.pid, number)
                    process.wait(10)
                except (ProcessLookupError, subprocess.TimeoutExpired):
                    continue


def await_answer(url: str, process: subprocess.Popen[bytes], log: Path, seconds: float = 300) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text(errors="replace")[-2000:]
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    raise AssertionError(f"{url} did not answer within {seconds} s: {log.read_text(errors='replace')[-2000:]}")


def private_environment(home: Path) -> dict[str, str]:
    """This process's environment without settings of Prefect, MLflow and hnn, and with a home of its own."""
    dropped = ("PREFECT_", "MLFLOW_", "HNN_", "COV_CORE_", "PYTEST_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    home.mkdir(parents=True, exist_ok=True)
    return {
        **kept,
        "HOME": str(home),
        "PREFECT_HOME": str(home / "prefect"),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "DO_NOT_TRACK": "1",
        "OMP_NUM_THREADS": "1",
    }
