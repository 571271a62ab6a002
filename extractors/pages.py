"""Arrow's memory in pages of the usual size.

Its allocator asks for huge pages, two megabytes each. Where memory is scattered the kernel has to search for them, and
it always clears them: a stage that copies a few megabytes of rows spent more processor time there than on the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa


@contextmanager
def small_pages() -> Iterator[None]:
    """Within it Arrow asks the C library for memory; what it got elsewhere goes back where it came from."""
    usual = pa.default_memory_pool()
    pa.set_memory_pool(pa.system_memory_pool())
    try:
        yield
    finally:
        pa.set_memory_pool(usual)
