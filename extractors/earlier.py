"""Rows of an earlier extraction, by document.

Within each table the rows of one document stand together. The entities are the exception: an entity has one row,
with the attributes of its *first* use. Where a document now is the first to use a style or an image that another
document (gone, or moved behind it) was the first to use before, the row cannot be known without extracting it
again; for the other types the attributes follow from the signature and the row is copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

# What may come out otherwise next time, on a machine that is less busy.
_WORTH_RETRYING = frozenset({"timeout", "memory", "crash", "unreadable"})
_ATTRIBUTES_OF_FIRST_USE = ("button-style:", "text-style:", "image:")

Ranges = dict[str, tuple[int, int]]  # doc_id -> first row, number of rows


class EarlierTables:
    """The documents of ``folder`` whose rows can be copied into a run over ``order``."""

    def __init__(self, folder: Path, order: Sequence[str]) -> None:
        names = ("fragments", "entities", "occurrences", "neighbours", "rejects")
        self._files = {name: pq.ParquetFile(folder / f"{name}.parquet") for name in names}
        self._starts = {name: _row_group_starts(file) for name, file in self._files.items()}
        self._group = lru_cache(maxsize=2 * len(names))(self._read_group)
        self._ranges: dict[str, Ranges] = {
            "fragments": _ranges(self._column("fragments", "doc_id")),
            "occurrences": _ranges(_owners(self._column("occurrences", "fragment_id"))),
            "neighbours": _ranges(_owners(self._column("neighbours", "source"))),
            "rejects": _ranges(self._column("rejects", "doc_id")),
        }
        rank = {doc_id: place for place, doc_id in enumerate(order)}
        known = self._ranges["fragments"].keys() | self._ranges["rejects"].keys()
        self._usable = {doc_id for doc_id in known - set(self._worth_retrying()) if doc_id in rank}
        self._entity_rows = {e: row for row, e in enumerate(self._column("entities", "entity_id"))}
        self._introduced_by = self._introductions(rank)

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self._usable

    def rows_of(self, doc_ids: Sequence[str]) -> dict[str, pa.Table]:
        """The rows of some documents that follow one another in ``order``: many at once cost little more than one."""
        rows = {
            name: self._slices(name, _joined(ranges[doc_id] for doc_id in doc_ids if doc_id in ranges))
            for name, ranges in self._ranges.items()
        }
        asked = set(doc_ids)
        used = dict.fromkeys(rows["occurrences"]["entity_id"].to_pylist())
        introduced = ((self._entity_rows[e], 1) for e in used if self._introduced_by[e] in asked)
        rows["entities"] = self._slices("entities", _joined(introduced))
        return rows

    def _introductions(self, rank: dict[str, int]) -> dict[str, str]:
        """The first document of the new order to use each entity; documents that cannot be copied are dropped."""
        before: dict[str, str] = {}
        now: dict[str, str] = {}
        owners = _owners(self._column("occurrences", "fragment_id"))
        for owner, entity in zip(owners, self._column("occurrences", "entity_id"), strict=True):
            before.setdefault(entity, owner)
            if owner in self._usable and (entity not in now or rank[owner] < rank[now[entity]]):
                now[entity] = owner
        for entity, owner in now.items():
            if before[entity] != owner and entity.startswith(_ATTRIBUTES_OF_FIRST_USE):
                self._usable.discard(owner)
        return now

    def _worth_retrying(self) -> Iterable[str]:
        for doc_id, reason in zip(self._column("rejects", "doc_id"), self._column("rejects", "reason"), strict=True):
            if reason in _WORTH_RETRYING:
                yield doc_id

    def _column(self, table: str, column: str) -> Iterable[str]:
        for batch in self._files[table].iter_batches(columns=[column]):
            yield from batch.column(0).to_pylist()

    def _read_group(self, table: str, number: int) -> pa.Table:
        return self._files[table].read_row_group(number)

    def _slices(self, table: str, ranges: Iterable[tuple[int, int]]) -> pa.Table:
        parts = [self._files[table].schema_arrow.empty_table()]
        for start, count in ranges:
            number = int(np.searchsorted(self._starts[table], start, side="right")) - 1
            while count > 0:
                part = self._group(table, number).slice(start - int(self._starts[table][number]), count)
                parts.append(part)
                start += part.num_rows
                count -= part.num_rows
                number += 1
        return pa.concat_tables(parts)


def _owners(fragment_ids: Iterable[str]) -> Iterable[str]:
    return (fragment_id.rpartition("#")[0] for fragment_id in fragment_ids)


def _ranges(doc_ids: Iterable[str]) -> Ranges:
    ranges: Ranges = {}
    for row, doc_id in enumerate(doc_ids):
        start, count = ranges.get(doc_id, (row, 0))
        ranges[doc_id] = (start, count + 1)
    return ranges


def _joined(ranges: Iterable[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    """(first, count) ranges with those joined that follow one another."""
    start = count = 0
    for first, more in ranges:
        if count and first == start + count:
            count += more
            continue
        if count:
            yield start, count
        start, count = first, more
    if count:
        yield start, count


def _row_group_starts(file: pq.ParquetFile) -> npt.NDArray[np.int64]:
    rows = [file.metadata.row_group(number).num_rows for number in range(file.metadata.num_row_groups)]
    return np.cumsum([0, *rows], dtype=np.int64)
