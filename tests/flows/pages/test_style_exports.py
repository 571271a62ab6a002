"""What is exported can be read by what people read it with."""

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_corpus import entry

from flows.pages import ReportInputs
from flows.pages.corpus import Corpus
from flows.pages.exports import EXTENSION, design_tokens, write_exports
from flows.pages.inventory import Entry, inventory

NAME = re.compile(r"[^$.{}][^.{}]*")


@pytest.fixture
def catalogue(inputs: ReportInputs) -> dict[str, list[Entry]]:
    return inventory(inputs, Corpus.of(inputs))


def tokens_in(group: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Every token of a file with its path, names checked on the way (Design Tokens Format Module 2025.10)."""
    if "$value" in group:
        assert set(group) <= {"$value", "$type", "$description", "$extensions", "$deprecated"}
        yield path, group
        return
    for name, member in group.items():
        if name.startswith("$"):
            assert name in ("$type", "$description", "$extensions", "$deprecated")
            continue
        assert NAME.fullmatch(name)
        yield from tokens_in(member, (*path, name))


def check_value(type: str, value: Any, known: dict[tuple[str, ...], str]) -> None:
    if isinstance(value, str):
        assert known[tuple(value.strip("{}").split("."))] == type, "an alias has the type of what it names"
    elif type == "color":
        assert value["colorSpace"] == "srgb"
        assert len(value["components"]) == 3
        assert all(0 <= channel <= 1 for channel in value["components"])
        assert 0 <= value.get("alpha", 1) <= 1
        assert re.fullmatch("#[0-9a-f]{6}", value["hex"])
    elif type == "dimension":
        assert value["unit"] == "px"
        assert isinstance(value["value"], int | float)
    else:
        assert type == "number"
        assert isinstance(value, int | float)


def test_tokens_are_valid_and_every_alias_resolves(catalogue: dict[str, list[Entry]]) -> None:
    tokens = list(tokens_in(design_tokens(catalogue)))
    known = {path: token["$type"] for path, token in tokens}
    assert len(known) == len(tokens) > 50
    for _, token in tokens:
        check_value(token["$type"], token["$value"], known)


def test_a_button_is_a_group_of_four_tokens_named_by_its_id(catalogue: dict[str, list[Entry]]) -> None:
    button = catalogue["button-style"][0]
    group = design_tokens(catalogue)["button-style"][button.entity_id.partition(":")[2]]
    assert [name for name in group if not name.startswith("$")] == ["background", "color", "font-size", "radius"]
    assert group["background"]["$value"] == "{color.0b6e4f}"
    assert group["radius"]["$value"] == {"value": 8.0, "unit": "px"}
    assert group["$extensions"][EXTENSION] == {"id": button.entity_id, "uses": 2, "emails": 2, "senders": 1}


def test_a_button_without_fill_has_no_background_token() -> None:
    outlined = entry("button-style", "background:transparent;radius:12.5%;color:#111111;font-size:14px")
    tokens = design_tokens({"button-style": [outlined]})
    known = {path: token["$type"] for path, token in tokens_in(tokens)}
    [group] = tokens["button-style"].values()
    assert [name for name in group if not name.startswith("$")] == ["color", "font-size"]
    for _, token in tokens_in(tokens):
        check_value(token["$type"], token["$value"], known)


def test_csv_and_json_hold_the_whole_inventory(catalogue: dict[str, list[Entry]], tmp_path: Path) -> None:
    paths = write_exports(catalogue, tmp_path)
    total = sum(len(entries) for entries in catalogue.values())
    with paths["inventory.csv"].open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    objects = json.loads(paths["inventory.json"].read_text(encoding="utf-8"))
    assert len(rows) == len(objects) == total
    button = next(row for row in rows if row["type"] == "button-style")
    assert (button["background"], button["radius"], button["uses"], button["emails"]) == ("#0b6e4f", "8px", "2", "2")
    assert float(button["contrast"]) > 4.5
    assert [row["entity_id"] for row in rows] == [row["entity_id"] for row in objects]


def test_no_cell_is_a_formula_and_none_is_endless(hostile: ReportInputs, tmp_path: Path) -> None:
    paths = write_exports(inventory(hostile, Corpus.of(hostile)), tmp_path)
    with paths["inventory.csv"].open(encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t"))]
    assert any(cell.startswith("'=cmd()") for cell in cells)
    assert max(map(len, cells)) <= 500
    json.loads(paths["styles.tokens.json"].read_text(encoding="utf-8"))


def test_the_same_tables_give_the_same_bytes(catalogue: dict[str, list[Entry]], tmp_path: Path) -> None:
    first, second = (write_exports(catalogue, tmp_path / name) for name in "ab")
    assert {n: p.read_bytes() for n, p in first.items()} == {n: p.read_bytes() for n, p in second.items()}
