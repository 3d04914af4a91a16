"""How bpe_decode goes wrong, and right answers that look different."""

import codecs
import io
import re
import unicodedata
from functools import reduce
from operator import add

import numpy as np
from tokenizers import decoders

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
    'Half a character is no text: join the bytes first, `b"".join(pieces)`, then decode once.',
)(one_by_one("replace"))


@decode.misconception(
    "an error where a piece ends in the middle of a character",
    'Join first, `b"".join(pieces)`, since a piece may end in the middle of a character; then decode once, with '
    '`errors="replace"` for bytes that are no text at all.',
)
def strictly_one_by_one(pieces):
    return "".join(piece.decode("utf-8") for piece in pieces)


decode.misconception(
    "the halves of characters left out",
    'A character may lie in two pieces. Join the bytes first, then decode once, with `errors="replace"`.',
)(one_by_one("ignore"))


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
    "one U+FFFD for each piece that is no text",
    "A piece may hold half a character. Join all pieces first and decode the whole once.",
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
    "a mark of your own for each piece that is no text",
    "A piece may hold half a character. Join all pieces first, then decode once: what is no text then becomes �, "
    'by `errors="replace"`, and stays that.',
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
    'Bytes that begin a character and break off make one � together: leave the count to `decode`, `errors="replace"`.',
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


@decode.misconception(
    "leaving out what is no UTF-8",
    'Nothing may vanish unseen: where the bytes are no text a � stands, which `errors="replace"` puts there, and '
    "nobody takes away.",
)
def ignoring(pieces):
    return b"".join(pieces).decode("utf-8", errors="ignore")


@decode.misconception(
    "an error where the bytes are no text",
    "A model may write any tokens, so any bytes may come: the very call of `decode` that meets them needs "
    '`errors="replace"`, which puts � where they are no UTF-8.',
)
def strictly(pieces):
    return b"".join(pieces).decode("utf-8")


def with_errors(how):
    return lambda pieces: b"".join(pieces).decode("utf-8", errors=how)


decode.misconception(
    "something other than � where the bytes are no text",
    'Where the bytes are no text U+FFFD is due, which `errors="replace"` puts there: nothing else is made of them.',
)(with_errors("backslashreplace"))
decode.also("something other than � where the bytes are no text")(with_errors("surrogateescape"))


@decode.misconception("a question mark for U+FFFD", "What is no text becomes �, U+FFFD, and stays that: no `?`.")
def question_marks(pieces):
    return joined(pieces).replace("\N{REPLACEMENT CHARACTER}", "?")


@decode.also("a question mark for U+FFFD")
def questions_at_once(pieces):
    return joined(pieces).encode("ascii", errors="replace").decode()


@decode.misconception(
    "spaces before punctuation taken away",
    "The text is what the pieces hold, to the last space: ` ,` stays as it is, and nothing is tidied up.",
)
def tidied_up(pieces):
    text = joined(pieces)
    for mark in (".", "?", "!", ",", "n't", "'m", "'s", "'ve", "'re"):
        text = text.replace(f" {mark}", mark)
    return text.replace(" ' ", "'")


@decode.also("spaces before punctuation taken away")
def closed_up(pieces):
    return re.sub(r"\s+([,.:;?!\"()'])", r"\1", joined(pieces))


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


@decode.also("giving the whole text up")
def all_or_a_mark(pieces):
    try:
        return b"".join(pieces).decode("utf-8")
    except UnicodeDecodeError:
        return "\N{REPLACEMENT CHARACTER}"


@decode.misconception(
    "a character for each byte",
    'A character may be several bytes of UTF-8, which `decode("utf-8", ...)` of all of them knows. Latin-1 '
    "and `chr` make one of every byte.",
)
def latin(pieces):
    return b"".join(pieces).decode("latin-1")


@decode.also("a character for each byte")
def latin_with_errors(pieces):
    return "".join(chr(byte) for piece in pieces for byte in piece)


