"""What the brands say: their goods, stories and phrases, read once from ``voices.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Product:
    number: int
    name: str
    price: str
    blurb: str


@dataclass(frozen=True, slots=True)
class Story:
    number: int
    headline: str
    teaser: str


@dataclass(frozen=True, slots=True)
class Event:
    title: str
    place: str
    blurb: str


@dataclass(frozen=True, eq=False)
class Voice:
    tagline: str
    address: str
    person: str
    nav: tuple[str, ...]
    products: tuple[Product, ...]
    parcel: tuple[tuple[str, str], ...]  # what the post brings: the products, or what a service sends
    stories: tuple[Story, ...]
    perks: tuple[tuple[str, str], ...]
    events: tuple[Event, ...]
    welcome: tuple[tuple[str, str], ...]
    sale: tuple[tuple[str, str], ...]


@cache
def voices() -> dict[str, Voice]:
    """Every brand's voice by brand key."""
    text = files(__package__).joinpath("voices.toml").read_text(encoding="utf-8")
    return {key: _voice(entry) for key, entry in tomllib.loads(text).items()}


def _voice(entry: dict[str, Any]) -> Voice:
    products = tuple(Product(i, *fields) for i, fields in enumerate(entry["products"]))
    parcel = entry.get("parcel") or [(product.name, product.price) for product in products]
    return Voice(
        tagline=entry["tagline"],
        address=entry["address"],
        person=entry["person"],
        nav=tuple(entry["nav"]),
        products=products,
        parcel=tuple((name, note) for name, note in parcel),
        stories=tuple(Story(i, *fields) for i, fields in enumerate(entry["stories"])),
        perks=tuple((title, text) for title, text in entry["perks"]),
        events=tuple(Event(*fields) for fields in entry["events"]),
        welcome=tuple((headline, text) for headline, text in entry["welcome"]),
        sale=tuple((headline, text) for headline, text in entry["sale"]),
    )
