"""Documents in .zip and .tar(.gz) archives, streamed: nothing is unpacked to disk, nothing is believed.

A 306 kB zip measured holds an entry of 300 MB. Whatever a header claims, reading stops at a document's byte limit, and
the whole archive at a ratio that no honest mail reaches.
"""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import IO

from extractors.sources.formats import ARCHIVES, documents_in, is_hidden, kind_of
from extractors.sources.options import SourceOptions
from extractors.sources.readings import Found, unreadable

_HARMLESS_BYTES = 50_000_000  # below this no ratio is suspicious
_MAX_INDEX_BYTES = 32_000_000  # of a zip's central directory, which zipfile holds in memory
_END_OF_ZIP = struct.Struct("<4s4H2LH")
_END_OF_ZIP64 = struct.Struct("<4sQ2H2L4Q")
_ZIP64_LOCATOR = struct.Struct("<4sLQL")
_ENCRYPTED = 0x1
_NESTED = "nested-archive: an archive within an archive is not opened; unpack it"


class BombError(Exception):
    """The archive grows beyond what honest content does."""


class Meter:
    """Counts what comes out of an archive of ``size`` bytes."""

    def __init__(self, size: int, max_ratio: float) -> None:
        self._limit = max(_HARMLESS_BYTES, int(size * max_ratio))
        self._ratio = max_ratio
        self._out = 0

    def count(self, taken: int) -> None:
        self._out += taken
        if self._out > self._limit:
            raise BombError(f"bomb: it grows more than {self._ratio:g} fold; the rest of it is not read")


class Metered(io.RawIOBase):
    """A forward-only stream that a meter watches."""

    def __init__(self, stream: IO[bytes] | gzip.GzipFile, meter: Meter, max_read: int) -> None:
        self._stream = stream
        self._meter = meter
        self._max_read = max_read
        self._position = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= self._max_read:
            raise BombError(f"bomb: a header claims {size:,} bytes")
        taken = self._stream.read(size)
        self._position += len(taken)
        self._meter.count(len(taken))
        return taken

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        taken = self.read(min(len(buffer), self._max_read))
        buffer[: len(taken)] = taken
        return len(taken)

    def tell(self) -> int:
        return self._position

    def seek(self, target: int, whence: int = io.SEEK_SET) -> int:
        if whence != io.SEEK_SET or target < self._position:
            raise io.UnsupportedOperation("only forwards")
        while self._position < target and self.read(min(target - self._position, 65_536)):
            pass
        return self._position


def archive_documents(file: IO[bytes], kind: str, size: int, options: SourceOptions) -> Iterator[Found]:
    """The documents of a ``zip`` or ``tar``; a last one without a member says why it could not be finished."""
    found = None
    try:
        for found in (_zip if kind == "zip" else _tar)(file, size, options):
            yield found
        if found is None:
            yield Found(reason="empty: no email in it")
    except BombError as error:
        yield Found(reason=str(error))
    except Exception as error:  # zipfile and tarfile promise no exception in particular for hostile bytes
        _reraise_if_disk(error)
        yield Found(reason=f"broken-archive: {unreadable(error)}")


def _zip(file: IO[bytes], size: int, options: SourceOptions) -> Iterator[Found]:
    if _index_bytes(file, size) > _MAX_INDEX_BYTES:
        yield Found(reason=_too_many(options))
        return
    meter = Meter(size, options.max_archive_ratio)
    with zipfile.ZipFile(file) as archive:
        if len(archive.filelist) > options.max_archive_members:
            yield Found(reason=_too_many(options))
            return
        for entry in sorted(archive.filelist, key=lambda entry: entry.filename):
            kind = None if entry.is_dir() else _document_kind(entry.filename)
            if kind in ARCHIVES:
                yield Found(member=entry.filename, reason=_NESTED)
            elif kind and entry.flag_bits & _ENCRYPTED:
                yield Found(member=entry.filename, reason="encrypted: it needs a password")
            elif kind:
                stream = partial(_metered_entry, archive, entry, meter, options)
                yield from _member(stream, entry.filename, kind, options)


