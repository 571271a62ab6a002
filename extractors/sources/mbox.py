"""Messages of a mailbox, one at a time.

``mailbox.mbox`` first indexes the whole file and needs to seek; this reads a stream once, so a mailbox may be larger
than memory or lie within an archive.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

_LINE_BYTES = 65_536
_HEADER = re.compile(rb"[!-9;-~]+[ \t]*:|>From ")
_QUOTED = re.compile(rb">+From ")


def messages(stream: IO[bytes], max_bytes: int) -> Iterator[bytes | None]:
    """Each message's bytes; None in place of one that is larger than ``max_bytes``.

    A message starts at a line ``From …`` that follows an empty line (or nothing) and precedes a header: prose that
    begins a paragraph with "From" does not, though many programs forget to quote it.
    """
    lines: list[bytes] = []
    size = 0
    separator: bytes | None = None
    begun = False
    after_blank = at_line_start = True
    while line := stream.readline(_LINE_BYTES):
        if separator is not None:
            if _HEADER.match(line):
                if begun:
                    yield b"".join(lines) if size <= max_bytes else None
                begun, lines, size = True, [], 0
            elif begun:
                size += len(separator)
                lines.append(separator)
            separator = None
        if at_line_start and after_blank and line.startswith(b"From "):
            separator = line
        elif begun:
            size += len(line)
            if size <= max_bytes:
                lines.append(line[1:] if at_line_start and _QUOTED.match(line) else line)
            else:
                lines.clear()
        after_blank = at_line_start and not line.strip()
        at_line_start = line.endswith(b"\n")
    if begun:
        yield b"".join(lines) if size <= max_bytes else None
