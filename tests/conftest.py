"""Fixtures shared by all tests: where the real data lies, and a quiet, private environment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("ci", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with real emails and benchmark hypergraphs; it is never part of the repository."""
    candidates = [Path(os.environ["HNN_DATA"])] if "HNN_DATA" in os.environ else []
    candidates.append(ROOT.parent / "shared" / "data")
    for folder in candidates:
        if folder.is_dir():
            return folder
    pytest.skip("real data is absent: set HNN_DATA to a folder with emails/ and hypergcn/")
