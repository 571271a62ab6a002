"""What stands together in an email: which text on which background, which size in which colour."""

from __future__ import annotations

from dataclasses import dataclass

from hnn_core.recommend.corpus import Corpus
from hnn_core.recommend.palette import opaque
from hnn_core.recommend.queries import Queries
from hnn_core.recommend.styles import colour_of, pixels_of

Pair = tuple[str | None, str | None]


@dataclass(frozen=True)
class Shown:
    """Colour pairs and text styles of a fragment and of its whole email."""

    own_pairs: frozenset[Pair]  # (background, colour)
    email_pairs: frozenset[Pair]
    own_texts: frozenset[tuple[float, str | None]]  # (size, colour)
    email_texts: dict[tuple[float, str | None], float]  # in how many fragments

    @classmethod
    def of(cls, queries: Queries) -> list[Shown]:
        """One for each query."""
        own, email = queries.own.indptr, queries.email.indptr
        return [
            cls._of(
                queries.corpus,
                queries.own.indices[own[row] : own[row + 1]].tolist(),
                queries.email.indices[email[row] : email[row + 1]].tolist(),
                queries.email.data[email[row] : email[row + 1]].tolist(),
            )
            for row in range(len(queries))
        ]

    @classmethod
    def _of(cls, corpus: Corpus, own: list[int], email: list[int], counts: list[float]) -> Shown:
        texts: dict[tuple[float, str | None], float] = {}
        for entity, count in zip(email, counts, strict=True):
            text = _text(corpus, entity)
            if text is not None:
                texts[text] = texts.get(text, 0.0) + count
        return cls(
            own_pairs=frozenset(pair for e in own if (pair := _pair(corpus, e)) is not None),
            email_pairs=frozenset(pair for e in email if (pair := _pair(corpus, e)) is not None),
            own_texts=frozenset(text for e in own if (text := _text(corpus, e)) is not None),
            email_texts=texts,
        )

    def sizes(self) -> dict[float, float]:
        """How many fragments use each text size."""
        used: dict[float, float] = {}
        for (size, _), count in self.email_texts.items():
            used[size] = used.get(size, 0.0) + count
        return used


def _pair(corpus: Corpus, entity: int) -> Pair | None:
    if corpus.entity_types[entity] != "color-pair":
        return None
    attributes = corpus.attributes[entity]
    return opaque(colour_of(attributes, "background")), opaque(colour_of(attributes, "color"))


def _text(corpus: Corpus, entity: int) -> tuple[float, str | None] | None:
    if corpus.entity_types[entity] != "text-style":
        return None
    attributes = corpus.attributes[entity]
    size = pixels_of(attributes, "font-size")
    return None if size is None else (size, opaque(colour_of(attributes, "color")))
