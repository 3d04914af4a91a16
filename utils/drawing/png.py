"""A small PNG: one pixel for each cell of a table, by a palette. A picture of 40 by 40 cells takes about 1.5 kB."""

import struct
import zlib
from base64 import b64encode
from collections.abc import Sequence

Rgb = tuple[int, int, int]
COLOURS = 255  # those of the scale; the palette's last place is left for what has no value
NOTHING = 255


def data_url(rows: Sequence[bytes], palette: Sequence[Rgb]) -> str:
    """The picture as a data: URL. Each byte of a row is a place in the palette; `NOTHING` can be seen through."""
    ground = bytes(part for colour in palette for part in colour) + bytes(3 * (NOTHING + 1 - len(palette)))
    clear = bytes([255] * NOTHING + [0])
    picture = zlib.compress(b"".join(b"\0" + row for row in rows))
    parts = [
        _chunk(b"IHDR", struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 3, 0, 0, 0)),
        _chunk(b"PLTE", ground),
        _chunk(b"tRNS", clear),
        _chunk(b"IDAT", picture),
        _chunk(b"IEND", b""),
    ]
    return "data:image/png;base64," + b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
