"""Walker's alias tables, filled by Vose's method (1991): a draw by weight takes constant time.

Draw a place k uniformly and take it with probability ``taken[k]``, else take ``other[k]``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray


def alias_table(weight: NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """``taken`` and ``other`` for draws of i ∝ ``weight``."""
    n = len(weight)
    taken, other = np.empty(n, np.float32), np.empty(n, np.int32)
    share = np.asarray(weight, dtype=np.float64) * (n / weight.sum())
    fill(share, taken, other, np.empty(n, np.int64), np.empty(n, np.int64))
    return taken, other


@njit(cache=True)
def fill(share: Any, taken: Any, other: Any, small: Any, large: Any) -> None:
    """A place with less than its ``share`` of 1 is filled up by one that has more; the last two are room to work in."""
    smalls = larges = 0
    for i in range(len(share)):
        taken[i], other[i] = 1.0, i
        if share[i] < 1.0:
            small[smalls] = i
            smalls += 1
        else:
            large[larges] = i
            larges += 1
    while smalls and larges:
        smalls -= 1
        s, g = small[smalls], large[larges - 1]
        taken[s], other[s] = share[s], g
        share[g] -= 1.0 - share[s]
        if share[g] < 1.0:
            larges -= 1
            small[smalls] = g
            smalls += 1
