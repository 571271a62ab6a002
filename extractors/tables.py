"""Schemas of the tables that leave this package, declared once.

A row's identity is content: ``doc_id`` is a prefix of the document's SHA-256, a fragment is
``{doc_id}#{position}``, an entity's id is its type and a hash of its canonical signature. Tables of
different batches and machines can therefore be concatenated without renumbering anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from extractors.tasks import ExtractOptions

DOCUMENTS = pa.schema(
    [
        pa.field("doc_id", pa.string(), nullable=False),  # first 16 hex digits of sha256; "" if nothing was read
        pa.field("sender", pa.string(), nullable=False),  # From: domain, else the folder, else the host
        pa.field("source", pa.string(), nullable=False),  # kind of source: directory, eml, mbox, msg, zip, web, sample
        pa.field("location", pa.string(), nullable=False),  # path, path!member, or URL without credentials
        pa.field("subject", pa.string(), nullable=False),
        pa.field("fetched_at", pa.timestamp("us", tz="UTC")),  # first fetch; local files: modification time
        pa.field("sha256", pa.string(), nullable=False),  # of the raw bytes of the HTML
        pa.field("bytes", pa.int64(), nullable=False),
        pa.field("charset", pa.string(), nullable=False),
        pa.field("status", pa.string(), nullable=False),  # ok | duplicate | rejected
        pa.field("reason", pa.string(), nullable=False),  # empty when ok
    ]
)

FRAGMENTS = pa.schema(
    [
        pa.field("fragment_id", pa.string(), nullable=False),
        pa.field("doc_id", pa.string(), nullable=False),
        pa.field("position", pa.int32(), nullable=False),  # reading order within the email, from 0
        pa.field("kind", pa.string(), nullable=False),  # header, hero, title, text, card, row, table, footer, …
        pa.field("element", pa.int32(), nullable=False),  # index in Document.elements of the fragment's root
        pa.field("elements", pa.list_(pa.int32()), nullable=False),  # all top elements, where it is a run of siblings
        pa.field("row", pa.int32(), nullable=False),  # visual row, from 0
        pa.field("column", pa.int32(), nullable=False),  # place within the row, from 0
        pa.field("background", pa.string(), nullable=False),  # effective background, canonical colour
        # radii in px of the rounded boxes around its content, buttons and circles apart
        pa.field("corners", pa.list_(pa.int32()), nullable=False),
        pa.field("text", pa.string(), nullable=False),  # first 200 characters of visible text
    ]
)

ENTITY_TYPES = (
    "button-style",
    "text-style",
    "color-pair",
    "background-style",
    "word",
    "image",
    "fragment",
)

ENTITIES = pa.schema(
    [
        pa.field("entity_id", pa.string(), nullable=False),
        pa.field("type", pa.string(), nullable=False),  # one of ENTITY_TYPES
        pa.field("signature", pa.string(), nullable=False),  # canonical, e.g. "background:#3867ff;radius:999px;…"
        pa.field("attributes", pa.string(), nullable=False),  # JSON, sorted keys: raw fields of the first use
    ]
)

OCCURRENCES = pa.schema(
    [
        pa.field("fragment_id", pa.string(), nullable=False),
        pa.field("entity_id", pa.string(), nullable=False),
        pa.field("count", pa.int32(), nullable=False),
        pa.field("from_button", pa.bool_(), nullable=False),  # its only source in this fragment is a button
        pa.field("element", pa.int32(), nullable=False),  # first element it came from
    ]
)

NEIGHBOURS = pa.schema(
    [
        pa.field("source", pa.string(), nullable=False),  # fragment_id
        pa.field("target", pa.string(), nullable=False),  # fragment_id below or beside it
        pa.field("relation", pa.string(), nullable=False),  # below | beside
    ]
)

REJECTS = pa.schema(
    [
        pa.field("doc_id", pa.string(), nullable=False),
        pa.field("location", pa.string(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),  # too-large, too-deep, timeout, memory, …
        pa.field("detail", pa.string(), nullable=False),
    ]
)

#: The tables that extraction writes.
SCHEMAS: dict[str, pa.Schema] = {
    "fragments": FRAGMENTS,
    "entities": ENTITIES,
    "occurrences": OCCURRENCES,
    "neighbours": NEIGHBOURS,
    "rejects": REJECTS,
}


def saying_how(fragments: pa.Schema, options: ExtractOptions) -> pa.Schema:
    """The schema of fragments with how emails were cut into them: whoever cuts another email has to do it alike."""
    return fragments.with_metadata({"width": str(options.width), "granularity": options.granularity})


def how(fragments: pa.Schema) -> dict[str, Any]:
    """The arguments of ``ExtractOptions`` that :func:`saying_how` kept; none where the schema does not say."""
    said = fragments.metadata or {}
    if b"width" not in said or b"granularity" not in said:
        return {}
    return {"width": int(said[b"width"]), "granularity": said[b"granularity"].decode()}
