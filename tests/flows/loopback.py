"""Servers on loopback for tests: started, awaited, and gone at the end with all their children."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil


@dataclass(frozen=True)
class PrefectServer:
    """A server that runs."""

    api: str
    folder: Path  # with its home, where the database is, and its log

    def give_database(self, home: Path) -> None:
        """A database for another server, as this one's was before its first run: making one takes seven seconds."""
        home.mkdir(parents=True)
        shutil.copy(self.folder / "unused.db", home / "prefect.db")


def address_of_session(folder: Path, script: str, environment: dict[str, str] | None = None) -> str:
    """Where the one process that serves all workers of a test session answers: started by the first who calls.

    A worker may end before the others, so none of them ends it: ``script`` is given the folder in which to write its
    address and the process of the session, and ends when that has.
    """
    address = folder / "address"
    if not address.exists():
        folder.mkdir(exist_ok=True)
        session = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
        with (folder / "server.log").open("wb") as log:
            command = [sys.executable, script, str(folder), str(session)]
            process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        while not address.exists():
            assert process.poll() is None, (folder / "server.log").read_text(errors="replace")[-2000:]
            time.sleep(0.1)
    return address.read_text()


def prefect_server_of_session(folder: Path) -> PrefectServer:
    """An idle server takes some percent of a core: there is one for all workers."""
    return PrefectServer(address_of_session(folder, __file__), folder)


def _keep_prefect_server(folder: Path, session: int) -> None:
    """In a process of its own: a server for as long as the session runs."""
    port = free_port()
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    health = f"http://127.0.0.1:{port}/api/health"
    with server(command, health, private_environment(folder / "home"), folder / "prefect.log"):
        with (
            closing(sqlite3.connect(folder / "home" / "prefect" / "prefect.db")) as made,
            closing(sqlite3.connect(folder / "unused.db")) as unused,
        ):
            made.backup(unused)
        (folder / "address.new").write_text(f"http://127.0.0.1:{port}/api")
        (folder / "address.new").rename(folder / "address")
        while psutil.pid_exists(session):
            time.sleep(0.5)


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


if __name__ == "__main__":
    _keep_prefect_server(Path(sys.argv[1]), int(sys.argv[2]))
