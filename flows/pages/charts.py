"""Learning curves as points of an SVG: one chart a metric, one line a run."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from flows.pages.metrics import metric_name, printed

WIDTH, HEIGHT = 520, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 10, 14, 28
_MAX_POINTS = 200  # a line of 10,000 epochs looks the same and weighs fifty times more
_MAX_LINES = 8  # the colours that can be told apart


@dataclass(frozen=True)
class Line:
    name: str
    points: str  # "x,y x,y …"
    last: str  # the final value, as printed
    tone: int  # which of the page's line colours


@dataclass(frozen=True)
class Tick:
    at: float
    label: str


@dataclass(frozen=True)
class Chart:
    title: str
    lines: tuple[Line, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    left_out: int = 0
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT
    right: int = WIDTH - _RIGHT
    bottom: int = HEIGHT - _BOTTOM


def learning_curves(curves: pa.Table) -> list[Chart]:
    """Charts by metric. Values that are not finite are left out of the line."""
    series: dict[str, dict[str, list[tuple[int, float]]]] = defaultdict(lambda: defaultdict(list))
    for row in curves.to_pylist():
        if row["value"] is not None and math.isfinite(row["value"]):
            series[row["metric"]][row["run"]].append((row["epoch"], row["value"]))
    tone = {run: number for number, run in enumerate(sorted({run for of in series.values() for run in of}))}
    return [_chart(metric, runs, tone) for metric, runs in sorted(series.items(), key=lambda s: s[0] != "loss")]


def _chart(metric: str, runs: dict[str, list[tuple[int, float]]], tone: dict[str, int]) -> Chart:
    shown = {run: np.array(sorted(runs[run]), float) for run in sorted(runs)[:_MAX_LINES]}
    every = np.concatenate(list(shown.values()))
    x_ticks = _ticks(float(every[:, 0].min()), float(every[:, 0].max()))
    y_ticks = _ticks(float(every[:, 1].min()), float(every[:, 1].max()))
    (x0, x1), (y0, y1) = (x_ticks[0], x_ticks[-1]), (y_ticks[0], y_ticks[-1])

    def x(epoch: float) -> float:
        return round(_LEFT + (epoch - x0) / (x1 - x0) * (WIDTH - _LEFT - _RIGHT), 1)

    def y(value: float) -> float:
        return round(HEIGHT - _BOTTOM - (value - y0) / (y1 - y0) * (HEIGHT - _TOP - _BOTTOM), 1)

    lines = []
    for run, line in shown.items():
        kept = line[np.unique(np.linspace(0, len(line) - 1, min(len(line), _MAX_POINTS)).round().astype(int))]
        points = " ".join(f"{x(epoch):g},{y(value):g}" for epoch, value in kept.tolist())
        lines.append(Line(run, points, printed(float(line[-1, 1])), tone[run] % _MAX_LINES))
    return Chart(
        metric_name(metric),
        tuple(lines),
        tuple(Tick(x(at), f"{at:g}") for at in x_ticks),
        tuple(Tick(y(at), f"{at:g}") for at in y_ticks),
        left_out=max(len(runs) - _MAX_LINES, 0),
    )


def _ticks(low: float, high: float, about: int = 4) -> list[float]:
    """Round numbers that enclose the range."""
    if high <= low:
        low, high = low - 0.5, high + 0.5
    step = 10.0 ** math.floor(math.log10((high - low) / about))
    step *= next(m for m in (1, 2, 5, 10) if (high - low) / (step * m) <= about)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 10) for number in range(first, last + 1)]
