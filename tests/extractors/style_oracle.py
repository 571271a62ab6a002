"""What Chromium says about every element of a page, written small enough to keep in a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chromium import Page

from extractors import Document

EXACT = (
    "color",
    "background-color",
    "font-size",
    "border-top-left-radius",
    "border-top-right-radius",
    "border-bottom-right-radius",
    "border-bottom-left-radius",
)
SIDES = ("top", "right", "bottom", "left")
OTHERS = (
    "font-weight",
    "font-family",
    "text-align",
    "opacity",
    "display",
    "line-height",
    "letter-spacing",
    "text-decoration-line",
    *(f"padding-{side}" for side in SIDES),
    *(f"border-{side}-{part}" for part in ("width", "style", "color") for side in SIDES),
)
PROPERTIES = EXACT + OTHERS

_ASK = """(properties => {
  const all = [...document.querySelectorAll('*')];
  const index = new Map(all.map((element, i) => [element, i])), known = new Map(), styles = [];
  const elements = all.map(element => {
    const computed = getComputedStyle(element);
    const values = properties.map(name => computed.getPropertyValue(name)), key = values.join('\\n');
    if (!known.has(key)) { known.set(key, styles.length); styles.push(values); }
    return [element.localName, element.parentElement ? index.get(element.parentElement) : null, known.get(key)];
  });
  return {quirks: document.compatMode == 'BackCompat', elements, styles};
})(%PROPERTIES%)""".replace("%PROPERTIES%", json.dumps(PROPERTIES))


@dataclass(frozen=True)
class Recorded:
    """A page as Chromium sees it: (tag, parent) of every element, and its computed style."""

    quirks: bool
    tree: list[tuple[str, int | None]]
    styles: list[dict[str, str]]

    def save(self, path: Path) -> None:
        """One line a distinct style; what is as usual is left out."""
        distinct: dict[str, int] = {}
        for style in self.styles:
            distinct.setdefault(json.dumps(_shortened(style)), len(distinct))
        elements = [
            [tag, parent, distinct[json.dumps(_shortened(style))]]
            for (tag, parent), style in zip(self.tree, self.styles, strict=True)
        ]
        head = f'{{"quirks": {json.dumps(self.quirks)},\n"elements": {json.dumps(elements)},\n"styles": ['
        path.write_text("\n".join((head, ",\n".join(distinct), "]}", "")), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Recorded:
        saved = json.loads(path.read_text(encoding="utf-8"))
        styles = [_completed(style) for style in saved["styles"]]
        return cls(
            saved["quirks"],
            [(tag, parent) for tag, parent, _ in saved["elements"]],
            [styles[style] for _, _, style in saved["elements"]],
        )


def ask(page: Page, html: str) -> Recorded:
    page.set_content(html)
    return computed(page)


def computed(page: Page) -> Recorded:
    """The document that the page shows."""
    answer: dict[str, Any] = page.evaluate(_ASK)
    styles = [dict(zip(PROPERTIES, values, strict=True)) for values in answer["styles"]]
    return Recorded(
        answer["quirks"],
        [(tag, parent) for tag, parent, _ in answer["elements"]],
        [styles[style] for _, _, style in answer["elements"]],
    )


def differences(document: Document, recorded: Recorded) -> Iterator[tuple[int, str, str, str]]:
    """(element, property, ours, Chromium's) wherever they differ within the body; the trees must be equal."""
    in_body = False
    for element, style in zip(document.elements, recorded.styles, strict=True):
        in_body = in_body or element.tag in ("body", "frameset")
        if in_body:
            for name in PROPERTIES:
                if element.style[name] != style[name]:
                    yield element.index, name, element.style[name], style[name]


def tree(document: Document) -> list[tuple[str, int | None]]:
    return [(element.tag, element.parent) for element in document.elements]


_USUAL = {
    "color": "rgb(0, 0, 0)",
    "background-color": "rgba(0, 0, 0, 0)",
    "font-size": "16px",
    "font-weight": "400",
    "font-family": '"Times New Roman"',
    "text-align": "start",
    "opacity": "1",
    "display": "inline",
    "line-height": "normal",
    "letter-spacing": "normal",
    "text-decoration-line": "none",
    **{name: "0px" for name in PROPERTIES if name.endswith(("radius", "width")) or name.startswith("padding")},
    **{name: "none" for name in PROPERTIES if name.startswith("border") and name.endswith("style")},
}


def _shortened(style: dict[str, str]) -> dict[str, str]:
    usual = _completed({"color": style["color"]})
    return {name: value for name, value in style.items() if value != (_USUAL if name == "color" else usual)[name]}


def _completed(style: dict[str, str]) -> dict[str, str]:
    complete = {**_USUAL, **style}
    borders = {f"border-{side}-color": complete["color"] for side in SIDES}
    return {**_USUAL, **borders, **style}