@decode.misconception(
    "a character for each byte where it is no UTF-8",
    'What is no UTF-8 is no text: it becomes �, by `errors="replace"`, and nothing else is made of it.',
)
def latin_if_need_be(pieces):
    try:
        return b"".join(pieces).decode("utf-8")
    except UnicodeDecodeError:
        return b"".join(pieces).decode("latin-1")


@decode.misconception("another encoding than UTF-8", 'The tokens are bytes of UTF-8: `decode("utf-8", ...)`.')
def sixteen_bits(pieces):
    return b"".join(pieces).decode("utf-16", errors="replace")


@decode.also("another encoding than UTF-8")
def western(pieces):
    return b"".join(pieces).decode("cp1252", errors="replace")


@decode.misconception("ASCII alone", 'ASCII ends at byte 127, and é or 狐 are beyond it: `decode("utf-8", ...)`.')
def ascii_alone(pieces):
    return b"".join(pieces).decode("ascii", errors="replace")


@decode.also("ASCII alone")
def ascii_ignoring(pieces):
    return b"".join(pieces).decode("ascii", errors="ignore")


@decode.misconception(
    "a U+FEFF at the beginning left out",
    'A U+FEFF at the beginning is part of the text: take nothing off. (`"utf-8-sig"` drops it, `"utf-8"` does not.)',
)
def without_the_mark(pieces):
    return b"".join(pieces).decode("utf-8-sig", errors="replace")


@decode.misconception(
    "bytes written as Python code",
    "`str(...)`, `repr(...)` and an f-string write bytes as code, with b and quotes: make a text of them by `decode`.",
)
def as_code(pieces):
    return "".join(str(piece) for piece in pieces)


@decode.also("bytes written as Python code")
def all_as_code(pieces):
    return str(b"".join(pieces))


@decode.also("bytes written as Python code")
def code_without_quotes(pieces):
    return "".join(str(piece)[2:-1] for piece in pieces)


@decode.also("bytes written as Python code")
def all_without_quotes(pieces):
    return str(b"".join(pieces))[2:-1]


@decode.misconception("the bytes themselves", "Return a `str`: join the pieces, then `decode` them.")
def not_decoded(pieces):
    return b"".join(pieces)


@decode.misconception("a list of texts", "Return one `str`: join the bytes, then decode the whole once.")
def a_list(pieces):
    return [piece.decode("utf-8", errors="replace") for piece in pieces]


@decode.misconception(
    "a space between the pieces", 'The tokens bring their own spaces: put nothing between them, `b"".join(pieces)`.'
)
def spaced(pieces):
    return joined(pieces, b" ")


@decode.also("a space between the pieces")
def spaced_texts(pieces):
    return " ".join(piece.decode("utf-8", errors="replace") for piece in pieces)


@decode.misconception(
    "cutting the white space off at the ends", "Spaces and line breaks at the ends are text too: take nothing off."
)
def stripped(pieces):
    return joined(pieces).strip()


@decode.also("cutting the white space off at the ends")
def stripped_left(pieces):
    return joined(pieces).lstrip()


@decode.also("cutting the white space off at the ends")
def stripped_right(pieces):
    return joined(pieces).rstrip()


@decode.misconception(
    "cutting the white space off each piece", "A token's space is part of the text: take nothing off a piece."
)
def all_stripped(pieces):
    return joined([piece.strip() for piece in pieces])


@decode.misconception("words with one space between two", "Give the text as it is, with every space and line break.")
def squeezed(pieces):
    return " ".join(joined(pieces).split())


@decode.misconception(
    "reading GPT-2's printable characters",
    "These pieces are raw bytes, not the characters of GPT-2's files: `Ġ` is a letter here. Replace nothing.",
)
def printable_spaces(pieces):
    return joined(pieces).replace("Ġ", " ")


@decode.misconception(
    "`<|endoftext|>` left out", "As pieces these are ordinary bytes: give them back like any other text."
)
def without_the_end(pieces):
    return joined(pieces).replace("<|endoftext|>", "")


