"""Evidence that lies in attributes: does a candidate agree with what the fragment and its email show?

Two styles of different types share fields: a button and a text style a colour and a size, a button and a colour
pair both colours. Entities alone cannot say that ``16px #ffffff`` fits a button with white 16 px text; as nodes
of shared attribute values they can, also for values that never stood together before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from hnn_core.recommend.corpus import Corpus, Indices, Observed
from hnn_core.recommend.queries import Queries, Scores
from hnn_core.recommend.styles import FIELDS

_CROSSED = (
    ("text-style", "color", "background"),  # a heading in the brand's colour, a button filled with it
    ("color-pair", "color", "background"),
    ("background-style", "background", "color"),  # a white section, white text on the button
    ("color-pair", "background", "color"),
)
"""The same colour in another role: type and field of the evidence, field of the candidate."""


@dataclass(frozen=True)
class Comparison:
    """Candidates are compared with evidence of one type in some fields."""

    kind: str
    evidence: tuple[str, ...]
    candidate: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.kind} {'+'.join(self.evidence)} = {'+'.join(self.candidate)}"


def comparisons(target: str) -> tuple[Comparison, ...]:
    """All that can be compared with styles of a target."""
    fields = FIELDS[target]
    shared = ((kind, tuple(f for f in fields if f in FIELDS[kind])) for kind in FIELDS if kind != target)
    straight = [Comparison(kind, both, both) for kind, both in shared if both]
    crossed = [
        Comparison(kind, (theirs,), (ours,)) for kind, theirs, ours in _CROSSED if ours in fields and kind != target
    ]
    return (*straight, *crossed)


def agreement_names(target: str) -> tuple[str, ...]:
    """What is compared, for the fragment and for its email."""
    return tuple(f"{scope}: {c.name}" for c in comparisons(target) for scope in ("fragment", "email"))


class Agreement:
    """For each comparison: whether the fragment agrees with a candidate, and in how many fragments its email does."""

    def __init__(self, training: Observed, target: str) -> None:
        self._comparisons = comparisons(target)
        catalogue = training.catalogue(target)
        self._vocabularies = [
            _vocabulary([_values(training.corpus.attributes[style], c.candidate) for style in catalogue])
            for c in self._comparisons
        ]

    def __call__(self, queries: Queries) -> list[Scores]:
        """One matrix of queries × catalogue for each of :func:`agreement_names`."""
        evidence: list[Scores] = []
        for comparison, (vocabulary, candidates) in zip(self._comparisons, self._vocabularies, strict=True):
            of_entity = _value_of_entity(queries.corpus, comparison, vocabulary)
            own = (queries.own @ of_entity).toarray() > 0
            email = np.log1p((queries.email @ of_entity).toarray())
            evidence += [own.astype(np.float64)[:, candidates], email[:, candidates]]
        return evidence


def _vocabulary(values: list[tuple[Any, ...]]) -> tuple[dict[tuple[Any, ...], int], Indices]:
    """A number for each distinct value, and the number of each candidate's."""
    numbers: dict[tuple[Any, ...], int] = {}
    of_candidate = [numbers.setdefault(value, len(numbers)) for value in values]
    return numbers, np.array(of_candidate, dtype=np.int64)


def _value_of_entity(
    corpus: Corpus, comparison: Comparison, vocabulary: Mapping[tuple[Any, ...], int]
) -> sparse.csr_array:
    """Entities × values, 1 where an entity of the comparison's type has the value."""
    entities = np.flatnonzero(corpus.is_target(comparison.kind))
    numbers = [vocabulary.get(_values(corpus.attributes[entity], comparison.evidence), -1) for entity in entities]
    known = np.array(numbers, dtype=np.int64).reshape(-1)
    where = (entities[known >= 0], known[known >= 0])
    return sparse.csr_array((np.ones(len(where[0])), where), shape=(corpus.num_entities, max(len(vocabulary), 1)))


def _values(attributes: Mapping[str, Any], fields: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(attributes.get(field) for field in fields)
