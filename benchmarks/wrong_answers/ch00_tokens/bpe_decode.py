"""Wrong answers to chapter 0's `bpe_decode`, whole or as edits: benchmarks/answers.py says how."""

# %% bpe_decode: a loop that decodes as it goes
# right: a � for each half of a character
def bpe_decode(pieces):
    text = ""
    for piece in pieces:
        text += piece.decode("utf-8", errors="replace")
    return text

# %% bpe_decode: map over the tokens, no errors
# right: an error where a token ends in the middle of a character
def bpe_decode(pieces):
    return "".join(map(bytes.decode, pieces))

# %% bpe_decode: neither joined first nor with errors, in a list
# right: an error where a token ends in the middle of a character
def bpe_decode(pieces):
    words = []
    for p in pieces:
        words.append(str(p, "utf-8"))
    return "".join(words)

# %% bpe_decode: joined, and then strict
# right: an error where the bytes are not text
def bpe_decode(pieces):
    data = b""
    for p in pieces:
        data = data + p
    return data.decode()

# %% bpe_decode: ignore
# right: leaving out what is not UTF-8
def bpe_decode(pieces: list[bytes]) -> str:
    return bytes().join(pieces).decode(errors="ignore")

# %% bpe_decode: ignore, for each token
# right: the halves of characters left out
def bpe_decode(pieces):
    return "".join([p.decode("utf8", "ignore") for p in pieces])

# %% bpe_decode: a token that fails is skipped
# right: the halves of characters left out
def bpe_decode(pieces):
    out = []
    for p in pieces:
        try:
            out.append(p.decode("utf-8"))
        except UnicodeError:
            pass
    return "".join(out)

# %% bpe_decode: one sign for a token that fails
# right: one U+FFFD for each token that is not text
def bpe_decode(pieces):
    out = ""
    for p in pieces:
        try:
            out += str(p, "utf-8")
        except ValueError:
            out += "�"
    return out

# %% bpe_decode: U+FFFD for the whole
# right: giving the whole text up
def bpe_decode(pieces):
    joined = b"".join(pieces)
    try:
        return joined.decode("utf-8")
    except UnicodeDecodeError:
        return "\ufffd"

# %% bpe_decode: strict, else ignore
# right: leaving out what is not UTF-8
# like: U+FFFD for the whole
~ "\ufffd" → joined.decode("utf-8", "ignore")

# %% bpe_decode: f-strings
# right: bytes written as Python code
# like: a loop that decodes as it goes
~ piece.decode("utf-8", errors="replace") → f"{piece}"

# %% bpe_decode: str, with the quotes cut off
# right: bytes written as Python code
def bpe_decode(pieces):
    return "".join(str(p).lstrip("b").strip("'") for p in pieces)

# %% bpe_decode: chr of each byte
# right: a character for each byte
def bpe_decode(pieces):
    return "".join(chr(b) for b in b"".join(pieces))

# %% bpe_decode: iso-8859-1, since it never fails
# right: a character for each byte
def bpe_decode(pieces):
    text = ""
    for p in pieces:
        text += p.decode("iso-8859-1")
    return text

# %% bpe_decode: ascii
# right: ASCII alone
def bpe_decode(pieces):
    return b"".join(pieces).decode("ascii", "replace")

# %% bpe_decode: a space between two
# right: a space between the tokens
def bpe_decode(pieces):
    return b" ".join(pieces).decode("utf-8", "replace")

# %% bpe_decode: SpaceTokenizer's habit
# right: a space between the tokens
def bpe_decode(pieces):
    return " ".join(p.decode("utf-8", "replace") for p in pieces)

# %% bpe_decode: a str joined with bytes
# right: joining bytes by a str
def bpe_decode(pieces):
    return "".join(pieces).decode("utf-8", errors="replace")

# %% bpe_decode: a str grown by bytes
# right: bytes added to a str
# like: a loop that decodes as it goes
~ .decode("utf-8", errors="replace") →

# %% bpe_decode: encode for decode
# right: encoding once more
def bpe_decode(pieces):
    return b"".join(pieces).encode("utf-8")

# %% bpe_decode: sum without a start
# right: bytes added to a number
def bpe_decode(pieces):
    return sum(pieces).decode("utf-8", errors="replace")

# %% bpe_decode: left as bytes
# right: the bytes themselves
def bpe_decode(pieces):
    result = b""
    for piece in pieces:
        result += piece
    return result

