"""Stage recommend: styles for every fragment, and the protocols that say how good they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flows.stage import Context, Stage


def run(context: Context) -> Mapping[str, Any]:
    raise NotImplementedError


STAGE = Stage(
    name="recommend",
    version=1,
    inputs=("train/metrics.parquet",),
    outputs=("metrics.parquet", "recommendations.parquet"),
    run=run,
)
