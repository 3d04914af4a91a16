"""Outputs that another processor's rounding may change: as they are stored, wherever no more than that is different."""

import binascii
import json
import math
import re
from base64 import b64decode
from decimal import Decimal
from itertools import zip_longest
from typing import Any

FIGURE = "application/vnd.plotly.v1+json"
HTML, PLAIN = "text/html", "text/plain"
# A picture of utils.pictures: what comes before its words, the words, the script, its data, the rest.
PICTURE = re.compile(
    r'(.*<div class="cp"[^>]*>)(.*?)(</div><script>.*draw\(place,)(\{.*\})((?:,\w+)*\)\}catch.*)', re.S
)
NAME = re.compile(r'data-picture="\w*"')  # it is made of the data
DECIMAL = re.compile(r"(?<![\w.])(-?\d+\.\d+)(?![\w.]*\d)")
BYTES = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}")  # too long for a word


def data_as_stored(data: dict[str, Any], stored: dict[str, Any]) -> dict[str, Any]:
    """An output's data by mime type, a figure or picture in it as stored where it is the same but for rounding."""
    if FIGURE in data:
        return data | {FIGURE: as_stored(data[FIGURE], stored.get(FIGURE))}
    if _is_picture(data) and _is_picture(stored):
        plain = _text_as_stored(data.get(PLAIN, ""), stored.get(PLAIN, ""))
        return data | {HTML: picture_as_stored(data[HTML], stored[HTML]), PLAIN: plain}
    return data


def as_stored(value: Any, stored: Any) -> Any:
    """A figure's data with the stored number wherever that is at most one apart in the third digit.

    Another processor adds in another order, so a number may fall on the other side of where figures are rounded.
    """
    match value, stored:
        case dict(), dict():
            return {key: as_stored(part, stored.get(key)) for key, part in value.items()}
        case list(), list() if len(value) == len(stored):
            return list(map(as_stored, value, stored))
        case int() | float(), int() | float() if math.isclose(value, stored, rel_tol=0.0101, abs_tol=1e-6):
            return stored
    return value


def picture_as_stored(html: str, stored: str) -> str:
    """The stored picture, if this one is the same but for decimals one apart in the last digit, and for bytes.

    A number that is stored as a byte may be one step up or down. Script, style, whole numbers and words are the same
    to the letter, the name apart, which depends on the data.
    """
    found, wanted = _parts(html), _parts(stored)
    if not found or not wanted:
        return html
    texts = zip(found.group(1, 3, 5), wanted.group(1, 3, 5), strict=True)
    alike = all(NAME.sub("", one) == NAME.sub("", other) for one, other in texts)
    alike = alike and _text_as_stored(found[2], wanted[2]) == wanted[2]
    return stored if alike and _same(json.loads(found[4]), json.loads(wanted[4])) else html


def _is_picture(data: dict[str, Any]) -> bool:
    return _parts(data.get(HTML, "")) is not None


def _parts(html: str) -> re.Match[str] | None:
    return PICTURE.fullmatch(html) if "data-picture=" in html else None


def _text_as_stored(text: str, stored: str) -> str:
    """The stored text, if this one is the same but for decimals one apart in the last digit."""
    pieces = zip_longest(DECIMAL.split(text), DECIMAL.split(stored))
    alike = all(one == other or _close(one, other) for one, other in pieces)
    return stored if alike else text


def _close(one: str | None, other: str | None) -> bool:
    numbers = [Decimal(text) for text in (one, other) if text and DECIMAL.fullmatch(text)]
    return len(numbers) == 2 and _one_apart(*numbers)


def _one_apart(one: Decimal, other: Decimal) -> bool:
    """At most one in the last of the digits that either has."""
    last = min(int(number.as_tuple().exponent) for number in (one, other))
    return abs(one - other) <= Decimal(1).scaleb(last)


def _same(value: Any, stored: Any) -> bool:
    match value, stored:
        case dict(), dict():
            return value.keys() == stored.keys() and all(_same(part, stored[key]) for key, part in value.items())
        case list(), list():
            return len(value) == len(stored) and all(map(_same, value, stored))
        case float(), float():
            return _one_apart(Decimal(repr(value)), Decimal(repr(stored)))
        case str(), str() if BYTES.fullmatch(value) and BYTES.fullmatch(stored):
            return _same_bytes(value, stored)
    return type(value) is type(stored) and value == stored


def _same_bytes(value: str, stored: str) -> bool:
    try:
        both = b64decode(value, validate=True), b64decode(stored, validate=True)
    except binascii.Error:
        return value == stored
    pairs = zip_longest(*both, fillvalue=-2)
    return all(abs(one - other) <= 1 for one, other in pairs)
