"""Numbers as people write them: ``1 email``, ``2,000 emails``, ``97 %``."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """The noun is given for one; English nouns that need more than an ``s`` do not occur here."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(share: float) -> str:
    """``97 %``, never broken between the two."""
    return f"{100 * share:.0f}\u00a0%"
