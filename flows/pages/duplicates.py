"""Styles that are almost another style of the same sender, and what merging them would save.

Two senders may well use two greys; one sender hardly means to. Two styles are near when their colours differ by no
more than ΔE₀₀ = 2 (a difference seen only side by side) and their sizes and radii by no more than 1 px; opacity and
image must agree. The more used style keeps its place and absorbs its near ones directly: chains are not followed,
or ten steps of grey would become one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.spatial import cKDTree

from flows.pages.inventory import Entry
from flows.pages.styles import STYLE_TYPES, Style
from hnn_core.colour import delta_e2000, lab_of

NEAR_COLOUR = 2.0  # ΔE₀₀
NEAR_PIXELS = 1.0

# How much smaller than Euclidean Lab distance ΔE₀₀ can be: S_C ≤ 7 in sRGB, and in blues R_T takes off up to
# 1 - sqrt(1 - 0.87) = 0.63 more. Every near pair is therefore found within this Lab radius.
_LAB_RADIUS = 20.0 * NEAR_COLOUR
_BLOCK = 500_000  # pairs measured at once: ΔE₀₀ makes some thirty temporaries

NearColours = Mapping[str | None, Mapping[str | None, float]]
_Key = tuple[str | None, str | None, float | None, float | None, tuple[object, ...]]


@dataclass(frozen=True)
class Near:
    """A style that could be another, and how far from it it is."""

    entry: Entry
    delta_e: float  # the larger of its colours' differences
    delta_px: float  # the larger of its lengths' differences
    colours: tuple[str, ...]  # of its own, to look for in the emails
    measures: tuple[str, ...]


@dataclass(frozen=True)
class Merge:
    """One style to keep and those it would replace."""

    sender: str
    keep: Entry
    absorb: tuple[Near, ...]

    @property
    def saves(self) -> int:
        """Styles fewer in the catalogue."""
        return len(self.absorb)

    @property
    def changes(self) -> int:
        """Places to edit for it."""
        return sum(near.entry.uses for near in self.absorb)


def merges(own: Mapping[str, Mapping[str, Sequence[Entry]]]) -> dict[str, list[Merge]]:
    """By type, within each sender's own catalogue; the most saving first."""
    found: dict[str, list[Merge]] = {}
    for type in STYLE_TYPES:
        colours = near_colours(entry for styles in own.values() for entry in styles.get(type, ()))
        of_type = [
            merge for sender, styles in own.items() for merge in near_duplicates(styles.get(type, ()), colours, sender)
        ]
        found[type] = sorted(of_type, key=lambda m: (-m.saves, -m.changes, m.sender, m.keep.entity_id))
    return found


def near_duplicates(entries: Sequence[Entry], colours: NearColours | None = None, sender: str = "") -> list[Merge]:
    """Merges among entries of one type, which come most used first."""
    colours = near_colours(entries) if colours is None else colours
    drawn = {_key(entry.style): entry for entry in entries if entry.style is not None}
    sizes = _near_lengths(key[2] for key in drawn)
    radii = _near_lengths(key[3] for key in drawn)

    taken: set[_Key] = set()
    found = []
    for key, entry in drawn.items():
        if key in taken:
            continue
        taken.add(key)
        background, color, size, radius, rest = key
        absorb = []
        for (b, db), (c, dc), (s, ds), (r, dr) in product(
            colours[background].items(), colours[color].items(), sizes[size].items(), radii[radius].items()
        ):
            other = (b, c, s, r, rest)
            if other in drawn and other not in taken:
                taken.add(other)
                absorb.append(_near(entry, drawn[other], max(db, dc), max(ds, dr)))
        if absorb:
            absorb.sort(key=lambda near: (near.delta_e, near.delta_px, near.entry.entity_id))
            found.append(Merge(sender, entry, tuple(absorb)))
    return found


def _near(keep: Entry, entry: Entry, delta_e: float, delta_px: float) -> Near:
    kept, style = keep.style, entry.style
    if kept is None or style is None:
        raise ValueError(f"{entry.signature}: only styles that are drawn can be merged")
    fields = (style.background, kept.background), (style.color, kept.color)
    colours = tuple(own for own, other in fields if own and own != other)
    measures = tuple(measure for measure in style.measures if measure not in kept.measures)
    return Near(entry, delta_e, delta_px, colours, measures)


def _key(style: Style) -> _Key:
    """Colours and lengths, which may differ a little, and the rest, which may not: alpha is part of it."""
    background, color = style.background or "", style.color or ""
    exact = (background[7:], color[7:], style.radius_unit, style.opacity, style.image)
    return background[:7] or None, color[:7] or None, style.font_size, style.radius, exact


def near_colours(entries: Iterable[Entry]) -> NearColours:
    """For each colour of these styles the near ones with their ΔE₀₀, itself included; none is near none."""
    keys = (_key(entry.style) for entry in entries if entry.style is not None)
    names = sorted({colour for key in keys for colour in key[:2] if colour is not None})
    near: dict[str | None, dict[str | None, float]] = {name: {name: 0.0} for name in (None, *names)}
    if len(names) < 2:
        return near
    lab = lab_of(names)
    pairs = cKDTree(lab).query_pairs(_LAB_RADIUS, output_type="ndarray")
    for start in range(0, len(pairs), _BLOCK):
        i, j = pairs[start : start + _BLOCK].T
        difference = delta_e2000(lab[i], lab[j])
        close = difference <= NEAR_COLOUR
        for a, b, d in zip(i[close].tolist(), j[close].tolist(), difference[close].tolist(), strict=True):
            near[names[a]][names[b]] = near[names[b]][names[a]] = d
    return near


def _near_lengths(lengths: Iterable[float | None]) -> Mapping[float | None, Mapping[float | None, float]]:
    near: dict[float | None, dict[float | None, float]] = defaultdict(dict)
    distinct = set(lengths)
    known = np.array(sorted(length for length in distinct if length is not None))
    if None in distinct:
        near[None] = {None: 0.0}
    for length in known.tolist():
        for other in known[np.abs(known - length) <= NEAR_PIXELS].tolist():
            near[length][other] = abs(other - length)
    return near