@decode.misconception("all � left out", "U+FFFD stays in the text, and says that something was there.")
def without_marks(pieces):
    return joined(pieces).replace("\N{REPLACEMENT CHARACTER}", "")


@decode.misconception("characters composed anew", "Give the characters as they come: `e` and an accent stay two.")
def composed(pieces):
    return unicodedata.normalize("NFC", joined(pieces))


@decode.misconception("line breaks of one kind", 'Leave `"\\r\\n"` as it is: these are two characters of the text.')
def unix_breaks(pieces):
    return joined(pieces).replace("\r\n", "\n")


@decode.misconception(
    "an unfinished end left out",
    'The last character may be cut off: it becomes � too, as `errors="replace"` has it, and stays.',
)
def never_final(pieces):
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    return "".join(decoder.decode(piece) for piece in pieces)


@decode.misconception("the pieces in reverse", "Keep the order of the pieces.")
def backwards(pieces):
    return joined(pieces[::-1])


@decode.misconception("the first piece alone", "Join all pieces before the `return`.")
def first_alone(pieces):
    return joined(pieces[:1])


@decode.misconception("the last piece left out", "Join all pieces, the last one too.")
def last_lost(pieces):
    return joined(pieces[:-1])


@decode.misconception("each piece once", "A token may come often: keep every piece, in order; no set, no dict.")
def each_once(pieces):
    return joined(list(dict.fromkeys(pieces)))


@decode.misconception("using the pieces up", "Leave `pieces` as it is: read it, and take nothing out of it.")
def popping(pieces):
    data = b""
    while pieces:
        data += pieces.pop(0)
    return data.decode("utf-8", errors="replace")


@decode.misconception("no `return`", "End with `return` and the text.")
def silent(pieces):
    joined(pieces)


@decode.also("no `return`")
def printing(pieces):
    print(joined(pieces))


@decode.misconception("joining bytes by a str", 'Bytes are joined by bytes: `b"".join(pieces)`, with a b.')
def joined_by_a_str(pieces):
    return "".join(pieces).decode("utf-8", errors="replace")


@decode.misconception("bytes added to a str", 'Collect bytes: begin with `b""`, add the pieces, and decode at the end.')
def added_to_a_str(pieces):
    text = ""
    for piece in pieces:
        text += piece
    return text


@decode.misconception("bytes added to a number", '`sum` begins with 0, a number. Join with `b"".join(pieces)`.')
def summed(pieces):
    return sum(pieces).decode("utf-8", errors="replace")


@decode.misconception("encoding once more", "The pieces are bytes already: `decode` makes a text of them.")
def encoded_again(pieces):
    return b"".join(pieces).encode("utf-8")


@decode.misconception("asking an empty list for its first piece", 'There may be no piece at all: begin with `b""`.')
def beginning_with_the_first(pieces):
    data = pieces[0]
    for piece in pieces[1:]:
        data += piece
    return data.decode("utf-8", errors="replace")


@decode.also("bytes written as Python code")
def code_with_its_ends_stripped(pieces):
    return "".join(str(piece).lstrip("b").strip("'") for piece in pieces)


@decode.misconception(
    "zero bytes lost at the end of a piece",
    "A zero byte is text too: take nothing off a piece, and use no array of bytes, which NumPy fills up with zeros.",
)
def pieces_in_an_array(pieces):
    return b"".join(np.array(pieces, dtype=bytes)).decode("utf-8", errors="replace")


@decode.also("zero bytes lost at the end of a piece")
def zeros_stripped(pieces):
    return b"".join(piece.rstrip(b"\0") for piece in pieces).decode("utf-8", errors="replace")


@decode.misconception("zero bytes left out", "A zero byte is text too: join the pieces as they are.")
def no_zeros(pieces):
    return b"".join(pieces).replace(b"\0", b"").decode("utf-8", errors="replace")


@decode.correct
def pieces_in_an_array_of_objects(pieces):
    return b"".join(np.array(pieces, dtype=object)).decode("utf-8", errors="replace")
