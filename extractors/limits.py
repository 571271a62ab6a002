"""What is refused before any parser sees it."""

from __future__ import annotations

from dataclasses import dataclass


class Rejected(Exception):  # noqa: N818  -- a verdict on the input, not a fault
    """A document that is not worth its cost. ``reason`` is one of a few words, ``detail`` a sentence."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}"


@dataclass(frozen=True)
class Limits:
    """Real mail reaches depth 38, 15 attributes on a tag and about a thousand elements."""

    max_bytes: int = 5_000_000
    max_depth: int = 512
    max_attributes: int = 256
    max_elements: int = 20_000
    seconds: float = 10.0
    memory_mb: int = 1024


def prescan(html: str, limits: Limits) -> None:
    if len(html) > limits.max_bytes:
        raise Rejected("too-large", f"{len(html)} characters, at most {limits.max_bytes}")
