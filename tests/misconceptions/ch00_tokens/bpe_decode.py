"""How bpe_decode goes wrong, and right answers that look different."""

import codecs
import io
import re
import unicodedata
from functools import reduce
from operator import add

from tests.ch00_tokens import decode
from utils.reference.byte_pairs import printable

decode.equivalent(
    "b''.join(pieces).decode('utf-8', errors='replace') → b''.join(pieces).decode(errors='replace')",
    "UTF-8 is what `decode` takes where it is not told.",
)


@decode.correct
def by_the_class(pieces):
    return str(b"".join(pieces), "utf8", "replace")


@decode.correct
def byte_by_byte(pieces):
    """A list of numbers, as many write it."""
    numbers = [byte for piece in pieces for byte in piece]
    return bytes(numbers).decode(errors="replace")


@decode.correct
def growing(pieces):
    data = bytearray()
    for piece in pieces:
        data += piece
    return data.decode("utf-8", "replace")


@decode.correct
def added_up(pieces):
    return codecs.decode(reduce(add, pieces, b""), "utf-8", "replace")


@decode.correct
def as_it_comes(pieces):
    """A decoder that keeps half a character until the rest of it comes, as who prints while the model writes needs."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    return "".join(decoder.decode(piece) for piece in pieces) + decoder.decode(b"", final=True)


@decode.correct
def read_as_a_file(pieces):
    return io.TextIOWrapper(io.BytesIO(b"".join(pieces)), encoding="utf-8", errors="replace", newline="").read()


@decode.correct
def by_the_library(pieces):
    from tokenizers import decoders  # here, since chapter 0 is judged without it too (utils.solving)

    return decoders.ByteLevel().decode([printable(piece) for piece in pieces])


@decode.correct
def where_it_stops(pieces):
    """Strictly as far as it goes, then one replacement for what the error names."""
    data, text = b"".join(pieces), ""
    while data:
        try:
            return text + data.decode("utf-8")
        except UnicodeDecodeError as error:
            text += data[: error.start].decode("utf-8") + "\N{REPLACEMENT CHARACTER}"
            data = data[error.end :]
    return text


def joined(pieces, between=b""):
    return between.join(pieces).decode("utf-8", errors="replace")


def one_by_one(errors):
    return lambda pieces: "".join(piece.decode("utf-8", errors=errors) for piece in pieces)


decode.misconception(
    "a � for each half of a character",
    'Half a character cannot be decoded: join the bytes first, `b"".join(pieces)`, then decode once.',
    one_by_one("replace"),
)
decode.misconception(
    "an error where a token ends in the middle of a character",
    'Join first, `b"".join(pieces)`, since a token may end in the middle of a character; then decode once, with '
    '`errors="replace"` for bytes that are not text at all.',
    lambda pieces: "".join(piece.decode("utf-8") for piece in pieces),
)
decode.misconception(
    "the halves of characters left out",
    'A character may be spread over two tokens. Join the bytes first, then decode once, with `errors="replace"`.',
    one_by_one("ignore"),
)


@decode.also("the halves of characters left out")
def skipping_what_fails(pieces):
    text = ""
    for piece in pieces:
        try:
            text += piece.decode()
        except UnicodeDecodeError:
            continue
    return text


@decode.misconception(
    "one U+FFFD for each token that is not text",
    "A token may hold half a character. Join all tokens first and decode the whole once.",
)
def a_mark_for_each_piece(pieces):
    text = ""
    for piece in pieces:
        try:
            text += piece.decode()
        except UnicodeDecodeError:
            text += "\N{REPLACEMENT CHARACTER}"
    return text


@decode.misconception(
    "a mark of your own for each token that is not text",
    'A token may hold half a character. Join all tokens first, then decode once with `errors="replace"`, and leave '
    "the � that it puts where bytes are not text.",
)
def a_question_for_each_piece(pieces):
    text = ""
    for piece in pieces:
        try:
            text += piece.decode()
        except UnicodeDecodeError:
            text += "?"
    return text


@decode.misconception(
    "a � for each byte that does not fit",
    "The bytes of a character that breaks off become one � together, so leave the counting to `decode(..., "
    'errors="replace")`.',
)
def a_mark_for_each_byte(pieces):
    data, text = b"".join(pieces), ""
    while data:
        width = next((width for width in (1, 2, 3, 4) if is_text(data[:width])), 0)
        text += data[:width].decode() if width else "\N{REPLACEMENT CHARACTER}"
        data = data[width or 1 :]
    return text


def is_text(data):
    try:
        return bool(data.decode())
    except UnicodeDecodeError:
        return False


decode.misconception(
    "leaving out what is not UTF-8",
    'Nothing may vanish unseen: `errors="replace"` puts a � where the bytes are not text, so use that and leave it '
    "there.",
    ', errors="replace" → , errors="ignore"',
)
decode.misconception(
    "an error where the bytes are not text",
    "A model may write any tokens, so any bytes may come. The call of `decode` that meets them needs "
    '`errors="replace"`, which puts � where they are not UTF-8.',
    '"utf-8", errors="replace" → "utf-8"',
)


def with_errors(how):
    return lambda pieces: b"".join(pieces).decode("utf-8", errors=how)


decode.misconception(
    "something other than � where the bytes are not text",
    'Where the bytes are not text there must be a � (U+FFFD), and nothing else: decode with `errors="replace"`.',
    with_errors("backslashreplace"),
    with_errors("surrogateescape"),
)
decode.misconception(
    "a question mark for U+FFFD",
    "Bytes that are not text become � (U+FFFD): don't turn it into `?`.",
    lambda pieces: joined(pieces).replace("\N{REPLACEMENT CHARACTER}", "?"),
    lambda pieces: joined(pieces).encode("ascii", errors="replace").decode(),
)


@decode.misconception(
    "spaces before punctuation taken away",
    "The text is what the tokens hold, to the last space: leave ` ,` as it is, and tidy nothing up.",
)
def tidied_up(pieces):
    text = joined(pieces)
    for mark in (".", "?", "!", ",", "n't", "'m", "'s", "'ve", "'re"):
        text = text.replace(f" {mark}", mark)
    return text.replace(" ' ", "'")


decode.also("spaces before punctuation taken away", lambda pieces: re.sub(r"\s+([,.:;?!\"()'])", r"\1", joined(pieces)))


@decode.misconception(
    "giving the whole text up",
    'One bad byte must not cost the rest: `decode("utf-8", errors="replace")` of all bytes puts � in its place, '
    "and keeps the others.",
)
def all_or_nothing(pieces):
    try:
        return b"".join(pieces).decode("utf-8")
    except UnicodeDecodeError:
        return ""


decode.also("giving the whole text up", 'return "" → return "\\N{REPLACEMENT CHARACTER}"', of=all_or_nothing)
decode.misconception(
    "a character for each byte",
    'A character may take several bytes in UTF-8, and `decode("utf-8", ...)` puts them together. Latin-1 and `chr` '
    "make a character of every byte.",
    '"utf-8", errors="replace" → "latin-1"',
    lambda pieces: "".join(chr(byte) for piece in pieces for byte in piece),
)


@decode.misconception(
    "a character for each byte where it is not UTF-8",
    'Bytes that are not UTF-8 must become �, not characters of Latin-1: decode once, with `errors="replace"`.',
)
def latin_if_need_be(pieces):
    try:
        return b"".join(pieces).decode("utf-8")
    except UnicodeDecodeError:
        return b"".join(pieces).decode("latin-1")


decode.misconception(
    "another encoding than UTF-8",
    'The tokens are bytes of UTF-8: `decode("utf-8", ...)`.',
    '"utf-8" → "utf-16"',
    '"utf-8" → "cp1252"',
)
decode.misconception(
    "ASCII alone",
    'ASCII ends at byte 127, and é or 狐 are beyond it: `decode("utf-8", ...)`.',
    '"utf-8" → "ascii"',
    '"utf-8", errors="replace" → "ascii", errors="ignore"',
)
decode.misconception(
    "a U+FEFF at the beginning left out",
    'A U+FEFF at the beginning is part of the text: take nothing off. (`"utf-8-sig"` drops it, `"utf-8"` does not.)',
    '"utf-8" → "utf-8-sig"',
)
decode.misconception(
    "bytes written as Python code",
    "`str(...)`, `repr(...)` and an f-string write bytes as code, with b and quotes: turn them into text with "
    "`decode`.",
    lambda pieces: "".join(str(piece) for piece in pieces),
    lambda pieces: str(b"".join(pieces)),
    lambda pieces: "".join(str(piece)[2:-1] for piece in pieces),
    lambda pieces: str(b"".join(pieces))[2:-1],
)
decode.misconception(
    "the bytes themselves", "Return a `str`: join the tokens, then `decode` them.", lambda pieces: b"".join(pieces)
)
decode.misconception(
    "a list of texts",
    "Return one `str`: join the bytes, then decode the whole once.",
    lambda pieces: [piece.decode("utf-8", errors="replace") for piece in pieces],
)
decode.misconception(
    "a space between the tokens",
    'The tokens bring their own spaces: put nothing between them, `b"".join(pieces)`.',
    lambda pieces: joined(pieces, b" "),
    lambda pieces: " ".join(piece.decode("utf-8", errors="replace") for piece in pieces),
)
decode.misconception(
    "cutting the white space off at the ends",
    "Spaces and line breaks at the ends are text too: take nothing off.",
    lambda pieces: joined(pieces).strip(),
    lambda pieces: joined(pieces).lstrip(),
    lambda pieces: joined(pieces).rstrip(),
)
decode.misconception(
    "cutting the white space off each token",
    "A token's space is part of the text: take nothing off a token.",
    lambda pieces: joined([piece.strip() for piece in pieces]),
)
decode.misconception(
    "single spaces between all words",
    "Return the text as it is, with every space and line break.",
    lambda pieces: " ".join(joined(pieces).split()),
)
decode.misconception(
    "reading GPT-2's printable characters",
    "These tokens are raw bytes, not the characters of GPT-2's files: `Ġ` is a letter here. Replace nothing.",
    lambda pieces: joined(pieces).replace("Ġ", " "),
)
decode.misconception(
    "`<|endoftext|>` left out",
    "Here `<|endoftext|>` is ordinary bytes: return it like any other text.",
    lambda pieces: joined(pieces).replace("<|endoftext|>", ""),
)
decode.misconception(
    "all � left out",
    "Leave U+FFFD in the text: it says that something was there.",
    lambda pieces: joined(pieces).replace("\N{REPLACEMENT CHARACTER}", ""),
)
decode.misconception(
    "characters composed anew",
    "Return the characters as they come: `e` and a combining accent stay two.",
    lambda pieces: unicodedata.normalize("NFC", joined(pieces)),
)
decode.misconception(
    "line breaks of one kind",
    'Leave `"\\r\\n"` as it is: both are characters of the text.',
    lambda pieces: joined(pieces).replace("\r\n", "\n"),
)
decode.misconception(
    "an unfinished end left out",
    'The last character may be cut off, and must become � too: decode all bytes at once with `errors="replace"`.',
    '+ decoder.decode(b"", final=True) → ',
    of=as_it_comes,
)
decode.misconception("the tokens in reverse", "Keep the order of the tokens.", lambda pieces: joined(pieces[::-1]))


@decode.misconception(
    "a `return` inside the loop",
    "Put it below the loop, so that all tokens are joined first.",
    said_of=r"(?m)^( *)(?:for|while)\b.*:\n(?:\1 .*\n)*?\1    return\b",
)
def returning_in_the_loop(pieces):
    data = b""
    for piece in pieces:
        data += piece
        return data.decode("utf-8", errors="replace")


@decode.also("a `return` inside the loop")
def returning_in_the_loop_or_below(pieces):
    for piece in pieces:
        return piece.decode("utf-8", errors="replace")
    return ""


decode.misconception("the first token alone", "Join all tokens before the `return`.", lambda pieces: joined(pieces[:1]))
decode.misconception(
    "the last token alone", "Join all tokens: each is added to those before it.", lambda pieces: joined(pieces[-1:])
)
decode.misconception(
    "the last token left out", "Join all tokens, the last one too.", lambda pieces: joined(pieces[:-1])
)
decode.misconception(
    "each token once",
    "A token may come more than once: keep every one, in order, without a set or a dict.",
    lambda pieces: joined(list(dict.fromkeys(pieces))),
)


@decode.misconception("using the tokens up", "Leave `pieces` as it is: read it, and take nothing out of it.")
def popping(pieces):
    data = b""
    while pieces:
        data += pieces.pop(0)
    return data.decode("utf-8", errors="replace")


KNOWN: dict[frozenset[bytes], str] = {}
KNOWN_TOKENS: dict[tuple[bytes, ...], str] = {}


@decode.misconception(
    "a text remembered from other tokens",
    "What you keep from one call to the next depends on all tokens and their order: keep it by `tuple(pieces)`, or "
    "keep nothing.",
)
def remembered_by_a_set(pieces):
    return KNOWN.setdefault(frozenset(pieces), joined(pieces))


@decode.correct
def remembered_by_its_tokens(pieces):
    return KNOWN_TOKENS.setdefault(tuple(pieces), joined(pieces))


decode.misconception(
    "joining bytes by a str", 'Bytes are joined by bytes: `b"".join(pieces)`, with a b.', 'b"".join → "".join'
)
decode.misconception(
    "bytes added to a str",
    'Collect bytes: begin with `b""`, add the tokens, and decode at the end.',
    ('bytearray() → ""', 'data.decode("utf-8", "replace") → data'),
    of=growing,
)
decode.misconception(
    "bytes added to a number", '`sum` begins with 0, a number. Join with `b"".join(pieces)`.', 'b"".join → sum'
)
decode.misconception(
    "encoding once more",
    "The tokens are bytes already: `decode` turns them into text.",
    lambda pieces: b"".join(pieces).encode("utf-8"),
)


@decode.misconception("asking an empty list for its first token", 'There may be no token at all: begin with `b""`.')
def beginning_with_the_first(pieces):
    data = pieces[0]
    for piece in pieces[1:]:
        data += piece
    return data.decode("utf-8", errors="replace")


decode.also(
    "bytes written as Python code", lambda pieces: "".join(str(piece).lstrip("b").strip("'") for piece in pieces)
)
decode.misconception(
    "zero bytes lost at the end of a token",
    "A zero byte is text too: take nothing off a token, and keep tokens out of NumPy arrays, which drop zeros at the "
    "end.",
    'join(pieces) → join(piece.rstrip(b"\\0") for piece in pieces)',
)
decode.misconception(
    "zero bytes left out",
    "A zero byte is text too: join the tokens as they are.",
    'join(pieces) → join(pieces).replace(b"\\0", b"")',
)


@decode.correct
def pieces_in_an_array_of_objects(pieces):
    import numpy as np

    return b"".join(np.array(pieces, dtype=object)).decode("utf-8", errors="replace")
