"""The email tables as arrays: which fragment, of which email and sender, shows which style.

``Corpus`` is everything that was extracted; ``Observed`` is the part of it that a protocol lets a method see.
Whatever learns or ranks takes an ``Observed``, so a hidden link cannot reach it by another road.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse

Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]

TARGETS: tuple[str, ...] = ("button-style", "background-style", "text-style", "color-pair")
"""What can be recommended: the entity types that are styles."""


@dataclass(frozen=True)
class EmailTables:
    """The tables of one extraction, as declared by the extractor; ``documents`` names the senders."""

    fragments: pa.Table
    entities: pa.Table
    occurrences: pa.Table
    neighbours: pa.Table
    documents: pa.Table | None = None


@dataclass(frozen=True, eq=False)
class Corpus:
    """Fragments and their style entities, indexed from 0 in the order of their ids (not of the rows)."""

    fragment_ids: NDArray[np.object_]
    email_ids: NDArray[np.object_]
    sender_names: NDArray[np.object_]
    email_of: Indices  # of each fragment
    ground_of: NDArray[np.object_]  # of each fragment: the colour that is really seen behind it, #rrggbb
    corners_of: tuple[tuple[int, ...], ...]  # of each fragment: radii in px of its boxes, those of buttons apart
    sender_of: Indices  # of each email
    entity_ids: NDArray[np.object_]
    entity_types: NDArray[np.object_]
    signatures: NDArray[np.object_]
    attributes: tuple[Mapping[str, Any], ...]  # of each entity
    fragment: Indices  # of each occurrence, ascending
    entity: Indices  # of each occurrence
    from_button: Mask  # of each occurrence: its only source in the fragment is a button
    neighbours: sparse.csr_array  # F×F, symmetric: the fragments directly above, below and beside
    word_ids: NDArray[np.object_]
    words: sparse.csr_array  # F×words, 1 where the fragment says the word outside of a button

    @classmethod
    def from_tables(cls, tables: EmailTables, types: Sequence[str] = TARGETS) -> Corpus:
        """Index the tables; entities of other types than ``types`` are left out, words kept apart."""
        fragments = _first_of_each(
            _sorted_columns(tables.fragments, ("doc_id", "position", "fragment_id", "background"), ("corners",)),
            "fragment_id",
        )
        email_ids, email_of = np.unique(fragments["doc_id"], return_inverse=True)
        senders = _senders(tables.documents, email_ids)
        sender_names, sender_of = np.unique(senders, return_inverse=True)

        entities = _first_of_each(
            _sorted_columns(tables.entities, ("entity_id", "type", "signature", "attributes")), "entity_id"
        )
        used = np.isin(entities["type"], np.array(types, dtype=object))
        entity_ids = entities["entity_id"][used]

        fragment_at = {name: i for i, name in enumerate(fragments["fragment_id"])}
        entity_at = {name: i for i, name in enumerate(entity_ids)}
        fragment, entity, from_button = _occurrences(tables.occurrences, fragment_at, entity_at)
        word_ids = entities["entity_id"][entities["type"] == "word"]
        return cls(
            fragment_ids=fragments["fragment_id"],
            email_ids=email_ids,
            sender_names=sender_names,
            email_of=email_of.astype(np.int64),
            ground_of=fragments["background"],
            corners_of=tuple(tuple(radii.tolist()) for radii in fragments["corners"]),
            sender_of=sender_of.astype(np.int64),
            entity_ids=entity_ids,
            entity_types=entities["type"][used],
            signatures=entities["signature"][used],
            attributes=tuple(
                _attributes(signature, raw)
                for signature, raw in zip(entities["signature"][used], entities["attributes"][used], strict=True)
            ),
            fragment=fragment,
            entity=entity,
            from_button=from_button,
            neighbours=_neighbours(tables.neighbours, fragment_at),
            word_ids=word_ids,
            words=_words(tables.occurrences, fragment_at, {name: i for i, name in enumerate(word_ids)}),
        )

    @property
    def num_fragments(self) -> int:
        return len(self.fragment_ids)

    @property
    def num_entities(self) -> int:
        return len(self.entity_ids)

    @property
    def num_emails(self) -> int:
        return len(self.email_ids)

    def is_target(self, target: str) -> Mask:
        """Which entities are of this type."""
        return np.asarray(self.entity_types == target, dtype=np.bool_)

    @cached_property
    def membership(self) -> sparse.csr_array:
        """Emails × fragments, 1 where the fragment is part of the email."""
        ones = np.ones(self.num_fragments)
        where = (self.email_of, np.arange(self.num_fragments))
        return sparse.csr_array((ones, where), shape=(self.num_emails, self.num_fragments))

    @cached_property
    def button_incidence(self) -> sparse.csr_array:
        """Fragments × entities, 1 where a button is the entity's only source in the fragment."""
        where = (self.fragment[self.from_button], self.entity[self.from_button])
        shape = (self.num_fragments, self.num_entities)
        return sparse.csr_array((np.ones(len(where[0])), where), shape=shape)