# %% bpe_decode: a list of words
# right: a list of texts
def bpe_decode(pieces):
    return [p.decode("utf-8", "replace") for p in pieces]

# %% bpe_decode: return inside the loop
# right: a `return` inside the loop
def bpe_decode(pieces):
    data = b""
    for p in pieces:
        data += p
        return data.decode("utf-8", errors="replace")
    return ""

# %% bpe_decode: the first token begins, the others are forgotten
# right: the first token alone
def bpe_decode(pieces):
    return pieces[0].decode("utf-8", errors="replace") if pieces else ""

# %% bpe_decode: pieces[0] of an empty list
# right: asking an empty list for its first token
def bpe_decode(pieces):
    data = pieces[0]
    for p in pieces[1:]:
        data += p
    return data.decode("utf-8", errors="replace")

# %% bpe_decode: strips the space that a word begins with
# right: cutting the white space off at the ends
def bpe_decode(pieces):
    text = b"".join(pieces).decode("utf-8", errors="replace")
    return text.lstrip(" ")

# %% bpe_decode: a list that outlives the call
def bpe_decode(pieces, data=[]):
    data += pieces
    return b"".join(data).decode("utf-8", errors="replace")

# %% bpe_decode: nothing returned
def bpe_decode(pieces):
    text = b"".join(pieces).decode("utf-8", errors="replace")

# %% bpe_decode: empties the list
# right: using the tokens up
def bpe_decode(pieces):
    data = b""
    while len(pieces) > 0:
        data += pieces[0]
        del pieces[0]
    return data.decode("utf-8", errors="replace")

# %% bpe_decode: half a character at the end is cut off
def bpe_decode(pieces):
    data = b"".join(pieces)
    while data:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            data = data[:-1]
    return ""

# %% bpe_decode: replace of the string, not of decode
# right: a question mark for U+FFFD
def bpe_decode(pieces):
    return b"".join(pieces).decode("utf-8", errors="replace").replace("\ufffd", "?")

# %% bpe_decode: Ġ is a space
# right: reading GPT-2's printable characters
def bpe_decode(pieces):
    return b"".join(pieces).decode("utf-8", errors="replace").replace("\u0120", " ")

# %% bpe_decode: repr of what was joined
# right: bytes written as Python code
def bpe_decode(pieces):
    return repr(b"".join(pieces))

# %% bpe_decode: errors="strict" by its name
# right: an error where the bytes are not text
def bpe_decode(pieces):
    return str(b"".join(pieces), encoding="utf-8", errors="strict")

# %% bpe_decode: unicode_escape
def bpe_decode(pieces):
    return b"".join(pieces).decode("unicode_escape", errors="replace")

# %% bpe_decode: backslashes for what is no text
# right: something other than � where the bytes are not text
def bpe_decode(pieces):
    return b"".join(pieces).decode("utf-8", errors="backslashreplace")

# %% bpe_decode: only printable ones are kept
def bpe_decode(pieces):
    text = b"".join(pieces).decode("utf-8", errors="replace")
    return "".join(c for c in text if c.isprintable())

# %% bpe_decode: a space between, and one mark for all where a byte is bad
# right: a space between the tokens
# like: U+FFFD for the whole
~ b"" → b" "

# %% bpe_decode: str of the joined bytes, its ends cut off
# right: bytes written as Python code
def bpe_decode(pieces):
    joined = b"".join(pieces)
    return str(joined)[2:-1]

# %% bpe_decode: one to four bytes at a time
# right: a � for each byte that does not fit
def bpe_decode(pieces: list[bytes]) -> str:
    data = b"".join(pieces)
    text = ""
    i = 0
    while i < len(data):
        for n in (1, 2, 3, 4):
            try:
                text += data[i : i + n].decode("utf-8")
                i += n
                break
            except UnicodeDecodeError:
                pass
        else:
            text += "\ufffd"
            i += 1
    return text

# %% bpe_decode: errors handed to join
def bpe_decode(pieces: list[bytes]) -> str:
    return b"".join(pieces, errors="replace").decode("utf-8")

# %% bpe_decode: a space between the tokens + backslashes instead of U+FFFD
def bpe_decode(pieces: list[bytes]) -> str:
    return b" ".join(pieces).decode("utf-8", errors="backslashreplace")

# %% bpe_decode: return inside the loop, and none below it
# right: a `return` inside the loop
def bpe_decode(pieces):
    data = b""
    for piece in pieces:
        data += piece
        return data.decode("utf-8", errors="replace")
