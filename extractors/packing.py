"""One document's rows on their way from worker to stage: columns of bytes, laid out as Arrow wants them.

The stage alone sees every row. As tuples they cost it an eighth of the time of all its workers: it unpickled each
string and made Arrow's columns of them. Bytes of several documents it only joins. A column of strings is their UTF-8
and their lengths, and a list its numbers and its length, so that joining needs no counting. Workers do this without
pyarrow, which takes as long to import as the whole of extraction.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

from extractors.tasks import DocumentTables, ExtractOptions, ExtractTask, Row

KEY_BYTES = 10

#: The values one after another, and how long each is, if they differ in that.
Column = tuple[bytes, bytes]


class PackedTable(NamedTuple):
    rows: int
    columns: tuple[Column, ...]  # none if there are no rows


class PackedDocument(NamedTuple):
    """:class:`DocumentTables` as bytes, with the keys of its entities, ``KEY_BYTES`` each."""

    fragments: PackedTable
    entities: PackedTable
    occurrences: PackedTable
    neighbours: PackedTable
    rejects: PackedTable
    entity_keys: bytes


def attempt_and_pack(task: ExtractTask, options: ExtractOptions) -> PackedDocument:
    from extractors.extraction import attempt  # parser, cascade, layout: nothing for the stage

    return pack(attempt(task, options))


def pack(tables: DocumentTables) -> PackedDocument:
    keys = b"".join(entity_key(row[0]) for row in tables.entities)
    fragments, entities, occurrences, neighbours, rejects = (PackedTable(len(rows), _columns(rows)) for rows in tables)
    return PackedDocument(fragments, entities, occurrences, neighbours, rejects, keys)


def entity_key(identity: str) -> bytes:
    """An entity's id in few bytes: two letters tell its type, the rest is its hash."""
    kind, _, digest = identity.rpartition(":")
    return kind[:2].encode("ascii") + bytes.fromhex(digest)


def _columns(rows: Sequence[Row]) -> tuple[Column, ...]:
    return tuple(_column(values) for values in zip(*rows, strict=True))


def _column(values: tuple[Any, ...]) -> Column:
    """The first value tells the type: text, truth, whole number, or list of whole numbers."""
    first = values[0]
    if isinstance(first, str):
        text = "".join(values)
        if text.isascii():
            return text.encode("ascii"), _numbers(map(len, values))
        encoded = [value.encode("utf-8", "replace") for value in values]  # a lone surrogate is no text
        return b"".join(encoded), _numbers(map(len, encoded))
    if isinstance(first, bool):
        return bytes(values), b""
    if isinstance(first, int):
        return _numbers(values), b""
    return _numbers(chain.from_iterable(values)), _numbers(map(len, values))


def _numbers(values: Iterable[int]) -> bytes:
    return array("i", values).tobytes()
