"""Remembering what texts meant, within bounds.

Mail repeats itself, so almost everything parsed here is worth remembering. A hostile mail does not, and
could fill memory with long texts: those are parsed afresh each time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def remembered(
    entries: int, longest: int = 2_000
) -> Callable[[Callable[Concatenate[str, P], R]], Callable[Concatenate[str, P], R]]:
    """Keep the last ``entries`` results of a function of a text (and more) no longer than ``longest``."""

    def decorate(function: Callable[Concatenate[str, P], R]) -> Callable[Concatenate[str, P], R]:
        cached: Any = lru_cache(maxsize=entries)(function)

        @wraps(function)
        def wrapper(text: str, /, *args: P.args, **kwargs: P.kwargs) -> R:
            chosen: Callable[Concatenate[str, P], R] = cached if len(text) <= longest else function
            return chosen(text, *args, **kwargs)

        return wrapper

    return decorate
