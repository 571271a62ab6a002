"""Folders, globs and single files: .html, .eml, .mbox, .msg and archives of them."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path, PurePosixPath

from extractors.sources.files import LocalFile, UnusableError
from extractors.sources.formats import ARCHIVES, SUFFIXES, is_hidden, kind_of
from extractors.sources.ledger import Ledger
from extractors.sources.options import SourceOptions
from extractors.sources.readings import Found, Reading, keep
from extractors.sources.records import DocumentRecord
from extractors.sources.source import Known, Progress, Source, SourceError
from extractors.sources.spool import Spool
from extractors.store import DocumentStore

_WILDCARD = re.compile(r"[*?\[]")


class LocalSource(Source):
    """Files below a root, named by their path relative to it; ``label`` sets several roots of one corpus apart."""

    def __init__(self, spec: str, options: SourceOptions, label: str = "") -> None:
        self._options = options
        self._label = label
        self._pattern: re.Pattern[str] | None = None
        self._single: str | None = None
        path = Path(spec).expanduser()
        if path.is_dir():
            self._root = path
        elif os.path.lexists(path):
            self._root, self._single = path.parent, path.name
            if kind_of(path.name) is None:
                raise SourceError(f"{spec}: not a file of emails; expected a name that ends in {SUFFIXES}")
        else:
            self._root, self._pattern = _split_glob(path, spec)
        self._root = self._root.absolute()
        self._name = self._root.resolve().name
        self.kind = _source_kind(self._single)
        if next(self._walk(), None) is None:
            raise SourceError(f"{spec}: no emails there; expected files that end in {SUFFIXES}")

    def fingerprint(self) -> str:
        digest = hashlib.sha256()
        with closing(self._listing()) as listing:
            for relative, _ in listing:
                try:
                    status = (self._root / os.fsdecode(relative)).stat()
                    digest.update(b"%b\0%d\0%d\0" % (relative, status.st_size, status.st_mtime_ns))
                except OSError:
                    digest.update(b"%b\0?\0" % relative)
        return digest.hexdigest()

    def documents(self, store: DocumentStore, known: Known, progress: Progress) -> Iterator[DocumentRecord]:
        with Ledger(store) as ledger, closing(self._listing()) as listing:
            total = len(listing)
            for done, (relative, _) in enumerate(listing, start=1):
                yield from self._file(os.fsdecode(relative), store, ledger)
                progress(done, total)

    def _file(self, relative: str, store: DocumentStore, ledger: Ledger) -> Iterator[DocumentRecord]:
        path = self._root / relative
        try:
            file = LocalFile(path, self._options)
        except UnusableError as error:
            yield self._record(keep(Found(reason=str(error)), store, self._options), relative, None)
            return
        with file:
            name = os.fsencode(path)
            readings = ledger.recall_file(name, file.stamp)
            if readings is None:
                found = file.documents(kind_of(relative) or "html")
                fresh = (keep(document, store, self._options) for document in found)
                readings = ledger.remember_file(name, file.stamp, fresh, file.is_reliable)
            for reading in readings:
                yield self._record(reading, relative, file.modified_at)

    def _record(self, reading: Reading, relative: str, fetched_at: datetime | None) -> DocumentRecord:
        return reading.record(
            source=_source_kind(relative),
            location=self._label + relative,
            sender=self._sender(relative, reading.member),
            fetched_at=fetched_at,
        )

    def _sender(self, relative: str, member: str) -> str:
        """The first folder below the root; for what lies in none, the archive or the root itself."""
        file = PurePosixPath(relative)
        inside = PurePosixPath(member.replace("\\", "/")).parts[:-1] if kind_of(relative) in ARCHIVES else ()
        folders = [part for part in (*file.parts[:-1], *inside) if part.strip("./\\")]
        if folders:
            return folders[0]
        return file.name.split(".")[0] if member else self._name

    def _listing(self) -> Spool:
        listing = Spool()
        for relative in self._walk():
            listing.add(os.fsencode(relative))
        return listing

    def _walk(self) -> Iterator[str]:
        """Paths of all files that hold emails, and of all that stands in the way of finding them."""
        if self._single:
            yield self._single
            return
        pending = [("", self._pattern is None)]
        while pending:
            folder, wanted = pending.pop()
            try:
                entries = os.scandir(self._root / folder)
            except OSError:
                yield folder or "."
                continue
            with entries:
                for entry in entries:
                    if is_hidden(entry.name):
                        continue
                    relative = f"{folder}/{entry.name}" if folder else entry.name
                    matched = wanted or bool(self._pattern and self._pattern.fullmatch(relative))
                    is_folder = _is_folder(entry)
                    if is_folder and not entry.is_symlink():
                        pending.append((relative, matched))
                    if matched and (kind_of(entry.name) or (is_folder and entry.is_symlink())):
                        yield relative


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads back to itself
        return False


def _source_kind(name: str | None) -> str:
    """The kind of source that the table of documents names; HTML files are part of their folder."""
    kind = kind_of(name) if name else None
    return "directory" if kind in (None, "html") else str(kind)


def _split_glob(path: Path, spec: str) -> tuple[Path, re.Pattern[str]]:
    """The folder before the first wildcard and a pattern for paths relative to it."""
    parts = path.parts
    first = next((index for index, part in enumerate(parts) if _WILDCARD.search(part)), None)
    if first is None:
        raise SourceError(f"{spec}: no such file or folder")
    root = Path(*parts[:first])
    if not root.is_dir():
        raise SourceError(f"{spec}: no such folder: {root}")
    return root, re.compile(_glob_expression("/".join(parts[first:])))


def _glob_expression(pattern: str) -> str:
    """A shell pattern as a regular expression: ``*`` and ``?`` stay within a folder, ``**`` does not.

    Not ``glob.glob``: it follows links to folders, round in circles if need be.
    """
    expression, position = "", 0
    while position < len(pattern):
        rest = pattern[position:]
        if rest.startswith("**/"):
            expression, position = expression + "(?:.*/)?", position + 3
        elif rest.startswith("**"):
            expression, position = expression + ".*", position + 2
        elif (choice := re.match(r"\[(!?)(\]?[^\]]*)\]", rest)) is not None:
            members = re.sub(r"([\\^\[])", r"\\\1", choice.group(2))
            expression += f"[{'^/' if choice.group(1) else ''}{members}]"
            position += choice.end()
        else:
            expression += {"*": "[^/]*", "?": "[^/]"}.get(rest[0]) or re.escape(rest[0])
            position += 1
    return "(?s:" + expression + ")"