def _tar(file: IO[bytes], size: int, options: SourceOptions) -> Iterator[Found]:
    compressed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    # Everything is metered, for skipping a member means decompressing it.
    stream = Metered(
        gzip.GzipFile(fileobj=file) if compressed else file,
        Meter(size, options.max_archive_ratio),
        max_read=_longest_read(options),
    )
    with tarfile.open(fileobj=stream, mode="r:") as archive:
        while (entry := archive.next()) is not None:
            archive.members.clear()  # type: ignore[attr-defined]  # tarfile would remember all of them
            kind = None if entry.isdir() else _document_kind(entry.name)
            if kind in ARCHIVES:
                yield Found(member=entry.name, reason=_NESTED)
            elif kind and (not entry.isreg() or entry.issparse()):
                yield Found(member=entry.name, reason="not-a-file: links and sparse files in an archive are not read")
            elif kind:
                yield from _member(partial(_tar_entry, archive, entry), entry.name, kind, options)
    if not compressed and size % tarfile.BLOCKSIZE:
        yield Found(reason="broken-archive: it ends within a block; what was whole has been read")


def _member(opened: Callable[[], IO[bytes]], name: str, kind: str, options: SourceOptions) -> Iterator[Found]:
    """A broken member costs its own row, a bomb the rest of the archive."""
    try:
        with opened() as stream:
            for found in documents_in(stream, kind, options):
                yield replace(found, member=f"{name}!{found.member}" if found.member else name)
    except BombError:
        raise
    except Exception as error:
        _reraise_if_disk(error)
        yield Found(member=name, reason=unreadable(error))


def _reraise_if_disk(error: Exception) -> None:
    """The disk's fault, which may pass; a bad gzip is an OSError too, but one without a number."""
    if isinstance(error, OSError) and error.errno:
        raise error


def _metered_entry(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, meter: Meter, options: SourceOptions
) -> io.BufferedReader:
    return io.BufferedReader(Metered(archive.open(entry), meter, max_read=_longest_read(options)))


def _tar_entry(archive: tarfile.TarFile, entry: tarfile.TarInfo) -> IO[bytes]:
    stream = archive.extractfile(entry)
    assert stream is not None, "regular members have content"
    return stream


def _document_kind(name: str) -> str | None:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return None if not parts or any(map(is_hidden, parts)) else kind_of(parts[-1])


def _index_bytes(file: IO[bytes], size: int) -> int:
    """What a zip says of its central directory's size, before anyone reads it into memory. 0 if it says nothing."""
    tail_start = max(0, size - 65_535 - _END_OF_ZIP.size - _ZIP64_LOCATOR.size)
    file.seek(tail_start)
    tail = file.read()
    end = tail.rfind(b"PK\x05\x06")
    if end < 0 or len(tail) - end < _END_OF_ZIP.size:
        return 0
    claimed = int(_END_OF_ZIP.unpack_from(tail, end)[5])
    locator = end - _ZIP64_LOCATOR.size
    if locator >= 0 and tail[locator : locator + 4] == b"PK\x06\x07":
        file.seek(_ZIP64_LOCATOR.unpack_from(tail, locator)[2])
        record = file.read(_END_OF_ZIP64.size)
        if record.startswith(b"PK\x06\x06") and len(record) == _END_OF_ZIP64.size:
            claimed = max(claimed if claimed < 0xFFFFFFFF else 0, int(_END_OF_ZIP64.unpack(record)[8]))
    return claimed


def _longest_read(options: SourceOptions) -> int:
    """No honest reader asks for more at once; tarfile does if a header claims that a name is gigabytes long."""
    return max(options.max_message_bytes, options.max_bytes, 1_000_000) + 1


def _too_many(options: SourceOptions) -> str:
    return f"too-many: more than {options.max_archive_members:,} members; unpack it and give the folder"
