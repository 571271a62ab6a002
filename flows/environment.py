"""Everything Prefect, MLflow and their libraries write stays in the workspace; nothing phones home.

Called before either is imported: both read their settings at import time. A variable the user has set wins.
"""

from __future__ import annotations

import os
from pathlib import Path


def prepare(workspace: Path, *, quiet: bool) -> None:
    root = workspace.resolve()
    root.mkdir(parents=True, exist_ok=True)
    for name, value in {
        "PREFECT_HOME": str(root / "prefect"),
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "300",
        "PREFECT_FLOWS_HEARTBEAT_FREQUENCY": "30",
        "PREFECT_LOGGING_LEVEL": "ERROR" if quiet else "INFO",
        "PREFECT_LOGGING_TO_API_WHEN_MISSING_FLOW": "ignore",
        "DO_NOT_TRACK": "1",
        "MLFLOW_TRACKING_URI": default_tracking_uri(root),
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "MLFLOW_ENABLE_SYSTEM_METRICS_LOGGING": "false",
        # What does not arrive waits on disk: no need to hold a run up for the four minutes MLflow would try.
        "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "3",
        "MLFLOW_HTTP_REQUEST_TIMEOUT": "30",
        "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
        "MLFLOW_LOGGING_LEVEL": "WARNING",
        "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
        "MPLCONFIGDIR": str(root / "cache" / "matplotlib"),
        "NUMBA_CACHE_DIR": str(root / "cache" / "numba"),
        "GIT_PYTHON_REFRESH": "quiet",
    }.items():
        os.environ.setdefault(name, value)


def default_tracking_uri(workspace: Path) -> str:
    return f"sqlite:///{workspace.resolve() / 'mlflow' / 'mlflow.db'}"


def artifact_root(workspace: Path) -> str:
    return (workspace.resolve() / "mlflow" / "artifacts").as_uri()
