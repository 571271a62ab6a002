"""Long lists: the first few in the report, the next thousands in files beside it, everything in the exports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.pages.rendering import render

MOST_PAGES = 6


@dataclass(frozen=True)
class Shelf:
    """A list of which the report shows the beginning."""

    id: str  # anchor in the report, and the stem of the files
    title: str
    text: str
    kind: str  # what the template draws: an entity type, "contrast" or "cases"
    shown: Sequence[Any]
    total: int
    paged: int  # how many the files hold
    pages: tuple[str, ...]  # file names


def shelve(
    out: Path,
    report_title: str,
    id: str,
    title: str,
    text: str,
    kind: str,
    items: Sequence[Any],
    shown: int,
    a_page: int,
    made: Callable[[Sequence[Any]], Sequence[Any]] = lambda items: items,
) -> Shelf:
    """Write the files where the report does not show all; ``made`` turns items into what is drawn, page by page."""
    paged = list(items[: MOST_PAGES * a_page]) if len(items) > shown else []
    names = tuple(f"{id}-{number}.html" for number in range(1, -(-len(paged) // a_page) + 1))
    for number, name in enumerate(names):
        start = number * a_page
        page = render(
            "shelf.html.j2",
            title=report_title,
            heading=title,
            text=text,
            kind=kind,
            items=made(paged[start : start + a_page]),
            first=start + 1,
            last=min(start + a_page, len(paged)),
            total=len(items),
            page=number + 1,
            links=names,
            back=id,
            note="",
        )
        (out / name).write_text(page, encoding="utf-8")
    return Shelf(id, title, text, kind, made(items[:shown]), len(items), len(paged), names)
