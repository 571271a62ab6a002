"""Which colours for a button: the email's own palette and a few common ones, described for a choice between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hnn_core.colour import delta_e2000, lab_of
from hnn_core.recommend.attribute_choice import votes_for
from hnn_core.recommend.attribute_nodes import OUTLINE, family
from hnn_core.recommend.palette import ColourUse, contrasts
from hnn_core.recommend.readable import READABLE
from hnn_core.recommend.shown import Shown

Floats = NDArray[np.float64]

SAME_COLOUR = 10.0
"""ΔE2000 below which two colours pass for one at a glance."""

BACKGROUND_FEATURES = (
    "common", "only in training", "outline", "text in email", "paper in email", "box in email", "text in fragment",
    "paper in fragment", "box in fragment", "box but no paper in fragment", "box but no paper in email",
    "in neighbours", "chroma", "chroma²", "lightness", "lightness²", "grey", "white", "black", "is the paper",
    "contrast with paper", "contrast with white", "most colourful", "less colourful than", "votes of emails",
    "votes of fragments",
)  # fmt: skip

INK_FEATURES = (
    "common", "only in training", "contrast", "readable", "large text readable", "white", "black", "grey", "chroma",
    "lightness", "text in fragment", "text in email", "pair in fragment", "pair in email", "is the paper",
    "colourful on outline", "text in fragment on outline",
)  # fmt: skip


def background_candidates(use: ColourUse, common: Sequence[str]) -> list[str]:
    """The email's colours, those of many other buttons, and no fill at all."""
    return list(dict.fromkeys([*use.colours, *common, OUTLINE]))


def background_features(
    candidates: Sequence[str], use: ColourUse, common: Floats, votes: Mapping[str, Floats]
) -> Floats:
    """One row a candidate, in the order of ``BACKGROUND_FEATURES``; ``common`` is its log share among senders."""
    filled = [c for c in candidates if c != OUTLINE]
    lab = lab_of(filled)
    chroma = np.hypot(lab[:, 1], lab[:, 2])
    in_email = _lookup(filled, use)
    own, email = {r: in_email("own", r) for r in _ROLES}, {r: in_email("email", r) for r in _ROLES}
    beside = sum(in_email("neighbours", role) for role in _ROLES)
    colourful = np.where(np.isin(filled, use.colours), chroma, 0.0)
    lightness = lab[:, 0] / 50 - 1
    columns = [
        np.zeros(len(filled)),  # common, below
        ~np.isin(filled, use.colours),
        np.zeros(len(filled)),
        np.log1p(email["text"]),
        np.log1p(email["paper"]),
        np.log1p(email["box"]),
        own["text"] > 0,
        own["paper"] > 0,
        own["box"] > 0,
        (own["box"] > 0) & (own["paper"] == 0),
        np.log1p(email["box"]) * (email["paper"] == 0),
        beside > 0,
        chroma / 50,
        (chroma / 50) ** 2,
        lightness,
        lightness**2,
        chroma < 8,
        np.array(filled) == "#ffffff",
        np.array(filled) == "#000000",
        np.array(filled) == use.paper,
        np.log(contrasts(filled, use.paper)),
        np.log(contrasts(filled, "#ffffff")),
        (colourful >= colourful.max(initial=0)) & (colourful > 10),
        np.where(chroma > 10, np.minimum((colourful[None, :] > chroma[:, None]).sum(axis=1) / 5, 2), 2.0),
        np.zeros(len(filled)),  # votes, below
        np.zeros(len(filled)),
    ]
    rows = np.zeros((len(candidates), len(BACKGROUND_FEATURES)))
    rows[[i for i, c in enumerate(candidates) if c != OUTLINE]] = np.stack(columns, axis=1).astype(np.float64)
    rows[:, 0] = common
    for i, candidate in enumerate(candidates):
        rows[i, 2] = candidate == OUTLINE
        rows[i, -2:] = votes_for(votes, OUTLINE if candidate == OUTLINE else family(candidate))
    return rows


def ink_candidates(use: ColourUse, common: Sequence[str]) -> list[str]:
    """The email's colours, those of the text on many other buttons, white and black."""
    return list(dict.fromkeys(["#ffffff", "#000000", *use.colours, *common]))


def ink_features(candidates: Sequence[str], background: str, use: ColourUse, shown: Shown, common: Floats) -> Floats:
    """One row a candidate for the text on ``background``, in the order of ``INK_FEATURES``."""
    outline = background == OUTLINE
    surface = use.paper if outline else background
    lab = lab_of(candidates)
    chroma = np.hypot(lab[:, 1], lab[:, 2])
    contrast = contrasts(list(candidates), surface)
    in_email = _lookup(candidates, use)
    own, email = in_email("own", "text"), in_email("email", "text")
    names = np.array(candidates)
    columns = [
        common,
        ~np.isin(names, use.colours),
        np.log(contrast),
        contrast >= READABLE,
        contrast >= 3,
        names == "#ffffff",
        names == "#000000",
        chroma < 8,
        chroma / 50,
        lab[:, 0] / 50 - 1,
        own > 0,
        np.log1p(email),
        np.array([(surface, ink) in shown.own_pairs for ink in candidates]),
        np.array([(surface, ink) in shown.email_pairs for ink in candidates]),
        names == use.paper,
        outline * chroma / 50,
        outline * (own > 0),
    ]
    return np.stack(columns, axis=1).astype(np.float64)


def same_colour(candidates: Sequence[str], truth: str) -> NDArray[np.bool_]:
    """Which candidates pass for the true colour; an outline only for an outline."""
    same = np.array([candidate == truth for candidate in candidates], dtype=np.bool_)
    filled = [i for i, candidate in enumerate(candidates) if candidate != OUTLINE]
    if truth != OUTLINE and filled:
        same[filled] = delta_e2000(lab_of([candidates[i] for i in filled]), lab_of([truth])[0]) < SAME_COLOUR
    return same


_ROLES = ("text", "box", "paper")


class _lookup:  # noqa: N801 - reads as a function: how often a colour is used
    def __init__(self, candidates: Sequence[str], use: ColourUse) -> None:
        at = {colour: i for i, colour in enumerate(use.colours)}
        self._at = [at.get(candidate, -1) for candidate in candidates]
        self._counts = use.counts

    def __call__(self, scope: str, role: str) -> Floats:
        counts = np.append(self._counts[scope, role], 0.0)
        return np.asarray(counts[self._at], np.float64)
