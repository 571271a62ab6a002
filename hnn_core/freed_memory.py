"""Freed arrays stay with the process while it trains.

An epoch frees and asks again for the same arrays of some megabytes. glibc gives them back to the kernel in between,
and the kernel hands out zeroed pages, one fault each: up to a third of an HNN epoch on DBLP went there.
"""

from __future__ import annotations

import ctypes
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of <malloc.h>
_LARGEST_ARRAY = 32 << 20  # what glibc allows
_KEPT = 256 << 20


def keep_freed_memory() -> None:
    """Let this process keep up to 256 MiB of freed memory. Does nothing where the C library is not glibc."""
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _LARGEST_ARRAY)
        mallopt(_TRIM_THRESHOLD, _KEPT)