@dataclass(frozen=True, eq=False)
class Observed:
    """The occurrences of a corpus that a method may see."""

    corpus: Corpus
    visible: Mask  # over the corpus's occurrences

    @classmethod
    def all_of(cls, corpus: Corpus) -> Observed:
        return cls(corpus, np.ones(len(corpus.fragment), dtype=np.bool_))

    def without(self, hidden: Mask) -> Observed:
        """The same with some more occurrences hidden."""
        return replace(self, visible=self.visible & ~hidden)

    @cached_property
    def incidence(self) -> sparse.csr_array:
        """Fragments × entities, 1 where the fragment visibly holds the entity."""
        corpus = self.corpus
        where = (corpus.fragment[self.visible], corpus.entity[self.visible])
        shape = (corpus.num_fragments, corpus.num_entities)
        return sparse.csr_array((np.ones(len(where[0])), where), shape=shape)

    @cached_property
    def email_incidence(self) -> sparse.csr_array:
        """Emails × entities: in how many fragments of the email the entity is visible."""
        return sparse.csr_array(self.corpus.membership @ self.incidence)

    def links(self, target: str) -> Indices:
        """The visible occurrences that are fragment–style links of a target, by their index."""
        return np.flatnonzero(self.visible & self.corpus.is_target(target)[self.corpus.entity])

    def catalogue(self, target: str) -> Indices:
        """The styles of a target that are visible somewhere: what can be recommended."""
        return np.unique(self.corpus.entity[self.links(target)])


def target_named(name: str) -> str:
    """The entity type of a target's short or full name: ``button`` and ``button-style`` mean the same."""
    for target in TARGETS:
        if name in (target, target.removesuffix("-style"), target.removeprefix("color-")):
            return target
    raise ValueError(f"no target {name!r}: expected button, background, text or pair")


def _sorted_columns(table: pa.Table, names: Sequence[str], lists: Sequence[str] = ()) -> dict[str, NDArray[Any]]:
    """Columns as arrays, rows ordered by ``names``: what is computed does not depend on the order of rows."""
    missing = [name for name in (*names, *lists) if name not in table.column_names]
    if missing:
        raise ValueError(f"the table lacks the columns {missing}; it has {table.column_names}")
    table = table.select([*names, *lists]).sort_by([(name, "ascending") for name in names])
    return {name: table.column(name).to_numpy(zero_copy_only=False) for name in (*names, *lists)}


def _first_of_each(columns: dict[str, NDArray[Any]], key: str) -> dict[str, NDArray[Any]]:
    """Rows of a new key only: tables of two batches may share a fragment or an entity."""
    _, first = np.unique(columns[key], return_index=True)
    return {name: values[np.sort(first)] for name, values in columns.items()}


def _senders(documents: pa.Table | None, email_ids: NDArray[Any]) -> NDArray[Any]:
    """The sender of each email; without a documents table every email is of the one sender ''."""
    sender_of: dict[str, str] = {}
    if documents is not None:
        columns = _sorted_columns(documents, ("doc_id", "sender"))
        # A message kept in two places has two rows: the first sender by name counts.
        for doc_id, sender in zip(columns["doc_id"], columns["sender"], strict=True):
            sender_of.setdefault(doc_id, sender)
    return np.array([sender_of.get(email, "") for email in email_ids], dtype=object)


def _occurrences(
    table: pa.Table, fragment_at: Mapping[str, int], entity_at: Mapping[str, int]
) -> tuple[Indices, Indices, Mask]:
    columns = _sorted_columns(table, ("fragment_id", "entity_id", "from_button"))
    rows: dict[tuple[int, int], bool] = {}
    for fragment_id, entity_id, from_button in zip(*columns.values(), strict=True):
        if entity_id not in entity_at:
            continue
        if fragment_id not in fragment_at:
            raise ValueError(f"occurrences name the fragment {fragment_id!r}, which fragments does not have")
        rows.setdefault((fragment_at[fragment_id], entity_at[entity_id]), from_button)
    array = np.array(sorted((*pair, flag) for pair, flag in rows.items()), dtype=np.int64).reshape(-1, 3)
    return array[:, 0], array[:, 1], array[:, 2].astype(np.bool_)


def _words(table: pa.Table, fragment_at: Mapping[str, int], word_at: Mapping[str, int]) -> sparse.csr_array:
    """What a button says is left out: strict protocols hide it, and its label may well name its style."""
    said, word, from_button = _occurrences(table, fragment_at, word_at)
    where = (said[~from_button], word[~from_button])
    return sparse.csr_array((np.ones(len(where[0])), where), shape=(len(fragment_at), len(word_at)))


def _neighbours(table: pa.Table, fragment_at: Mapping[str, int]) -> sparse.csr_array:
    columns = _sorted_columns(table, ("source", "target"))
    source = np.array([fragment_at[name] for name in columns["source"]], dtype=np.int64)
    target = np.array([fragment_at[name] for name in columns["target"]], dtype=np.int64)
    both = (np.concatenate([source, target]), np.concatenate([target, source]))
    matrix = sparse.csr_array((np.ones(len(both[0])), both), shape=(len(fragment_at), len(fragment_at)))
    matrix.data[:] = 1.0
    return matrix


def _attributes(signature: str, raw: str) -> Mapping[str, Any]:
    """The fields of a style: those of its signature, which is its identity, over the raw ones of its first use."""
    fields: dict[str, Any] = json.loads(raw) if raw else {}
    for part in signature.split(";"):
        key, colon, value = part.partition(":")
        if colon:
            fields[key.strip()] = value.strip()
    return fields
