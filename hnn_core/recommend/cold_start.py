"""How good composed styles are for senders nobody has seen, attribute by attribute and all together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from hnn_core.colour import contrast_ratio
from hnn_core.recommend.attribute_nodes import OUTLINE
from hnn_core.recommend.colour_choice import same_colour
from hnn_core.recommend.composed import FEATURES, TARGET, ComposedStyle, ComposedTraining, train_composer, value_of
from hnn_core.recommend.palette import Palette
from hnn_core.recommend.protocols import Split
from hnn_core.recommend.queries import Queries
from hnn_core.recommend.readable import READABLE
from hnn_core.recommend.rivals import RIVALS
from hnn_core.recommend.size_choice import SAME_SIZE
from hnn_core.recommend.styles import radius_class
from hnn_core.recommend.visible import stands_out

COMPOSED = "composed"
RIVAL_NAMES: Mapping[str, str] = {"popularity": "popularity", "knn-context": "nearest neighbour"}

COMPOSED_METRICS = pa.schema(
    [
        pa.field("protocol", pa.string(), nullable=False),
        pa.field("method", pa.string(), nullable=False),
        pa.field("seed", pa.int64(), nullable=False),
        # all: every attribute at once; readable: a contrast of 4.5; visible: told from the ground; whatever the truth
        pa.field("attribute", pa.string(), nullable=False),
        pa.field("value", pa.float64(), nullable=False),  # share of held-out buttons it is right for
        pa.field("buttons", pa.int64(), nullable=False),
    ]
)

Values = Mapping[str, str]
"""The attributes of one button, as in :data:`FEATURES`."""


def cold_start_rows(split: Split, options: ComposedTraining, seed: int) -> Iterator[dict[str, Any]]:
    """Rows of ``COMPOSED_METRICS``, ours and the rivals'."""
    if split.target != TARGET or not len(split.fragments) or not len(split.training.links(TARGET)):
        return
    corpus = split.training.corpus
    queries = Queries.of(split.training, split.fragments)
    truth = [{name: value_of(corpus, style, name) for name in FEATURES} for style in split.styles]
    grounds = [use.ground for use in Palette.of(corpus).uses(queries)]
    for method, styles in _styles(split, queries, options, seed).items():
        hits = [judge(style, true) for style, true in zip(styles, truth, strict=True)]
        shown = [_shown(style, ground) for style, ground in zip(styles, grounds, strict=True)]
        values = {name: float(np.mean([of[name] for of in each])) for each in (hits, shown) for name in each[0]}
        for attribute, value in values.items():
            yield {
                "protocol": split.protocol,
                "method": method,
                "seed": seed,
                "attribute": attribute,
                "value": value,
                "buttons": len(hits),
            }


def judge(style: Values, truth: Values) -> dict[str, bool]:
    """Radius class, size within 2 px, each colour within ΔE2000 10, and all of it."""
    hits = {
        "radius": style["radius"] == truth["radius"],
        "size": abs(_px(style["size"]) - _px(truth["size"])) <= SAME_SIZE,
        "background": bool(same_colour([style["background"]], truth["background"])[0]),
        "color": bool(same_colour([style["color"]], truth["color"])[0]),
    }
    return hits | {"all": all(hits.values())}


def _styles(split: Split, queries: Queries, options: ComposedTraining, seed: int) -> dict[str, Sequence[Values]]:
    training, corpus = split.training, split.training.corpus
    composer = train_composer(training, split.protocol.endswith("-strict"), options, seed)
    styles: dict[str, Sequence[Values]] = {COMPOSED: [_values(style) for style in composer.compose(queries)]}
    catalogue = training.catalogue(TARGET)
    for rival, name in RIVAL_NAMES.items():
        best = catalogue[RIVALS[rival](training, TARGET, seed)(queries).argmax(axis=1)]
        styles[name] = [{field: value_of(corpus, style, field) for field in FEATURES} for style in best]
    return styles


def _values(style: ComposedStyle) -> Values:
    return {
        "radius": radius_class(style.radius),
        "size": f"{style.font_size:g}px",
        "background": OUTLINE if style.background == "transparent" else style.background,
        "color": style.color,
    }


def _shown(style: Values, ground: str) -> dict[str, bool]:
    """Whether its text can be read and the button, an outline by its text's colour, be seen."""
    outline = style["background"] == OUTLINE
    return {
        "readable": contrast_ratio(style["color"], ground if outline else style["background"]) >= READABLE,
        "visible": stands_out(style["color"] if outline else style["background"], ground),
    }


def _px(size: str) -> float:
    return float(size.removesuffix("px"))
