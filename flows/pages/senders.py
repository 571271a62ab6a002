"""How consistent each sender is with itself.

consistency = mean over a sender's emails of the share of the email's styles that another email of the same
sender uses too. 100 % is a design system kept; 0 % is every email drawn anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    fragments: int
    styles: Mapping[str, int]  # distinct ones by type
    once: int  # styles that only one of its emails uses
    consistency: float | None  # None with a single email: nothing to compare
    palette: tuple[str, ...]  # its most used colours
    button: Entry | None  # its most used button
    button_share: float  # of its button uses


def senders(corpus: Corpus, catalogue: Mapping[str, Sequence[Entry]]) -> list[Sender]:
    """The least consistent first, senders of a single email last."""
    entry_of = {e.entity_id: e for type in STYLE_TYPES for e in catalogue.get(type, ()) if e.style is not None}
    entries = [entry_of.get(entity_id) for entity_id in corpus.entity_ids]
    is_style = np.array([entry is not None for entry in entries], bool)[corpus.entity]

    entity, doc, _ = distinct_pairs(corpus.entity[is_style], corpus.doc[is_style])
    sender_of_pair = corpus.sender_of_doc[doc]
    used_entity, used_sender, in_emails = distinct_pairs(entity, sender_of_pair)
    base = len(corpus.senders) + 1
    shared = in_emails[np.searchsorted(used_entity * base + used_sender, entity * base + sender_of_pair)] > 1
    styles_of_doc = np.bincount(doc, minlength=len(corpus.doc_ids))
    shared_of_doc = np.bincount(doc, shared, minlength=len(corpus.doc_ids))
    consistency = shared_of_doc / np.maximum(styles_of_doc, 1)

    e, s, uses = distinct_pairs(corpus.entity[is_style], corpus.sender[is_style], corpus.count[is_style])
    fragments_of = np.bincount(corpus.sender_of_doc[corpus.doc_of_fragment], minlength=len(corpus.senders))

    rows = []
    for number, name in enumerate(corpus.senders):
        its = [(entries[i], n) for i, n in zip(e[s == number].tolist(), uses[s == number].tolist(), strict=True)]
        used = [(entry, n) for entry, n in its if entry is not None]
        docs = (corpus.sender_of_doc == number) & (styles_of_doc > 0)
        buttons = sorted(
            ((entry, n) for entry, n in used if entry.type == "button-style"),
            key=lambda b: (-b[1], b[0].entity_id),
        )
        rows.append(
            Sender(
                name,
                emails=int((corpus.sender_of_doc == number).sum()),
                fragments=int(fragments_of[number]),
                styles={type: sum(entry.type == type for entry, _ in used) for type in STYLE_TYPES},
                once=int((in_emails[used_sender == number] == 1).sum()),
                consistency=float(consistency[docs].mean()) if docs.sum() > 1 else None,
                palette=palette(used),
                button=buttons[0][0] if buttons else None,
                button_share=buttons[0][1] / sum(n for _, n in buttons) if buttons else 0.0,
            )
        )
    return sorted(rows, key=lambda row: (row.consistency is None, row.consistency or 0.0, -row.emails, row.name))


def palette(used: Sequence[tuple[Entry, int]], size: int | None = PALETTE) -> tuple[str, ...]:
    """The colours of these styles, most used first."""
    weight: dict[str, int] = {}
    for entry, uses in used:
        for colour in entry.style.colours if entry.style else ():
            if len(colour) == 7:  # a translucent colour depends on what lies behind it
                weight[colour] = weight.get(colour, 0) + uses
    return tuple(sorted(weight, key=lambda colour: (-weight[colour], colour))[:size])
