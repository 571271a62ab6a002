"""The tables as integer codes: who uses what, where, ready for counting.

Every count of the audit is a ``bincount`` or a ``unique`` over these arrays, so that 25,000 fragments with a
million occurrences take seconds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from flows.pages.inputs import ReportInputs

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Corpus:
    """Fragments and entities are named by their row; occurrences are three parallel arrays."""

    entity_ids: list[str]
    fragment_ids: list[str]
    doc_ids: list[str]  # of the emails, in the order of their first fragment
    senders: list[str]  # sorted
    subjects: list[str]  # one for each email
    doc_of_fragment: Codes
    sender_of_doc: Codes
    entity: Codes  # occurrence: which entity
    fragment: Codes  # occurrence: in which fragment
    count: Codes  # occurrence: how often

    @classmethod
    def of(cls, inputs: ReportInputs) -> Corpus:
        fragments, occurrences = inputs.fragments, inputs.occurrences
        docs = fragments["doc_id"].combine_chunks().dictionary_encode()
        doc_ids = docs.dictionary.to_pylist()
        row_of_doc = _rows(pa.array(doc_ids, pa.string()), inputs.documents["doc_id"])
        sender_of = [*inputs.documents["sender"].to_pylist(), ""]  # -1, an email without a row, is the last one
        subject_of = [*inputs.documents["subject"].to_pylist(), ""]
        senders, sender_of_doc = np.unique([sender_of[row] for row in row_of_doc] or [""], return_inverse=True)

        entity = _rows(occurrences["entity_id"], inputs.entities["entity_id"])
        fragment = _rows(occurrences["fragment_id"], fragments["fragment_id"])
        known = (entity >= 0) & (fragment >= 0)
        return cls(
            entity_ids=inputs.entities["entity_id"].to_pylist(),
            fragment_ids=fragments["fragment_id"].to_pylist(),
            doc_ids=doc_ids,
            senders=senders.tolist() if doc_ids else [],
            subjects=[subject_of[row] for row in row_of_doc],
            doc_of_fragment=np.asarray(docs.indices, np.int64),
            sender_of_doc=np.asarray(sender_of_doc if doc_ids else [], np.int64),
            entity=entity[known],
            fragment=fragment[known],
            count=np.asarray(occurrences["count"], np.int64)[known],
        )

    @property
    def doc(self) -> Codes:
        """Occurrence: in which email."""
        return self.doc_of_fragment[self.fragment]

    @property
    def sender(self) -> Codes:
        """Occurrence: of which sender."""
        return self.sender_of_doc[self.doc]

    def uses(self) -> Codes:
        """How often each entity occurs."""
        return np.bincount(self.entity, self.count, len(self.entity_ids)).astype(np.int64)

    def distinct(self, group: Codes) -> Codes:
        """In how many different groups (fragments, emails, senders) each entity occurs."""
        pairs = distinct_pairs(self.entity, group)
        return np.bincount(pairs[0], minlength=len(self.entity_ids))

    def most_used_with(self, group: Codes) -> Codes:
        """The group in which each entity occurs most (the smallest code on a tie); -1 if it never occurs."""
        entity, other, uses = distinct_pairs(self.entity, group, self.count)
        best = np.full(len(self.entity_ids), -1, np.int64)
        order = np.lexsort((-other, uses, entity))  # the last of each entity wins
        best[entity[order]] = other[order]
        return best

    def first_fragment(self) -> Codes:
        """Where each entity is first seen; the number of fragments if it never is."""
        first = np.full(len(self.entity_ids), len(self.fragment_ids), np.int64)
        np.minimum.at(first, self.entity, self.fragment)
        return first


def distinct_pairs(left: Codes, right: Codes, weight: Codes | None = None) -> tuple[Codes, Codes, Codes]:
    """Each pair once, with the sum of its weights (or the number of its rows)."""
    base = int(right.max(initial=0)) + 1
    keys, inverse = np.unique(left * base + right, return_inverse=True)
    total = np.bincount(inverse, weight, len(keys)).astype(np.int64)
    return keys // base, keys % base, total


def _rows(values: pa.Array | pa.ChunkedArray, index: pa.ChunkedArray) -> Codes:
    """For each value the row where ``index`` first holds it, or -1."""
    return np.asarray(pc.fill_null(pc.index_in(values, index.combine_chunks()), -1), np.int64)
