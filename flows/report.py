"""Stage report: the page a designer reads, and the inventory exports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flows.stage import Context, Stage


def run(context: Context) -> Mapping[str, Any]:
    raise NotImplementedError


STAGE = Stage(
    name="report",
    version=1,
    inputs=("recommend/metrics.parquet",),
    outputs=("report.html",),
    run=run,
)
