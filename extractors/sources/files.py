"""One file of a local source: opened warily, read once, and remembered only if nothing moved meanwhile."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType

from extractors.sources.archives import archive_documents
from extractors.sources.formats import ARCHIVES, documents_in
from extractors.sources.options import SourceOptions
from extractors.sources.readings import Found, too_large, unreadable

_READER = 1  # counts up when the same bytes would be read differently
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A file changed again within the grain of the file system's clock keeps its time: such a fresh one is not relied on.
_GRAIN_NS = 50_000_000


class UnusableError(Exception):
    """Not a file that can be read; the message is the reason."""


class LocalFile:
    """An open regular file and its documents."""

    def __init__(self, path: Path, options: SourceOptions) -> None:
        self._options = options
        self._failed = False
        try:
            # Without O_NONBLOCK a named pipe called x.html would wait for a writer for ever.
            descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        except OSError as error:
            raise UnusableError(_why_not(path, error)) from error
        self._status = os.fstat(descriptor)
        if stat.S_ISREG(self._status.st_mode):
            self._file = os.fdopen(descriptor, "rb")
            return
        os.close(descriptor)
        if not stat.S_ISDIR(self._status.st_mode):
            raise UnusableError("not-a-file: a pipe, socket or device")
        if path.is_symlink():
            raise UnusableError("linked-folder: links to folders are not followed; give the folder as a source")
        raise UnusableError("directory: a folder with the name of a file; what is in it has rows of its own")

    def __enter__(self) -> LocalFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    @property
    def modified_at(self) -> datetime | None:
        return modified_at(self._status)

    @property
    def stamp(self) -> str:
        """Equal stamps, equal documents: what the file system says, and the limits it was read under."""
        options = self._options
        limits = (options.max_bytes, options.max_message_bytes, options.max_archive_members, options.max_archive_ratio)
        return ":".join(map(str, (_READER, *_identity(self._status), *limits)))

    def documents(self, kind: str) -> Iterator[Found]:
        size = self._status.st_size
        try:
            if kind in ARCHIVES:
                yield from archive_documents(self._file, kind, size, self._options)
            elif kind == "html" and size > self._options.max_bytes:
                yield Found(reason=too_large(self._options.max_bytes))
            else:
                yield from documents_in(self._file, kind, self._options)
        except OSError as error:
            self._failed = True
            yield Found(reason=unreadable(error))

    def is_reliable(self) -> bool:
        """Whether what has been read is what an equal stamp stands for: no disk error, nobody writing."""
        after = os.fstat(self._file.fileno())
        fresh = abs(time.time_ns() - after.st_mtime_ns) < _GRAIN_NS
        return not self._failed and not fresh and _identity(after) == _identity(self._status)


def modified_at(status: os.stat_result) -> datetime | None:
    """The modification time to the microsecond; None for one outside the calendar, as broken archives leave."""
    try:
        return _EPOCH + timedelta(microseconds=status.st_mtime_ns // 1000)
    except OverflowError:
        return None


def _identity(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _why_not(path: Path, error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "symlink-loop: the link leads back to itself"
    if error.errno == errno.ENOENT:
        return "missing: the link leads nowhere" if path.is_symlink() else "missing: it vanished while being read"
    return unreadable(error)
