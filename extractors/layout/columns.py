"""Widths of table columns: the distribution of CSS Tables 3, section "Computing column widths"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(slots=True)
class Column:
    """What the cells of one column ask for, in px; ``fraction`` is a percentage of the table's width."""

    least: float = 0.0
    most: float = 0.0
    fixed: bool = False
    fraction: float = 0.0

    def ask(self, least: float, most: float, fixed: bool, fraction: float | None) -> None:
        if fixed and not self.fixed:  # a stated width overrules what other cells of the column would like
            self.most = most
            self.fixed = True
        elif fixed == self.fixed:
            self.most = max(self.most, most)
        self.least = max(self.least, least)
        self.most = max(self.most, self.least)
        if fraction:
            self.fraction = max(self.fraction, fraction)


def spread(columns: Sequence[Column], least: float, most: float, fraction: float | None) -> None:
    """Make room in ``columns`` for a cell that spans them."""
    missing = least - sum(column.least for column in columns)
    if missing > 0:
        weights = [column.most or 1.0 for column in columns]
        total = sum(weights)
        for column, weight in zip(columns, weights, strict=True):
            column.least += missing * weight / total
            column.most = max(column.most, column.least)
    open_columns = [column for column in columns if not column.fixed] or columns
    missing = most - sum(column.most for column in columns)
    if missing > 0:
        for column in open_columns:
            column.most += missing / len(open_columns)
    if fraction:
        free = [column for column in columns if not column.fraction]
        rest = fraction - sum(column.fraction for column in columns)
        for column in free:
            column.fraction = max(0.0, rest) / len(free)


def natural_width(columns: Sequence[Column]) -> tuple[float, float]:
    """The narrowest and the preferred width of a table with these columns."""
    if len(columns) == 1 and not columns[0].fraction:  # most tables in mail
        return columns[0].least, columns[0].most
    least = sum(column.least for column in columns)
    most = sum(column.most for column in columns)
    share = sum(column.fraction for column in columns)
    if share:
        # A column that is to be a fifth of the table makes the table five times as wide as its contents.
        for column in columns:
            if column.fraction:
                most = max(most, column.most / column.fraction)
        if share < 1:
            most = max(most, sum(c.most for c in columns if not c.fraction) / (1 - share))
    return least, max(least, most)


def distribute(columns: Sequence[Column], available: float) -> list[float]:
    """Share ``available`` px among the columns: percentages first, then stated widths, then contents."""
    by_fraction = [max(c.least, c.fraction * available) if c.fraction else None for c in columns]
    guesses = [
        [c.least for c in columns],
        [c.least if f is None else f for c, f in zip(columns, by_fraction, strict=True)],
        [(c.most if c.fixed else c.least) if f is None else f for c, f in zip(columns, by_fraction, strict=True)],
        [c.most if f is None else f for c, f in zip(columns, by_fraction, strict=True)],
    ]
    narrow = guesses[0]
    narrow_sum = sum(narrow)
    if available <= narrow_sum:
        return narrow
    for wide in guesses[1:]:
        wide_sum = sum(wide)
        if available < wide_sum:
            t = (available - narrow_sum) / (wide_sum - narrow_sum)
            return [a + (b - a) * t for a, b in zip(narrow, wide, strict=True)]
        narrow, narrow_sum = wide, wide_sum
    return _stretch(columns, narrow, available - narrow_sum)


def _stretch(columns: Sequence[Column], widths: list[float], excess: float) -> list[float]:
    """Give what is left to columns that stated nothing, else to those with px, else to percentages."""
    free = [c.most if not c.fixed and not c.fraction else 0.0 for c in columns]
    if not any(free):
        free = [1.0 if not c.fixed and not c.fraction else 0.0 for c in columns]
    if not any(free):
        free = [c.most if c.fixed and not c.fraction else 0.0 for c in columns]
    if not any(free):
        free = [c.fraction for c in columns]
    total = sum(free) or 1.0
    return [width + excess * weight / total for width, weight in zip(widths, free, strict=True)]


def fixed_widths(first_row: Sequence[tuple[int, float | None, float | None]], available: float) -> list[float]:
    """``table-layout: fixed``: the first row's (span, px, fraction) decide; the others share the rest."""
    widths: list[float | None] = []
    for span, px, fraction in first_row:
        stated = px if px is not None else (None if fraction is None else fraction * available)
        widths += [None if stated is None else stated / span] * span
    taken = sum(width for width in widths if width is not None)
    unset = widths.count(None)
    if unset:
        rest = max(0.0, available - taken) / unset
        return [rest if width is None else width for width in widths]
    scale = available / taken if taken else 0.0
    return [(width or 0.0) * scale for width in widths]
