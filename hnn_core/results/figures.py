"""Line figures as SVG, drawn without any library: they must look the same in Markdown and in a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from hnn_core.experiment import ExperimentSpec, TrialResult

# Okabe and Ito's colours, told apart by readers of any colour vision.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 640, 360, 64, 150, 34, 48


@dataclass(frozen=True)
class Line:
    """A mean over trials at each x, with its standard error."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    error: tuple[float, ...]


@dataclass(frozen=True)
class Figure:
    name: str
    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]


def figures_of(spec: ExperimentSpec, results: Sequence[TrialResult]) -> list[Figure]:
    """The figures of an experiment: curves by epoch, or AUC by difficulty; none for a table."""
    figures = []
    for dataset in spec.datasets:
        here = [result for result in results if result.dataset == dataset]
        if spec.kind == "difficulty" and here:
            figures.append(_by_difficulty(spec, dataset, here))
        elif spec.kind in ("curves", "epochs") and here:
            for measure, label in (("auc", "test AUC"), ("test_loss", "test loss")):
                lines = tuple(_curve(each.label, measure, here) for each in spec.models)
                drawn = tuple(line for line in lines if line.x)
                name = f"{spec.name}-{dataset}-{measure.replace('_', '-')}"
                figures.append(Figure(name, f"{spec.title}: {label}, {dataset}", "epoch", label, drawn))
    return figures


def _curve(label: str, measure: str, results: Sequence[TrialResult]) -> Line:
    points: dict[float, list[float]] = {}
    for result in results:
        if result.model == label:
            for point in result.curve:
                if measure in point.measures:
                    points.setdefault(point.epoch, []).append(point.measures[measure])
    return _line(label, points)


def _by_difficulty(spec: ExperimentSpec, dataset: str, results: Sequence[TrialResult]) -> Figure:
    points: dict[str, dict[float, list[float]]] = {}
    for result in results:
        family, alpha = result.model.split(" α=")
        points.setdefault(family, {}).setdefault(float(alpha), []).append(result.metrics["auc"])
    lines = tuple(_line(family, values) for family, values in points.items())
    return Figure(f"{spec.name}-{dataset}", f"{spec.title}, {dataset}", "α", "test AUC", lines)


def _line(label: str, points: dict[float, list[float]]) -> Line:
    xs = sorted(points)
    means = tuple(float(np.mean(points[x])) for x in xs)
    errors = tuple(
        float(np.std(points[x], ddof=1) / np.sqrt(len(points[x]))) if len(points[x]) > 1 else 0.0 for x in xs
    )
    return Line(label, tuple(float(x) for x in xs), means, errors)


def draw(figure: Figure) -> str:
    """The figure as one SVG element, readable by a screen reader through its title."""
    xs = [x for line in figure.lines for x in line.x]
    lows = [y - e for line in figure.lines for y, e in zip(line.y, line.error, strict=True)]
    highs = [y + e for line in figure.lines for y, e in zip(line.y, line.error, strict=True)]
    if not xs:
        raise ValueError(f"figure {figure.name} has no points")
    x_ticks, y_ticks = _ticks(min(xs), max(xs)), _ticks(min(lows), max(highs))

    def at_x(x: float) -> float:
        return _LEFT + (x - x_ticks[0]) / (x_ticks[-1] - x_ticks[0]) * (_WIDTH - _LEFT - _RIGHT)

    def at_y(y: float) -> float:
        return _HEIGHT - _BOTTOM - (y - y_ticks[0]) / (y_ticks[-1] - y_ticks[0]) * (_HEIGHT - _TOP - _BOTTOM)

    identity = re.sub(r"\W+", "-", figure.name)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-labelledby="{identity}-title" font-family="system-ui, sans-serif" font-size="12">',
        f'<title id="{identity}-title">{escape(figure.title)}</title>',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        f'<text x="{_LEFT}" y="20" font-weight="600" fill="#222">{escape(figure.title)}</text>',
    ]
    for y in y_ticks:
        parts.append(
            f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at_y(y):.1f}" y2="{at_y(y):.1f}" stroke="#ddd"/>'
            f'<text x="{_LEFT - 8}" y="{at_y(y) + 4:.1f}" text-anchor="end" fill="#444">{y:.3g}</text>'
        )
    for x in x_ticks:
        parts.append(
            f'<text x="{at_x(x):.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle" fill="#444">{x:g}</text>'
        )
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(
        f'<text x="{middle}" y="{_HEIGHT - 8}" text-anchor="middle" fill="#222">{escape(figure.x_label)}</text>'
        f'<text transform="rotate(-90)" x="{-_HEIGHT / 2}" y="14" text-anchor="middle" fill="#222">'
        f"{escape(figure.y_label)}</text>"
    )
    for i, line in enumerate(figure.lines):
        colour = _COLOURS[i % len(_COLOURS)]
        above = [f"{at_x(x):.1f},{at_y(y + e):.1f}" for x, y, e in zip(line.x, line.y, line.error, strict=True)]
        below = [f"{at_x(x):.1f},{at_y(y - e):.1f}" for x, y, e in zip(line.x, line.y, line.error, strict=True)]
        points = [f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in zip(line.x, line.y, strict=True)]
        legend = _TOP + 16 + 18 * i
        parts.append(
            f'<polygon points="{" ".join(above + below[::-1])}" fill="{colour}" opacity="0.15"/>'
            f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" stroke-width="2"/>'
            f'<rect x="{_WIDTH - _RIGHT + 12}" y="{legend - 9}" width="14" height="4" fill="{colour}"/>'
            f'<text x="{_WIDTH - _RIGHT + 32}" y="{legend - 3}" fill="#222">{escape(line.label)}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers that cover a range."""
    if high <= low:
        low, high = low - 0.05, high + 0.05
    raw = (high - low) / about
    magnitude = 10.0 ** np.floor(np.log10(raw))
    step = magnitude * next(m for m in (1, 2, 2.5, 5, 10) if m * magnitude >= raw)
    first, last = np.floor(low / step + 1e-9), np.ceil(high / step - 1e-9)
    return [float(round(k * step, 10)) for k in np.arange(first, last + 1)]
