"""A small corpus of two senders with a design system each, and what a hostile third would write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from flows.pages.inventory import Entry
from flows.pages.styles import Style

PAGE = """<!doctype html><html><head><style>{css}</style></head><body style="margin:0;background:{page}">
<table width="600" align="center" cellpadding="0" cellspacing="0" style="background:#ffffff">
<tr><td style="padding:32px;font:16px Arial;color:{ink}"><h1 style="font-size:28px;color:{brand}">{title}</h1>
<p style="color:{ink}">{text}</p>
<table cellpadding="0" cellspacing="0"><tr><td style="background:{brand};border-radius:{radius};padding:12px 24px">
<a href="https://shop.example/{title}" style="color:#ffffff;font-size:{size};text-decoration:none">{label}</a>
</td></tr></table><img src="https://cdn.example/{title}.png?u=1" width="536" height="200" alt="{title}"></td></tr>
<tr><td style="background:#222222;padding:16px;font:12px Arial;color:#8a8a8a">Unsubscribe any time</td></tr>
</table></body></html>"""

COLOURS = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")

LOOKS: Mapping[str, Sequence[Mapping[str, str]]] = {
    "northwind": (
        {"title": "Autumn", "brand": "#0b6e4f", "radius": "8px", "size": "16px", "ink": "#333333", "label": "Shop now"},
        {"title": "Winter", "brand": "#0b6e4f", "radius": "8px", "size": "16px", "ink": "#343434", "label": "Shop now"},
        {"title": "Spring", "brand": "#0c6e50", "radius": "8px", "size": "15px", "ink": "#333333", "label": "Look"},
    ),
    "fabrikam": (
        {"title": "Welcome", "brand": "#c2185b", "radius": "50px", "size": "14px", "ink": "#555555", "label": "Begin"},
        {"title": "Receipt", "brand": "#d9a5b8", "radius": "50px", "size": "14px", "ink": "#555555", "label": "View"},
    ),
}

HOSTILE = (
    "</style><script>alert(1)</script>",
    "background:url(javascript:alert(1));radius:0px;color:#ffffff;font-size:16px",
    "background:#ffffff;radius:0px;color:#000000;font-size:16px;behavior:url(x)" + "x" * 10_000,
    "background:#ffffff}</style><img src=x onerror=alert(1)>;radius:0px;color:#000000;font-size:16px",
    '"><script>alert(1)</script>',
)
FONT = "F" * 10_000 + "</style><script>alert(2)</script>"


def table(rows: Sequence[Sequence[Any]], schema: pa.Schema) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pa.table([pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)], schema)


def document(doc_id: str, sender: str, subject: str, status: str = "ok") -> tuple[Any, ...]:
    return (doc_id, sender, "sample", f"{doc_id}.html", subject, None, doc_id * 4, 1, "utf-8", status, "")


def entry(type: str, signature: str, uses: int = 1, **figures: Any) -> Entry:
    """An entry of the catalogue, with figures where a test needs them."""
    values = {
        "entity_id": f"{type}:{signature}",
        "attributes": {},
        "fragments": uses,
        "emails": 1,
        "senders": 1,
        "ground": "#ffffff",
        "example": None,
    } | figures
    return Entry(type=type, signature=signature, style=Style.parse(type, signature), uses=uses, **values)
