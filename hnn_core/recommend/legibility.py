"""Evidence that needs no acquaintance: does a candidate's colour contrast with what it stands beside?

A brand nobody has seen shows text in colours no training email has, and every method that counts is silent about
them. That dark text wants a light background still holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse

from hnn_core.colour import contrast_ratios, rgb_of
from hnn_core.recommend.corpus import Corpus, Indices, Observed
from hnn_core.recommend.palette import opaque
from hnn_core.recommend.queries import Queries, Scores
from hnn_core.recommend.styles import colour_of

BESIDE: Mapping[str, tuple[str, str, str]] = {
    "button-style": ("background", "background-style", "background"),  # a button stands out from its paper
    "background-style": ("background", "text-style", "color"),
    "text-style": ("color", "background-style", "background"),
    "color-pair": ("background", "text-style", "color"),
}
"""Of each target: the candidate's colour, and the type and colour of the entities it is held against."""

_LOST = 2.0  # contrast below which one colour is lost on the other
_ENOUGH = 7.0  # WCAG AAA: more contrast than this decides nothing, else the darkest colour would always win
_MEASURES = ("fragment: contrast with", "fragment: lost on", "fragment: share lost on", "email: contrast with")


def legibility_names(target: str) -> tuple[str, ...]:
    """What is measured, for the fragment and for its email."""
    _, kind, _ = BESIDE[target]
    return tuple(f"{measure} {kind}" for measure in _MEASURES)


@dataclass(frozen=True, eq=False)
class _Colours:
    """The colours of a corpus's entities of one type."""

    of_entity: sparse.csr_array  # entities × distinct colours
    contrast: Scores  # distinct colours × the catalogue's, log of the WCAG ratio up to what is enough


class Legibility:
    """Mean log contrast of each candidate with what stands beside it, and whether any, and how much, is lost on it.

    What only a button shows is left out of the fragment: white on a blue button says nothing about the paper.
    """

    def __init__(self, training: Observed, target: str) -> None:
        role, self._kind, self._field = BESIDE[target]
        colours = [opaque(colour_of(training.corpus.attributes[s], role)) for s in training.catalogue(target)]
        #: what a candidate without a colour (an outline, an image) lies on is not known: white, as most is
        self._colours, number = np.unique(
            np.array([colour or "#ffffff" for colour in colours], dtype=object), return_inverse=True
        )
        self._of_candidate: Indices = np.asarray(number, np.int64)
        self._known: WeakKeyDictionary[Corpus, _Colours] = WeakKeyDictionary()

    def __call__(self, queries: Queries) -> list[Scores]:
        """One matrix of queries × catalogue for each of :func:`legibility_names`."""
        seen = self._colours_of(queries.corpus)
        lost = (seen.contrast < np.log(_LOST)).astype(np.float64)
        own = sparse.csr_array(_without_buttons(queries) @ seen.of_entity)
        email = sparse.csr_array(queries.email @ seen.of_entity)
        evidence = [_mean(own, seen.contrast), (own @ lost) > 0, _mean(own, lost), _mean(email, seen.contrast)]
        return [np.asarray(each, np.float64)[:, self._of_candidate] for each in evidence]

    def _colours_of(self, corpus: Corpus) -> _Colours:
        if corpus not in self._known:
            entities = np.flatnonzero(corpus.is_target(self._kind))
            colours = [opaque(colour_of(corpus.attributes[entity], self._field)) for entity in entities]
            numbers: dict[str, int] = {}
            where = [(e, numbers.setdefault(c, len(numbers))) for e, c in zip(entities, colours, strict=True) if c]
            rows, columns = np.array(where, dtype=np.int64).reshape(-1, 2).T
            shape = (corpus.num_entities, len(numbers))
            contrast = contrast_ratios(rgb_of(tuple(numbers))[:, None], rgb_of(tuple(self._colours))[None, :])
            of_entity = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
            enough = np.log(np.minimum(contrast, _ENOUGH)).reshape(len(numbers), len(self._colours))
            self._known[corpus] = _Colours(of_entity, enough)
        return self._known[corpus]


def _mean(counts: sparse.csr_array, table: Scores) -> Scores:
    total = np.maximum(np.asarray(counts.sum(axis=1)).reshape(-1, 1), 1)
    return np.asarray((counts @ table) / total, np.float64)


def _without_buttons(queries: Queries) -> sparse.csr_array:
    """What the fragments show apart from their buttons."""
    shown_by_buttons = queries.corpus.button_incidence[queries.fragments]
    return sparse.csr_array(queries.own - queries.own.multiply(shown_by_buttons))
