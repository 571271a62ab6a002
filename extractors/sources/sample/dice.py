"""Choices that are the same on every machine and every Python."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """A small deterministic source of choices, keyed by text.

    Only ``random.Random.random()`` is promised to give the same sequence in all Python versions, so every
    choice is derived from it and from nothing else.
    """

    def __init__(self, *key: object) -> None:
        self._random = random.Random("/".join(map(str, key))).random

    def below(self, n: int) -> int:
        """A whole number in ``[0, n)``."""
        return int(self._random() * n)

    def between(self, low: int, high: int) -> int:
        """A whole number in ``[low, high]``."""
        return low + self.below(high - low + 1)

    def chance(self, probability: float) -> bool:
        return self._random() < probability

    def pick(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]

    def sample(self, options: Sequence[T], n: int) -> list[T]:
        """``n`` different members of ``options``, in drawn order (all of them, shuffled, when there are fewer)."""
        pool = list(options)
        return [pool.pop(self.below(len(pool))) for _ in range(min(n, len(pool)))]

    def token(self, length: int, alphabet: str = "0123456789abcdef") -> str:
        return "".join([alphabet[self.below(len(alphabet))] for _ in range(length)])
