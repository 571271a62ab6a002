"""The colours of an email: which it uses, in what role, and where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hnn_core.colour import contrast_ratios, lab_of, rgb_of
from hnn_core.recommend.corpus import Corpus
from hnn_core.recommend.queries import Queries
from hnn_core.recommend.styles import colour_of

ROLES: Mapping[str, tuple[str, str]] = {
    "text": ("text-style", "color"),
    "box": ("color-pair", "background"),  # whatever text stands on, buttons among it
    "paper": ("background-style", "background"),  # the background of a section
}
"""Entity type and field of each role a colour can have."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Palette:
    """The distinct opaque colours of a corpus with what is known of each."""

    colours: tuple[str, ...]
    lab: Floats
    rgb: Floats
    of_entity: Mapping[str, sparse.csr_array]  # by role: entities × colours

    @classmethod
    def of(cls, corpus: Corpus) -> Palette:
        numbers: dict[str, int] = {}
        of_entity: dict[str, sparse.csr_array] = {}
        where: dict[str, list[tuple[int, int]]] = {role: [] for role in ROLES}
        for role, (kind, field) in ROLES.items():
            for entity in np.flatnonzero(corpus.is_target(kind)):
                colour = opaque(colour_of(corpus.attributes[entity], field))
                if colour is not None:
                    where[role].append((int(entity), numbers.setdefault(colour, len(numbers))))
        for role, pairs in where.items():
            rows, columns = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
            shape = (corpus.num_entities, len(numbers))
            of_entity[role] = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
        colours = tuple(numbers)
        return cls(colours, lab_of(colours), rgb_of(colours), of_entity)

    def uses(self, queries: Queries) -> list[ColourUse]:
        """Of each query, the colours its email shows."""
        scopes = {"own": queries.own, "email": queries.email, "neighbours": queries.neighbours}
        counts = {
            (scope, role): sparse.csr_array(rows @ self.of_entity[role])
            for scope, rows in scopes.items()
            for role in ROLES
        }
        grounds = queries.corpus.ground_of[queries.fragments]
        return [self._use(counts, row, ground) for row, ground in enumerate(grounds)]

    def _use(self, counts: Mapping[tuple[str, str], sparse.csr_array], row: int, ground: str) -> ColourUse:
        dense = {key: matrix[[row]].toarray().ravel() for key, matrix in counts.items()}
        shown = np.flatnonzero(sum(dense["email", role] for role in ROLES))
        papers = dense["own", "paper"] if dense["own", "paper"].any() else dense["email", "paper"]
        # Of several backgrounds in a fragment, the one the email uses most.
        common = papers * (1 + dense["email", "paper"])
        paper = self.colours[int(common.argmax())] if common.any() else "#ffffff"
        return ColourUse(
            colours=tuple(self.colours[i] for i in shown),
            paper=paper,
            ground=ground,
            counts={key: values[shown] for key, values in dense.items()},
        )


@dataclass(frozen=True, eq=False)
class ColourUse:
    """The colours one email shows, seen from one of its fragments."""

    colours: tuple[str, ...]
    paper: str  # the fragment's background style, a translucent one without its alpha
    ground: str  # what is seen behind the fragment: a veil of that style over the page's colour
    counts: Mapping[tuple[str, str], Floats]  # by (scope, role): in how many fragments, one entry a colour


def opaque(colour: str | None) -> str | None:
    """A colour without its alpha: what a designer would call it."""
    return None if colour is None else colour[:7]


def contrasts(colours: list[str], other: str) -> Floats:
    """WCAG contrast of each colour with one other."""
    return contrast_ratios(rgb_of(colours), rgb_of([other])[0])
