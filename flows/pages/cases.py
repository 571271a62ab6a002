"""Fragments with what was recommended for them, ready to draw."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from flows.pages.corpus import Corpus
from flows.pages.details import border_css
from flows.pages.inputs import ReportInputs
from flows.pages.inventory import Entry
from flows.pages.previews import Email, Frame, Redrawing
from flows.pages.styles import NOUNS, TARGETS, Style, is_colour, shortened

_SHOWN = 3  # suggestions of each fragment
_REASONS = 3

_Pair = tuple[str, str]  # fragment id, target


@dataclass(frozen=True)
class Suggestion:
    rank: int
    composed: bool  # put together for this email, not from the catalogue
    score: float
    truth: bool
    style: Style | None  # None: it does not validate, so it is not drawn
    reasons: tuple[str, ...]
    frame: Frame | None

    @property
    def likely(self) -> str:
        """Its probability among all styles of the catalogue."""
        return f"{100 * self.score:.0f} % likely" if self.score >= 0.005 else "under 1 % likely"


@dataclass(frozen=True)
class Case:
    """One fragment and its first suggestions for one target."""

    kind: str
    text: str
    sender: str
    subject: str
    noun: str  # of what is recommended
    chosen: tuple[Style, ...]  # what the fragment has today
    original: Frame | None
    suggestions: tuple[Suggestion, ...]


class Cases:
    """Looks up what a case needs: rows of the tables by fragment, and each email parsed once."""

    def __init__(self, inputs: ReportInputs, corpus: Corpus, catalogue: Mapping[str, Sequence[Entry]]) -> None:
        self._inputs = inputs
        self._corpus = corpus
        self._entries = {entry.entity_id: entry for entries in catalogue.values() for entry in entries}
        self._row = {fragment_id: row for row, fragment_id in enumerate(corpus.fragment_ids)}
        self._email: tuple[str, Email | None] = ("", None)
        self._made: dict[_Pair, Case] = {}

    def drawn_by_lot(self, number: int) -> list[_Pair]:
        """Pairs in an order that nobody chose: by hash, one of each sender and target in turn."""
        table = self._inputs.recommendations.select(["fragment_id", "target"]).group_by(["fragment_id", "target"])
        pairs = [(row["fragment_id"], row["target"]) for row in table.aggregate([]).to_pylist()]
        queues: dict[_Pair, list[_Pair]] = defaultdict(list)
        for pair in sorted((pair for pair in pairs if pair[0] in self._row), key=_lot):
            queues[self._sender(pair[0]), pair[1]].append(pair)
        turns = ((turn, _lot(queue), pair) for queue, pairs in queues.items() for turn, pair in enumerate(pairs))
        return [pair for _, _, pair in sorted(turns)[:number]]

    def cases(self, pairs: Sequence[_Pair]) -> list[Case]:
        """The cases of these pairs, in their order."""
        missing = [pair for pair in pairs if pair not in self._made]
        wanted = {fragment_id for fragment_id, _ in missing}
        rows = _grouped(self._inputs.recommendations, wanted)
        present = _grouped(self._inputs.occurrences, wanted)
        # Parsing is the cost: fragments of one email are taken together, whatever the order they are shown in.
        for pair in sorted(missing, key=lambda pair: self._doc_id(pair[0])):
            self._made[pair] = self._case(pair, rows[pair[0]], present[pair[0]])
        return [self._made[pair] for pair in pairs]

    def _case(self, pair: _Pair, rows: list[dict[str, Any]], present: list[dict[str, Any]]) -> Case:
        fragment_id, target = pair
        type = TARGETS.get(target, target)
        fragment = self._inputs.fragments.slice(self._row[fragment_id], 1).to_pylist()[0]
        email = self._parsed(fragment["doc_id"])
        elements = fragment["elements"] or [fragment["element"]]
        of_type = [row for row in present if row["entity_id"] in self._entries]
        of_type = [row for row in of_type if self._entries[row["entity_id"]].type == type]
        rows = [row for row in rows if row["target"] == target]
        element = asked_about(of_type, rows)
        ranked = _shown(rows)
        styles = [Style.parse(type, row["signature"] or self._signature(row["entity_id"])) for row in ranked]
        paper = fragment["background"] if is_colour(fragment["background"]) else "#ffffff"

        def redrawn(style: Style | None, entity_id: str) -> Frame | None:
            if email is None or style is None:
                return None
            return email.frame(elements, Redrawing(style, element, paper, self._border(entity_id)))

        return Case(
            kind=shortened(fragment["kind"], 20),
            text=shortened(fragment["text"], 90),
            sender=shortened(self._sender(fragment_id), 40),
            subject=shortened(self._corpus.subjects[self._doc(fragment_id)], 70),
            noun=NOUNS.get(type, type),
            chosen=tuple(style for row in of_type if (style := self._entries[row["entity_id"]].style) is not None),
            original=email.frame(elements) if email else None,
            suggestions=tuple(
                Suggestion(
                    row["rank"],
                    not row["entity_id"],
                    row["score"],
                    bool(row["truth"]),
                    style,
                    tuple(self._reasons(row["explanation"] or ())),
                    redrawn(style, row["entity_id"]),
                )
                for row, style in zip(ranked, styles, strict=True)
            ),
        )

    def _reasons(self, explanation: Sequence[str]) -> Iterable[str]:
        """Ids as people know them: a fragment by its words and sender, a style by its fields."""
        for reason in explanation[:_REASONS]:
            if reason in self._row:
                text = self._inputs.fragments["text"][self._row[reason]].as_py()
                sender = shortened(self._sender(reason), 26) or "unknown sender"
                yield f"{shortened(text, 40) or 'a fragment without text'} ({sender})"
            elif reason in self._entries:
                style = self._entries[reason].style
                yield style.facts if style else self._entries[reason].name
            else:
                yield shortened(reason, 80)

    def _parsed(self, doc_id: str) -> Email | None:
        """None where the email cannot be laid out here: extraction had a deeper stack."""
        if self._email[0] != doc_id:
            try:
                self._email = (doc_id, Email(self._inputs.html_of(doc_id)))
            except RecursionError:
                self._email = (doc_id, None)
        return self._email[1]

    def _signature(self, entity_id: str) -> str:
        return self._entries[entity_id].signature if entity_id in self._entries else ""

    def _border(self, entity_id: str) -> str | None:
        return border_css(self._entries[entity_id].attributes) if entity_id in self._entries else None

    def _doc(self, fragment_id: str) -> int:
        return int(self._corpus.doc_of_fragment[self._row[fragment_id]])

    def _doc_id(self, fragment_id: str) -> str:
        return self._corpus.doc_ids[self._doc(fragment_id)]

    def _sender(self, fragment_id: str) -> str:
        return self._corpus.senders[int(self._corpus.sender_of_doc[self._doc(fragment_id)])]


def asked_about(present: list[dict[str, Any]], rows: list[dict[str, Any]]) -> int | None:
    """The element to redraw: of several buttons the one whose style was hidden, where it is known."""
    hidden = {row["entity_id"] for row in rows if row["truth"]}
    first = sorted(present, key=lambda row: row["entity_id"] not in hidden)[:1]
    return next((row["element"] for row in first), None)


def _shown(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Composed styles, then the first of the catalogue: as many as stand in one row of the page."""
    return sorted(rows, key=lambda row: (row["entity_id"] != "", row["rank"]))[:_SHOWN]


def _grouped(table: pa.Table, fragment_ids: set[str]) -> dict[str, list[dict[str, Any]]]:
    """Rows by fragment, of these fragments only."""
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    chosen = pc.is_in(table["fragment_id"], value_set=pa.array(sorted(fragment_ids), pa.string()))
    for row in table.filter(chosen).to_pylist():
        rows[row["fragment_id"]].append(row)
    return rows


def _lot(pair: _Pair) -> bytes:
    return hashlib.sha256("\n".join(pair).encode()).digest()
