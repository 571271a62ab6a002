"""The tables in use, partitioned, on any store that fsspec reaches: a folder, s3://, gs://, memory://.

::

    DEST/manifest.json                                  what is there; written last, replaced at once
    DEST/<id>/extract/fragments/prefix=3f/part.parquet  rows of documents whose hash begins with 3f
    DEST/<id>/hypergraph/nodes/part-00000.parquet       a million rows each, where there is no document

``<id>`` is a hash of the results' keys: an export of the same results writes nothing, one of other results lies beside
the old until its manifest points to it, and a reader that follows the manifest never sees half of one. Rows carry
their number, so that a table is read back exactly as it was, whatever it was cut into.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from flows.config import redact_urls
from flows.dag import NAMES
from flows.errors import HnnError, UsageError
from flows.workspace import Workspace

MANIFEST = "manifest.json"
ROW = "__row__"
ROWS_PER_PART = 1_000_000
_ROWS_AT_ONCE = 65_536
_ROWS_IN_HAND = 1_048_576  # of all parts together, before they are written

#: The column whose hash decides where a row of an email table goes: a document, or what lies within one.
PARTITIONED_BY = {
    "documents": "doc_id",
    "fragments": "doc_id",
    "occurrences": "fragment_id",
    "neighbours": "source",
    "rejects": "doc_id",
}


@dataclass(frozen=True)
class Part:
    path: str  # below DEST
    rows: int
    bytes: int


@dataclass(frozen=True)
class ExportedTable:
    stage: str
    name: str
    rows: int
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Export:
    """What a manifest says."""

    id: str
    keys: dict[str, str]  # of the results, by stage
    tables: tuple[ExportedTable, ...]

    @property
    def bytes(self) -> int:
        return sum(part.bytes for table in self.tables for part in table.parts)

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Export:
        values = json.loads(text)
        tables = tuple(
            ExportedTable(t["stage"], t["name"], t["rows"], tuple(Part(**part) for part in t["parts"]))
            for t in values["tables"]
        )
        return cls(values["id"], values["keys"], tables)


def export(workspace: Workspace, destination: str, digits: int = 1) -> Export:
    """Write the tables in use to ``destination``, cut by the first ``digits`` hex digits of the document's hash."""
    keys = {name: manifest.key for name in NAMES if (manifest := workspace.current(name))}
    if not keys:
        raise HnnError(f"{workspace.root}: nothing to export yet; `hnn run` first")
    name = hashlib.sha256(json.dumps([keys, digits]).encode()).hexdigest()[:16]
    with _store(destination) as (store, root):
        known = _manifest(store, root)
        if known is not None and known.id == name:
            return known
        tables = []
        for stage, key in keys.items():
            for path in sorted(workspace.result(stage, key).glob("*.parquet")):
                column = PARTITIONED_BY.get(path.stem) if stage in ("scrape", "extract") else None
                cut, parts = (_by_prefix(column, digits), 16**digits) if column else (_by_number, 1)
                tables.append(_write(store, root, f"{name}/{stage}/{path.stem}", stage, path, cut, parts))
        done = Export(name, keys, tuple(tables))
        # Renaming replaces at once in a folder; an object store's copy does too.
        store.pipe_file(f"{root}/{name}/{MANIFEST}", done.to_json().encode())
        store.mv(f"{root}/{name}/{MANIFEST}", f"{root}/{MANIFEST}")
    return done


def manifest(destination: str) -> Export:
    """What was exported there."""
    with _store(destination) as (store, root):
        found = _manifest(store, root)
    if found is None:
        raise HnnError(f"{redact_urls(destination)}: no {MANIFEST}; nothing was exported there, or not to the end")
    return found


