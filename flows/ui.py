"""`hnn ui`: the Prefect and MLflow dashboards of one workspace, on loopback, until Ctrl+C."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from flows import environment
from flows.errors import HnnError

HOST = "127.0.0.1"


def prefect_command(port: int) -> list[str]:
    return [sys.executable, "-m", "prefect", "server", "start", "--host", HOST, "--port", str(port)]


def mlflow_command(workspace: Path, port: int) -> list[str]:
    return [
        *(sys.executable, "-m", "mlflow", "server", "--host", HOST, "--port", str(port), "--workers", "1"),
        *("--backend-store-uri", environment.default_tracking_uri(workspace)),
        *("--default-artifact-root", environment.artifact_root(workspace)),
    ]


def serve(workspace: Path, prefect_port: int, mlflow_port: int) -> None:
    """Start both servers, say where they are once they answer, stop both on Ctrl+C or when one ends."""
    environment.prepare(workspace, quiet=True)
    for name, port in (("Prefect", prefect_port), ("MLflow", mlflow_port)):
        if not _free(port):
            raise HnnError(f"port {port} for {name} is in use; choose another with --{name.lower()}-port")
    from flows.tracking_server import create_database

    create_database(Path(environment.default_tracking_uri(workspace).removeprefix("sqlite:///")))
    # MLflow's job runner costs 15 processes and 2.9 GB and nothing here uses it.
    variables = {**os.environ, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
    log = (workspace / "ui.log").open("a", encoding="utf-8")  # what ended the last one stays
    servers = [
        subprocess.Popen(command, env=variables, stdout=log, stderr=log, start_new_session=True)
        for command in (prefect_command(prefect_port), mlflow_command(workspace, mlflow_port))
    ]
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # stopped by a supervisor: stop the servers too
    try:
        _await(f"http://{HOST}:{prefect_port}/api/health", servers)
        _await(f"http://{HOST}:{mlflow_port}/health", servers)
        print(f"Prefect  http://{HOST}:{prefect_port}\nMLflow   http://{HOST}:{mlflow_port}\nCtrl+C stops both.")
        sys.stdout.flush()
        while all(server.poll() is None for server in servers):
            time.sleep(0.5)
        names = [name for name, server in zip(("Prefect", "MLflow"), servers, strict=True) if server.poll() is not None]
        raise HnnError(f"the server of {' and '.join(names)} ended by itself; see {log.name}")
    except KeyboardInterrupt:
        print("stopping …")
    finally:
        for server in servers:
            _stop(server)
        log.close()


def _free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) != 0


def _await(url: str, servers: list[subprocess.Popen[bytes]], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and all(server.poll() is None for server in servers):
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    raise HnnError(f"{url} did not answer; see ui.log in the workspace")


def _stop(server: subprocess.Popen[bytes]) -> None:
    """End a server and all it started: its whole session."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(server.pid, number)
            server.wait(10)
            return
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue
