"""extractors and hnn_core know neither Prefect nor MLflow nor each other nor flows."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
FORBIDDEN = {
    "extractors": {"prefect", "mlflow", "flows", "hnn_core", "torch"},
    "hnn_core": {"prefect", "mlflow", "flows", "extractors"},
}
#: Within flows: who may know the two servers' libraries.
KNOWS_PREFECT = {"pipeline.py", "temporary_server.py"}
KNOWS_MLFLOW = {"tracking.py", "tracking_server.py", "trial_tracking.py", "serving.py", "served_model.py"}


def imported(path: Path) -> set[str]:
    """Top-level names of all modules a file imports, wherever in the file."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names


@pytest.mark.parametrize("package", FORBIDDEN)
def test_a_package_does_not_import_what_it_must_not_know(package: str) -> None:
    files = list((ROOT / package).rglob("*.py"))
    assert len(files) > 5
    broken = {str(path): imported(path) & FORBIDDEN[package] for path in files if imported(path) & FORBIDDEN[package]}
    assert broken == {}


@pytest.mark.parametrize(("library", "allowed"), [("prefect", KNOWS_PREFECT), ("mlflow", KNOWS_MLFLOW)])
def test_each_server_is_known_to_its_files_only(library: str, allowed: set[str]) -> None:
    knowing = {path.name for path in (ROOT / "flows").rglob("*.py") if library in imported(path)}
    assert knowing
    assert knowing <= allowed
