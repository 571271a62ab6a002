"""Results streamed into the five Parquet tables, and rows of earlier results copied instead of extracted again.

Rows stand in the order of the documents and row groups are cut after a fixed number of rows, so a table's bytes
depend on the documents and the version only: not on the number of workers, nor on what was reused.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from extractors.earlier import EarlierTables
from extractors.isolation import extract_documents
from extractors.packing import KEY_BYTES, Column, PackedDocument, PackedTable, entity_key, pack
from extractors.pages import small_pages
from extractors.tables import SCHEMAS, saying_how
from extractors.tasks import DocumentTables, ExtractOptions, ExtractTask

_ROW_GROUP = 16384
_DOCUMENTS_AT_ONCE = 64
_COPIES_AT_ONCE = 1024
_ROW_GROUPS_WAITING = 2  # for the threads that write them


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
Engine = Callable[[Iterable[ExtractTask], ExtractOptions], Iterator[PackedDocument]]  # in the order of the tasks


@small_pages()
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
    known = earlier.doc_ids if earlier is not None else frozenset()
    new = (source for source in sources if source.doc_id not in known)
    results = iter((engine or partial(extract_documents, workers=workers))(_load(new), options))
    out_dir.mkdir(parents=True, exist_ok=True)
    reused = documents = rejected = 0
    with TablesWriter(out_dir, options) as writer:
        for piece in _pieces(sources, results, known, earlier):
            writer.append(piece.tables, piece.entity_keys)
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


def arrow_tables(results: Iterable[DocumentTables]) -> dict[str, pa.Table]:
    """Rows of several documents as one Arrow table each; an entity that some of them share stands there once."""
    packed = [pack(result) for result in results]
    tables = unpack(packed)
    first: set[bytes] = set()
    tables["entities"] = tables["entities"].filter(_new(_keys(packed), first))
    return tables


def unpack(documents: Sequence[PackedDocument]) -> dict[str, pa.Table]:
    """What workers packed as Arrow tables, document after document; an entity stands there once for each of them."""
    return {
        name: _table([table for document in documents if (table := getattr(document, name)).rows], schema)
        for name, schema in SCHEMAS.items()
    }


def _table(parts: Sequence[PackedTable], schema: pa.Schema) -> pa.Table:
    if not parts:
        return schema.empty_table()
    rows = sum(part.rows for part in parts)
    columns = zip(*(part.columns for part in parts), strict=True)
    arrays = [_array(column, field.type, rows) for column, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


def _array(parts: Sequence[Column], type: pa.DataType, rows: int) -> pa.Array:
    data = b"".join([values for values, _ in parts])
    if pa.types.is_boolean(type):
        return pa.array(np.frombuffer(data, np.bool_))
    if pa.types.is_integer(type):
        return pa.Array.from_buffers(type, rows, [None, pa.py_buffer(data)])
    lengths = np.frombuffer(b"".join([each for _, each in parts]), np.int32)
    ends = np.zeros(rows + 1, np.int32)
    np.cumsum(lengths, out=ends[1:])
    if pa.types.is_list(type):
        values = pa.Array.from_buffers(type.value_type, int(ends[-1]), [None, pa.py_buffer(data)])
        return pa.ListArray.from_arrays(pa.array(ends), values)
    return pa.Array.from_buffers(type, rows, [None, pa.py_buffer(ends), pa.py_buffer(data)])


def _keys(documents: Iterable[PackedDocument]) -> list[bytes]:
    keys = b"".join(document.entity_keys for document in documents)
    return [keys[at : at + KEY_BYTES] for at in range(0, len(keys), KEY_BYTES)]


def _new(keys: Iterable[bytes], seen: set[bytes]) -> pa.Array:
    """Which keys are the first of their kind; they are seen from now on."""
    add = seen.add
    return pa.array([key not in seen and add(key) is None for key in keys], pa.bool_())


class TablesWriter:
    """Five Parquet files that grow together; an entity is written when it is first seen.

    Each has a thread that compresses and writes one row group while the rows of the next are gathered, and at the end
    they write side by side.
    """

    def __init__(self, out_dir: Path, options: ExtractOptions) -> None:
        schemas = SCHEMAS | {"fragments": saying_how(SCHEMAS["fragments"], options)}
        self._files = {
            name: pq.ParquetWriter(out_dir / f"{name}.parquet", schema, compression="zstd", write_statistics=False)
            for name, schema in schemas.items()
        }
        self._waiting: dict[str, list[pa.Table]] = {name: [] for name in SCHEMAS}
        self._seen: set[bytes] = set()  # keys of entities: what grows, slowly, with the corpus
        self.rows = dict.fromkeys(SCHEMAS, 0)
        self._written = dict.fromkeys(SCHEMAS, 0)
        self._threads = {name: ThreadPoolExecutor(1, thread_name_prefix=name) for name in SCHEMAS}
        self._under_way: deque[Future[None]] = deque()

    def __enter__(self) -> TablesWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                for name in self._files:
                    self._flush(name, last=True)
                self._await_writes(0)
        finally:
            for thread in self._threads.values():
                thread.shutdown()
            for file in self._files.values():
                file.close()

    def append(self, tables: dict[str, pa.Table], entity_keys: Iterable[bytes]) -> None:
        for name, table in tables.items():
            if name == "entities":
                table = table.filter(_new(entity_keys, self._seen))
            self.rows[name] += table.num_rows
            self._waiting[name].append(table)
            self._flush(name, last=False)

    def _flush(self, name: str, last: bool) -> None:
        rows = self.rows[name] - self._written[name]
        if rows >= _ROW_GROUP or (last and rows):
            whole = rows if last else rows - rows % _ROW_GROUP
            now, self._waiting[name] = _split(self._waiting[name], whole)
            self._await_writes(_ROW_GROUPS_WAITING)
            self._under_way.append(self._threads[name].submit(self._write, name, now))
            self._written[name] += whole

    def _write(self, name: str, tables: list[pa.Table]) -> None:
        # One chunk: where pages end must not depend on how the rows came in.
        table = pa.concat_tables(map(_decoded, tables)).combine_chunks()
        self._files[name].write_table(table, row_group_size=_ROW_GROUP)

    def _await_writes(self, left: int) -> None:
        """Until no more than so many are under way; what went wrong with one, such as a full disk, is raised here."""
        while len(self._under_way) > left:
            self._under_way.popleft().result()


def _split(tables: Sequence[pa.Table], rows: int) -> tuple[list[pa.Table], list[pa.Table]]:
    """The first ``rows`` and the others."""
    first: list[pa.Table] = []
    for number, table in enumerate(tables):
        if table.num_rows > rows:
            return [*first, table.slice(0, rows)], [table.slice(rows), *tables[number + 1 :]]
        first.append(table)
        rows -= table.num_rows
    return first, []


def _decoded(table: pa.Table) -> pa.Table:
    """Copied rows have come with their dictionaries, which take a fifth of the memory, and are written without."""
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            values = table.column(place).cast(field.type.value_type)
            table = table.set_column(place, field.with_type(values.type), values)
    return table


class _Piece(NamedTuple):
    tables: dict[str, pa.Table]
    entity_keys: list[bytes]
    documents: int
    copied: bool


def _pieces(
    sources: Sequence[Source],
    results: Iterator[PackedDocument],
    known: Collection[str],
    earlier: EarlierTables | None,
) -> Iterator[_Piece]:
    """The tables of runs of documents in order: copied ones as slices, new ones as they come from the workers."""
    for copied, run in groupby(sources, lambda source: source.doc_id in known):
        while some := list(islice(run, _COPIES_AT_ONCE if copied else _DOCUMENTS_AT_ONCE)):
            if copied:
                assert earlier is not None
                tables = earlier.rows_of([source.doc_id for source in some])
                keys = [entity_key(identity) for identity in tables["entities"]["entity_id"].to_pylist()]
                yield _Piece(tables, keys, len(some), True)
            else:
                packed = [next(results) for _ in some]
                yield _Piece(unpack(packed), _keys(packed), len(some), False)


def _load(sources: Iterable[Source]) -> Iterator[ExtractTask]:
    for source in sources:
        try:
            html, problem = source.load(), ""
        except (OSError, ValueError, LookupError) as error:
            html, problem = "", f"{type(error).__name__}: {error}"[:500]
        yield ExtractTask(source.doc_id, source.location, html, problem)
