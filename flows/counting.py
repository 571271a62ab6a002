"""A number and its noun: ``1 email``, ``2,000 emails``, ``3 button styles``."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """The noun is given for one; English nouns that need more than an ``s`` do not occur here."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
