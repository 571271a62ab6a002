"""Precision and recall of an extraction against the hand labels in ``labels/``.

Sections are compared by what they hold: two are the same when their sets of visible text and image leaves
have a Jaccard index of at least one half, and each is used once. Buttons are compared by place (one element
lies within the other) and by style (the four fields of a button's signature).

    for name, sections in load_sections().items():
        total += score_sections(document, [fragment.elements for fragment in fragments], sections)
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from extractors.document import Document

LABELS = Path(__file__).parent / "labels"
SAME = 0.5  # Jaccard index from which two sections are the same
ICON = 20  # images declared no larger than this both ways are spacers and icons: no leaves

_PLACEHOLDER = re.compile(r"\s*(\{\{[^{}]*\}\}\s*)+")

Leaf = tuple[int, int]  # element, and the number of its text run; -1 for an image


@dataclass(frozen=True)
class Score:
    """Counts that add up over emails."""

    hits: int = 0
    predicted: int = 0
    labelled: int = 0

    @property
    def precision(self) -> float:
        return self.hits / self.predicted if self.predicted else 1.0

    @property
    def recall(self) -> float:
        return self.hits / self.labelled if self.labelled else 1.0

    def __add__(self, other: Score) -> Score:
        return Score(self.hits + other.hits, self.predicted + other.predicted, self.labelled + other.labelled)

    def __str__(self) -> str:
        counts = f"{self.hits} of {self.predicted} found, {self.labelled} labelled"
        return f"precision {self.precision:.3f} recall {self.recall:.3f} ({counts})"


@dataclass(frozen=True)
class LabelledSection:
    kind: str
    roots: tuple[str, ...]


@dataclass(frozen=True)
class LabelledButton:
    text: str
    element: str
    background: str | None  # None: a gradient, not judged
    radius: str
    color: str
    font_size: str
    surface: str

    def looks_like(self, style: Mapping[str, str]) -> bool:
        """Whether a found style is what was seen. A frame that paints its surroundings' colour cannot be told
        from one that paints nothing, so both count as the surface."""

        def seen(background: str) -> str:
            return self.surface if background == "transparent" else background

        same_ground = self.background is None or seen(self.background) == seen(style["background"])
        rest = (style["radius"], style["color"], style["font-size"])
        return same_ground and rest == (self.radius, self.color, self.font_size)


@dataclass(frozen=True)
class ButtonLabels:
    buttons: tuple[LabelledButton, ...]
    not_buttons: tuple[tuple[str, str], ...]  # text, element


@dataclass(frozen=True)
class FoundButton:
    """A button as an extractor reports it: any element of it, and its canonical style fields."""

    element: int
    style: Mapping[str, str]  # background, radius, color, font-size


@dataclass(frozen=True)
class ButtonScore:
    """``place`` asks whether a button was found, ``style`` also whether it was read right."""

    place: Score = Score()
    style: Score = Score()

    def __add__(self, other: ButtonScore) -> ButtonScore:
        return ButtonScore(self.place + other.place, self.style + other.style)


def load_sections() -> dict[str, tuple[LabelledSection, ...]]:
    """The labelled sections by the path of the email."""
    raw = json.loads((LABELS / "sections.json").read_text(encoding="utf-8"))
    return {
        path: tuple(LabelledSection(section["kind"], tuple(section["roots"])) for section in sections)
        for path, sections in raw.items()
    }


def load_buttons() -> dict[str, ButtonLabels]:
    """The labelled buttons by the path of the email."""
    raw = json.loads((LABELS / "buttons.json").read_text(encoding="utf-8"))
    return {
        path: ButtonLabels(
            tuple(LabelledButton(**{k.replace("-", "_"): v for k, v in b.items()}) for b in entry["buttons"]),
            tuple((b["text"], b["element"]) for b in entry["not_buttons"]),
        )
        for path, entry in raw.items()
    }


def resolve(document: Document, selector: str) -> int:
    """The element that ``(//tag)[n]`` names."""
    match = re.fullmatch(r"\(//([\w:-]+)\)\[(\d+)\]", selector)
    if match is None:
        raise ValueError(f"selector {selector!r}: expected the form (//tag)[n]")
    tag, number = match[1], int(match[2])
    same = [element.index for element in document.elements if element.tag == tag]
    if not 1 <= number <= len(same):
        raise ValueError(f"selector {selector!r}: the document has {len(same)} <{tag}>")
    return same[number - 1]


def leaves(document: Document, roots: Iterable[int]) -> frozenset[Leaf]:
    """The text runs and images within ``roots``, what is not displayed left out."""
    return frozenset(leaf for root in roots if not _hidden(document, root) for leaf in _walk(document, root))


def jaccard(a: Collection[Leaf], b: Collection[Leaf]) -> float:
    together = len(set(a) | set(b))
    return len(set(a) & set(b)) / together if together else 0.0


def match_sections(
    predicted: Sequence[frozenset[Leaf]], labelled: Sequence[frozenset[Leaf]]
) -> list[tuple[int, int, float]]:
    """Pairs (predicted, labelled, Jaccard index) that are the same section, best first, each side used once."""
    pairs = [(jaccard(p, q), i, j) for i, p in enumerate(predicted) for j, q in enumerate(labelled) if p & q]
    taken_i: set[int] = set()
    taken_j: set[int] = set()
    matched = []
    for index, i, j in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if index >= SAME and i not in taken_i and j not in taken_j:
            taken_i.add(i)
            taken_j.add(j)
            matched.append((i, j, index))
    return matched


def score_sections(
    document: Document, predicted: Sequence[Iterable[int]], labelled: Sequence[LabelledSection]
) -> Score:
    """Compare fragments, each given by its top elements, with an email's labels.

    Outside every labelled section two things are not judged: pictures, which without loading have no size to
    see, and loose placeholders of a template language, which no reader of the real email meets. Other text is.
    """
    truth = [leaves(document, [resolve(document, root) for root in section.roots]) for section in labelled]
    known = frozenset().union(*truth)
    found = [_judged(document, leaves(document, roots), known) for roots in predicted]
    found = [section for section in found if section]
    return Score(len(match_sections(found, truth)), len(found), len(truth))


def score_buttons(document: Document, found: Sequence[FoundButton], labels: ButtonLabels) -> ButtonScore:
    """Compare found buttons with all buttons of an email; each label and each find is used once."""
    places = {label: resolve(document, label.element) for label in labels.buttons}
    free = list(found)
    placed = styled = 0
    for label, element in places.items():
        match = next((button for button in free if _related(document, button.element, element)), None)
        if match is not None:
            free.remove(match)
            placed += 1
            styled += label.looks_like(match.style)
    return ButtonScore(Score(placed, len(found), len(labels.buttons)), Score(styled, len(found), len(labels.buttons)))


def _judged(document: Document, section: frozenset[Leaf], known: frozenset[Leaf]) -> frozenset[Leaf]:
    def judged(leaf: Leaf) -> bool:
        element, run = leaf
        return leaf in known or (run >= 0 and not _PLACEHOLDER.fullmatch(str(document.nodes_of(element)[run])))

    return frozenset(leaf for leaf in section if judged(leaf))


def _walk(document: Document, root: int) -> Iterator[Leaf]:
    stack = [root]
    while stack:
        element = document.elements[stack.pop()]
        if element.tag in ("script", "style", "title", "template") or element.style["display"] == "none":
            continue
        if element.tag == "img" and not _icon(element.attributes):
            yield element.index, -1
        for number, node in enumerate(element.contents):
            if isinstance(node, int):
                stack.append(node)
            elif node.strip(" \t\r\n\f\xa0\u200b\u200c\u200d\ufeff\u034f\xad"):
                yield element.index, number


def _icon(attributes: Mapping[str, str]) -> bool:
    sizes = [attributes.get(name, "").removesuffix("px") for name in ("width", "height")]
    return all(size.isdigit() and int(size) <= ICON for size in sizes)


def _hidden(document: Document, index: int) -> bool:
    element: int | None = index
    while element is not None:
        if document.elements[element].style["display"] == "none":
            return True
        element = document.elements[element].parent
    return False


def _related(document: Document, a: int, b: int) -> bool:
    """Whether one element is, or lies within, the other."""
    low, high = max(a, b), min(a, b)
    element: int | None = low
    while element is not None and element > high:
        element = document.elements[element].parent
    return element == high
