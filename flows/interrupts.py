"""Ctrl-C while C code calls back into Python.

Python raises KeyboardInterrupt at the next line it runs. Where that is a line of a callback (numba's compiler makes one
when a kernel is done, so whoever interrupts it ends up there) nobody can catch it: Python hands it to
``sys.unraisablehook`` and goes on, and the compiler fails a moment later for a reason of its own. Such an interrupt is
kept here, and raised where a command can take it.
"""

from __future__ import annotations

import sys
from typing import Any

_kept: list[BaseException] = []


def keep() -> None:
    """From now on; what else cannot be raised goes where it went before."""
    usual = sys.unraisablehook

    def hook(unraisable: Any) -> None:
        if unraisable.exc_type is KeyboardInterrupt:
            _kept.append(KeyboardInterrupt())
        else:
            usual(unraisable)

    sys.unraisablehook = hook


def raise_kept() -> None:
    """An interrupt that could not be raised when it came; it is the reason of whatever failed since."""
    if _kept:
        interrupt = _kept[-1]
        _kept.clear()
        raise interrupt
