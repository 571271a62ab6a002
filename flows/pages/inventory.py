"""The catalogue with its figures: every entity, how much it is used, by whom, and where it is first seen."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from flows.pages.corpus import Codes, Corpus, distinct_pairs
from flows.pages.details import details_css
from flows.pages.inputs import ReportInputs
from flows.pages.styles import STYLE_TYPES, Style, is_colour, opaque, shortened
from hnn_core.colour import contrast_ratio


@dataclass(frozen=True)
class Example:
    """Where an entity is first seen."""

    fragment_id: str
    sender: str
    subject: str
    text: str


@dataclass(frozen=True)
class Entry:
    """One entity of the catalogue."""

    entity_id: str
    type: str
    signature: str
    attributes: Mapping[str, object]  # raw fields of the first use: text to show, never CSS to emit
    style: Style | None  # None for words and images, and for a signature that does not validate
    uses: int
    fragments: int
    emails: int
    senders: int
    ground: str  # the background it is mostly seen on, #rrggbb
    example: Example | None

    @property
    def name(self) -> str:
        """The signature as one short line of text."""
        return shortened(self.signature, 72)

    @property
    def anchor(self) -> str:
        """Its place in a page."""
        return "e-" + "".join(c if c.isalnum() and c.isascii() else "-" for c in self.entity_id[:64])

    @property
    def css(self) -> str:
        """For a specimen: the details of the first use, and over them the style itself."""
        return f"{details_css(self.attributes)};{self.style.css}" if self.style else ""

    @property
    def label(self) -> str:
        """What is written on a drawn button: the words of its first use."""
        return shortened(self.words("text"), 60) or "Button"

    @property
    def contrast(self) -> float | None:
        """Of its text: on its own fill, or, where it has none, on what it is mostly seen on."""
        if self.style is not None and self.style.see_through and self.style.color:
            return contrast_ratio(self.style.color, self.ground)
        return self.style.contrast if self.style else None

    def words(self, field: str) -> str:
        """A field of the first use as text; "" where there is none."""
        value = self.attributes.get(field, "")
        return value if isinstance(value, str) else ""


def inventory(inputs: ReportInputs, corpus: Corpus) -> dict[str, list[Entry]]:
    """Entries by type, the most used first; ties by identity, so that two runs print the same page."""
    types, signatures = (inputs.entities[name].to_pylist() for name in ("type", "signature"))
    styles = [Style.parse(type, signature) for type, signature in zip(types, signatures, strict=True)]
    rows = zip(
        corpus.entity_ids,
        types,
        signatures,
        map(_fields, inputs.entities["attributes"].to_pylist()),
        styles,
        corpus.uses().tolist(),
        corpus.distinct(corpus.fragment).tolist(),
        corpus.distinct(corpus.doc).tolist(),
        corpus.distinct(corpus.sender).tolist(),
        _grounds(inputs, corpus, styles),
        _examples(inputs, corpus),
        strict=True,
    )
    catalogue: dict[str, list[Entry]] = {}
    for entry in sorted((Entry(*row) for row in rows), key=lambda entry: (-entry.uses, -entry.emails, entry.entity_id)):
        catalogue.setdefault(entry.type, []).append(entry)
    return catalogue


def by_sender(corpus: Corpus, catalogue: Mapping[str, Sequence[Entry]]) -> dict[str, dict[str, list[Entry]]]:
    """Each sender's own catalogue of styles: the entries with that sender's uses and emails."""
    entry_of = {e.entity_id: e for type in STYLE_TYPES for e in catalogue.get(type, ()) if e.style is not None}
    entries = [entry_of.get(entity_id) for entity_id in corpus.entity_ids]
    style = np.array([entry is not None for entry in entries], bool)[corpus.entity]
    entity, sender, uses = distinct_pairs(corpus.entity[style], corpus.sender[style], corpus.count[style])
    seen_in, doc, _ = distinct_pairs(corpus.entity[style], corpus.doc[style])
    _, _, emails = distinct_pairs(seen_in, corpus.sender_of_doc[doc])  # in the same order as the line before last
    own: dict[str, dict[str, list[Entry]]] = {name: {} for name in corpus.senders}
    for i, who, times, mails in zip(entity.tolist(), sender.tolist(), uses.tolist(), emails.tolist(), strict=True):
        entry = entries[i]
        if entry is not None:
            own[corpus.senders[who]].setdefault(entry.type, []).append(replace(entry, uses=times, emails=mails))
    for types in own.values():
        for found in types.values():
            found.sort(key=lambda entry: (-entry.uses, -entry.emails, entry.entity_id))
    return own


def _examples(inputs: ReportInputs, corpus: Corpus) -> list[Example | None]:
    texts = inputs.fragments["text"].to_pylist()

    def example(fragment: int) -> Example | None:
        if fragment == len(texts):
            return None
        doc = corpus.doc_of_fragment[fragment]
        sender, subject = corpus.senders[corpus.sender_of_doc[doc]], corpus.subjects[doc]
        return Example(
            corpus.fragment_ids[fragment],
            shortened(sender, 40),
            shortened(subject, 80),
            shortened(texts[fragment], 120),
        )

    return [example(fragment) for fragment in corpus.first_fragment().tolist()]


def _grounds(inputs: ReportInputs, corpus: Corpus, styles: Sequence[Style | None]) -> list[str]:
    """The background each entity is mostly seen on.

    An occurrence stands on its fragment's background, except that text stands on the background of the colour
    pair of the same colour in the same fragment: a caption in a dark box on a white section is on the box.
    """
    written = inputs.fragments["background"].to_pylist()
    palette = sorted({"#ffffff", *written, *(style.background for style in styles if style and style.background)})
    code = {colour: number for number, colour in enumerate(palette)}
    ground = np.array([code[colour] for colour in written], np.int64)[corpus.fragment]

    ink = {colour: number for number, colour in enumerate(sorted({s.color for s in styles if s and s.color}))}
    ink_of = np.array([ink.get(style.color or "", -1) if style else -1 for style in styles], np.int64)[corpus.entity]
    spot = corpus.fragment * (len(ink) + 1) + ink_of
    is_pair, is_text = (_of_type(styles, corpus, type) for type in ("color-pair", "text-style"))
    pair_spots, first = np.unique(spot[is_pair], return_index=True)
    if len(pair_spots):
        behind = np.array([code.get(style.background or "", 0) if style else 0 for style in styles], np.int64)
        behind = behind[corpus.entity][is_pair][first]
        place = np.minimum(np.searchsorted(pair_spots, spot), len(pair_spots) - 1)
        ground = np.where(is_text & (pair_spots[place] == spot), behind[place], ground)

    shown = [opaque(colour) if is_colour(colour) else "#ffffff" for colour in palette]
    white = code["#ffffff"]
    return [shown[number if number >= 0 else white] for number in corpus.most_used_with(ground).tolist()]


def _of_type(styles: Sequence[Style | None], corpus: Corpus, type: str) -> Codes:
    return np.array([style is not None and style.type == type for style in styles], bool)[corpus.entity]


def _fields(attributes: str) -> Mapping[str, object]:
    try:
        fields = json.loads(attributes or "{}")
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}
