"""Shared by all tests: where the real data lies, in which order files are taken, and what coverage does not watch."""

from __future__ import annotations

import importlib
import os
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault(
    "OMP_NUM_THREADS", "1"
)  # before torch: workers side by side would fight for the cores, 20x slower
settings.register_profile("ci", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

ROOT = Path(__file__).parent.parent

#: Files that take longest come first, so that no worker is left alone with one at the end. Of the first four only one
#: needs the finished run: nobody waits for it while it is made.
LONGEST = (
    *("flows/test_deployments.py", "flows/test_kills.py", "extractors/test_agreement_with_chromium.py"),
    *("hnn_core/test_distributed_training.py", "flows/test_pipeline.py", "flows/test_faults.py"),
    *("flows/test_scale_out.py", "flows/test_benchmark.py", "flows/test_runner.py", "flows/test_dashboard.py"),
    *("flows/pages/test_report_pages.py", "flows/test_serving.py", "flows/test_command_line.py"),
    *("flows/test_interrupts.py", "flows/pages/test_pages_in_browser.py", "hnn_core/test_style_recommendation.py"),
    *("extractors/test_extraction.py", "hnn_core/test_walks.py", "flows/test_tracking.py", "flows/test_advice.py"),
)

#: Imported by every worker, and not watched by coverage, which makes each line that Python runs twice as slow.
OTHERS = ("distributed", "mlflow.tracking", "numba", "prefect", "sklearn.metrics", "torch", "xgi")
if "PYTEST_XDIST_WORKER" in os.environ:
    watching = sys.gettrace()
    sys.settrace(None)
    for name in OTHERS:
        with suppress(ImportError):  # the tests that need it say so
            importlib.import_module(name)
    sys.settrace(watching)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {ROOT / "tests" / name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path, len(place)))
    for item in items:
        if repeats_itself(item):
            item.add_marker(pytest.mark.no_cover)


def repeats_itself(item: pytest.Item) -> bool:
    """Hundreds of made-up examples or real emails go through lines that other tests have reached."""
    made_up = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    return made_up or "shared_data" in getattr(item, "fixturenames", ())


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with real emails and benchmark hypergraphs; it is never part of the repository."""
    folder = Path(os.environ.get("HNN_DATA") or ROOT.parent / "shared" / "data")
    for part in ("emails", "hypergcn"):
        if not (folder / part).is_dir():
            pytest.skip(f"real data is absent, there is no {folder / part}: set HNN_DATA to a folder that has it")
    return folder
