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
    size = struct.pack(">II", len(rows[0]), len(rows))
    ground = b"".join(map(bytes, palette))
    picture = b"".join(b"\0" + row for row in rows)
    parts = [
        b"\x89PNG\r\n\x1a\n",
        _chunk(b"IHDR", size + bytes([8, 3, 0, 0, 0])),
        _chunk(b"PLTE", ground.ljust(3 * 256, b"\0")),
        _chunk(b"tRNS", b"\xff" * NOTHING + b"\0"),
        _chunk(b"IDAT", zlib.compress(picture)),
        _chunk(b"IEND", b""),
    ]
    encoded = b64encode(b"".join(parts)).decode()
    return f"data:image/png;base64,{encoded}"


def _chunk(name: bytes, content: bytes) -> bytes:
    size = struct.pack(">I", len(content))
    check = struct.pack(">I", zlib.crc32(name + content))
    return size + name + content + check
