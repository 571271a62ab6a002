"""The MLflow tracking server, or the database in the workspace that stands for one: is it there, and how to ask it."""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from flows import environment
from flows.config import redact_urls
from flows.errors import HnnError
from flows.workspace import Workspace

EXPERIMENT = "hnn"


def uri() -> str:
    return os.environ.get("MLFLOW_TRACKING_URI", "")


def check() -> None:
    """Find out before any work whether the tracking server answers."""
    reason = trouble()
    if reason:
        raise HnnError(
            f"MLFLOW_TRACKING_URI={redact_urls(uri())}: the tracking server does not answer ({reason}). "
            "Start it, or unset the variable to track in the workspace."
        )


def warm_up() -> None:
    """Import MLflow and make its database while a command waits anyway. Trouble is told when the run is opened."""
    with suppress(Exception):
        connect()


def trouble() -> str:
    """Why the tracking server cannot be used now; empty if it can. Asked once, where MLflow's client would try on."""
    if not uri().startswith(("http://", "https://")):
        return ""
    import httpx

    try:
        httpx.get(uri().rstrip("/") + "/health", timeout=10).raise_for_status()
    except httpx.HTTPError as error:
        return type(error).__name__
    return ""


def connect() -> Any:
    import mlflow

    # It shows a page of traceback for what it also raises, which is told in one line.
    logging.getLogger("mlflow.store.db.utils").setLevel(logging.CRITICAL)
    if uri().startswith("sqlite:///"):
        create_database(Path(uri().removeprefix("sqlite:///")))
    mlflow.set_tracking_uri(uri())
    return mlflow.MlflowClient()


def create_database(path: Path) -> None:
    """MLflow's tables in a new file, made beside and then named: its migrations do not survive a kill half-way.

    Several may come at once, also before they hold a workspace: one makes it, the others wait for it.
    """
    if path.exists():
        return
    import mlflow

    path.parent.mkdir(parents=True, exist_ok=True)
    with _held(path.parent):
        if path.exists():
            return
        for leftover in path.parent.glob(f".new-*-{path.name}*"):  # of a process that was killed, with its journal
            leftover.unlink()
        beside = path.with_name(f".new-{os.getpid()}-{path.name}")
        mlflow.MlflowClient(f"sqlite:///{beside}").search_experiments()
        beside.rename(path)


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """One process at a time; the kernel lets go when it ends, however it ends."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def experiment_id(client: Any, workspace: Workspace) -> str:
    found = client.get_experiment_by_name(EXPERIMENT)
    if found is not None:
        return str(found.experiment_id)
    local = uri() == environment.default_tracking_uri(workspace.root)
    location = environment.artifact_root(workspace.root) if local else None
    return str(client.create_experiment(EXPERIMENT, artifact_location=location))
