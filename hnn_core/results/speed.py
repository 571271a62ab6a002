"""The times of benchmarks/training.py as tables: what an epoch costs beside the same model elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel

from hnn_core.results.tables import Table


class Epoch(BaseModel):
    ms: float
    peak_mib: float


class Speed(BaseModel):
    """What ``benchmarks/training.py --json`` writes."""

    dataset: str
    epochs: dict[str, Epoch]
    ratios: dict[str, float]


def load_speed(path: Path) -> Speed | None:
    """The measured times, or None where none were kept."""
    return Speed.model_validate(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else None


def speed_tables(speed: Speed) -> list[Table]:
    """Milliseconds of CPU time and peak memory of an epoch, and their ratios."""
    epochs = tuple((name, f"{each.ms:.1f}", f"{each.peak_mib:.0f}") for name, each in speed.epochs.items())
    ratios = tuple((name, f"{value:.2f}") for name, value in speed.ratios.items())
    return [
        Table(
            f"An epoch on {speed.dataset}, 64 wide, two layers, one thread",
            ("epoch of", "CPU ms", "peak MiB"),
            epochs,
            frozenset(),
        ),
        Table("Ratios of times", ("", "times"), ratios, frozenset()),
    ]
