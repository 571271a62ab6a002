"""Results streamed into the five Parquet tables, and rows of earlier results copied instead of extracted again.

Rows stand in the order of the documents and row groups are cut after a fixed number of rows, so a table's bytes
depend on the documents and the version only: not on the number of workers, nor on what was reused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from extractors import tables
from extractors.earlier import EarlierTables
from extractors.extraction import DocumentTables, ExtractOptions, ExtractTask, extract_documents

SCHEMAS: dict[str, pa.Schema] = {
    "fragments": tables.FRAGMENTS,
    "entities": tables.ENTITIES,
    "occurrences": tables.OCCURRENCES,
    "neighbours": tables.NEIGHBOURS,
    "rejects": tables.REJECTS,
}

_ROW_GROUP = 65536
_DOCUMENTS_AT_ONCE = 64


class Source(NamedTuple):
    """A document to be extracted. ``load`` gives its HTML, and is called only if it is needed."""

    doc_id: str
    location: str
    load: Callable[[], str]


@dataclass(frozen=True, slots=True)
class Counts:
    documents: int = 0
    extracted: int = 0
    reused: int = 0
    rejected: int = 0
    fragments: int = 0
    entities: int = 0
    occurrences: int = 0
    neighbours: int = 0


Progress = Callable[[int, int], None]  # (documents done, rejects among them)
Engine = Callable[[Iterable[ExtractTask], ExtractOptions], Iterator[DocumentTables]]  # in the order of the tasks


def write_tables(
    out_dir: Path,
    sources: Sequence[Source],
    options: ExtractOptions | None = None,
    workers: int | None = None,
    previous: Path | None = None,
    progress: Progress | None = None,
    engine: Engine | None = None,
) -> Counts:
    """Extract ``sources`` into ``out_dir/<table>.parquet``.

    ``previous`` is the folder of an earlier call with the same version and options: the caller vouches for that.
    Documents that are in it are copied from there. ``engine`` extracts the others; without one, ``workers``
    processes of this machine do.
    """
    options = options or ExtractOptions()
    order = [source.doc_id for source in sources]
    if len(set(order)) != len(order):
        raise ValueError("a doc_id stands twice in the documents to extract: pass each content once")
    earlier = EarlierTables(previous, order) if previous is not None else None
    out_dir.mkdir(parents=True, exist_ok=True)
    reused = documents = rejected = 0
    with TablesWriter(out_dir) as writer:
        for piece in _pieces(sources, options, engine or partial(extract_documents, workers=workers), earlier):
            writer.append(piece.tables)
            documents += piece.documents
            reused += piece.documents if piece.copied else 0
            rejected += piece.tables["rejects"].num_rows
            if progress is not None:
                progress(documents, rejected)
    rows = writer.rows
    return Counts(
        documents, documents - reused, reused, rejected,
        rows["fragments"], rows["entities"], rows["occurrences"], rows["neighbours"],
    )  # fmt: skip


def extract_batch(batch: Sequence[ExtractTask], options: ExtractOptions) -> list[DocumentTables]:
    """Each document's rows, extracted in one isolated process: what an engine runs on its workers."""
    return list(extract_documents(batch, options, workers=1))


def arrow_tables(results: Sequence[DocumentTables]) -> dict[str, pa.Table]:
    """Rows of several documents as one Arrow table each."""
    return {
        field.name: _table([row for result in results for row in getattr(result, field.name)], SCHEMAS[field.name])
        for field in fields(DocumentTables)
    }


def _table(rows: Sequence[tuple[object, ...]], schema: pa.Schema) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else ((),) * len(schema)
    arrays = [pa.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


class TablesWriter:
    """Five Parquet files that grow together; an entity is written when it is first seen."""

    def __init__(self, out_dir: Path) -> None:
        self._files = {
            name: pq.ParquetWriter(out_dir / f"{name}.parquet", schema, compression="zstd")
            for name, schema in SCHEMAS.items()
        }
        self._waiting: dict[str, list[pa.Table]] = {name: [] for name in SCHEMAS}
        self._seen: set[bytes] = set()  # ids of entities as 9 bytes: what grows, slowly, with the corpus
        self.rows = dict.fromkeys(SCHEMAS, 0)
        self._written = dict.fromkeys(SCHEMAS, 0)

    def __enter__(self) -> TablesWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for name, file in self._files.items():
            if kind is None:
                self._flush(name, last=True)
            file.close()

    def append(self, tables: dict[str, pa.Table]) -> None:
        for name, table in tables.items():
            if name == "entities":
                table = self._new_entities(table)
            self.rows[name] += table.num_rows
            self._waiting[name].append(table)
            self._flush(name, last=False)

    def _new_entities(self, table: pa.Table) -> pa.Table:
        keep = []
        for identity in table["entity_id"].to_pylist():
            key = _entity_key(identity)
            keep.append(key not in self._seen)
            self._seen.add(key)
        return table.filter(pa.array(keep, pa.bool_()))

    def _flush(self, name: str, last: bool) -> None:
        rows = self.rows[name] - self._written[name]
        if rows >= _ROW_GROUP or (last and rows):
            # One chunk: where pages end must not depend on how the rows came in.
            table = pa.concat_tables(self._waiting[name]).combine_chunks()
            whole = rows if last else rows - rows % _ROW_GROUP
            self._files[name].write_table(table.slice(0, whole), row_group_size=_ROW_GROUP)
            self._written[name] += whole
            self._waiting[name] = [table.slice(whole)]


def _entity_key(identity: str) -> bytes:
    kind, _, digest = identity.rpartition(":")
    return bytes([tables.ENTITY_TYPES.index(kind)]) + bytes.fromhex(digest)


class _Piece(NamedTuple):
    tables: dict[str, pa.Table]
    documents: int
    copied: bool


def _pieces(
    sources: Sequence[Source], options: ExtractOptions, engine: Engine, earlier: EarlierTables | None
) -> Iterator[_Piece]:
    """The tables of runs of documents in order: copied ones as slices, new ones as they come from the workers."""
    new = [source for source in sources if earlier is None or source.doc_id not in earlier]
    results = iter(engine(_load(new), options))
    for copied, run in groupby(sources, lambda source: earlier is not None and source.doc_id in earlier):
        while some := list(islice(run, _DOCUMENTS_AT_ONCE)):
            if copied:
                assert earlier is not None
                yield _Piece(earlier.rows_of([source.doc_id for source in some]), len(some), True)
            else:
                yield _Piece(arrow_tables([next(results) for _ in some]), len(some), False)


def _load(sources: Iterable[Source]) -> Iterator[ExtractTask]:
    for source in sources:
        try:
            html, problem = source.load(), ""
        except (OSError, ValueError, LookupError) as error:
            html, problem = "", f"{type(error).__name__}: {error}"[:500]
        yield ExtractTask(source.doc_id, source.location, html, problem)
