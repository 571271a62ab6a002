"""The inventory to take away: CSV for spreadsheets, JSON for programs, W3C design tokens for design tools.

Tokens follow the Design Tokens Community Group's format (2025.10). Names are entity ids, which are hashes of the
style itself: the same style has the same token in every export of every corpus.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from flows.pages.inventory import Entry
from flows.pages.styles import STYLE_TYPES, Style, shortened
from hnn_core.colour import parse_hex

EXTENSION = "io.github.hnn"  # vendor data in tokens goes under a reverse domain name

_COLUMNS = (
    "entity_id",
    "type",
    "signature",
    "background",
    "color",
    "font_size_px",
    "radius",
    "opacity",
    "image",
    "contrast",
    "uses",
    "fragments",
    "emails",
    "senders",
    "first_fragment",
    "first_sender",
    "first_subject",
)
_FORMULA = re.compile(r"[=+\-@\t\r]")
_LONGEST = 500  # characters of a signature: an image's address may be a megabyte of data


def write_exports(catalogue: Mapping[str, Sequence[Entry]], folder: Path) -> dict[str, Path]:
    """``inventory.csv``, ``inventory.json`` and ``styles.tokens.json``, by name."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {name: folder / name for name in ("inventory.csv", "inventory.json", "styles.tokens.json")}
    with paths["inventory.csv"].open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _cell(value) for name, value in row.items()} for row in _rows(catalogue))
    lines = ",\n".join(_json(row) for row in _rows(catalogue))
    paths["inventory.json"].write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    groups = ",\n".join(f"{_json(type)}: {_lines(group)}" for type, group in design_tokens(catalogue).items())
    paths["styles.tokens.json"].write_text(f"{{\n{groups}\n}}\n", encoding="utf-8")
    return paths


def design_tokens(catalogue: Mapping[str, Sequence[Entry]]) -> dict[str, Any]:
    """Every colour once; every style as a group of tokens that refer to the colours."""
    styles = {type: [(entry, entry.style) for entry in catalogue.get(type, ()) if entry.style] for type in STYLE_TYPES}
    colours = sorted({colour for of in styles.values() for _, style in of for colour in style.colours})
    tokens: dict[str, Any] = {"color": {colour[1:]: _colour_token(colour) for colour in colours}}
    for type, entries in styles.items():
        if entries:
            tokens[type] = {_name(entry): _group(entry, style) for entry, style in entries}
    return tokens


def _group(entry: Entry, style: Style) -> dict[str, Any]:
    usage = {"id": entry.entity_id, "uses": entry.uses, "emails": entry.emails, "senders": entry.senders}
    group: dict[str, Any] = {"$description": style.facts, "$extensions": {EXTENSION: usage}}
    fill = None if style.see_through else style.background  # no fill is no token
    for name, colour in (("background", fill), ("color", style.color)):
        if colour:
            group[name] = {"$type": "color", "$value": f"{{color.{colour[1:]}}}"}
    radius = style.radius if style.radius_unit == "px" else None  # the format knows no percentages
    for name, length in (("font-size", style.font_size), ("radius", radius)):
        if length is not None:
            group[name] = {"$type": "dimension", "$value": {"value": length, "unit": "px"}}
    if style.opacity is not None:
        group["opacity"] = {"$type": "number", "$value": style.opacity}
    return group


def _colour_token(colour: str) -> dict[str, Any]:
    red, green, blue, alpha = parse_hex(colour)
    value: dict[str, Any] = {
        "colorSpace": "srgb",
        "components": [round(channel / 255, 5) for channel in (red, green, blue)],
        "hex": colour[:7],
    }
    if alpha < 255:
        value["alpha"] = round(alpha / 255, 5)
    return {"$type": "color", "$value": value}


def _name(entry: Entry) -> str:
    """A token's name may not begin with ``$`` nor hold ``{``, ``}`` or ``.``; ours hold less than that."""
    bare = entry.entity_id.removeprefix(entry.type).lstrip(":-_/#")
    return re.sub(r"[^A-Za-z0-9_-]", "-", bare) or "-"


def _rows(catalogue: Mapping[str, Sequence[Entry]]) -> Iterator[dict[str, Any]]:
    for type in sorted(catalogue):
        for entry in catalogue[type]:
            style = entry.style
            values = (
                entry.entity_id,
                entry.type,
                shortened(entry.signature, _LONGEST),
                style and style.background,
                style and style.color,
                style and style.font_size,
                None if style is None or style.radius is None else f"{style.radius:g}{style.radius_unit}",
                style and style.opacity,
                style and style.image,
                round(style.contrast, 2) if style and style.contrast else None,
                entry.uses,
                entry.fragments,
                entry.emails,
                entry.senders,
                entry.example and entry.example.fragment_id,
                entry.example and entry.example.sender,
                entry.example and entry.example.subject,
            )
            yield dict(zip(_COLUMNS, values, strict=True))


def _cell(value: object) -> object:
    """A spreadsheet runs a cell that begins like a formula: a subject line must not become one."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def _lines(group: Mapping[str, Any]) -> str:
    """An object with one member a line: a style moves as one line in a diff."""
    members = ",\n".join(f"  {_json(name)}: {_json(member)}" for name, member in group.items())
    return f"{{\n{members}\n}}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
