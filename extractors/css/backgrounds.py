"""The ``background`` shorthand: layers of image, position, size, repeat, attachment and boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from extractors.css import colours, images, lengths
from extractors.css.values import is_slash, split_commas

_REPEAT = frozenset(["repeat", "repeat-x", "repeat-y", "no-repeat", "space", "round"])
_ATTACHMENT = frozenset(("scroll", "fixed", "local"))
_BOX = frozenset(("border-box", "padding-box", "content-box"))
_CLIP = _BOX | {"text", "border-area"}
_POSITION_X, _POSITION_Y = frozenset(("left", "right")), frozenset(("top", "bottom"))


def expand(tokens: Sequence[Any], quirks: bool) -> tuple[tuple[str, Any], ...] | None:
    """The colour and the images of a ``background``; None if any of its layers is invalid."""
    layers = split_commas(tokens)
    drawn = [_layer(layer, last=index == len(layers) - 1) for index, layer in enumerate(layers)]
    if any(layer is None for layer in drawn):
        return None
    colour = drawn[-1][1]  # type: ignore[index]  # None was excluded above
    return (
        ("background-color", colour or colours.TRANSPARENT),
        ("background-image", ", ".join(layer[0] or "none" for layer in drawn if layer)),
    )


def _layer(tokens: Sequence[Any], last: bool) -> tuple[str | None, Any] | None:
    """The image and colour of one background layer, or None where anything in it is invalid."""
    image = colour = None
    seen: set[str] = set()
    position = 0
    while position < len(tokens):
        token = tokens[position]
        name = token.lower_value if token.type == "ident" else ""
        if (found := images.image(token)) is not None:
            part, image, used = "image", found, 1
        elif name in _REPEAT:
            part, used = "repeat", 1 + (_ident_in(tokens, position + 1, _REPEAT) and name[-2:] not in ("-x", "-y"))
        elif name in _ATTACHMENT:
            part, used = "attachment", 1
        elif name in _CLIP:
            part, used = ("clip" if "box" in seen else "box"), 1
        elif used := _position(tokens, position):
            part = "position"
            if position + used < len(tokens) and is_slash(tokens[position + used]):
                size = _size(tokens, position + used + 1)
                if not size:
                    return None
                used += 1 + size
        elif last and (found_colour := colours.parse(token)) is not None:
            part, colour, used = "color", found_colour, 1
        else:
            return None
        if part in seen:
            return None
        seen.add(part)
        position += used
    return (image, colour) if seen else None


def _ident_in(tokens: Sequence[Any], position: int, names: frozenset[str]) -> bool:
    if position >= len(tokens) or tokens[position].type != "ident":
        return False
    return tokens[position].lower_value in names


def _position(tokens: Sequence[Any], start: int) -> int:
    """How many component values from ``start`` make a position (0: none)."""
    kinds = ""
    for token in tokens[start : start + 4]:
        name = token.lower_value if token.type == "ident" else ""
        if name in _POSITION_X:
            kinds += "x"
        elif name in _POSITION_Y:
            kinds += "y"
        elif name == "center":
            kinds += "c"
        elif lengths.parse(token) is not None:
            kinds += "l"
        else:
            break
    for count in (4, 3, 2, 1):
        if kinds[:count] in _POSITIONS[count]:
            return count
    return 0


_POSITIONS: dict[int, set[str]] = {
    1: {"x", "y", "c", "l"},
    2: {"xy", "yx", "xc", "cx", "cy", "yc", "cc", "xl", "ly", "lc", "cl", "ll"},
    3: {"xly", "xlc", "xyl", "ylx", "ylc", "yxl", "cxl", "cyl"},
    4: {"xlyl", "ylxl"},
}


def _size(tokens: Sequence[Any], start: int) -> int:
    count = 0
    for token in tokens[start : start + 2]:
        name = token.lower_value if token.type == "ident" else ""
        if name in ("cover", "contain") and count == 0:
            return 1
        if name != "auto" and lengths.parse(token, negative=False) is None:
            break
        count += 1
    return count
