"""Rows of an earlier extraction, by document.

Within each table the rows of one document stand together. The entities are the exception: an entity has one row,
with the attributes of its *first* use. Where a document now is the first to use a style or an image that another
document (gone, or moved behind it) was the first to use before, the row cannot be known without extracting it
again; for the other types the attributes follow from the signature and the row is copied.

Which documents are new is asked first, and workers wait for the answer: where no document has gone or moved, the ids of
the fragments' documents tell. The rest is read when rows are copied, while the workers are busy. Documents and entities
are numbers here, and columns are read with their dictionaries: Python sees a document's id, never a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

# What may come out otherwise next time, on a machine that is less busy.
_WORTH_RETRYING = frozenset({"timeout", "memory", "crash", "unreadable"})
_ATTRIBUTES_OF_FIRST_USE = ("button-style:", "text-style:", "image:")
#: Columns whose values repeat: read as dictionaries, they are smaller and come without a look at each row.
_REPEATED = {
    "fragments": ["doc_id", "kind", "background"],
    "entities": [],
    "occurrences": ["fragment_id", "entity_id"],
    "neighbours": ["source"],
    "rejects": [],
}
_ROW_GROUPS = 128  # kept as they were read, a third of a MB each: ten thousand documents are read once
#: Read by a thread while this one finds out what is new, and in order: afterwards the file is free for others.
_READ_AHEAD = ("occurrences", "neighbours")
#: (place of a document in the order, row of the occurrence) as one number that sorts as the two.
_ROW_BITS = 38
_ROW_MASK = (1 << _ROW_BITS) - 1
_NEVER = np.iinfo(np.int64).max

Numbers = npt.NDArray[np.int64]


class EarlierTables:
    """The documents of ``folder`` whose rows can be copied into a run over ``order``."""

    def __init__(self, folder: Path, order: Sequence[str]) -> None:
        self._files = {
            name: pq.ParquetFile(folder / f"{name}.parquet", read_dictionary=columns)
            for name, columns in _REPEATED.items()
        }
        self._starts = {name: _row_group_starts(file) for name, file in self._files.items()}
        self._group = lru_cache(maxsize=_ROW_GROUPS)(self._awaited_group)
        reader = ThreadPoolExecutor(1, thread_name_prefix="earlier")
        self._ahead = {
            (name, number): reader.submit(self._read_group, name, number)
            for name in _READ_AHEAD
            for number in range(min(self._files[name].num_row_groups, _ROW_GROUPS // 2))
        }
        reader.shutdown(wait=False)  # no more work for it
        self._order = order
        self._rank = {doc_id: place for place, doc_id in enumerate(order)}

    def rows_of(self, doc_ids: Sequence[str]) -> dict[str, pa.Table]:
        """The rows of some documents that follow one another in ``order``: many at once cost little more than one."""
        numbers = [self._number[doc_id] for doc_id in doc_ids]
        rows = {name: self._slices(name, _joined(ranges[numbers].tolist())) for name, ranges in self._ranges.items()}
        first, last = self._rank[doc_ids[0]], self._rank[doc_ids[-1]]
        begin, end = np.searchsorted(self._uses.introductions, [first << _ROW_BITS, (last + 1) << _ROW_BITS])
        introduced = self._uses.introduced[begin:end].tolist()
        rows["entities"] = self._slices("entities", _joined((row, 1) for row in introduced))
        return rows

    @cached_property
    def doc_ids(self) -> frozenset[str]:
        """Documents whose rows can be copied."""
        places = [self._rank.get(doc_id, -1) for doc_id in self._with_fragments]
        usable = {doc_id for doc_id in self._number if doc_id in self._rank}
        usable -= {doc_id for doc_id, reason in self._refused.items() if reason in _WORTH_RETRYING}
        as_before = all(first < second for first, second in zip([-1, *places], places, strict=False))
        return frozenset(usable if as_before else usable - self._uses.taken_over)

    @cached_property
    def _with_fragments(self) -> list[str]:
        """Documents in the order of their rows."""
        documents: dict[str, None] = {}
        for group in self._groups("fragments"):
            documents.update(dict.fromkeys(_first_of_each_run(group["doc_id"])))
        return list(documents)

    @cached_property
    def _refused(self) -> dict[str, str]:
        rejects = self._files["rejects"].read(["doc_id", "reason"]).to_pydict()
        return dict(zip(rejects["doc_id"], rejects["reason"], strict=True))

    @cached_property
    def _number(self) -> dict[str, int]:
        return {doc_id: number for number, doc_id in enumerate(dict.fromkeys([*self._with_fragments, *self._refused]))}

    @cached_property
    def _ranges(self) -> dict[str, Numbers]:
        """The first row of each document in a table and how many there are, by the document's number."""
        return {
            "fragments": self._ranges_of(self._numbers(group["doc_id"]) for group in self._groups("fragments")),
            "occurrences": self._ranges_of(self._owners(group["fragment_id"]) for group in self._groups("occurrences")),
            "neighbours": self._ranges_of(self._owners(group["source"]) for group in self._groups("neighbours")),
            "rejects": self._ranges_of(
                self._numbers(group["doc_id"].dictionary_encode()) for group in self._groups("rejects")
            ),
        }

    def _ranges_of(self, groups: Iterable[Numbers]) -> Numbers:
        ranges = np.zeros((len(self._number), 2), np.int64)
        row = 0
        for documents in groups:
            begins = np.flatnonzero(np.diff(documents, prepend=-1))
            here = documents[begins]
            new = ranges[here, 1] == 0  # the others go on from the row group before
            ranges[here[new], 0] = row + begins[new]
            ranges[here, 1] += np.diff(begins, append=len(documents))
            row += len(documents)
        return ranges

    @cached_property
    def _uses(self) -> _FirstUses:
        """Where the new order first uses each entity that is copied."""
        entities = self._files["entities"].read(["entity_id"]).column(0).to_pylist()
        entity_row = {entity: row for row, entity in enumerate(entities)}
        rank = np.full(len(self._number), -1, np.int64)
        for doc_id in self._with_fragments:
            rank[self._number[doc_id]] = self._rank.get(doc_id, -1)
        before, now = np.full(len(entities), _NEVER), np.full(len(entities), _NEVER)
        row = 0
        for group in self._groups("occurrences"):
            document = rank[self._owners(group["fragment_id"])]
            used = _each(group["entity_id"], [entity_row[entity] for entity in _values(group["entity_id"])])
            place = row + np.arange(len(used))
            np.minimum.at(before, used, place)
            copied = document >= 0
            np.minimum.at(now, used[copied], (document[copied] << _ROW_BITS) + place[copied])
            row += len(used)
        found = now != _NEVER
        introduced = np.argsort(now, kind="stable")[: np.count_nonzero(found)]
        taken_over = {
            self._order[int(now[entity]) >> _ROW_BITS]
            for entity in np.flatnonzero(found & (now & _ROW_MASK != before)).tolist()
            if entities[entity].startswith(_ATTRIBUTES_OF_FIRST_USE)
        }
        return _FirstUses(now[introduced], introduced, taken_over)

    def _numbers(self, documents: pa.DictionaryArray) -> Numbers:
        """The document's number of each row."""
        return _each(documents, [self._number[doc_id] for doc_id in _values(documents)])

    def _owners(self, fragments: pa.DictionaryArray) -> Numbers:
        """The number of the document of each row's fragment."""
        parts = pc.split_pattern(fragments.dictionary, "#", max_splits=1, reverse=True)
        return _each(fragments, self._numbers(pc.list_element(parts, 0).dictionary_encode()))

    def _groups(self, table: str) -> Iterator[pa.RecordBatch]:
        for number in range(self._files[table].num_row_groups):
            yield self._group(table, number)

    def _awaited_group(self, table: str, number: int) -> pa.RecordBatch:
        reading = self._ahead.pop((table, number), None)
        return self._read_group(table, number) if reading is None else reading.result()

    def _read_group(self, table: str, number: int) -> pa.RecordBatch:
        # Threads would be in the way of the workers, and save nothing on so few columns.
        rows = self._files[table].read_row_group(number, use_threads=False)
        return rows.unify_dictionaries().combine_chunks().to_batches()[0]

    def _slices(self, table: str, ranges: Iterable[tuple[int, int]]) -> pa.Table:
        parts: list[pa.RecordBatch] = []
        for start, count in ranges:
            number = int(np.searchsorted(self._starts[table], start, side="right")) - 1
            while count > 0:
                part = self._group(table, number).slice(start - int(self._starts[table][number]), count)
                parts.append(part)
                start += part.num_rows
                count -= part.num_rows
                number += 1
        return pa.Table.from_batches(parts, self._files[table].schema_arrow)


