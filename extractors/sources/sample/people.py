"""Names, dates and amounts that make each copy of a campaign its own."""

from __future__ import annotations

import re
from datetime import date, timedelta

from extractors.sources.sample.dice import Dice
from extractors.sources.sample.voices import Product, Voice

_FIRST = (
    "Ada",
    "Amir",
    "Ana",
    "Ben",
    "Carla",
    "Chloe",
    "Dario",
    "Dev",
    "Elena",
    "Esme",
    "Farah",
    "Felix",
    "Grace",
    "Hana",
    "Hugo",
    "Ida",
    "Ines",
    "Ivo",
    "Jonas",
    "Kavya",
    "Leo",
    "Lina",
    "Lucia",
    "Mateo",
    "Maya",
    "Mina",
    "Nadia",
    "Noah",
    "Olga",
    "Omar",
    "Paula",
    "Priya",
    "Quinn",
    "Rafael",
    "Rosa",
    "Sami",
    "Sofia",
    "Tariq",
    "Uma",
    "Vera",
    "Will",
    "Yara",
    "Zoe",
)
_LAST = (
    "Abbott",
    "Achebe",
    "Bauer",
    "Castillo",
    "Dunne",
    "Eriksen",
    "Farrow",
    "Gupta",
    "Haddad",
    "Ishikawa",
    "Jansen",
    "Kowalski",
    "Lindqvist",
    "Moreau",
    "Novak",
    "Okoye",
    "Petrov",
    "Quist",
    "Rossi",
    "Silva",
    "Tanaka",
    "Ueda",
    "Vargas",
    "Whitlock",
    "Yildiz",
    "Zhang",
)
_STREETS = ("Canal Street", "Orchard Row", "Elm Grove", "Station Road", "Market Lane", "Harbour View", "Mill Hill")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_AMOUNT = re.compile(r"([£€$])([\d,]+(?:\.\d\d)?)")


def first_name(dice: Dice) -> str:
    return dice.pick(_FIRST)


def full_name(dice: Dice) -> str:
    return f"{dice.pick(_FIRST)} {dice.pick(_LAST)}"


def street(dice: Dice) -> str:
    return f"{dice.between(1, 180)} {dice.pick(_STREETS)}"


def day(dice: Dice) -> str:
    """A date as people write it; the month names are fixed so that no locale can change the bytes."""
    when = date(2025, 1, 6) + timedelta(days=dice.below(720))
    return f"{_DAYS[when.weekday()]} {when.day} {_MONTHS[when.month - 1]}"


def currency(voice: Voice) -> str:
    return next((m[1] for p in voice.products if (m := _AMOUNT.search(p.price))), "£")


def cents(product: Product, dice: Dice) -> int:
    """The product's price in cents, or a believable one where the price is words."""
    found = _AMOUNT.search(product.price)
    if found is None:
        return dice.between(400, 9000)
    return round(float(found[2].replace(",", "")) * 100)


def money(symbol: str, amount: int) -> str:
    return f"{symbol}{amount // 100:,}.{amount % 100:02d}"
