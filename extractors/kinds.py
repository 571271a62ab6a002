"""What a section is called: header, hero, title, text, card, row, table, image or footer."""

from __future__ import annotations

from collections.abc import Sequence

from extractors.profiles import Profile

_LARGE = 24.0  # px: text of a hero's headline
_SHAPES = {"column": "card", "picture": "card", "row": "row", "table": "table"}


def name_kinds(shapes: Sequence[str], profiles: Sequence[Profile]) -> list[str]:
    """A name for each section of an email, given in reading order by its shape and profile."""
    last = len(shapes) - 1
    kinds: list[str] = []
    for place, (shape, profile) in enumerate(zip(shapes, profiles, strict=True)):
        under_header = not kinds or kinds[-1] == "header"
        if place and profile.footer and place >= last / 2 and not profile.buttons:
            kind = "footer"
        elif place < last and under_header and profile.is_header and (not place or profile.navigation):
            kind = "header"
        elif shape in _SHAPES and not (under_header and shape == "picture"):
            kind = _SHAPES[shape]
        elif profile.picture_only:
            kind = "image"
        elif place < last and shapes[place + 1] == "column" and profile.is_title:
            kind = "title"
        elif under_header and profile.font_size >= _LARGE and (profile.buttons or profile.pictures or place < last):
            kind = "hero"
        else:
            kind = "text"
        kinds.append(kind)
    if last > 0 and kinds[last] == "text" and profiles[last].is_small_print:
        kinds[last] = "footer"
    return kinds