def read_table(destination: str, stage: str, name: str) -> pa.Table:
    """One table, its rows in their order."""
    exported = manifest(destination)
    for table in exported.tables:
        if (table.stage, table.name) == (stage, name):
            with _store(destination) as (store, root):
                parts = [_read(store, f"{root}/{part.path}") for part in table.parts]
            rows = pa.concat_tables(parts)
            return rows.sort_by(ROW).drop_columns([ROW])
    known = ", ".join(f"{table.stage}/{table.name}" for table in exported.tables)
    raise HnnError(f"{redact_urls(destination)}: no table {stage}/{name}; there are {known}")


Cut = Callable[[pa.Table], Iterator[tuple[str, pa.Table]]]


def _by_prefix(column: str, digits: int) -> Cut:
    def cut(rows: pa.Table) -> Iterator[tuple[str, pa.Table]]:
        prefixes = pc.utf8_slice_codeunits(rows[column], 0, digits)
        for prefix in sorted(set(prefixes.unique().to_pylist())):
            chosen = rows.filter(pc.equal(prefixes, prefix))
            yield f"prefix={prefix or 'none'}/part.parquet", chosen  # a document that could not be read has no hash

    return cut


def _by_number(rows: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    numbers = pc.divide(rows[ROW], ROWS_PER_PART)
    for number in numbers.unique().to_pylist():
        yield f"part-{number:05}.parquet", rows.filter(pc.equal(numbers, number))


def _write(store: Any, root: str, folder: str, stage: str, source: Path, cut: Cut, parts: int) -> ExportedTable:
    """Stream a table into its parts; of each part only what a row group needs is in memory."""
    file = pq.ParquetFile(source)
    schema = file.schema_arrow.append(pa.field(ROW, pa.int64(), nullable=False))
    writers: dict[str, pq.ParquetWriter] = {}
    waiting: dict[str, list[pa.Table]] = {}
    rows: dict[str, int] = {}
    first = 0
    with ExitStack() as stack:

        def flush(name: str) -> None:
            if name not in writers:
                store.makedirs(f"{root}/{folder}/{name}".rpartition("/")[0], exist_ok=True)
                stream = stack.enter_context(store.open(f"{root}/{folder}/{name}", "wb"))
                writers[name] = stack.enter_context(pq.ParquetWriter(stream, schema, compression="zstd"))
            writers[name].write_table(pa.concat_tables(waiting.pop(name, [schema.empty_table()])))

        for batch in file.iter_batches(_ROWS_AT_ONCE):
            numbers = pa.array(range(first, first + len(batch)), pa.int64())
            numbered = pa.Table.from_batches([batch]).append_column(schema.field(ROW), numbers)
            for name, part in cut(numbered):
                waiting.setdefault(name, []).append(part)
                rows[name] = rows.get(name, 0) + part.num_rows
                if sum(each.num_rows for each in waiting[name]) >= _ROWS_IN_HAND // parts:
                    flush(name)
            first += len(batch)
        if not rows:
            rows["part-00000.parquet"] = 0  # an empty table still has its columns
        for name in rows:
            if name in waiting or name not in writers:
                flush(name)
    written = [
        Part(f"{folder}/{name}", count, store.size(f"{root}/{folder}/{name}")) for name, count in sorted(rows.items())
    ]
    return ExportedTable(stage, source.stem, first, tuple(written))


def _read(store: Any, path: str) -> pa.Table:
    with store.open(path, "rb") as stream:
        return pq.read_table(stream)


def _manifest(store: Any, root: str) -> Export | None:
    path = f"{root}/{MANIFEST}"
    return Export.from_json(store.cat_file(path).decode()) if store.exists(path) else None


@contextmanager
def _store(destination: str) -> Iterator[tuple[Any, str]]:
    """The file system of an address and the path within it; what it raises comes with the address."""
    import fsspec

    place = redact_urls(destination)
    try:
        store, root = fsspec.core.url_to_fs(destination)
    except (ImportError, ValueError) as error:
        raise UsageError(f"{place}: {error}. For s3:// and gs:// install hnn[cloud].") from None
    try:
        yield store, root.rstrip("/")
    except OSError as error:
        raise HnnError(f"{place}: {error.strerror or error}") from error
