"""How well it recommends, for who designs: a sentence in tenths and a small table; the rest is a page of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flows.pages.metrics import FigureTable, HeldOut, Row
from flows.pages.styles import NOUNS

RECOMMENDER, COMPOSED = "recommender", "composed"

#: What was hidden under the protocols people can picture, and how the sentence says it.
_HIDDEN = {
    "email": ("all of every fifth email", "the {noun}s of every fifth email were hidden"),
    "link": ("every fifth one, anywhere", "every fifth {noun} was hidden"),
    "sender": ("all of every fifth sender", "the {noun}s of every fifth sender were hidden"),
}
_COLUMNS = ("HR@1", "HR@10")


@dataclass(frozen=True)
class Situation:
    """What came of one way of hiding styles."""

    hidden: str
    sentence: str
    first: float  # share that came first
    ten: float  # share among the first ten
    possible: float | None  # share that any other email has, and no ranking can pass
    tested: HeldOut | None

    @property
    def lost(self) -> float | None:
        """The share that could not be found, where it is worth a word."""
        return 1 - self.possible if self.possible is not None and self.possible < 0.95 else None


@dataclass(frozen=True)
class Quality:
    """Of one type of style: the situation the sentence is about first."""

    target: str
    noun: str
    situations: tuple[Situation, ...]


@dataclass(frozen=True)
class ComposedQuality:
    """Of buttons composed for senders nobody has seen: the share that is right, by attribute."""

    shares: tuple[tuple[str, float], ...]
    tested: HeldOut | None


def quality(target: str, tables: Sequence[FigureTable]) -> Quality | None:
    """None where the recommender was not measured in any way that people can picture."""
    noun = NOUNS.get(target, target)
    of = {table.title: table for table in tables}
    found = [_situation(of[protocol], noun) for protocol in _HIDDEN if protocol in of]
    situations = tuple(situation for situation in found if situation is not None)
    return Quality(target, noun, situations) if situations else None


def composed_quality(tables: Sequence[FigureTable]) -> ComposedQuality | None:
    """Of the ``sender`` protocol."""
    for table in tables:
        row = _row(table, COMPOSED)
        if table.title == "sender" and row is not None:
            cells = zip(table.columns, row.cells, strict=True)
            return ComposedQuality(tuple((name, cell.mean) for name, cell in cells if cell), table.tested[0])
    return None


def in_ten(share: float) -> str:
    """A share as people say it; never rounded to none or to all."""
    if share in (0, 1):
        return "all" if share else "none"
    tenths = round(10 * share)
    return "more than 9 in 10" if tenths == 10 else f"about {tenths} in 10" if tenths else "fewer than 1 in 10"


def _situation(table: FigureTable, noun: str) -> Situation | None:
    row = _row(table, RECOMMENDER)
    if row is None or any(name not in table.columns for name in _COLUMNS):
        return None
    first, ten = (row.cells[table.columns.index(name)] for name in _COLUMNS)
    if first is None or ten is None:
        return None
    hidden, sentence = _HIDDEN[table.title]
    return Situation(hidden, sentence.format(noun=noun), first.mean, ten.mean, table.ceiling, table.tested[0])


def _row(table: FigureTable, name: str) -> Row | None:
    return next((row for row in table.rows if row.name == name and not row.paper), None)
