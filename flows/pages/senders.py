"""How consistent each sender is with itself.

consistency = mean over a sender's emails of the share of the email's styles that another email of the same
sender uses too. 100 % is a design system kept; 0 % is every email drawn anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from flows.pages.corpus import Corpus, distinct_pairs
from flows.pages.inventory import Entry
from flows.pages.styles import STYLE_TYPES

PALETTE = 6


@dataclass(frozen=True)
class Sender:
    """One sender's figures."""

    name: str
    emails: int
    styles: Mapping[str, int]  # distinct ones by type
    once: int  # styles that only one of its emails uses
    consistency: float | None  # None with a single email: nothing to compare
    palette: tuple[str, ...]  # its most used colours
    button: Entry | None  # its most used button
    button_share: float  # of its button uses


def senders(corpus: Corpus, own: Mapping[str, Mapping[str, Sequence[Entry]]]) -> list[Sender]:
    """From each sender's own catalogue: the least consistent first, senders of a single email last."""
    consistency = _consistency(corpus, own)
    emails = np.bincount(corpus.sender_of_doc, minlength=len(corpus.senders)).tolist()
    rows = []
    for number, name in enumerate(corpus.senders):
        styles = own[name]
        every = [entry for type in STYLE_TYPES for entry in styles.get(type, ())]
        buttons = styles.get("button-style", ())
        rows.append(
            Sender(
                name,
                emails[number],
                {type: len(styles.get(type, ())) for type in STYLE_TYPES},
                once=sum(entry.emails == 1 for entry in every),
                consistency=consistency[number] if emails[number] > 1 else None,
                palette=palette(every),
                button=buttons[0] if buttons else None,
                button_share=buttons[0].uses / sum(entry.uses for entry in buttons) if buttons else 0.0,
            )
        )
    return sorted(rows, key=lambda row: (row.consistency is None, row.consistency or 0.0, -row.emails, row.name))


def palette(entries: Iterable[Entry]) -> tuple[str, ...]:
    """The colours of these styles, most used first."""
    weight: dict[str, int] = {}
    for entry in entries:
        for colour in entry.style.colours if entry.style else ():
            if len(colour) == 7:  # a translucent colour depends on what lies behind it
                weight[colour] = weight.get(colour, 0) + entry.uses
    return tuple(sorted(weight, key=lambda colour: (-weight[colour], colour))[:PALETTE])


def _consistency(corpus: Corpus, own: Mapping[str, Mapping[str, Sequence[Entry]]]) -> list[float]:
    """One number a sender; emails without any style do not count."""
    styles = {entry.entity_id for of in own.values() for entries in of.values() for entry in entries}
    is_style = np.array([entity_id in styles for entity_id in corpus.entity_ids], bool)[corpus.entity]
    entity, doc, _ = distinct_pairs(corpus.entity[is_style], corpus.doc[is_style])
    pair = entity * (len(corpus.senders) + 1) + corpus.sender_of_doc[doc]
    _, where, emails = np.unique(pair, return_inverse=True, return_counts=True)
    held = np.bincount(doc, minlength=len(corpus.doc_ids))
    shared = np.bincount(doc[emails[where] > 1], minlength=len(corpus.doc_ids))
    drawn = held > 0
    total = np.bincount(corpus.sender_of_doc[drawn], shared[drawn] / held[drawn], len(corpus.senders))
    emails_drawn = np.bincount(corpus.sender_of_doc[drawn], minlength=len(corpus.senders))
    return [float(share) for share in total / np.maximum(emails_drawn, 1)]
