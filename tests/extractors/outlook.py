"""A minimal writer of Outlook's .msg container (compound file with one mini stream), for tests only."""

from __future__ import annotations

import struct

_SECTOR, _MINI = 512, 64
_END, _FREE, _FAT, _NONE = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD, 0xFFFFFFFF
_STRING, _STRING8, _BINARY, _INTEGER = 0x001F, 0x001E, 0x0102, 0x0003

SUBJECT, SENDER_ADDRESS, HEADERS, HTML, INTERNET_CODEPAGE = 0x0037, 0x0C1F, 0x007D, 0x1013, 0x3FDE


def outlook_message(
    html: bytes | str | None, *, subject: str = "", sender: str = "", codepage: int | None = None
) -> bytes:
    """The bytes of a .msg file; ``html`` is bytes in ``codepage``, or text as old Outlook wrote it."""
    streams: dict[str, bytes] = {}
    table = b"\x00" * 32

    def add(number: int, kind: int, value: bytes) -> None:
        nonlocal table
        streams[f"__substg1.0_{number:04X}{kind:04X}"] = value
        table += struct.pack("<HHLLL", kind, number, 6, len(value), 0)

    add(SUBJECT, _STRING, subject.encode("utf-16-le"))
    if sender:
        add(SENDER_ADDRESS, _STRING, sender.encode("utf-16-le"))
    if isinstance(html, bytes):
        add(HTML, _BINARY, html)
    elif html is not None:
        add(HTML, _STRING, html.encode("utf-16-le"))
    if codepage is not None:
        table += struct.pack("<HHLLL", _INTEGER, INTERNET_CODEPAGE, 6, codepage, 0)
    streams["__properties_version1.0"] = table
    return _compound_file(streams)


def _compound_file(streams: dict[str, bytes]) -> bytes:
    """Every stream must be below 4,096 bytes: all lie in the mini stream."""
    mini, mini_fat, entries = b"", [], []
    for name, content in sorted(streams.items(), key=lambda item: (len(item[0]), item[0].upper())):
        assert len(content) < 4096
        count = -(-len(content) // _MINI)
        start = len(mini_fat) if count else _END
        mini_fat += [start + step for step in range(1, count)] + [_END] * bool(count)
        mini += content.ljust(count * _MINI, b"\x00")
        entries.append((name, 2, start, len(content)))
    directory_sectors = -(-(len(entries) + 1) * 128 // _SECTOR)
    mini_sectors = -(-len(mini) // _SECTOR)
    mini_fat_sectors = -(-len(mini_fat) * 4 // _SECTOR)
    chains = [1, directory_sectors, mini_fat_sectors, mini_sectors]
    fat: list[int] = [_FAT]
    starts = []
    for length in chains[1:]:
        starts.append(len(fat))
        fat += [len(fat) + step for step in range(1, length)] + [_END]
    assert len(fat) <= _SECTOR // 4
    directory = _entry("Root Entry", 5, starts[2], len(mini), child=1)
    for index, (name, kind, start, size) in enumerate(entries, start=1):
        right = index + 1 if index < len(entries) else _NONE
        directory += _entry(name, kind, start, size, right=right)
    header = struct.pack(
        "<8s16xHHHHH6xLLLLLLLLLL",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        *(0x3E, 3, 0xFFFE, 9, 6),
        *(0, 1, starts[0], 0, 4096, starts[1], mini_fat_sectors, _END, 0, 0),
    )
    header += struct.pack(f"<{(_SECTOR - len(header)) // 4}L", *[_FREE] * ((_SECTOR - len(header)) // 4))
    return b"".join(
        [
            header,
            struct.pack("<128L", *fat, *[_FREE] * (128 - len(fat))),
            _padded(directory, b"\x00"),
            _padded(struct.pack(f"<{len(mini_fat)}L", *mini_fat), b"\xff"),
            _padded(mini, b"\x00"),
        ]
    )


def _entry(name: str, kind: int, start: int, size: int, right: int = _NONE, child: int = _NONE) -> bytes:
    encoded = name.encode("utf-16-le") + b"\x00\x00"
    return struct.pack("<64sHBBLLL16xL8x8xLQ", encoded, len(encoded), kind, 1, _NONE, right, child, 0, start, size)


def _padded(content: bytes, fill: bytes) -> bytes:
    return content + fill * (-len(content) % _SECTOR)