class _FirstUses(NamedTuple):
    """Places of the first uses, ascending; the rows of these entities; documents that were not the first before."""

    introductions: Numbers
    introduced: Numbers
    taken_over: set[str]


def _values(column: pa.DictionaryArray) -> list[str]:
    values: list[str] = column.dictionary.to_pylist()
    return values


def _each(column: pa.DictionaryArray, numbers: Sequence[int] | Numbers) -> Numbers:
    """For each row the number of its value."""
    codes: npt.NDArray[np.int32] = column.indices.to_numpy()
    return np.asarray(numbers, np.int64)[codes]


def _first_of_each_run(column: pa.DictionaryArray) -> list[str]:
    codes = column.indices.to_numpy()
    values = _values(column)
    return [values[code] for code in codes[np.flatnonzero(np.diff(codes, prepend=-1))].tolist()]


def _joined(ranges: Iterable[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    """(first, count) ranges with those joined that follow one another; empty ones are left out."""
    start = count = 0
    for first, more in ranges:
        if count and first == start + count:
            count += more
        elif more:
            if count:
                yield start, count
            start, count = first, more
    if count:
        yield start, count


def _row_group_starts(file: pq.ParquetFile) -> Numbers:
    rows = [file.metadata.row_group(number).num_rows for number in range(file.metadata.num_row_groups)]
    return np.cumsum([0, *rows], dtype=np.int64)
