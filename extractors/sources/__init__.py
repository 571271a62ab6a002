"""Where emails come from: folders, mailboxes, archives, the web, or the embedded sample.

store = DocumentStore(Path("store"))
for record in open_source("newsletters/").read(store):
    record.location, record.status, record.reason
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from extractors.sources.addresses import redacted
from extractors.sources.generated import SampleSource, is_sample
from extractors.sources.local import LocalSource
from extractors.sources.options import SourceOptions
from extractors.sources.records import DocumentRecord, read_records, write_records
from extractors.sources.several import SeveralSources
from extractors.sources.source import Known, Progress, Source, SourceError
from extractors.sources.web import WebSource, is_address, is_list

__all__ = [
    "DocumentRecord",
    "Known",
    "Progress",
    "Source",
    "SourceError",
    "SourceOptions",
    "open_source",
    "read_records",
    "redacted",
    "write_records",
]

_EXPECTED = "a folder, a glob, a file of emails, an archive, a .txt or .urls file of addresses, an address, or sample"


def open_source(spec: str | Sequence[str], options: SourceOptions | None = None) -> Source:
    """The source that ``spec`` names; several of them are read as one corpus.

    ``sample``, ``sample:emails=240,seed=7``; a folder or glob; ``.html .eml .mbox .msg .zip .tar .tar.gz``; a ``.txt``
    or ``.urls`` file of addresses; ``https://…``, where a name like ``sitemap.xml`` means all pages it lists.
    """
    options = options or SourceOptions()
    if isinstance(spec, str):
        return _open(spec.strip(), options)
    specs = [text.strip() for text in spec]
    if not specs:
        raise SourceError(f"no source is given; expected {_EXPECTED}")
    return SeveralSources([_open(text, options, label) for text, label in zip(specs, _labels(specs), strict=True)])


def _open(spec: str, options: SourceOptions, label: str = "") -> Source:
    if not spec:
        raise SourceError(f"the source is empty; expected {_EXPECTED}")
    if is_sample(spec):
        return SampleSource(spec, options)
    if is_address(spec):
        return WebSource(spec, options)
    if re.match(r"[a-z][a-z0-9+.-]*://", spec, re.IGNORECASE):
        raise SourceError(f"{redacted(spec)}: unknown kind of address; expected http:// or https://")
    return WebSource(spec, options) if is_list(spec) else LocalSource(spec, options, label)


def _labels(specs: Sequence[str]) -> list[str]:
    """What sets equal paths of several folders apart: the folder's name, or all that was given if that is ambiguous."""
    names = [Path(spec).name for spec in specs]
    return [f"{name}/" if names.count(name) == 1 else f"{spec}/" for spec, name in zip(specs, names, strict=True)]
