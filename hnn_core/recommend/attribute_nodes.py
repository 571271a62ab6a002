"""Styles taken apart into attribute nodes, which brands share even where they share no style.

An entity (``14px #333333``) becomes nodes for its values: text of 14 px, dark grey text. An email is a hyperedge over
the nodes of all it shows, and two brands with not one style in common may still be neighbours there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse

from hnn_core.colour import lab_of
from hnn_core.recommend.corpus import Corpus
from hnn_core.recommend.styles import colour_of

OUTLINE = "outline"
"""What a button's background is called where it has none."""


@dataclass(frozen=True, eq=False)
class AttributeNodes:
    """Attribute nodes, and which of them each entity of a corpus is made of."""

    names: tuple[str, ...]
    of_entity: sparse.csr_array  # entities × nodes

    @classmethod
    def of(cls, corpus: Corpus, names: tuple[str, ...] | None = None) -> AttributeNodes:
        """All nodes of a corpus, or only the given ones: a new email's values that nobody knows say nothing."""
        numbers = {} if names is None else {node: i for i, node in enumerate(names)}
        rows: list[int] = []
        columns: list[int] = []
        for entity, (kind, attributes) in enumerate(zip(corpus.entity_types, corpus.attributes, strict=True)):
            for node in values_of(kind, attributes):
                if names is None or node in numbers:
                    rows.append(entity)
                    columns.append(numbers.setdefault(node, len(numbers)))
        shape = (corpus.num_entities, len(numbers))
        return cls(tuple(numbers), sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape))


def values_of(kind: str, attributes: Mapping[str, Any]) -> list[str]:
    """The attribute nodes of an entity; a button has none, its attributes are what is asked for."""
    background, colour = family(colour_of(attributes, "background")), family(colour_of(attributes, "color"))
    size = attributes.get("font-size", "")
    if kind == "text-style":
        return [f"text {size}", f"text {colour}", f"text {size} {colour}"]
    if kind == "color-pair":
        return [f"pair {background} {colour}"]
    if kind == "background-style":
        return [f"paper {background} {attributes.get('image', 'none')}"]
    return []


@lru_cache(maxsize=65536)
def family(colour: str | None) -> str:
    """What a colour would be called: a grey by lightness, else a hue of eight, light, middle or dark."""
    if colour is None:
        return OUTLINE
    L, a, b = lab_of([colour])[0]
    if np.hypot(a, b) < 8:
        return f"grey {int(L // 12)}"
    return f"hue {int(np.degrees(np.arctan2(b, a)) % 360 // 45)} {int(L // 34)}"
